/* The exact cost of a memory request: sectors, wavefronts, distinct addresses. The handlers in
 * exec/ have fast paths for common access patterns and call these functions for all others. */
#pragma once

#include "../core/warp.h"

#include <stdbool.h>
#include <string.h>

/* Number of distinct values among KEY[0 .. n), n <= 32. */
uint32_t profiler_count_distinct(const uint64_t *key, uint32_t n);

/* Wavefronts of a shared-memory request: the lanes of MASK access BYTES bytes (1 to 16, aligned) at
 * offset[lane]. Shared memory has 32 banks of four bytes; a wavefront serves one word per bank, to
 * any number of lanes. 64-bit accesses are served half a warp at a time, 128-bit ones a quarter. A
 * load in which neighbouring lanes (l and l ^ 1, or l and l ^ 2, throughout) read the same address
 * is served twice as many lanes at a time, if that causes no bank conflict. Source: measured on an
 * H200, tests/hardware/counters/run-counters. */
typedef struct profiler_wavefront_cost {
    uint32_t wavefronts; /* number of wavefronts (passes through shared memory) */
    uint32_t conflicts;  /* wavefronts beyond the minimum of one for each part of the warp (half or
                            quarter) */
} profiler_wavefront_cost;
profiler_wavefront_cost profiler_shared_wavefronts(const uint32_t offset[SM_LANES], uint32_t mask,
                                                   uint32_t bytes, bool load);

/* Wavefronts of an atomic shared-memory request. A bank serves the lanes that update its words one
 * after another, also if they update the same word (for exceptions see collect.c). 64-bit atomics
 * are assumed to be served half a warp at a time, like stores; that has not been measured. */
profiler_wavefront_cost profiler_atomic_wavefronts(const uint32_t offset[SM_LANES], uint32_t mask,
                                                   uint32_t bytes);

/* What a local-memory request touches. Local memory is interleaved: the same 4-byte word of the 32
 * lanes is a line. An offset is a multiple of BYTES. */
typedef struct profiler_local_cost {
    uint32_t sectors;
    uint32_t lines;
    uint32_t part_lines; /* lines of which the request covers a sector in part only */
} profiler_local_cost;
profiler_local_cost profiler_cost_of_local_request(const uint64_t offset[SM_LANES], uint32_t mask,
                                                   uint32_t bytes);

/* The 128-byte lines in which the accesses of a request begin. */
typedef struct profiler_lines {
    uint64_t line[SM_LANES] __attribute__((aligned(64))); /* [count] address / 128 */
    uint32_t words[SM_LANES]; /* [count] a bit for each word at which a lane's access begins */
    uint32_t count;           /* number of entries */
} profiler_lines;

/* The lines of ADDRESS[0 .. n), in the order of the lanes: one entry for adjacent lanes in one
 * line. Returns whether line numbers rise, so that no line has two entries. */
static inline bool profiler_find_lines(const uint64_t *address, uint32_t n, profiler_lines *l)
{
    uint64_t last = 0, falls = 0;
    l->count = 0;
    for (uint32_t k = 0; k < n; l->count++) {
        const uint64_t line = address[k] / 128;
        uint32_t words = 0;
        do
            words |= 1u << address[k] / 4 % 32;
        while (++k < n && address[k] / 128 == line);
        falls |= line < last;
        last = line;
        l->line[l->count] = line;
        l->words[l->count] = words;
    }
    return !falls;
}

/* Join the entries of each line into one. */
void profiler_join_lines(profiler_lines *l);

/* The sectors of a line that WORDS, a mask of its 32 words, lie in: a mask of 4 bits. */
static inline uint32_t profiler_sectors_of_words(uint32_t words)
{
    words |= words >> 4;
    words |= words >> 2;
    words |= words >> 1;
    return (words & 0x01010101) * 0x10204080 >> 28;
}

/* The number of sectors in SECTORS, a mask of 4 bits. */
static inline uint32_t profiler_sector_count(uint32_t sectors)
{
    return (uint32_t)(UINT64_C(0x4332322132212110) >> 4 * sectors) & 15;
}

/* Add digits K + HALF to digits K, for each K < HALF: binary numbers of PLACES digits, one for each
 * bit. */
static inline __attribute__((always_inline)) void
profiler_add_halves(uint32_t digit[6][SM_LANES / 2], uint32_t half, uint32_t places)
{
    for (uint32_t k = 0; k < half; k++) {
        uint32_t carry = 0;
        for (uint32_t p = 0; p < places; p++) {
            const uint32_t x = digit[p][k], y = digit[p][k + half], one = x ^ y;
            digit[p][k] = one ^ carry;
            carry = (x & y) | (carry & one);
        }
        digit[places][k] = carry;
    }
}

/* The largest of 32 binary numbers, one for each bit: the digits 0 of PLACES digits. */
static inline uint32_t profiler_largest(uint32_t digit[6][SM_LANES / 2], uint32_t places)
{
    uint32_t most = 0, fullest = UINT32_MAX;
    for (uint32_t p = places; p-- > 0;) {
        const uint32_t in = digit[p][0] & fullest;
        fullest = in ? in : fullest;
        most |= (uint32_t)(in != 0) << p;
    }
    return most;
}

/* How often the most frequent of 32 banks occurs in the masks BANKS. All banks are counted at once,
 * as binary numbers with a mask for each digit. */
