// A kernel that faults: reported when the work runs, returned by every call that works on the device,
// and a reset does not give the device back.
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
    OK(cudaGetLastError()); // the last error is read away, the error itself stays
    OK(cudaSetDevice(0));
    EXPECT(cudaErrorIllegalAddress, cudaMalloc(&d, 4));
    EXPECT(cudaErrorIllegalAddress, cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    fine<<<1, 1>>>(d);
    EXPECT(cudaErrorIllegalAddress, cudaGetLastError());
    EXPECT(cudaErrorIllegalAddress, cudaStreamSynchronize(0));
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    EXPECT(cudaErrorDevicesUnavailable, cudaMalloc(&d, 4));
    fine<<<1, 1>>>(d);
    EXPECT(cudaErrorDevicesUnavailable, cudaGetLastError());
    EXPECT(cudaErrorDevicesUnavailable, cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    OK(cudaDeviceReset());
    return print_failures();
}
