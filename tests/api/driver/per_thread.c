/* Tests NULL as the per-thread default stream, with calls by the header's macros and with calls
 * from cuGetProcAddress. */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "check.h"

int main(void)
{
    CUcontext context, of = NULL;
    CUstream other;
    CUdeviceptr p;
    void *plain, *own;
    unsigned long long id = 0, legacy = 0, thread = 0;
    unsigned value = 0;
    CUdriverProcAddressQueryResult found;
    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));

    OK(cuStreamGetId(CU_STREAM_LEGACY, &legacy));
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, &thread));
    OK(cuStreamGetId(NULL, &id));
    SO(id == thread && id != legacy);

    /* The flag selects the variant for the per-thread default stream if there is one, else the
     * plain function. */
    OK(cuGetProcAddress("cuStreamGetId", &plain, CUDA_VERSION, CU_GET_PROC_ADDRESS_LEGACY_STREAM,
                        &found));
    OK(cuGetProcAddress("cuStreamGetId", &own, CUDA_VERSION,
                        CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &found));
    SO(own == (void *)cuStreamGetId && plain != own);
    OK(((CUresult(*)(CUstream, unsigned long long *))own)(NULL, &id));
    SO(id == thread);
    OK(((CUresult(*)(CUstream, unsigned long long *))plain)(NULL, &id));
    SO(id == legacy);
    OK(cuGetProcAddress("cuInit", &own, CUDA_VERSION, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                        &found));
    SO(own == (void *)cuInit);
    /* The newest version of the name has its own symbols: cuMemcpyHtoD_v2 and
     * cuMemcpyHtoD_v2_ptds. */
    OK(cuGetProcAddress("cuMemcpyHtoD", &plain, CUDA_VERSION, CU_GET_PROC_ADDRESS_LEGACY_STREAM,
                        &found));
    OK(cuGetProcAddress("cuMemcpyHtoD", &own, CUDA_VERSION,
                        CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &found));
    SO(own == (void *)cuMemcpyHtoD && plain && plain != own);

    /* During a capture in another stream, waiting for the legacy stream is an error, but waiting
     * for the per-thread stream is not. */
    CUgraph graph;
    OK(cuMemAlloc(&p, 64));
    OK(cuStreamCreate(&other, CU_STREAM_DEFAULT));
    OK(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemsetD32Async(p, 7, 16, NULL));
    OK(cuMemcpyDtoHAsync(&value, p + 60, 4, NULL));
    OK(cuStreamSynchronize(NULL));
    SO(value == 7);
    OK(cuStreamEndCapture(other, &graph));

    CUgreenCtx green = (CUgreenCtx)&value;
    OK(cuStreamGetCtx_v2(NULL, &of, &green));
    SO(of == context && !green);
    OK(cuStreamGetCtx_v2(NULL, NULL, &green));
    IS(ERROR_INVALID_VALUE, cuStreamGetCtx_v2(NULL, NULL, NULL));
    OK(cuCtxDestroy(context));
    return failures != 0;
}
