// nvcc: -arch=sm_90
__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d, unsigned short *h)
{
    __shared__ int s[4];
    if (threadIdx.x < 4) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[threadIdx.x & 3], 1); atomicMax(&s[0], 3);
    u[0] = atomicAdd(i, 1); u[1] = atomicSub(i, 2); u[2] = atomicExch(i, 3); u[3] = atomicMin(i, 4);
    u[4] = atomicMax(u, 5); u[5] = atomicInc(u, 6); u[6] = atomicDec(u, 7); u[7] = atomicCAS(u, 8, 9);
    u[8] = atomicAnd(u, 1); u[9] = atomicOr(u, 2); u[10] = atomicXor(u, 3);
    l[0] = atomicAdd(l, 1); l[1] = atomicCAS(l, 2, 3); l[2] = atomicExch(l, 4); l[3] = atomicMax(l, 4);
    f[0] = atomicAdd(f, 1.5f); d[0] = atomicAdd(d, 2.5); f[1] = atomicExch(f, 2.f);
    h[0] = atomicCAS(h, 1, 2);
    atomicAdd(f, 1.f); atomicAdd(d, 1.0); atomicMin(i, 1); atomicOr(l, 1);
    atomicAdd_block(i, 1); atomicAdd_system(i, 1); __threadfence(); __threadfence_block(); __threadfence_system();
}
