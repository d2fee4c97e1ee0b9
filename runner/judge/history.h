/* The tries at a chapter's lab, as the state keeps them: the last HISTORY_KEPT, the day it first
 * passed, and the best bandwidth with which it did. Older state files have none of these. */
#ifndef WARPBOOK_HISTORY_H
#define WARPBOOK_HISTORY_H

#include "state.h"

enum { HISTORY_KEPT = 200 };

/* Strings live until the state changes. */
typedef struct
try {
    const char *at; /* local time, such as "2026-11-23 10:12" */
    verdict_kind kind;
    size_t right, of; /* checks */
    double gbs;       /* bandwidth of the fastest variant in GB/s; 0: nothing was measured */
    const char *variant, *source,
        *device; /* the fastest variant, and how and where it was measured; NULL: unknown */
}
try;

/* Add the try V to ENTRY, the json_t of a chapter. */
void history_note(void *entry, const verdict *v);

/* The tries at a chapter's lab, oldest first, in arena A. */
try *history_tries(const state *s, const chapter *c, arena *a, size_t *count);
/* "2026-11-23"; NULL: it has not passed, or it is not known when. */
const char *history_passed_on(const state *s, const chapter *c);
/* The best of those that passed, of a GPU where there is one; false: none is known. */
bool history_best(const state *s, const chapter *c, try *best);
/* "passed on 2026-11-23, best 1678 GB/s modelled", or "passed" alone, or NULL where it has not; the
 * day only with DATED. To be freed. */
char *history_words(const state *s, const chapter *c, bool dated);

#endif
