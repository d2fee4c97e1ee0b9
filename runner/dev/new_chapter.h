/* Creates new chapters and assignments from the templates in tests/book/template. */
#pragma once

#include "../base/installation.h"

/* Create chapter TOPIC ("warp-votes") with the next free number: chapters/NN-TOPIC, its wrong
 * versions in tests/book/wrong, and its row in TUTORIAL.md. Prints a message, returns an exit
 * code. */
int create_chapter(installation *h, const char *topic);

/* Likewise the assignment TOPIC: labs/NN-TOPIC with rubric and judge's rules, and its solution in
 * solutions/NN-TOPIC. */
int create_assignment(installation *h, const char *topic);
