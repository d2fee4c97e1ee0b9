/* A kernel that uses memory that is mapped, and is unmapped.
 * stderr: inside the 4194304 bytes .* cuMemAddressReserve reserved .*, where no memory is mapped */
#include "check.h"

#include <stdlib.h>

enum { MB2 = 2 << 20 };

int main(int argc, char **argv)
{
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    const CUmemAccessDesc access = {.location = prop.location,
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUcontext context;
    CUmodule module;
    CUfunction scale;
    CUdeviceptr at;
    CUmemGenericAllocationHandle one, two;
    int n = MB2 / 4 + 64, has = 0;
    float by = 3, *host = calloc((size_t)n, sizeof *host);
    void *params[] = {&at, &n, &by};

    OK(cuInit(0));
    OK(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    SO(has == 1);
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuModuleLoad(&module, argc > 1 ? argv[1] : ""));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    OK(cuMemAddressReserve(&at, 2 * MB2, 0, 0, 0));
    OK(cuMemCreate(&one, MB2, &prop, 0));
    OK(cuMemCreate(&two, MB2, &prop, 0));
    OK(cuMemMap(at, MB2, 0, one, 0));
    OK(cuMemMap(at + MB2, MB2, 0, two, 0));
    OK(cuMemSetAccess(at, 2 * MB2, &access, 1));
    /* an array that lies in both */
    for (int k = 0; k < n; k++)
        host[k] = 1;
    OK(cuMemcpyHtoD(at, host, (size_t)n * 4));
    OK(cuLaunchKernel(scale, ((unsigned)n + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH(host, at, (size_t)n * 4));
    for (int k = 0; k < n; k++)
        SO(host[k] == host[0]);
    SO(host[0] >= 3);
    OK(cuMemUnmap(at + MB2, MB2));
    OK(cuMemRelease(two));
    OK(cuLaunchKernel(scale, ((unsigned)n + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    IS(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    free(host);
    return failures != 0;
}
