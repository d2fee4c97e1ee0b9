/* Text of all that a verdict depends on: submissions with equal text get equal verdicts. */
#pragma once

#include "../base/installation.h"
#include "../book/chapter.h"

#include <stdint.h>

/* The part of such a text that all submissions of a grading run share: hashes or names of this
 * program, nvcc, the emulator's libraries, common/, the rubric, the seed and the limits. In the
 * installation's arena. */
char *hash_grading_conditions(installation *h, const chapter *c, uint64_t seed, bool gpu,
                              bool boxed, bool run_pages, double timeout_s);

/* SHARED followed by the book's text with the regions of TEXT in place; ASCII, to be freed. NULL:
 * TEXT cannot be judged (graft.h). *IGNORED: the first line where TEXT differs from ORIGINAL
 * outside its regions; 0: none. */
char *content_of_submission(const char *shared, const char *original, const char *text,
                            int *ignored);
