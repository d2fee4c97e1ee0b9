#pragma once

#include "../judge/verdict.h"

/* Why points were lost, or why there are none; "": no points were lost. To be freed. */
char *summary_of_verdict(const verdict *v);

/* The verdict as a word: "OK", "WRONG", "RACE", "COMPILE-ERROR", ... README.md, "For instructors",
 * lists all words. */
const char *word_for_verdict(const verdict *v);
