/* Memory that is made and mapped and never given back.
 * stderr: leak: the (memory handle|mapping|reservation of addresses) created here is not */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

enum { MB2 = 2 << 20 };

/* Do all of it; give it back too, if ALL. */
static void use(int all)
{
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUdeviceptr at;
    CUmemGenericAllocationHandle h, again;
    OK(cuMemAddressReserve(&at, MB2, 0, 0, 0));
    OK(cuMemCreate(&h, MB2, &prop, 0));
    OK(cuMemMap(at, MB2, 0, h, 0));
    OK(cuMemRetainAllocationHandle(&again, (void *)at));
    OK(cuMemRelease(again));
    if (all) {
        OK(cuMemRelease(h));
        OK(cuMemUnmap(at, MB2));
        OK(cuMemAddressFree(at, MB2));
    }
}

int main(int argc, char **argv)
{
    CUcontext context;
    if (argc && !getenv("WARPBOOK_SANITIZE")) {
        setenv("WARPBOOK_SANITIZE", "leak", 1);
        execv("/proc/self/exe", argv);
    }
    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    use(1);
    use(0);
    OK(cuCtxDestroy(context));
    return failures != 0;
}
