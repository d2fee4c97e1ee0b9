// flags: -arch=compute_90
// Memory on a thread's stack (alloca), and instructions of sm_90 that order launches and clusters.
#include "check.h"

#include <cooperative_groups.h>

// The sum of N numbers by way of an array on the stack; calls itself with a smaller one.
__device__ __noinline__ int nested(int n, int depth)
{
    int *list = (int *)alloca(sizeof(int) * n);
    for (int k = 0; k < n; k++) {
        list[k] = k * k + depth;
    }
    int below = depth ? nested(n / 2 + 1, depth - 1) : 0;
    int sum = below;
    for (int k = 0; k < n; k++) {
        sum += list[k];
    }
    return sum;
}

static int expected(int n, int depth)
{
    int sum = depth ? expected(n / 2 + 1, depth - 1) : 0;
    for (int k = 0; k < n; k++) {
        sum += k * k + depth;
    }
    return sum;
}

__global__ void stacks(int *out)
{
    int local[4] = {1, 2, 3, (int)threadIdx.x};
    int sum = nested(5 + threadIdx.x % 7, 3);
    for (int r = 0; r < 3; r++) { // in a loop, and not in every lane
        if (threadIdx.x % 3 == (unsigned)r) {
            char *text = (char *)alloca(threadIdx.x + 1);
            for (unsigned k = 0; k <= threadIdx.x; k++) {
                text[k] = (char)(k % 5);
            }
            sum += text[threadIdx.x];
        }
    }
    out[threadIdx.x] = sum + local[threadIdx.x % 4];
}

__global__ void ordered(int *out)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    atomicAdd(out, 1);
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

__global__ void one_block_cluster(int *out)
{
    namespace cg = cooperative_groups;
    __shared__ int word[64];
    cg::cluster_group cluster = cg::this_cluster();
    word[threadIdx.x] = (int)threadIdx.x;
    cluster.sync();
    const int *all = cluster.map_shared_rank(word, 0);
    out[threadIdx.x] = all[63 - threadIdx.x] + (int)cluster.num_blocks() + (int)cluster.block_rank();
}

__global__ void elected(unsigned *out)
{
    unsigned leader, is;
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }"
                 : "=r"(leader), "=r"(is));
    atomicAdd(&out[0], is);
    atomicMax(&out[1], leader);
}

int main()
{
    int *d, got[64];
    OK(cudaMalloc(&d, sizeof got));
    stacks<<<1, 64>>>(d);
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    bool all = true;
    for (int k = 0; k < 64; k++) {
        const int local[4] = {1, 2, 3, k};
        all = all && got[k] == expected(5 + k % 7, 3) + k % 5 + local[k % 4];
    }
    CHECK(all);

    OK(cudaMemset(d, 0, sizeof got));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    for (int k = 0; k < 3; k++) {
        OK(cudaLaunchKernelEx(&config, ordered, d));
    }
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 3 * 4 * 32);

    one_block_cluster<<<2, 64>>>(d);
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    all = true;
    for (int k = 0; k < 64; k++) {
        all = all && got[k] == 63 - k + 1;
    }
    CHECK(all);

    OK(cudaMemset(d, 0, sizeof got));
    elected<<<1, 64>>>((unsigned *)d);
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 2);
    OK(cudaFree(d));
    return print_failures();
}
