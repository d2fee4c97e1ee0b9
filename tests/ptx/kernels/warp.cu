// nvcc: -arch=sm_90
__global__ void warp(unsigned *out, int v, float f, long long w, double d)
{
    unsigned m = __activemask(), t = threadIdx.x;
    out[0] = __ballot_sync(m, v > t); out[1] = __all_sync(m, v); out[2] = __any_sync(m, v == 3);
    out[3] = __shfl_sync(m, v, 3); out[4] = __shfl_up_sync(m, v, 1); out[5] = __shfl_xor_sync(m, f, 2, 16);
    out[6] = __shfl_down_sync(m, w, 1); out[7] = __shfl_sync(m, d, 0);
    out[8] = __match_any_sync(m, v); int p; out[9] = __match_all_sync(m, w, &p) + p;
    out[10] = __reduce_add_sync(m, (unsigned)v); out[11] = __reduce_min_sync(m, v); out[12] = __reduce_xor_sync(m, 5u + t);
    out[13] = __syncthreads_count(v); out[14] = __syncthreads_and(v); out[15] = __syncthreads_or(v); __syncwarp(m);
    out[16] = clock(); out[17] = clock64(); out[18] = __popc(m) + __clz(m) + __ffs(m) + __brev(m);
    unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); out[19] = l;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(l)); out[20] = l; __nanosleep(100);
    unsigned long long g; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g)); out[21] = g;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(l)); out[22] = l; out[23] = warpSize;
}
