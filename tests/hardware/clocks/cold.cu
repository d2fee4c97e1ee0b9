/* Dependent loads, unrolled, of lines that no cache holds, on pages that the TLBs hold or do not: other
 * kernels have been through other lines and other pages before each measurement. */
#include "clocks.h"

enum { STEPS = 64 };
typedef unsigned long long word;

__global__ void chase(long long *cycles, const word *p, word *out)
{
    long long start = clock64();
#pragma unroll
    for (int k = 0; k < STEPS; k++)
        p = (const word *)*p;
    out[0] = (word)p;
    long long stop = clock64();
    cycles[0] = stop - start;
}

/* The same by L2 alone, in a loop, after WARM steps. */
__global__ void chase_l2(long long *cycles, const word *p, int warm, word *out)
{
#pragma unroll 1
    for (int k = 0; k < warm; k++)
        p = (const word *)__ldcg(p);
    long long start = clock64();
#pragma unroll 1
    for (int k = 0; k < STEPS; k++)
        p = (const word *)__ldcg(p);
    out[0] = (word)p;
    long long stop = clock64();
    cycles[0] = stop - start;
}

/* COUNT elements STRIDE bytes apart, each in another line of its stretch of memory. */
__global__ void make(word *ring, int count, size_t stride)
{
    const size_t lines = stride / 128;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) {
        const int n = (k + 1) % count;
        ring[k * (stride / 8) + k % lines * 16] = (word)(ring + n * (stride / 8) + n % lines * 16);
    }
}

/* One word of every STRIDE bytes. */
__global__ void touch(const char *data, size_t bytes, size_t stride, int *out)
{
    int sum = 0;
    for (size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * stride; i < bytes;
         i += (size_t)gridDim.x * blockDim.x * stride)
        sum += *(const int *)(data + i);
    if (sum == 123456789)
        out[0] = sum;
}

/* The first reads of memory that has just been allocated, into which the host has put a ring. */
static void fresh(size_t stride, word *out)
{
    sample("fresh", (double)stride, STEPS, [&](long long *c) {
        char *data;
        CHECK(cudaMalloc(&data, STEPS * stride));
        for (size_t k = 0; k < STEPS; k++) {
            const word next = (word)(data + (k + 1) % STEPS * stride);
            CHECK(cudaMemcpy(data + k * stride, &next, sizeof next, cudaMemcpyHostToDevice));
        }
        chase<<<1, 1>>>(c, (const word *)data, out);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaFree(data));
    });
}

int main()
{
    const size_t KB = 1 << 10, MB = 1 << 20, GB = 1 << 30;
    const size_t room = 40 * GB, other = 64 * GB;
    char *data, *far;
    word *out;
    CHECK(cudaMalloc(&out, 1 << 16));
    CHECK(cudaMalloc(&data, room));
    CHECK(cudaMalloc(&far, other));
    for (int flush = 1; flush < 4; flush++)
        for (size_t stride : {128 * (size_t)1, 4 * KB, 64 * KB, 2 * MB, 8 * MB, 32 * MB, 512 * MB}) {
            const char *names[] = {"", "cold.line", "cold.page", "cold.both"};
            make<<<1, 64>>>((word *)data, STEPS, stride);
            sample(names[flush], (double)stride, STEPS, [&](long long *c) {
                if (flush & 2)
                    touch<<<132, 256>>>(far, other, 2 * MB, (int *)out);
                if (flush & 1)
                    touch<<<132, 256>>>(far, 160 * MB, 128, (int *)out);
                chase<<<1, 1>>>(c, (const word *)data, out);
            });
        }
    /* One line of each of so many pages of 2 MB, all of which were read before. */
    for (int pages : {16, 64, 256, 1024, 2048, 4096, 8192, 16384})
        for (int apart : {1, 2}) {
            char name[40];
            snprintf(name, sizeof name, "pages.%d", 2 * apart);
            make<<<64, 128>>>((word *)data, pages / apart, apart * 2 * MB);
            sample(name, pages, STEPS, [&](long long *c) {
                chase_l2<<<1, 1>>>(c, (const word *)data, 2 * pages, out);
            });
        }
    CHECK(cudaFree(data));
    CHECK(cudaFree(far));
    for (size_t stride : {64 * KB, 2 * MB, 8 * MB, 32 * MB, 64 * MB, 128 * MB, 512 * MB})
        fresh(stride, out);
    return 0;
}
