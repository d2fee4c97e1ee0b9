/* Crafts of programmers: hashes, large numbers, search, sorting, texts, days. */
#include "public.h"

typedef unsigned long long u64;

static __device__ unsigned turn_right(unsigned x, int by)
{
    return __funnelshift_r(x, x, by);
}

/* The shape of a hash of 64 rounds over 16 words, with its schedule in registers. */
KERNEL(digest_of_16_words)
{
    unsigned w[16], s[8];
    for (int k = 0; k < 16; k++)
        w[k] = words[(INDEX & 0x3ffff) + k * 0x40000];
    for (int k = 0; k < 8; k++)
        s[k] = 0x6a09e667u * (k + 1);
#pragma unroll
    for (int r = 0; r < 64; r++) {
        const unsigned x = w[(r + 1) & 15], y = w[(r + 14) & 15];
        const unsigned now = w[r & 15] += (turn_right(x, 7) ^ turn_right(x, 18) ^ (x >> 3)) +
                                          w[(r + 9) & 15] +
                                          (turn_right(y, 17) ^ turn_right(y, 19) ^ (y >> 10));
        const unsigned a = s[7] +
                           (turn_right(s[4], 6) ^ turn_right(s[4], 11) ^ turn_right(s[4], 25)) +
                           ((s[4] & s[5]) ^ (~s[4] & s[6])) + now + r * 0x428a2f98u;
        const unsigned b = (turn_right(s[0], 2) ^ turn_right(s[0], 13) ^ turn_right(s[0], 22)) +
                           ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += a, s[0] = a + b;
    }
    ((unsigned *)out)[INDEX & 0x3ffff] = s[0] ^ s[7];
}

static __constant__ unsigned crc_table[256] = {1, 0x77073096u, 0xee0e612cu, 0x990951bau};

KERNEL(checksum_by_constant_table)
{
    unsigned crc = ~0u;
    for (int k = 0; k < 8; k++) {
        unsigned w = words[INDEX + k * 65536];
        for (int b = 0; b < 4; b++, w >>= 8)
            crc = (crc >> 8) ^ crc_table[(crc ^ w) & 255];
    }
    ((unsigned *)out)[INDEX] = crc;
}

KERNEL(cipher_by_shared_tables)
{
    __shared__ unsigned table[4][256];
    for (int k = threadIdx.x; k < 1024; k += 256)
        table[k / 256][k % 256] = words[k];
    __syncthreads();
    for (int i = INDEX; i < n / 4; i += gridDim.x * blockDim.x) {
        uint4 s = ((const uint4 *)words)[i];
        for (int r = 0; r < 10; r++) {
            const unsigned a = table[0][s.x & 255] ^ table[1][s.y >> 8 & 255] ^
                               table[2][s.z >> 16 & 255] ^ table[3][s.w >> 24];
            const unsigned b = table[0][s.y & 255] ^ table[1][s.z >> 8 & 255] ^
                               table[2][s.w >> 16 & 255] ^ table[3][s.x >> 24];
            const unsigned c = table[0][s.z & 255] ^ table[1][s.w >> 8 & 255] ^
                               table[2][s.x >> 16 & 255] ^ table[3][s.y >> 24];
            const unsigned d = table[0][s.w & 255] ^ table[1][s.x >> 8 & 255] ^
                               table[2][s.y >> 16 & 255] ^ table[3][s.z >> 24];
            s = make_uint4(a, b, c, d);
        }
        ((uint4 *)out)[i] = s;
    }
}

KERNEL(power_modulo_64)
{
    u64 base = words[INDEX] | 1, m = 0xffffffffull - 2 * (words[INDEX] & 1023), y = 1;
    for (int e = words[INDEX + 1] & 0xffff | 0x8000; e; e >>= 1) {
        if (e & 1)
            y = y * base % m;
        base = base * base % m;
    }
    ((unsigned *)out)[INDEX] = (unsigned)y;
}

static __device__ unsigned montgomery(unsigned a, unsigned b, unsigned m, unsigned inverse)
{
    const u64 t = (u64)a * b;
    const unsigned q = (unsigned)t * inverse;
    const unsigned r = (unsigned)((t + (u64)q * m) >> 32);
    return r >= m ? r - m : r;
}

KERNEL(powers_by_montgomery)
{
    const unsigned m = 0x7fffffffu - 2 * (words[INDEX] & 255), base = words[INDEX + 1] >> 1;
    unsigned x = base, inverse = m;
    for (int k = 0; k < 4; k++)
        inverse *= 2 - m * inverse;
    for (int e = 0; e < 64; e++)
        x = montgomery(x, e & 1 ? base : x, m, 0u - inverse);
    ((unsigned *)out)[INDEX] = x;
}

KERNEL(greatest_divisors)
{
    unsigned a = words[INDEX], b = words[INDEX + 4096];
    while (b) {
        const unsigned r = a % b;
        a = b, b = r;
    }
    ((unsigned *)out)[INDEX] = a;
}

