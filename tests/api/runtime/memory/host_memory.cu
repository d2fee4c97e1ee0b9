// Pinned, mapped, registered and managed memory, as the host and as kernels see them.
#include "check.h"

#include <vector>

__global__ void add(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] += by;
    }
}

static void use(int *p, int n)
{
    for (int i = 0; i < n; i++) {
        p[i] = i;
    }
    add<<<(n + 127) / 128, 128>>>(p, n, 5);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        CHECK(p[i] == i + 5);
    }
}

int main()
{
    const int n = 1000;
    int *p, *q;
    unsigned flags;
    cudaPointerAttributes a;

    OK(cudaHostAlloc(&p, n * sizeof *p, cudaHostAllocMapped));
    OK(cudaHostGetDevicePointer(&q, p, 0));
    CHECK(q == p); // addresses are unified
    use(q, n);
    OK(cudaHostGetFlags(&flags, p));
    CHECK(flags & cudaHostAllocMapped);
    OK(cudaPointerGetAttributes(&a, p + 10));
    CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == p + 10);
    EXPECT(cudaErrorInvalidValue, cudaFree(p));
    OK(cudaFreeHost(p));
    EXPECT(cudaErrorInvalidValue, cudaFreeHost(p));

    OK(cudaMallocManaged(&p, n * sizeof *p));
    use(p, n);
    OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeManaged && a.devicePointer == p);
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemPrefetchAsync(p, n * sizeof *p, here, 0));
    OK(cudaMemAdvise(p, n * sizeof *p, cudaMemAdviseSetReadMostly, here));
    OK(cudaMemset(p, 0, n * sizeof *p));
    CHECK(p[0] == 0 && p[n - 1] == 0);
    int *d;
    OK(cudaMalloc(&d, n * sizeof *d));
    OK(cudaMemcpy(d, p, n * sizeof *d, cudaMemcpyDefault));
    OK(cudaMemcpy(p, d, n * sizeof *d, cudaMemcpyDeviceToHost));
    OK(cudaFree(p));

    std::vector<int> own(n);
    OK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterDefault));
    EXPECT(cudaErrorHostMemoryAlreadyRegistered,
           cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterDefault));
    use(own.data(), n);
    OK(cudaHostUnregister(own.data()));
    EXPECT(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own.data()));
    EXPECT(cudaErrorInvalidValue, cudaHostGetDevicePointer(&q, own.data(), 0));

    OK(cudaPointerGetAttributes(&a, own.data()));
    CHECK(a.type == cudaMemoryTypeUnregistered);
    OK(cudaPointerGetAttributes(&a, d));
    CHECK(a.type == cudaMemoryTypeDevice && a.hostPointer == nullptr);

    size_t free_before, free_after, total;
    OK(cudaMemGetInfo(&free_before, &total));
    OK(cudaMalloc(&q, 3 << 20));
    OK(cudaMemGetInfo(&free_after, &total));
    // taken in pieces of 2 MiB, as by an H200
    CHECK((total - free_after) % (2 << 20) == 0 && free_after < total);
    CHECK(free_before - free_after >= 2 << 20 && free_before - free_after <= 4 << 20);
    return print_failures();
}
