/* The hash that finds identical bytes and makes digests: eight lanes of 64-bit multiplications,
 * folded. It gives equal results on every machine, but not against chosen inputs. */
#include "mix.h"
#include "recording.h"

#include <string.h>

enum {
    HASH_LANES = 8,              /* independent 64-bit multiplications per step */
    BLOCK_BYTES = HASH_LANES * 8 /* bytes that a step consumes */
};

static const uint64_t lane_keys[HASH_LANES] = {
    UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9), UINT64_C(0x94d049bb133111eb),
    UINT64_C(0xd6e8feb86659fd93), UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db),
    UINT64_C(0x8ebc6af09c88c6e3), UINT64_C(0x589965cc75374cc3)};

/* Mix the BLOCK_BYTES bytes at FROM into the lanes. */
static void hash_block(uint64_t lane[HASH_LANES], const uint8_t *from)
{
    for (int k = 0; k < HASH_LANES; k++) {
        uint64_t word;
        memcpy(&word, from + 8 * k, 8);
        lane[k] = (lane[k] ^ word) * lane_keys[k];
        lane[k] ^= lane[k] >> 29;
    }
}

static rec_hash hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    uint64_t lane[HASH_LANES];
    const uint8_t *at = bytes;
    size_t left = size;
    for (int k = 0; k < HASH_LANES; k++)
        lane[k] = rec_mix_bits(seed + lane_keys[k]);
    for (; left >= BLOCK_BYTES; left -= BLOCK_BYTES, at += BLOCK_BYTES)
        hash_block(lane, at);
    uint8_t last[BLOCK_BYTES] = {0};
    if (left)
        memcpy(last, at, left);
    hash_block(lane, last);
    rec_hash h = {rec_mix_bits(size ^ seed), rec_mix_bits(~(uint64_t)size)};
    for (int k = 0; k < HASH_LANES; k++) {
        h.low = rec_mix_bits(h.low * lane_keys[k] + lane[k]);
        h.high = rec_mix_bits(h.high * lane_keys[HASH_LANES - 1 - k] ^ lane[k]);
    }
    return h;
}

rec_hash rec_hash_of(const void *bytes, size_t size)
{
    return hash_bytes(0, bytes, size);
}

uint64_t rec_digest_bytes(uint64_t seed, const void *bytes, size_t size)
{
    return hash_bytes(seed, bytes, size).low;
}