KERNEL(products_of_256_bits)
{
    unsigned a[8], b[8], c[16];
    for (int k = 0; k < 8; k++) {
        a[k] = words[(INDEX & 0x1ffff) + k * 0x20000];
        b[k] = words[(INDEX & 0x1ffff) + k * 0x20000 + 1000];
        c[k] = c[k + 8] = 0;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        u64 carry = 0;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            carry += (u64)a[i] * b[j] + c[i + j];
            c[i + j] = (unsigned)carry;
            carry >>= 32;
        }
        c[i + 8] = (unsigned)carry;
    }
    for (int k = 0; k < 16; k++)
        ((unsigned *)out)[(INDEX & 0x1ffff) + k * 0x20000] = c[k];
}

KERNEL(generator_of_64_bits)
{
    u64 s = words[INDEX] | 1, sum = 0;
    for (int k = 0; k < 128; k++) {
        s ^= s >> 12, s ^= s << 25, s ^= s >> 27;
        sum += s * 2685821657736338717ull >> 40;
    }
    out[INDEX] = (float)sum;
}

KERNEL(sorted_by_bitonic_blocks)
{
    __shared__ unsigned s[1024];
    for (int k = threadIdx.x; k < 1024; k += 256)
        s[k] = words[blockIdx.x * 1024 + k];
    for (int size = 2; size <= 1024; size *= 2)
        for (int stride = size / 2; stride; stride /= 2) {
            __syncthreads();
            for (int k = threadIdx.x; k < 512; k += 256) {
                const int a = 2 * k - (k & (stride - 1)), b = a + stride;
                const unsigned x = s[a], y = s[b];
                if ((x > y) == !(a & size))
                    s[a] = y, s[b] = x;
            }
        }
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += 256)
        ((unsigned *)out)[blockIdx.x * 1024 + k] = s[k];
}

KERNEL(medians_of_25_by_insertion)
{
    float v[25];
    for (int k = 0; k < 25; k++) {
        const float x = in[INDEX + k / 5 * 2048 + k % 5];
        int j = k;
        while (j > 0 && v[j - 1] > x)
            v[j] = v[j - 1], j--;
        v[j] = x;
    }
    out[INDEX] = v[12];
}

KERNEL(ranks_of_digits)
{
    __shared__ unsigned count[16][8];
    if (threadIdx.x < 128)
        count[threadIdx.x / 8][threadIdx.x % 8] = 0;
    __syncthreads();
    const unsigned digit = words[INDEX] & 15, lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    const unsigned same = __match_any_sync(~0u, digit), before = same & ((1u << lane) - 1);
    if (!before)
        count[digit][warp] = __popc(same);
    __syncthreads();
    unsigned rank = __popc(before);
    for (unsigned w = 0; w < warp; w++)
        rank += count[digit][w];
    for (unsigned d = 0; d < digit; d++)
        for (int w = 0; w < 8; w++)
            rank += count[d][w];
    ((unsigned *)out)[blockIdx.x * 256 + rank] = words[INDEX];
}

