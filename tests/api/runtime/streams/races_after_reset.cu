// So many host functions run that nobody knows any more what they order, and races between operations
// are not looked for. After a reset, before which everything has ended, they are again.
// env: WARPBOOK_SANITIZE=race
// stderr: ^warpbook: .*nothing orders two operations of streams
#include "check.h"

static void nothing(void *) {}

int main()
{
    for (int k = 0; k < 100; k++)
        OK(cudaLaunchHostFunc(0, nothing, nullptr));
    OK(cudaDeviceReset());
    cudaStream_t a, b;
    void *bytes;
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaMalloc(&bytes, 4096));
    OK(cudaDeviceSynchronize());
    OK(cudaMemsetAsync(bytes, 1, 4096, a));
    OK(cudaMemsetAsync(bytes, 2, 4096, b));
    OK(cudaDeviceSynchronize());
    return print_failures();
}
