/* Whole numbers: hashes and ciphers, random numbers, number theory, texts, sorting, sets. */
#include "public.h"

typedef unsigned long long u64;

static __device__ unsigned rotated(unsigned x, int k)
{
    return x << k | x >> (32 - k);
}

KERNEL(sha256_like_rounds)
{
    unsigned w[16], s[8];
    for (int k = 0; k < 16; k++)
        w[k] = words[(INDEX * 16 + k) & (n - 1)];
    for (int k = 0; k < 8; k++)
        s[k] = 0x6a09e667u * (k + 1);
    for (int r = 0; r < 64; r++) {
        if (r >= 16) {
            const unsigned a = w[(r + 1) & 15], b = w[(r + 14) & 15];
            w[r & 15] += (rotated(a, 25) ^ rotated(a, 14) ^ a >> 3) + w[(r + 9) & 15] +
                         (rotated(b, 15) ^ rotated(b, 13) ^ b >> 10);
        }
        const unsigned t = s[7] + (rotated(s[4], 26) ^ rotated(s[4], 21) ^ rotated(s[4], 7)) +
                           ((s[4] & s[5]) ^ (~s[4] & s[6])) + w[r & 15] + 0x428a2f98u;
        const unsigned u = (rotated(s[0], 30) ^ rotated(s[0], 19) ^ rotated(s[0], 10)) +
                           ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += t, s[0] = t + u;
    }
    ((unsigned *)out)[INDEX] = s[0] ^ s[4];
}

KERNEL(xtea_blocks)
{
    uint2 v = ((const uint2 *)words)[INDEX];
    unsigned sum = 0;
    const unsigned key[4] = {1, 7, 0x1234, 0xbeef};
    for (int r = 0; r < 32; r++) {
        v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + key[sum & 3]);
        sum += 0x9e3779b9u;
        v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + key[sum >> 11 & 3]);
    }
    ((uint2 *)out)[INDEX] = v;
}

static __device__ void quarter(unsigned &a, unsigned &b, unsigned &c, unsigned &d)
{
    a += b, d = rotated(d ^ a, 16), c += d, b = rotated(b ^ c, 12);
    a += b, d = rotated(d ^ a, 8), c += d, b = rotated(b ^ c, 7);
}

KERNEL(chacha_stream)
{
    unsigned s[16];
    for (int k = 0; k < 16; k++)
        s[k] = k * 0x61707865u;
    s[12] = INDEX;
    for (int r = 0; r < 10; r++) {
        for (int k = 0; k < 4; k++)
            quarter(s[k], s[k + 4], s[k + 8], s[k + 12]);
        for (int k = 0; k < 4; k++)
            quarter(s[k], s[4 + (k + 1) % 4], s[8 + (k + 2) % 4], s[12 + (k + 3) % 4]);
    }
    for (int k = 0; k < 4; k++)
        ((uint4 *)out)[INDEX * 4 + k] =
            make_uint4(s[4 * k], s[4 * k + 1], s[4 * k + 2], s[4 * k + 3]);
}

