/* The splitmix64 generator: used for digests, for the judge's noise and for random tests. */
#pragma once

#include <stdint.h>

/* Map 64 bits to 64 bits one to one; flipping a bit of Z flips half the result's bits. */
static inline uint64_t rec_mix_bits(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The next random number; *STATE is the seed at first and is updated. */
static inline uint64_t rec_draw_random(uint64_t *state)
{
    return rec_mix_bits(*state += UINT64_C(0x9e3779b97f4a7c15));
}
