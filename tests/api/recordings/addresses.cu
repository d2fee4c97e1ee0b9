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
                                 (CUdeviceptr)plain / (32 << 20) * (32 << 20) + (1ull << 30),
                                 (CUdeviceptr)plain - (8ull << 30),
                                 (CUdeviceptr)plain / (32 << 20) * (32 << 20) - (8ull << 30),
                                 0};
    // How large a reservation must be for its address to be granted, and with which alignment.
    const struct {
        const char *kind;
        size_t size, alignment;
    } ways[] = {{"reserve", 1ull << 30, 0},
                {"reserve-2M", 2 << 20, 0},
                {"reserve-32M", 32 << 20, 0},
                {"reserve-34M", 34 << 20, 0},
                {"reserve-64M", 64 << 20, 0},
                {"reserve-1G-by-2M", 1ull << 30, 2 << 20},
                {"reserve-32M-by-2M", 32 << 20, 2 << 20}};
    for (auto way : ways)
        for (CUdeviceptr base : bases) {
            CUdeviceptr given = 0;
            const CUresult e = cuMemAddressReserve(&given, way.size, way.alignment, base, 0);
            if (e) {
                printf("%s\t0x%llx\terror %d\n", way.kind, base, e);
            } else {
                printf("%s\t0x%llx\t0x%llx\n", way.kind, base, given);
                cuMemAddressFree(given, way.size);
            }
        }
    return 0;
}
