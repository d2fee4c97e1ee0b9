/* The history of a student's runs ("tries") of a chapter's lab, kept in the state file: the last
 * HISTORY_MAX_TRIES tries, the day the lab first passed, and the best bandwidth of a passing try.
 * Older state files have no history. */
#pragma once

#include "state.h"

enum { HISTORY_MAX_TRIES = 200 }; /* runs of a lab that the history keeps */

/* One run of a lab by the student. Its strings are valid until the saved state changes. */
typedef struct lab_try {
    const char *at;      /* local time, such as "2026-11-23 10:12" */
    verdict_kind kind;   /* the verdict on the run */
    size_t right, of;    /* number of checks of the lab that passed; number of all its checks */
    double gbs;          /* bandwidth of the fastest variant in GB/s; 0: nothing was measured */
    const char *variant; /* name of the fastest variant; NULL: unknown */
    const char *source, *device; /* how `gbs` was obtained, "measured" or "modelled"; device's name;
                                    NULL: unknown */
} lab_try;

/* Add verdict V as a try to ENTRY, a chapter's JSON object (json_t). */
void history_add_try(void *entry, const verdict *v);

/* The tries at a chapter's lab, oldest first, in arena A. */
lab_try *history_tries(const saved_state *s, const chapter *c, arena *a, size_t *count);
/* The day the lab first passed, as "2026-11-23"; NULL: it has not passed, or the day is unknown. */
const char *history_day_passed(const saved_state *s, const chapter *c);
/* The passing try with the highest bandwidth, a GPU's if one exists; false: no such try. */
bool history_best_try(const saved_state *s, const chapter *c, lab_try *best);
/* "passed on 2026-11-23, best 1678 GB/s modelled", or only "passed"; NULL if the lab has not
 * passed. DATED adds the day. The caller frees the text. */
char *history_in_words(const saved_state *s, const chapter *c, bool dated);
