// A host that calls nothing and watches a flag in mapped memory sees the kernel's store.
#include "check.h"

#include <ctime>

__global__ void raise_flag(volatile int *flag)
{
    *flag = 42;
}

int main()
{
    volatile int *flag;
    OK(cudaHostAlloc((void **)&flag, 4, cudaHostAllocMapped));
    *flag = 0;
    raise_flag<<<1, 1>>>(flag);
    for (int ms = 0; ms < 60000 && !*flag; ms++) {
        timespec t = {0, 1000000};
        nanosleep(&t, nullptr);
    }
    CHECK(*flag == 42);
    OK(cudaDeviceSynchronize());
    return print_failures();
}
