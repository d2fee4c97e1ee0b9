// A warp as a team: votes, matches, shuffles of all widths and types, aggregated atomics,
// compaction, segmented sums, a transpose by shuffles, redux, lane masks, inline PTX.
#include <cstdio>

__device__ int aggregated(int *counter)
{
    unsigned active = __activemask();
    int leader = __ffs(active) - 1, lane = threadIdx.x & 31, base = 0;
    if (lane == leader)
        base = atomicAdd(counter, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + __popc(active & ((1u << lane) - 1));
}

__global__ void compact(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0)
        out[aggregated(count)] = in[i];
}

__global__ void votes(unsigned *out)
{
    int lane = threadIdx.x & 31, t = threadIdx.x;
    unsigned h = 0;
    auto mix = [&](unsigned v) { h = h * 31 + v; };
    mix(__any_sync(~0u, lane == 7)), mix(__all_sync(~0u, lane < 32)),
        mix(__ballot_sync(~0u, t % 3 == 0));
    mix(__match_any_sync(~0u, t / 5));
    int same;
    mix(__match_all_sync(~0u, t / 32, &same)), mix(same);
    mix(__match_all_sync(~0u, t / 31, &same)), mix(same);
    mix(__reduce_add_sync(~0u, t)), mix(__reduce_max_sync(~0u, t ^ 21)),
        mix(__reduce_or_sync(~0u, 1 << lane % 9));
    if (lane & 1)
        mix(__ballot_sync(0xaaaaaaaa, t % 5 == 0)), mix(__shfl_down_sync(0xaaaaaaaa, t, 2));
    else
        mix(__shfl_sync(0x55555555, t, 4));
    __syncwarp();
    for (int width = 2; width <= 32; width *= 2) {
        mix(__shfl_sync(~0u, t, 1, width)), mix(__shfl_up_sync(~0u, t, 1, width));
        mix(__shfl_down_sync(~0u, t, 3, width)), mix(__shfl_xor_sync(~0u, t, width / 2, width));
    }
    mix((unsigned)__shfl_xor_sync(~0u, (long long)t << 20, 5)),
        mix((unsigned)__shfl_sync(~0u, t * 0.5, 9));
    mix(__float_as_uint(__shfl_down_sync(~0u, t * 1.5f, 1)));
    unsigned mask, lane_asm, less;
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(mask));
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane_asm));
    asm("{ .reg .pred p; setp.lt.u32 p, %1, 13; selp.u32 %0, 5, 9, p; }"
        : "=r"(less)
        : "r"(lane_asm));
    mix(mask), mix(lane_asm), mix(less);
    unsigned long long wide;
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(wide) : "r"(h), "r"(77), "l"(5ull));
    asm("{ .reg .u32 lo, hi; mov.b64 {lo, hi}, %1; add.cc.u32 lo, lo, 0xffffffff; addc.u32 %0, hi, "
        "lo; }"
        : "=r"(mask)
        : "l"(wide));
    out[t] = mask;
}

__global__ void segmented(const float *in, const int *heads, float *out)
{
    int lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned flags = __ballot_sync(~0u, heads[i]) | 1u;
    int start = 31 - __clz(flags & (~0u >> (31 - lane)));
    float v = in[i];
    for (int d = 1; d < 32; d *= 2) {
        float other = __shfl_up_sync(~0u, v, d);
        if (lane - d >= start)
            v += other;
    }
    out[i] = v;
}

__global__ void turn(const int *in, int *out)
{
    int lane = threadIdx.x, v[32];
    for (int r = 0; r < 32; r++)
        v[r] = in[r * 32 + lane];
#pragma unroll
    for (int d = 16; d; d /= 2)
#pragma unroll
        for (int r = 0; r < 32; r++)
            if (!(r & d)) {
                int low = v[r], high = v[r + d], give = lane & d ? low : high;
                int got = __shfl_xor_sync(~0u, give, d);
                v[r] = lane & d ? got : low;
                v[r + d] = lane & d ? high : got;
            }
    for (int r = 0; r < 32; r++)
        out[r * 32 + lane] = v[r];
}

int main()
{
    const int n = 5000;
    int *in, *out, *count;
    float *f;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMallocManaged(&count, sizeof(int));
    cudaMallocManaged(&f, 2 * n * sizeof(float));
    *count = 0;
    for (int i = 0; i < n; i++)
        in[i] = i * 17 % 1009;
    compact<<<20, 256>>>(in, out, count, n);
    cudaDeviceSynchronize();
    long long sum = 0;
    for (int i = 0; i < *count; i++)
        sum += out[i];
    printf("compacted %d, %lld\n", *count, sum);
    votes<<<1, 128>>>((unsigned *)out);
    cudaDeviceSynchronize();
    unsigned h = 0;
    for (int i = 0; i < 128; i++)
        h = h * 31 + out[i];
    printf("votes %08x\n", h);
    for (int i = 0; i < 1024; i++)
        in[i] = i, f[i] = i % 7, out[i] = i % 11 == 3;
    segmented<<<4, 256>>>(f, out, f + n);
    cudaDeviceSynchronize();
    printf("segments %g %g %g\n", f[n + 2], f[n + 31], f[n + 1000]);
    turn<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 1024; i++)
        wrong += out[i] != i % 32 * 32 + i / 32;
    printf("turned: %d wrong\n", wrong);
    return 0;
}
