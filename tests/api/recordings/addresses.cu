// Which addresses a driver grants (try-on-gpu): for each row its kind, what was asked for, what was
// given.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

int main()
{
    void *plain, *pinned, *managed;
    printf("kind\twanted\tgiven\n");
    if (cudaMalloc(&plain, 1 << 24) || cudaMallocHost(&pinned, 1 << 24) ||
        cudaMallocManaged(&managed, 1 << 24)) {
        printf("# there is no GPU\n");
        return 1;
    }
    printf("cudaMalloc\t-\t%p\ncudaMallocHost\t-\t%p\ncudaMallocManaged\t-\t%p\n", plain, pinned,
           managed);
    const CUdeviceptr bases[] = {0x300000000,
                                 0x1000000000,
                                 0x10000000000,
                                 0x20000000000,
                                 0x110000000000,
                                 0x210000000000,
                                 0x600000000000,
                                 0x6e0000000000,
                                 0x700000000000,
                                 (CUdeviceptr)plain + (1ull << 30),
                                 0};
    for (CUdeviceptr base : bases) {
        CUdeviceptr given = 0;
        const CUresult e = cuMemAddressReserve(&given, 1ull << 30, 0, base, 0);
        if (e) {
            printf("reserve\t0x%llx\terror %d\n", base, e);
        } else {
            printf("reserve\t0x%llx\t0x%llx\n", base, given);
            cuMemAddressFree(given, 1ull << 30);
        }
    }
    return 0;
}