static inline uint32_t profiler_most_in_a_bank(const uint32_t banks[SM_LANES])
{
    uint32_t digit[6][SM_LANES / 2];
    for (uint32_t k = 0; k < SM_LANES / 2; k++) {
        digit[0][k] = banks[k] ^ banks[k + SM_LANES / 2];
        digit[1][k] = banks[k] & banks[k + SM_LANES / 2];
    }
    profiler_add_halves(digit, 8, 2);
    profiler_add_halves(digit, 4, 3);
    profiler_add_halves(digit, 2, 4);
    profiler_add_halves(digit, 1, 5);
    return profiler_largest(digit, 6);
}

/* The largest number of bits that are set in one of 32 bytes. */
static inline uint32_t profiler_most_bits(const uint8_t byte[SM_LANES])
{
    uint64_t bits[SM_LANES / sizeof(uint64_t)];
    uint8_t count[sizeof bits], most = 0;
    memcpy(bits, byte, sizeof bits);
    for (uint32_t k = 0; k < SM_LANES / sizeof(uint64_t); k++) {
        uint64_t x = bits[k] - (bits[k] >> 1 & UINT64_C(0x5555555555555555));
        x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
        bits[k] = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    }
    memcpy(count, bits, sizeof bits);
    for (uint32_t k = 0; k < SM_LANES; k++)
        most = count[k] > most ? count[k] : most;
    return most;
}

/* The largest number of distinct words in a bank of shared memory, where each lane accesses one
 * word in the ROWS <= 32 rows of 32 words from row FIRST on. */
static inline uint32_t profiler_most_words_in_a_bank(const uint32_t offset[SM_LANES],
                                                     uint32_t first, uint32_t rows)
{
    uint32_t banks[SM_LANES], row[SM_LANES], bank[SM_LANES]; /* banks: those accessed in each row */
    if (rows <= 8) {
        uint8_t rows_of[SM_LANES] = {0}; /* of each bank: those accessed, a bit each */
        for (uint32_t l = 0; l < SM_LANES; l++) {
            row[l] = 1u << (offset[l] / 128 - first);
            bank[l] = offset[l] / 4 % 32;
        }
#pragma GCC unroll 8
        for (uint32_t l = 0; l < SM_LANES; l++)
            rows_of[bank[l]] |= (uint8_t)row[l];
        return profiler_most_bits(rows_of);
    }
    for (uint32_t l = 0; l < SM_LANES; l++) {
        row[l] = offset[l] / 128 - first;
        bank[l] = 1u << offset[l] / 4 % 32;
        banks[l] = row[l] >> 31; /* 0; memset() takes longer for so few bytes */
    }
    for (uint32_t l = 0; l < SM_LANES; l++)
        banks[row[l]] |= bank[l];
    return profiler_most_in_a_bank(banks);
}

/* The largest number of lanes of MASK in a bank of shared memory. */
static inline uint32_t profiler_most_lanes_in_a_bank(const uint32_t offset[SM_LANES], uint32_t mask)
{
    uint32_t banks[SM_LANES];
    for (uint32_t l = 0; l < SM_LANES; l++)
        banks[l] = (mask >> l & 1) << offset[l] / 4 % 32;
    return profiler_most_in_a_bank(banks);
}

/* The cost of a global-memory request with scattered addresses: ADDRESS[0 .. n) are the addresses
 * of the n active lanes, in order, with BYTES bytes each, naturally aligned. */
typedef struct profiler_global_request_cost {
    uint32_t sectors; /* number of distinct 32-byte sectors */
    uint32_t lines;   /* number of distinct 128-byte lines */
    uint32_t ideal;   /* number of sectors if the distinct addresses were contiguous */
    uint32_t words;   /* number of distinct words at which a lane's access begins */
} profiler_global_request_cost;
profiler_global_request_cost profiler_cost_of_global_request(const uint64_t *address, uint32_t n,
                                                             uint32_t bytes);

/* Lanes that update the same address with one atomic request are served in successive passes, one
 * lane per address and pass. TURN[k]: the pass that serves ADDRESS[k]. */
void profiler_atomic_turns(const uint64_t *address, uint32_t n, uint8_t turn[SM_LANES]);

/* What an atomic request sends to L2: a packet for each line in each pass. */
typedef struct profiler_packets {
    uint32_t count;            /* number of entries */
    uint32_t again;            /* lanes that are not served by the first pass */
    uint64_t line[SM_LANES];   /* [count] address / 128 */
    uint8_t sectors[SM_LANES]; /* [count] the sectors of the line: a mask of 4 bits */
    uint8_t lanes[SM_LANES];   /* [count] lanes that update its words */
} profiler_packets;
void profiler_find_packets(const uint64_t *address, uint32_t n, profiler_packets *p);

/* Number of sectors of all packets. */
uint32_t profiler_sectors_of_packets(const profiler_packets *p);

/* Number of sectors of an atomic request: each pass counts its distinct sectors. */
uint32_t profiler_atomic_sectors(const uint64_t *address, uint32_t n);

/* Count a request to shared memory of other blocks of the cluster: the lanes of MASK access
 * ADDRESS[lane]. ATOMIC: count sectors as profiler_atomic_sectors does. REQUESTS and SECTORS are
 * the counters. */
void profiler_count_distributed_shared(sm_warp *w, counter_id requests, counter_id sectors,
                                       const uint64_t address[SM_LANES], uint32_t mask,
                                       bool atomic);