KERNEL(binary_search_of_sorted)
{
    const float key = in[INDEX];
    int low = 0, high = 1 << 20;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (middle * (1.0f / (1 << 20)) + 1e-9f * in[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[INDEX] = (float)low;
}

KERNEL(open_table_of_keys)
{
    unsigned *table = (unsigned *)out;
    const unsigned key = words[INDEX] | 1;
    unsigned slot = key * 2654435761u >> 11;
    for (int tries = 0; tries < 16; tries++) {
        const unsigned was = atomicCAS(&table[slot], 0, key);
        if (was == 0 || was == key)
            break;
        slot = (slot + 1) & ((1 << 21) - 1);
    }
}

KERNEL(edits_of_words)
{
    unsigned char row[17];
    const unsigned long long a = ((const u64 *)words)[INDEX], b = ((const u64 *)words)[INDEX + 999];
    for (int k = 0; k <= 16; k++)
        row[k] = (unsigned char)k;
    for (int i = 0; i < 16; i++) {
        int corner = row[0];
        row[0] = (unsigned char)(i + 1);
        for (int j = 0; j < 16; j++) {
            const int up = row[j + 1];
            const int change = corner + ((a >> 4 * i & 15) != (b >> 4 * j & 15));
            row[j + 1] = (unsigned char)min(min(up, (int)row[j]) + 1, change);
            corner = up;
        }
    }
    out[INDEX] = row[16];
}

KERNEL(letters_found)
{
    const unsigned char *text = (const unsigned char *)words;
    int found = 0;
    for (int k = 0; k < 16; k++) {
        const unsigned char *at = text + INDEX + (size_t)k * (1 << 20);
        int m = 0;
        while (m < 8 && at[m] < 200 - 20 * m)
            m++;
        found += m;
    }
    out[INDEX] = found;
}

KERNEL(letters_to_base_64)
{
    const unsigned char *from = (const unsigned char *)words;
    unsigned char *to = (unsigned char *)out;
    const unsigned v = from[3 * INDEX] << 16 | from[3 * INDEX + 1] << 8 | from[3 * INDEX + 2];
    for (int k = 0; k < 4; k++) {
        const unsigned c = v >> (18 - 6 * k) & 63;
        to[4 * INDEX + k] = (unsigned char)(c < 26    ? 'A' + c
                                            : c < 52  ? 'a' + c - 26
                                            : c < 62  ? '0' + c - 52
                                            : c == 62 ? '+'
                                                      : '/');
    }
}

KERNEL(queens_by_backtracking)
{
    unsigned columns[12], left[12], right[12], open[12];
    int depth = 1, solutions = 0;
    const unsigned first = 1u << (INDEX & 7), second = 1u << (INDEX >> 3 & 7);
    columns[1] = first | second, left[1] = first << 2 | second << 1,
    right[1] = first >> 2 | second >> 1;
    open[1] = first == second ? 0 : ~(columns[1] | left[1] | right[1]) & 255;
    while (depth) {
        const unsigned bit = open[depth] & (0u - open[depth]);
        if (!bit) {
            depth--;
            continue;
        }
        open[depth] ^= bit;
        if (depth == 6) {
            solutions++;
            continue;
        }
        columns[depth + 1] = columns[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1, right[depth + 1] = (right[depth] | bit) >> 1;
        open[depth + 1] = ~(columns[depth + 1] | left[depth + 1] | right[depth + 1]) & 255;
        depth++;
    }
    out[INDEX] = solutions;
}

KERNEL(distances_of_bits)
{
    int sum = 0;
    const uint4 a = ((const uint4 *)words)[INDEX];
    for (int k = 0; k < 64; k++) {
        const uint4 b = ((const uint4 *)words)[k * 7 + (INDEX >> 5 & 1023)];
        sum += __popc(a.x ^ b.x) + __popc(a.y ^ b.y) + __popc(a.z ^ b.z) + __popc(a.w ^ b.w);
    }
    out[INDEX] = sum;
}

KERNEL(digits_of_numbers)
{
    unsigned char *to = (unsigned char *)out + INDEX * 10;
    unsigned x = words[INDEX];
    for (int k = 9; k >= 0; k--)
        to[k] = (unsigned char)('0' + x % 10), x /= 10;
}

KERNEL(calendar_of_seconds)
{
    const long long t = (long long)words[INDEX] * 7919;
    const long long days = t / 86400, z = days + 719468, era = z / 146097;
    const unsigned doe = (unsigned)(z - era * 146097);
    const unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    out[INDEX] = (float)(era * 400 + yoe) + (5 * doy + 2) / 153 + (float)(t % 86400 / 60);
}

KERNEL(packed_by_bits)
{
    __shared__ unsigned packed[256];
    packed[threadIdx.x] = 0;
    __syncthreads();
    unsigned at = threadIdx.x * 13, v = words[INDEX] & 0x1fff;
    atomicOr(&packed[at >> 5], v << (at & 31));
    if ((at & 31) > 19)
        atomicOr(&packed[(at >> 5) + 1], v >> (32 - (at & 31)));
    __syncthreads();
    if (threadIdx.x < 104)
        ((unsigned *)out)[blockIdx.x * 104 + threadIdx.x] = packed[threadIdx.x];
}

int main()
{
    static const public_kernel kernels[] = {
        {"digest_of_16_words", digest_of_16_words, 1024, 256},
        {"checksum_by_constant_table", checksum_by_constant_table, 1024, 256},
        {"cipher_by_shared_tables", cipher_by_shared_tables, 528, 256},
        {"power_modulo_64", power_modulo_64, 512, 256},
        {"powers_by_montgomery", powers_by_montgomery, 4096, 256},
        {"greatest_divisors", greatest_divisors, 2048, 256},
        {"products_of_256_bits", products_of_256_bits, 512, 256},
        {"generator_of_64_bits", generator_of_64_bits, 2048, 256},
        {"sorted_by_bitonic_blocks", sorted_by_bitonic_blocks, 2048, 256},
        {"medians_of_25_by_insertion", medians_of_25_by_insertion, 2048, 256},
        {"ranks_of_digits", ranks_of_digits, 8192, 256},
        {"binary_search_of_sorted", binary_search_of_sorted, 4096, 256},
        {"open_table_of_keys", open_table_of_keys, 4096, 256},
        {"edits_of_words", edits_of_words, 1024, 256},
        {"letters_found", letters_found, 1024, 256},
        {"letters_to_base_64", letters_to_base_64, 8192, 256},
        {"queens_by_backtracking", queens_by_backtracking, 512, 256},
        {"distances_of_bits", distances_of_bits, 2048, 256},
        {"digits_of_numbers", digits_of_numbers, 4096, 256},
        {"calendar_of_seconds", calendar_of_seconds, 8192, 256},
        {"packed_by_bits", packed_by_bits, 8192, 256},
    };
    return measure_all(kernels);
}