KERNEL(cipher_by_tables)
{
    __shared__ unsigned table[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        table[k] = words[k];
    __syncthreads();
    uint4 s = ((const uint4 *)words)[INDEX];
    for (int r = 0; r < 10; r++) {
        uint4 t;
        t.x = table[s.x >> 24] ^ table[256 + (s.y >> 16 & 255)] ^ table[512 + (s.z >> 8 & 255)] ^
              table[768 + (s.w & 255)];
        t.y = table[s.y >> 24] ^ table[256 + (s.z >> 16 & 255)] ^ table[512 + (s.w >> 8 & 255)] ^
              table[768 + (s.x & 255)];
        t.z = table[s.z >> 24] ^ table[256 + (s.w >> 16 & 255)] ^ table[512 + (s.x >> 8 & 255)] ^
              table[768 + (s.y & 255)];
        t.w = table[s.w >> 24] ^ table[256 + (s.x >> 16 & 255)] ^ table[512 + (s.y >> 8 & 255)] ^
              table[768 + (s.z & 255)];
        s = t;
    }
    ((uint4 *)out)[INDEX] = s;
}

KERNEL(crc_by_bits)
{
    unsigned crc = ~0u;
    for (int k = 0; k < 8; k++) {
        crc ^= words[INDEX * 8 + k];
        for (int b = 0; b < 32; b++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    ((unsigned *)out)[INDEX] = ~crc;
}

KERNEL(murmur_of_rows)
{
    unsigned h = 17;
    for (int k = 0; k < 16; k++) {
        unsigned v = words[k * (n / 16) + INDEX] * 0xcc9e2d51u;
        h = rotated(h ^ rotated(v, 15) * 0x1b873593u, 13) * 5 + 0xe6546b64u;
    }
    h ^= h >> 16, h *= 0x85ebca6bu, h ^= h >> 13, h *= 0xc2b2ae35u;
    ((unsigned *)out)[INDEX] = h ^ h >> 16;
}

KERNEL(pi_by_xorshift)
{
    unsigned x = words[INDEX] | 1;
    int inside = 0;
    for (int k = 0; k < 256; k++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        const float u = (x & 0xffff) / 65536.0f, v = (x >> 16) / 65536.0f;
        inside += u * u + v * v < 1;
    }
    out[INDEX] = inside;
}

KERNEL(philox_normals)
{
    unsigned a = INDEX, b = 3, c = 5, d = 7, k0 = 0x9e3779b9u, k1 = 0xbb67ae85u;
    for (int r = 0; r < 10; r++) {
        const unsigned ah = __umulhi(a, 0xd2511f53u), al = a * 0xd2511f53u;
        const unsigned ch = __umulhi(c, 0xcd9e8d57u), cl = c * 0xcd9e8d57u;
        a = ch ^ b ^ k0, b = cl, c = ah ^ d ^ k1, d = al;
        k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
    }
    const float radius = sqrtf(-2 * logf((a + 1.0f) / 4294967808.0f));
    float s, co;
    sincospif(b / 2147483648.0f, &s, &co);
    ((float2 *)out)[INDEX] = make_float2(radius * s, radius * co);
}

KERNEL(halton_points)
{
    for (int base = 2; base <= 5; base += base == 2 ? 1 : 2) {
        float v = 0, digit = 1.0f / base;
        for (unsigned i = INDEX; i; i /= base, digit /= base)
            v += digit * (i % base);
        out[INDEX * 3 + base / 2 - (base > 2 ? 0 : 1)] = v;
    }
}

KERNEL(gray_to_place)
{
    unsigned v = words[INDEX];
    for (int k = 16; k; k /= 2)
        v ^= v >> k;
    ((unsigned *)out)[INDEX] = __brev(v) + __popc(v) + __clz(v);
}

KERNEL(greatest_divisors)
{
    unsigned a = words[INDEX] | 1, b = words[INDEX ^ 1] | 1;
    while (b) {
        const unsigned rest = a % b;
        a = b, b = rest;
    }
    ((unsigned *)out)[INDEX] = a;
}

static __device__ u64 power_modulo(u64 base, unsigned e, unsigned m)
{
    u64 r = 1;
    for (base %= m; e; e >>= 1, base = base * base % m)
        r = e & 1 ? r * base % m : r;
    return r;
}

KERNEL(probable_primes)
{
    const unsigned m = (words[INDEX] >> 8) | 1;
    ((unsigned *)out)[INDEX] = power_modulo(2, m - 1, m) == 1;
}

KERNEL(primes_by_trial)
{
    const unsigned v = 2 * INDEX + 3;
    unsigned d = 3;
    while (d * d <= v && v % d)
        d += 2;
    ((unsigned *)out)[INDEX] = d * d > v;
}

KERNEL(products_of_256_bits)
{
    unsigned a[8], b[8], r[16] = {0};
    for (int k = 0; k < 8; k++)
        a[k] = words[INDEX * 16 + k], b[k] = words[INDEX * 16 + 8 + k];
    for (int i = 0; i < 8; i++) {
        u64 carry = 0;
        for (int j = 0; j < 8; j++) {
            const u64 t = (u64)a[i] * b[j] + r[i + j] + carry;
            r[i + j] = (unsigned)t, carry = t >> 32;
        }
        r[i + 8] = (unsigned)carry;
    }
    for (int k = 0; k < 16; k++)
        ((unsigned *)out)[INDEX * 16 + k] = r[k];
}

KERNEL(curve_steps)
{
    /* Steps of a curve's doubling modulo 2^61 - 1. */
    const u64 p = (1ull << 61) - 1;
    u64 x = words[INDEX], y = words[INDEX ^ 1];
    for (int k = 0; k < 32; k++) {
        const u64 lo = x * y, hi = __umul64hi(x, y);
        u64 m = (lo & p) + (lo >> 61 | hi << 3);
        m = m >= p ? m - p : m;
        const u64 q = m * m, qh = __umul64hi(m, m);
        u64 s = (q & p) + (q >> 61 | qh << 3);
        s = s >= p ? s - p : s;
        x = (s + 2 * (p - x)) % p, y = m + 1;
    }
    ((u64 *)out)[INDEX] = x ^ y;
}

KERNEL(queens_of_nine)
{
    int found = 0, row = 2;
    unsigned columns[10], left[10], right[10], open[10];
    const unsigned all = 511, a = 1u << INDEX % 9, b = 1u << INDEX / 9 % 9;
    columns[2] = a | b, left[2] = (a << 1 | b) << 1, right[2] = (a >> 1 | b) >> 1;
    open[2] = (b & (a | a << 1 | a >> 1)) ? 0 : all & ~(columns[2] | left[2] | right[2]);
    while (row >= 2) {
        if (!open[row]) {
            row--;
            continue;
        }
        const unsigned bit = open[row] & -open[row];
        open[row] ^= bit;
        if (row == 8) {
            found++;
            continue;
        }
        columns[row + 1] = columns[row] | bit;
        left[row + 1] = (left[row] | bit) << 1, right[row + 1] = (right[row] | bit) >> 1;
        row++;
        open[row] = all & ~(columns[row] | left[row] | right[row]);
    }
    out[INDEX] = found;
}

KERNEL(find_word)
{
    const unsigned char *text = (const unsigned char *)words;
    const unsigned char word[] = {17, 4, 200, 31};
    int found = 0;
    for (int k = 0; k < 16; k++) {
        int m = 0;
        while (m < 4 && (text[(k * (n / 4) + INDEX + m)] & 31) == (word[m] & 31))
            m++;
        found += m == 4;
    }
    out[INDEX] = found;
}

KERNEL(to_base64)
{
    const unsigned char *from = (const unsigned char *)words + 3 * INDEX;
    const unsigned v = from[0] << 16 | from[1] << 8 | from[2];
    uchar4 to;
    unsigned char *c = (unsigned char *)&to;
    for (int k = 0; k < 4; k++) {
        const unsigned d = v >> (18 - 6 * k) & 63;
        c[k] = d < 26    ? 'A' + d
               : d < 52  ? 'a' + d - 26
               : d < 62  ? '0' + d - 52
               : d == 62 ? '+'
                         : '/';
    }
    ((uchar4 *)out)[INDEX] = to;
}

KERNEL(edit_distances)
{
    unsigned char row[33];
    const unsigned char *text = (const unsigned char *)words + INDEX * 32;
    for (int k = 0; k <= 32; k++)
        row[k] = k;
    for (int i = 0; i < 32; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int k = 1; k <= 32; k++) {
            const int best = min(min((int)row[k], (int)row[k - 1]) + 1,
                                 diagonal + ((text[k - 1] ^ i * 7) & 3 ? 1 : 0));
            diagonal = row[k], row[k] = best;
        }
    }
    out[INDEX] = row[32];
}

KERNEL(radix_counts)
{
    __shared__ unsigned counts[16 * 256];
    for (int d = 0; d < 16; d++)
        counts[d * 256 + threadIdx.x] = 0;
    const uint4 *from = (const uint4 *)words + (blockIdx.x * 256 + threadIdx.x) * 4;
    for (int k = 0; k < 4; k++) {
        const uint4 v = from[k];
        counts[(v.x & 15) * 256 + threadIdx.x]++, counts[(v.y & 15) * 256 + threadIdx.x]++;
        counts[(v.z & 15) * 256 + threadIdx.x]++, counts[(v.w & 15) * 256 + threadIdx.x]++;
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int k = 0; k < 256; k++)
            sum += counts[threadIdx.x * 256 + (k + threadIdx.x) % 256];
        ((unsigned *)out)[threadIdx.x * gridDim.x + blockIdx.x] = sum;
    }
}

KERNEL(radix_scatter_by_ballot)
{
    __shared__ unsigned base[8];
    unsigned key = words[INDEX], place = 0;
    for (int bit = 0; bit < 4; bit++) {
        const unsigned ones = __ballot_sync(~0u, key >> bit & 1),
                       below = (1u << (threadIdx.x & 31)) - 1;
        if ((threadIdx.x & 31) == 0)
            base[threadIdx.x / 32] = __popc(~ones);
        __syncthreads();
        unsigned zeros_before = 0, zeros = 0;
        for (int w = 0; w < 8; w++)
            zeros_before += w < (int)threadIdx.x / 32 ? base[w] : 0, zeros += base[w];
        place +=
            key >> bit & 1 ? zeros + __popc(ones & below) : zeros_before + __popc(~ones & below);
        __syncthreads();
    }
    ((unsigned *)out)[blockIdx.x * 256 + (place & 255)] = key;
}

KERNEL(merge_by_paths)
{
    /* A thread merges 16 of two runs of 2048 sorted numbers, which i * 3 and i * 4 stand for. */
    const int diagonal = (INDEX & 255) * 16;
    int low = max(0, diagonal - 2048), high = min(diagonal, 2048);
    while (low < high) {
        const int mid = (low + high) / 2;
        if (mid * 3 <= (diagonal - 1 - mid) * 4)
            low = mid + 1;
        else
            high = mid;
    }
    int a = low, b = diagonal - low;
    for (int k = 0; k < 16; k++)
        ((unsigned *)out)[(INDEX & 255) * 16 + k + (INDEX / 256) * 4096 % n] =
            words[a * 3 <= b * 4 ? a++ : 2048 + b++];
}

KERNEL(keep_by_ballot)
{
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        const unsigned v = words[i], kept = __ballot_sync(~0u, (v & 7) == 0);
        unsigned at = 0;
        if ((threadIdx.x & 31) == 0 && kept)
            at = atomicAdd((unsigned *)out + n - 1, (unsigned)__popc(kept));
        at = __shfl_sync(~0u, at, 0);
        if ((v & 7) == 0)
            ((unsigned *)
                 out)[(at + __popc(kept & ((1u << (threadIdx.x & 31)) - 1))) & (n / 2 - 1)] = v;
    }
}

