/* Bytes, halves and words that a thread writes one after another, member by member, in rows of K
 * members. */
#include "record.h"

enum { THREADS = 1 << 20 };

/* Each thread writes K members in a row, WORK dependent sums between two of them. */
template <class T, int K, int WORK> __global__ void write_members(T *out, unsigned a)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * K;
    unsigned v = threadIdx.x;
#pragma unroll
    for (int k = 0; k < K; k++) {
        out[i + k] = (T)v;
#pragma unroll
        for (int w = 0; w < WORK; w++)
            v = v * a + 1;
    }
}

/* Each thread writes one byte; the threads of a warp write each LANES-th. */
template <class T> __global__ void write_apart(T *out, int lanes, int times)
{
    for (int k = 0; k < times; k++)
        out[((blockIdx.x * times + k) * blockDim.x + threadIdx.x) * (size_t)lanes] = (T)k;
}

template <class T, int K> static void members(const char *name, const char *worked, T *out)
{
    measure(
        name, K, (size_t)THREADS * K, sizeof(T) * (double)THREADS * K,
        [&] { write_members<T, K, 0><<<THREADS / 256, 256>>>(out, 3); });
    measure(worked, K, (size_t)THREADS * K, sizeof(T) * (double)THREADS * K,
            [&] { write_members<T, K, 16><<<THREADS / 256, 256>>>(out, 3); });
}

template <class T> static void all(const char *name, const char *worked, const char *apart, T *out)
{
    members<T, 1>(name, worked, out);
    members<T, 2>(name, worked, out);
    members<T, 3>(name, worked, out);
    members<T, 4>(name, worked, out);
    members<T, 6>(name, worked, out);
    members<T, 8>(name, worked, out);
    members<T, 10>(name, worked, out);
    members<T, 16>(name, worked, out);
    for (int lanes = 1; lanes <= 64; lanes *= 2)
        measure(apart, lanes, THREADS, 0,
                [&] { write_apart<T><<<THREADS / 1024, 256>>>(out, lanes, 4); });
}

int main()
{
    device_array<unsigned> out((size_t)THREADS * 64);
    all("bytes", "bytes_16_sums", "bytes_apart", (unsigned char *)out.p);
    all("halves", "halves_16_sums", "halves_apart", (unsigned short *)out.p);
    all("words", "words_16_sums", "words_apart", out.p);
}
