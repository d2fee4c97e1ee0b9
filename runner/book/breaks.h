/* The exercises in which a student breaks a given kernel, one per chapter at most. They are read as
 * chapters whose lab is break.cu, whose lesson is break.md and whose solution is break-solution.cu,
 * so that all that handles labs handles them. docs/FORMATS.md describes break.md. */
#pragma once

#include "chapter.h"

/* Read the exercises of the chapters of OF; closed by book_close. */
void breaks_open(book *b, const book *of);

/* The exercise of chapter C; NULL: it has none. */
chapter *break_of_chapter(const book *breaks, const chapter *c);
