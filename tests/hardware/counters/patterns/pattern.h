/* Access patterns of a warp: the element index that each lane accesses, or -1 for an inactive
 * lane. */
#ifndef PATTERN_H
#define PATTERN_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define PATTERN_ELEMENTS 4096 /* every index is below this */

static inline unsigned pattern_random()
{
    static unsigned long long state = 88172645463325252ull;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33);
}

/* Fill INDEX with pattern K; false if there is no pattern K. FEW leaves out about two thirds of the
 * patterns. */
static bool pattern(int k, bool few, int index[32])
{
    static const int strides[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 64};
    static const int offsets[] = {1, 3, 8, 16, 31};
    static const int firsts[] = {1, 7, 16, 17, 24};
    const int nstrides = sizeof strides / sizeof *strides;
    int table[32], n = 0;
    for (int l = 0; l < 32; l++) {
        table[l] = (int)(pattern_random() % PATTERN_ELEMENTS);
    }
#define CASE(keep, expression)         \
    if ((keep || !few) && n++ == k) {  \
        for (int l = 0; l < 32; l++) { \
            index[l] = (expression);   \
        }                              \
        return true;                   \
    }
    for (int s = 0; s < nstrides; s++) {
        CASE(strides[s] < 5 || strides[s] == 8 || strides[s] == 32, l * strides[s])
    }
    for (int o = 0; o < 5; o++) {
        CASE(o < 2, l + offsets[o])
    }
    CASE(true, l ^ 1)
    CASE(true, 31 - l)
    CASE(true, l / 2)
    CASE(false, l / 4)
    CASE(false, l / 8)
    CASE(true, l / 16)
    CASE(false, l % 2)
    CASE(false, l % 4)
    CASE(false, l % 8)
    CASE(true, l % 16)
    CASE(false, l % 2 + l / 4 * 2) /* lanes l and l ^ 2 have the same index */
    for (int r = 0; r < 3; r++) {
        CASE(r == 0, table[l] % 32)
        CASE(r == 0, table[l] % 64)
        CASE(r == 0, table[l] % 256)
        CASE(r == 0, table[l])
    }
    for (int r = 0; r < 3; r++) {
        CASE(false, table[l / 2] % 256)             /* pairs of lanes with the same index */
        CASE(false, table[l % 2 + l / 4 * 2] % 256) /* lanes l and l ^ 2 have the same index */
        CASE(false, table[l % 16] % 256)            /* both half-warps have the same indices */
        CASE(false, table[l % 8] % 256)
        CASE(false, l < 16 ? table[l / 2] % 256 : table[l] % 256)
        CASE(false, l % 2 ? -1 : table[l] % 256) /* every other lane is inactive */
        CASE(r == 0, table[(l + 1) % 32] & 512 ? -1 : table[l] % 256)
    }
    CASE(false, l / 4 + l % 4 * 32) /* columns of a tile */
    CASE(true, l / 8 + l % 8 * 33)
    CASE(false, l % 16 + l / 16 * 64)
    CASE(false, l % 16 + l / 16 * 48)
    CASE(false, l % 8 + l / 8 * 32)
    for (int f = 0; f < 5; f++) {
        CASE(f < 2, l < firsts[f] ? l : -1)
    }
    CASE(true, l % 2 ? -1 : l)
    CASE(false, l % 2 ? 2 * l : -1)
    CASE(false, l < 16 ? -1 : l)
    CASE(false, l % 16 < 8 ? l : -1)
    CASE(false, l % 4 == 0 ? 32 * l : -1)
#undef CASE
    return false;
}

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t error = (call);                                                        \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

/* Run LAUNCH(index) for every pattern; index is an array in device memory. */
template <class Launch> static void for_patterns(bool few, Launch launch)
{
    int index[32], *device;
    CHECK(cudaMalloc(&device, sizeof index));
    for (int k = 0; pattern(k, few, index); k++) {
        CHECK(cudaMemcpy(device, index, sizeof index, cudaMemcpyHostToDevice));
        launch(device);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaFree(device));
}

#endif
