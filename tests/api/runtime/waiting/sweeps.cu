// Threads that look at many things before they wait on, in blocks that wait for one another to and
// fro: each wait ends soon, though no thread of the grid ever stands still.
#include "check.h"

#define BLOCKS  12
#define THREADS 128
#define NODES   (BLOCKS * THREADS * 8)
#define CHAIN   100
#define STEP    1103 // from each node of the chain to the next: in another block

// done[v] becomes 1 when that of the node before it has; -1: none is before it.
__global__ void sweep(volatile unsigned char *done, const int *before)
{
    int missing;
    do {
        missing = 0;
        for (int v = blockIdx.x * THREADS + threadIdx.x; v < NODES; v += BLOCKS * THREADS) {
            if (!done[v]) {
                if (before[v] < 0 || done[before[v]])
                    done[v] = 1;
                else
                    missing = 1;
            }
        }
    } while (missing);
}

int main()
{
    static int host[NODES];
    static unsigned char is[NODES];
    for (int v = 0; v < NODES; v++)
        host[v] = -1;
    for (int k = 1; k < CHAIN; k++)
        host[k * STEP % NODES] = (k - 1) * STEP % NODES;
    int *before;
    unsigned char *done;
    OK(cudaMalloc(&before, sizeof host));
    OK(cudaMemcpy(before, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMalloc(&done, NODES));
    OK(cudaMemset(done, 0, NODES));
    sweep<<<BLOCKS, THREADS>>>(done, before);
    OK(cudaMemcpy(is, done, NODES, cudaMemcpyDeviceToHost));
    for (int v = 0; v < NODES; v++)
        CHECK(is[v] == 1);
    return print_failures();
}
