// Races in kernels that kernels launched are seen; their counters have rows of their own.
// alone: the names of its kernels are looked at
// flags: -rdc=true -lcudadevrt
// env: WARPBOOK_SANITIZE=race
// stderr: thread 0 wrote at device_launch_race.cu:14 what thread 63 read at device_launch_race.cu:15
// tsv: WARPBOOK_COUNTERS 0 parent 1x1x1 1x1x1 ptx__inst_executed.* 1 child 1x1x1 64x1x1 ptx__inst_executed
#include "check.h"

__global__ void child(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = p[threadIdx.x];
    p[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void parent(int *p)
{
    child<<<1, 64>>>(p);
}

int main()
{
    int *p;
    OK(cudaMalloc(&p, 64 * sizeof *p));
    OK(cudaMemset(p, 0, 64 * sizeof *p));
    parent<<<1, 1>>>(p);
    OK(cudaDeviceSynchronize());
    return print_failures();
}
