// A store past the end of a surface, as when x is forgotten to count bytes.
// stderr: ^warpbook: surface_outside.cu:[0-9]+: thread \(16,0,0\) of block \(0,0,0\): x = 64 lies outside the surface, which is 16 x 1 x 1 texels of 4 bytes; x counts bytes\..* \(chapter 22\) $
#include "check.h"

#include <cstring>

__global__ void store(cudaSurfaceObject_t s)
{
    surf1Dwrite(1.0f, s, threadIdx.x * 4);
}

int main()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    OK(cudaMallocArray(&a, &f, 16, 0, cudaArraySurfaceLoadStore));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &r));
    store<<<1, 16>>>(s);
    OK(cudaDeviceSynchronize());
    store<<<1, 17>>>(s);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    return print_failures();
}
