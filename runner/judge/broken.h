/* Judges exercises to break a kernel (book/breaks.h). */
#pragma once

#include "verdict.h"

/* Turn the verdict on a run of the exercise C into the verdict on the student's choice: it passes
 * if the run showed the fault that C requires, and no other one. Verdicts that say nothing of the
 * choice, such as of a program that does not compile, stay. */
void judge_broken(verdict *v, const chapter *c);

/* The required fault in words, such as "a race"; the word itself if it is unknown. */
const char *words_for_fault(const char *fault);
