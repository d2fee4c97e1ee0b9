/* Declarations that the files of the driver API share. The driver API is implemented on top of the
 * runtime (cudart/entry/driver_table.h). Source: CUDA Driver API. */
#pragma once

#include "../toolkit/driver.h"

#include "../cudart/entry/driver_table.h"

/* Exports a function under the name SYMBOL: an older or newer version of a function, which macros
 * in cuda.h hide. */
#define CU_HIDDEN_SYMBOL(symbol) __asm__(symbol) __attribute__((visibility("default")))

/* Weak, since a program linked with this library may load NVIDIA's libcudart, which lacks it. */
const rt_driver *__cudaWarpbookDriver(void) __attribute__((weak)); /* libcudart's functions */

/* The runtime's table of functions; NULL if the process has loaded another libcudart. In that case
 * cu_begin_call returns an error, and only cuInit prints the reason. */
const rt_driver *cu_runtime_table(void);

void cu_set_initialised(void); /* records that cuInit has succeeded */

/* Report an unsupported call, unless the flag SAID is set because the call was reported before.
 * Returns CUDA_ERROR_NOT_SUPPORTED. */
int cu_report_unsupported(const char *name, atomic_flag *said);

/* Addresses are unified, so a CUdeviceptr is a pointer. */
static inline void *cu_pointer(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

/* The runtime's struct for a location of memory. */
static inline struct cudaMemLocation cu_convert_location(CUmemLocation at)
{
    return (struct cudaMemLocation){(enum cudaMemLocationType)at.type, at.id};
}

/* Read a whole file and append a NUL; malloc'ed. On failure NULL, and *R is set. */
char *cu_read_file(const char *path, CUresult *r);

/* Begin a call. Returns CUDA_ERROR_NOT_INITIALIZED if cuInit has not been called, or, if CURRENT,
 * the error of the calling thread's current context. If it returns CUDA_SUCCESS, and only then,
 * cu_end_call must end the call. */
CUresult cu_begin_call(bool current);
/* Begin a call on STREAM; the call uses the stream's context. NULL and the other special handles
 * need a current context. */
CUresult cu_begin_call_on(CUstream stream);
CUresult cu_end_call(cudaError_t e); /* ends a call; returns its result E as a CUresult */
/* Convert an error code of the runtime to a CUresult. */
CUresult cu_result_of(cudaError_t e);

/* Return from a call with the result of EXPR, a cudaError_t; or with CUDA_ERROR_INVALID_VALUE
 * unless OK, evaluated once the context is checked. CU_CALL and CU_CALL_IF need a current context,
 * CU_CALL_WITHOUT_CONTEXT needs no context, and CU_CALL_ON needs the context of STREAM. */
#define CU_CALL_AFTER(enter, ok, expr)                                               \
    do {                                                                             \
        CUresult cu_bad = (enter);                                                   \
        return cu_bad ? cu_bad : cu_end_call((ok) ? (expr) : cudaErrorInvalidValue); \
    } while (0)
#define CU_CALL_IF(ok, expr)              CU_CALL_AFTER(cu_begin_call(true), ok, expr)
#define CU_CALL(expr)                     CU_CALL_IF(true, expr)
#define CU_CALL_WITHOUT_CONTEXT(ok, expr) CU_CALL_AFTER(cu_begin_call(false), ok, expr)
#define CU_CALL_ON(stream, ok, expr)      CU_CALL_AFTER(cu_begin_call_on(stream), ok, expr)
