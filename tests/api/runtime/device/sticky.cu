// A kernel that faults: reported when the work runs, returned by every call until a reset.
// stderr: warpbook: .*(sticky.cu:)
#include "check.h"

__global__ void wild(int *p, int i)
{
    p[i] = 1;
}

__global__ void fine(int *p)
{
    *p = 5;
}

int main()
{
    int *d, h = 0;
    OK(cudaMalloc(&d, 4));
    wild<<<1, 1>>>(d, 1 << 20);
    OK(cudaGetLastError()); // it has not run yet
    EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    EXPECT(cudaErrorIllegalAddress, cudaGetLastError());
    EXPECT(cudaErrorIllegalAddress, cudaGetLastError()); // it stays
    EXPECT(cudaErrorIllegalAddress, cudaMalloc(&d, 4));
    EXPECT(cudaErrorIllegalAddress, cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    fine<<<1, 1>>>(d);
    EXPECT(cudaErrorIllegalAddress, cudaGetLastError());
    EXPECT(cudaErrorIllegalAddress, cudaStreamSynchronize(0));
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    OK(cudaMalloc(&d, 4));
    fine<<<1, 1>>>(d);
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 5);
    return finish();
}
