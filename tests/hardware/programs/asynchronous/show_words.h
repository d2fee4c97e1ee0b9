// What the programs on clusters print of an array.
#pragma once

#include <cstdio>
#include <vector>

static std::vector<int> fetch(const void *device, size_t words)
{
    std::vector<int> host(words);
    cudaMemcpy(host.data(), device, words * sizeof(int), cudaMemcpyDeviceToHost);
    return host;
}

// NAME, how the kernel before ended, and one number for all WORDS.
static void show(const char *name, const void *device, size_t words)
{
    cudaError_t error = cudaDeviceSynchronize();
    unsigned h = 0;
    for (int w : fetch(device, words))
        h = h * 31 + (unsigned)w;
    printf("%s %s %08x\n", name, cudaGetErrorName(error), h);
}
