/* Calls that warpbook does not support: each prints one message that says so.
 * stderr: ^warpbook: cuGreenCtxDestroy is not supported$ */
#include "check.h"

int main(void)
{
    void *entry;
    CUdriverProcAddressQueryResult found;
    OK(cuInit(0));
    IS(ERROR_NOT_SUPPORTED, cuGreenCtxDestroy(NULL));
    IS(ERROR_NOT_SUPPORTED, cuGreenCtxDestroy(NULL));
    OK(cuGetProcAddress("cuGreenCtxDestroy", &entry, CUDA_VERSION, 0, &found));
    SO(found == CU_GET_PROC_ADDRESS_SUCCESS && entry == (void *)cuGreenCtxDestroy);
    OK(cuGetProcAddress("cuGreenCtxDestroy", &entry, 12000, 0, &found));
    SO(found == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT && !entry);
    return failures != 0;
}
