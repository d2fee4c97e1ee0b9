/* The distinct keys among the lanes of a warp (addresses, lines, words), numbered from 0 in order
 * of their first lane: a hash table with open addressing and four times as many slots as a warp has
 * lanes, so that most keys are found at once. */
#pragma once

#include "../core/warp.h"

#include <stdint.h>

enum { LANE_KEY_SLOTS = 4 * SM_LANES };

typedef struct lane_keys {
    uint32_t count;                      /* number of distinct keys */
    uint64_t taken[LANE_KEY_SLOTS / 64]; /* a bit for each slot in use */
    uint8_t number[LANE_KEY_SLOTS];      /* of the key in each slot in use */
    uint64_t key[SM_LANES];              /* [number] */
} lane_keys;

static inline void lane_keys_clear(lane_keys *t)
{
    t->count = 0; /* of the other fields, `taken` says which are filled */
    t->taken[0] = t->taken[1] = 0;
}

/* The number of KEY, which is added if it is new. */
static inline uint32_t lane_keys_find(lane_keys *t, uint64_t key)
{
    uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 57);
    while (t->taken[at / 64] >> at % 64 & 1) {
        if (t->key[t->number[at]] == key)
            return t->number[at];
        at = (at + 1) % LANE_KEY_SLOTS;
    }
    t->taken[at / 64] |= UINT64_C(1) << at % 64;
    t->number[at] = (uint8_t)t->count;
    t->key[t->count] = key;
    return t->count++;
}
