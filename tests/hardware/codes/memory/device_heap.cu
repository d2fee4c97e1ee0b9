/* How many blocks of one size device malloc() gives until its heap of 8 MB is full, and in smaller
 * and larger heaps: each in a new process, with one thread. */
#include "say.h"

#include <string>
#include <vector>

__global__ void take_all(size_t size, int *count)
{
    while (malloc(size))
        ++*count;
}

static void take(size_t heap, size_t size)
{
    int *count, n = -1;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap);
    cudaMalloc(&count, sizeof n);
    cudaMemset(count, 0, sizeof n);
    take_all<<<1, 1>>>(size, count);
    cudaError_t e = cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost);
    const std::string name = std::to_string(size) + " bytes of " + std::to_string(heap);
    SHOW(name.c_str(), "%d %s", n, cudaGetErrorName(e));
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        take(atol(argv[1]), atol(argv[2]));
        return 0;
    }
    const size_t mb = 1 << 20;
    const std::vector<size_t> all = {2048,    3072,    4096,    5000,    8192,    12288,   16384,
                                     24576,   32768,   49152,   65536,   98304,   131072,  196608,
                                     262144,  393216,  524288,  786432,  1048576, 1572864, 2097152,
                                     3145728, 4194304, 6000000, 7000000, 7500000, 8000000};
    for (size_t heap : {8 * mb, 4 * mb, 32 * mb}) {
        for (size_t size : all) {
            if (heap > 8 * mb && size < 32768)
                continue; /* one thread takes long to fill it */
            pid_t child = fork();
            if (!child) {
                alarm(60);
                execl("/proc/self/exe", argv[0], std::to_string(heap).c_str(),
                      std::to_string(size).c_str(), (char *)NULL);
                _exit(127);
            }
            int status = 0;
            waitpid(child, &status, 0);
            if (status)
                SHOW("ended with", "%d", status);
        }
    }
    return 0;
}
