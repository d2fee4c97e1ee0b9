// What tests/api/runtime/run-reports lets go wrong: argument race, fault, message, pinned or host.
#include <cstdio>
#include <cstring>

__global__ void race(int *out)
{
    __shared__ int word[64];
    word[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = word[(threadIdx.x + 32) % 64];
}

__device__ __noinline__ void store(int *out, int i)
{
    out[i] = i;
}

template <class T> __global__ void beyond(T *out)
{
    store(out, blockIdx.x * 100 + threadIdx.x);
}

int main(int argc, char **argv)
{
    int *out = NULL;
    const char *what = argc > 1 ? argv[1] : "";
    cudaMalloc(&out, 64 * sizeof *out);
    if (strcmp(what, "race") == 0)
        race<<<2, 64>>>(out);
    else if (strcmp(what, "fault") == 0)
        beyond<<<2, 64>>>(out);
    else if (strcmp(what, "message") == 0)
        cudaMemcpy(out, out, 65 * sizeof *out, cudaMemcpyDeviceToDevice);
    else if (strcmp(what, "pinned") == 0) {
        int here[4], *pinned;
        cudaMallocHost(&pinned, sizeof here);
        cudaMemcpy(here, pinned, sizeof here, cudaMemcpyDeviceToHost);
        cudaMemcpy(here, pinned, sizeof here, cudaMemcpyHostToDevice);
    } else if (strcmp(what, "host") == 0)
        printf("%d\n", *out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
