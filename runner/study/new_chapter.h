/* Creates a new chapter from the template in tests/book/template. */
#ifndef WARPBOOK_NEW_CHAPTER_H
#define WARPBOOK_NEW_CHAPTER_H

#include "../base/installation.h"

/* Create the chapter TOPIC ("warp-votes") with the next free number: chapters/NN-TOPIC, its wrong
 * versions in tests/book/wrong, and its row in TUTORIAL.md. Prints a message and returns an exit
 * code. */
int create_chapter(installation *h, const char *topic);

#endif
