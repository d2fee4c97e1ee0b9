// A copy that is too long names the allocation.
// stderr: cudaMemcpy: .*past the end of the 400 bytes that the 1st cudaMalloc returned
#include "check.h"

int main()
{
    float *d, h[101];
    OK(cudaMalloc(&d, 100 * sizeof *d));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(h, d, 100 * sizeof *d, cudaMemcpyDeviceToHost));
    return print_failures();
}
