/* Pairs of accesses to shared memory that no barrier orders, and that are no races nevertheless. */
#pragma once

#include "race_report.h"

/* Two accesses to BYTES (a mask) of WORD of the block's shared memory. SECOND, by W, happens
 * now; FIRST happened before. */
typedef struct san_access_pair {
    const sm_warp *w;
    const sm_access *access;         /* the second of the two accesses; NULL: not known */
    uint32_t word;                   /* number of the word in shared memory */
    uint8_t bytes;                   /* mask of the bytes of the word */
    san_racing_thread second, first; /* the threads of the two accesses */
    uint32_t first_time; /* first access by the launch's clock (global/view.h); 0: not known */
} san_access_pair;

/* Are the two accesses ordered through fences and memory words with release and acquire, or does
 * one wait for the other or for a lock? */
bool san_is_harmless_pair(const san_access_pair *m);
/* Do both accesses store the same value? */
bool san_pair_stores_same_value(const san_access_pair *m);
