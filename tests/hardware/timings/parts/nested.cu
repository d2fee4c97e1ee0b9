// flags: -rdc=true -lcudadevrt
/* Kernels that launch kernels: by one thread into a stream, without one, or as tail launches; by the
 * threads of a block and by blocks; one in the other. x: how many launches, or how deep. */
#include "record.h"

__global__ void child()
{
}

__global__ void loop(int n)
{
    for (int k = 0; k < n; k++)
        child<<<1, 32>>>();
}

__global__ void forget(int n)
{
    for (int k = 0; k < n; k++)
        child<<<1, 32, 0, cudaStreamFireAndForget>>>();
}

__global__ void tail(int n)
{
    for (int k = 0; k < n; k++)
        child<<<1, 32, 0, cudaStreamTailLaunch>>>();
}

__global__ void deep(int n)
{
    if (n)
        deep<<<1, 1>>>(n - 1);
}

__global__ void deep_tail(int n)
{
    if (n)
        deep_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(n - 1);
}

__global__ void tree(int n)
{
    if (n) {
        tree<<<1, 1>>>(n - 1);
        tree<<<1, 1>>>(n - 1);
    }
}

int main()
{
    for (int n : {0, 1, 2, 4, 16, 64, 256, 1024}) {
        measure("nested_loop", n, n, 0, [&] { loop<<<1, 1>>>(n); });
        measure("nested_forget", n, n, 0, [&] { forget<<<1, 1>>>(n); });
        measure("nested_tail", n, n, 0, [&] { tail<<<1, 1>>>(n); });
    }
    for (int n : {1, 2, 8, 32, 132, 264, 1024})
        measure("nested_blocks", n, n, 0, [&] { loop<<<n, 1>>>(1); });
    for (int n : {1, 2, 8, 32, 256, 1024}) {
        measure("nested_threads", n, n, 0, [&] { loop<<<1, n>>>(1); });
        measure("nested_threads_forget", n, n, 0, [&] { forget<<<1, n>>>(1); });
    }
    for (int n : {0, 1, 2, 4, 8, 16, 23}) {
        measure("nested_depth", n, n, 0, [&] { deep<<<1, 1>>>(n); });
        measure("nested_tail_depth", n, n, 0, [&] { deep_tail<<<1, 1>>>(n); });
    }
    for (int n : {1, 4, 8})
        measure("nested_tree", n, n, 0, [&] { tree<<<1, 1>>>(n); });
    return 0;
}
