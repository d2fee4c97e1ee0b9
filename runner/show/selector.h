/* Finds the source line that the argument of `plot --access` selects. */
#pragma once

#include "access.h"

/* WORDS is a line number of SOURCE, or text contained in a line that accesses memory; either may
 * follow "KERNEL:". FILE: name of the source file in the table. Sets OUT's kernel and line. False:
 * failed, with a sentence in ERR. */
bool selector_find(const requests *r, const char *source, const char *file, const char *words,
                   access_choice *out, char *err, size_t err_size);

/* Find the line of another version of the source that corresponds to the line text FROM: the line
 * with the same text, else the kernel's line with the highest cost of instructions like Q. False:
 * no such line. */
bool selector_match(const requests *r, const char *source, const char *file, const char *from,
                    const memory_request *q, access_choice *out);

/* The number of the TODO region of SOURCE that line N lies in; 0: none. */
int todo_of_line(const char *source, int n);

/* The name of argument N (from 1) of KERNEL as SOURCE defines it, in A; NULL: not found. */
char *kernel_argument_name(arena *a, const char *source, const char *kernel, int n);
