/* Finds the line of a lab that a user means by what follows `plot --access`. */
#ifndef WARPBOOK_SELECTOR_H
#define WARPBOOK_SELECTOR_H

#include "access.h"

/* WORDS is the number of a line of SOURCE, or text that occurs in one that accesses memory, each
 * also as KERNEL:WORDS. FILE: the source's name in the table. Fills OUT's kernel and line. False
 * with a sentence in ERR. */
bool selector_find(const requests *r, const char *source, const char *file, const char *words,
                   access_choice *out, char *err, size_t err_size);

/* The line of another version of the source that does what line FROM of SOURCE does: the same text,
 * else the line of the same kernel on which instructions like Q spend most. False: there is none.
 */
bool selector_match(const requests *r, const char *source, const char *file, const char *from,
                    const request *q, access_choice *out);

/* The number of the TODO region of SOURCE that line N lies in; 0: none. */
int source_todo(const char *source, int n);

/* The name of argument N (from 1) of KERNEL as its definition in SOURCE names it, in A; NULL: not
 * found. */
char *source_argument(arena *a, const char *source, const char *kernel, int n);

#endif
