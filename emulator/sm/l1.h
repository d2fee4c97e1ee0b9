/* The modelled L1 of a block: which 32-byte sectors its loads have read; and its constant cache,
 * 2 KB in lines of 64 bytes.
 *
 * Direct-mapped, 1024 lines of four sectors: 128 KB, what is left of an SM's L1 beside an ordinary
 * amount of shared memory. Every block begins with an empty one, so that counters do not depend on
 * which host thread ran which block before. */
#ifndef WARPBOOK_L1_H
#define WARPBOOK_L1_H

#include <stdint.h>

#define L1_LINES       1024u
#define L1_CONST_LINES 32u
#define L1_GENERATIONS (UINT64_C(1) << 20)

struct l1_model {
    uint64_t generation;                 /* of the block that runs */
    uint64_t line[L1_LINES];             /* line number << 24 | generation << 4 | sectors */
    uint64_t const_line[L1_CONST_LINES]; /* line number << 20 | generation */
};

/* 1 where the 64 bytes around ADDRESS are not in the constant cache yet; they are now. */
static inline uint32_t l1_const_miss(struct l1_model *l1, uint64_t address)
{
    uint64_t line = address / 64, key = line << 20 | l1->generation;
    uint64_t *entry = &l1->const_line[(line ^ line / L1_CONST_LINES) % L1_CONST_LINES];
    uint32_t miss = *entry != key;
    *entry = key;
    return miss;
}

/* The sectors (4 bits) of 128-byte line LINE that are not there yet; they are now. */
static inline uint32_t l1_miss(struct l1_model *l1, uint64_t line, uint32_t sectors)
{
    uint64_t *entry = &l1->line[(line ^ line >> 10 ^ line >> 20) % L1_LINES];
    uint64_t key = line << 24 | l1->generation << 4;
    if ((*entry & ~UINT64_C(15)) != key) {
        *entry = key | sectors;
        return sectors;
    }
    uint32_t miss = sectors & ~(uint32_t)*entry;
    *entry |= sectors;
    return miss;
}

#endif
