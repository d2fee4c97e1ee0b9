// Prints an array of words in short form, for the cluster programs.
#pragma once

#include <cstdio>
#include <vector>

static std::vector<int> fetch(const void *device, size_t words)
{
    std::vector<int> host(words);
    cudaMemcpy(host.data(), device, words * sizeof(int), cudaMemcpyDeviceToHost);
    return host;
}

// Print NAME, the error code of the preceding kernel, and a checksum of all WORDS words.
static void show(const char *name, const void *device, size_t words)
{
    cudaError_t error = cudaDeviceSynchronize();
    unsigned h = 0;
    for (int w : fetch(device, words))
        h = h * 31 + (unsigned)w;
    printf("%s %s %08x\n", name, cudaGetErrorName(error), h);
}