KERNEL(bloom_filter)
{
    unsigned *bits = (unsigned *)out;
    const unsigned v = words[INDEX];
    for (int k = 1; k <= 4; k++) {
        const unsigned h = v * (2654435761u * k) >> 9;
        atomicOr(&bits[h / 32 & 0xffff], 1u << (h & 31));
    }
}

KERNEL(bits_of_genes)
{
    int distance = 0;
    for (int k = 0; k < 32; k++) {
        const unsigned v = words[k * 8192 + (INDEX & 8191)] ^ words[k * 8192 + INDEX / 8192];
        distance += __popc((v | v >> 1) & 0x55555555u);
    }
    out[INDEX & (n - 1)] = distance;
}

int main()
{
    static const public_kernel kernels[] = {
        {"sha256_like_rounds", sha256_like_rounds, 1024, 256},
        {"xtea_blocks", xtea_blocks, 8192, 256},
        {"chacha_stream", chacha_stream, 1024, 256},
        {"cipher_by_tables", cipher_by_tables, 4096, 256},
        {"crc_by_bits", crc_by_bits, 1024, 256},
        {"murmur_of_rows", murmur_of_rows, 1024, 256},
        {"pi_by_xorshift", pi_by_xorshift, 1024, 256},
        {"philox_normals", philox_normals, 8192, 256},
        {"halton_points", halton_points, 2048, 256},
        {"gray_to_place", gray_to_place, 16384, 256},
        {"greatest_divisors", greatest_divisors, 1024, 256},
        {"probable_primes", probable_primes, 512, 256},
        {"primes_by_trial", primes_by_trial, 1024, 256},
        {"products_of_256_bits", products_of_256_bits, 1024, 256},
        {"curve_steps", curve_steps, 1024, 128},
        {"queens_of_nine", queens_of_nine, 64, 128},
        {"find_word", find_word, 4096, 256},
        {"to_base64", to_base64, 16384, 256},
        {"edit_distances", edit_distances, 256, 128},
        {"radix_counts", radix_counts, 1024, 256},
        {"radix_scatter_by_ballot", radix_scatter_by_ballot, 8192, 256},
        {"merge_by_paths", merge_by_paths, 1024, 256},
        {"keep_by_ballot", keep_by_ballot, 1024, 256},
        {"bloom_filter", bloom_filter, 4096, 256},
        {"bits_of_genes", bits_of_genes, 8192, 256},
    };
    return measure_all(kernels);
}
