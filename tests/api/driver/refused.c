/* Loads text that is not PTX; the error message must be in the caller's buffer.
 * stderr: cannot be read */
#include "check.h"

#include <stdint.h>

int main(void)
{
    CUcontext context;
    CUmodule module;
    char log[512] = "untouched";
    CUjit_option option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *value[] = {log, (void *)(uintptr_t)sizeof log};
    const char *ptx = ".version 9.0\n.target sm_90\n.address_size 64\n"
                      ".visible .entry k() { ret }\n";

    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    IS(ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, ptx, 2, option, value));
    SO(log[0] && (unsigned)(uintptr_t)value[1] > 0);
    puts(log);
    return failures != 0;
}
