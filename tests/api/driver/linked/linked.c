/* A program that is linked with the driver API's library in several ways (run-linked). The exit
 * status is 0 if a module loads; prints "cuInit CODE" if there is no device. */
#include <cuda.h>
#include <stdio.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p) { .reg .b64 %d; ld.param.u64 %d,[p]; "
                          "st.global.u32 [%d],42; ret; }\n";

int main(void)
{
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr p;
    int value = 0;
    CUresult r = cuInit(0);
    if (r) {
        /* All other calls must say that cuInit was not called. */
        unsigned version;
        printf("cuInit %d\n", (int)r);
        return cuCtxSynchronize() != CUDA_ERROR_NOT_INITIALIZED ||
               cuCtxGetApiVersion(NULL, &version) != CUDA_ERROR_NOT_INITIALIZED;
    }
    void *args[] = {&p};
    r = cuDevicePrimaryCtxRetain(&context, 0);
    r = r ? r : cuCtxSetCurrent(context);
    r = r ? r : cuModuleLoadData(&module, ptx);
    r = r ? r : cuModuleGetFunction(&kernel, module, "k");
    r = r ? r : cuMemAlloc(&p, sizeof value);
    r = r ? r : cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
    r = r ? r : cuMemcpyDtoH(&value, p, sizeof value);
    if (r || value != 42) {
        fprintf(stderr, "code %d, value %d\n", (int)r, value);
    }
    return r || value != 42;
}
