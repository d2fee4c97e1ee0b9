/* The driver API as toolkit 13 has it, whichever toolkit's headers are installed: 12.4 or newer.
 * What 12's cuda.h lacks of 13.0's is declared here; a toolkit from 12.5 on has some of the types:
 * ours have other names, which macros hide. */
#pragma once

#include "runtime.h"

#if CUDA_VERSION < 13000
#pragma GCC visibility push(default)
#define CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER ((CUresult)36)
#define CUDA_ERROR_CONTAINED                  ((CUresult)226)
#define CUDA_ERROR_TENSOR_MEMORY_LEAK         ((CUresult)721)
#define CUDA_ERROR_KEY_ROTATION               ((CUresult)916)

typedef enum { NEWER_CU_ATOMIC_FLOAT_MAX = 12 } newer_CUatomicOperation;
#define CUatomicOperation newer_CUatomicOperation

typedef enum { NEWER_CU_WIDE_MODE_W, NEWER_CU_WIDE_MODE_W128 } newer_CUtensorMapIm2ColWideMode;
#define CUtensorMapIm2ColWideMode           newer_CUtensorMapIm2ColWideMode
#define CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 NEWER_CU_WIDE_MODE_W128

typedef struct {
    CUexecAffinityParam *execAffinityParams;
    int numExecAffinityParams;
    void *cigParams;
} newer_CUctxCreateParams;
#define CUctxCreateParams newer_CUctxCreateParams
#undef cuCtxCreate
#define cuCtxCreate                 newer_cuCtxCreate
#define cuTensorMapEncodeIm2colWide newer_cuTensorMapEncodeIm2colWide
#define cuDeviceGetUuid             cuDeviceGetUuid_v2
#define cuEventElapsedTime          cuEventElapsedTime_v2

CUresult cuCtxCreate(CUcontext *out, CUctxCreateParams *params, unsigned flags,
                     CUdevice device) __asm__("cuCtxCreate_v4");
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
CUresult cuCtxRecordEvent(CUcontext context, CUevent event);
CUresult cuCtxSynchronize_v2(CUcontext context);
CUresult cuCtxWaitEvent(CUcontext context, CUevent event);
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);
CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel kernel);
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *out, CUgreenCtx *green);
CUresult cuTensorMapEncodeIm2colWide(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *dim, const cuuint64_t *stride, int lower, int upper, cuuint32_t channels,
    cuuint32_t pixels, const cuuint32_t *step, CUtensorMapInterleave interleave,
    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) __asm__("cuTensorMapEncodeIm2colWide");
#pragma GCC visibility pop
#endif
