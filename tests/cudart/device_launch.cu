// A kernel that launches a kernel is refused, and said why; the program's other kernels run.
// flags: -rdc=true -lcudadevrt
// stderr: runtime from the device .cudaGetParameterBufferV2., as kernels do that launch kernels
#include "check.h"

__global__ void child(int *p)
{
    *p = 2;
}

__global__ void parent(int *p)
{
    child<<<1, 1>>>(p);
}

__global__ void alone(int *p)
{
    *p = 1;
}

int main()
{
    int *p, is = 0;
    OK(cudaMalloc(&p, 4));
    alone<<<1, 1>>>(p);
    OK(cudaMemcpy(&is, p, 4, cudaMemcpyDeviceToHost));
    CHECK(is == 1);
    parent<<<1, 1>>>(p);
    EXPECT(cudaErrorNotSupported, cudaGetLastError());
    OK(cudaMemcpy(&is, p, 4, cudaMemcpyDeviceToHost));
    CHECK(is == 1);
    return finish();
}
