/* The driver API over the runtime's room: what its files share. Source: CUDA Driver API. */
#ifndef WARPBOOK_CUDRIVER_H
#define WARPBOOK_CUDRIVER_H

/* Functions that the toolkit's header declares are exported where they are defined. */
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include "../cudart/entry/driver.h"

/* A function of an older version, which the header's macros hide: exported as SYMBOL. */
#define CU_OLDER(symbol) __asm__(symbol) __attribute__((visibility("default")))

/* Weak, as the linker may find NVIDIA's libcudart first when a program is linked with ours. */
const rt_driver *__cudaWarpbookDriver(void) __attribute__((weak));

/* NULL: the libcudart of this process is not the emulator's. No call but cuInit then gets past
 * cu_enter. */
const rt_driver *cu_table(void);

void cu_initialised(void); /* cuInit has succeeded */

/* What a call that is not there comes to: CUDA_ERROR_NOT_SUPPORTED, and one line unless SAID. */
int cu_missing(const char *name, atomic_flag *said);

/* Addresses are unified: a CUdeviceptr is a pointer. */
static inline void *cu_pointer(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

static inline struct cudaMemLocation cu_location(CUmemLocation at)
{
    return (struct cudaMemLocation){(enum cudaMemLocationType)at.type, at.id};
}

/* The bytes of a file and a NUL, malloc'ed; NULL with *R set otherwise. */
char *cu_file(const char *path, CUresult *r);

/* Begin a call: CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED, or, with CURRENT, what is wrong with the
 * calling thread's current context. After CUDA_SUCCESS only, cu_leave ends it. */
CUresult cu_enter(bool current);
/* Likewise for a call on STREAM: its handle says which context; NULL and the like are the current
 * one's. */
CUresult cu_enter_on(CUstream stream);
CUresult cu_leave(cudaError_t e);
/* The driver API's code for the runtime's. */
CUresult cu_code(cudaError_t e);

/* Return what EXPR, a cudaError_t, comes to: in the current context; or where none is needed; or on
 * a stream; with CUDA_ERROR_INVALID_VALUE, unless OK, which is looked at after the context. */
#define CU_CALL_AFTER(enter, ok, expr)                                            \
    do {                                                                          \
        CUresult cu_bad = (enter);                                                \
        return cu_bad ? cu_bad : cu_leave((ok) ? (expr) : cudaErrorInvalidValue); \
    } while (0)
#define CU_CALL_IF(ok, expr)         CU_CALL_AFTER(cu_enter(true), ok, expr)
#define CU_CALL(expr)                CU_CALL_IF(true, expr)
#define CU_CALL_BARE(ok, expr)       CU_CALL_AFTER(cu_enter(false), ok, expr)
#define CU_CALL_ON(stream, ok, expr) CU_CALL_AFTER(cu_enter_on(stream), ok, expr)

#endif
