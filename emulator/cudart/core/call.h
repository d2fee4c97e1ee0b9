/* What every call of the runtime needs: the toolkit's types, the lock, messages, the last error.
 *
 * One lock guards all state. A call takes it with rt_lock, which opens the device at the first
 * call, and releases it with rt_unlock, which records the calling thread's last error. Only
 * operations (kernels, copies, host functions) run without the lock, one at a time.
 *
 * Unless stated otherwise, functions are called with the lock held, pointers are borrowed, and the
 * units are bytes, nanoseconds (double) and device addresses (uint64_t). Source: Runtime API, the
 * page named in each file's first line. */
#pragma once

#include "../../core/sm.h"
#include "../../toolkit/runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks an exported function that no header of the toolkit declares. */
#define RT_API __attribute__((visibility("default")))

/* Return P without const. Some structs of the API have only non-const pointers, even to data that
 * is only read. */
static inline void *rt_without_const(const void *p)
{
    return (void *)(uintptr_t)p;
}

/* Alignment of allocations, bytes. Textures need no more (cudaDevAttrTextureAlignment). */
#define RT_ALLOCATION_ALIGNMENT 512u

/* Take the lock, open the device if it is not open, and make a context current if the thread has
 * none. Returns the sticky error, or why there is no device. The lock is held in every case. */
cudaError_t rt_lock(void);
/* Returns cudaSuccess, or why the device cannot be used: it could not be opened, a parent process
 * opened it before fork, or the program is exiting. */
cudaError_t rt_device_unusable_reason(void);
/* Take the lock, and open the device at the first call. Checks for no error and makes no context
 * current: for calls that work after a sticky error. */
void rt_lock_without_checks(void);
/* From now on launches are neither searched for mistakes nor counted in a table of coverage. */
void rt_stop_checks(void);
/* Release the lock. Returns E, and makes it the thread's last error unless it is cudaSuccess. */
cudaError_t rt_unlock(cudaError_t e);
/* Argument checks: E, or else an error if COND, which is not evaluated after an error. */
#define RT_ERROR_IF(e, cond, error) ((e) ? (e) : (cudaError_t)((cond) ? (error) : cudaSuccess))
#define RT_INVALID_IF(e, cond)      RT_ERROR_IF(e, cond, cudaErrorInvalidValue)
/* Release the lock with E; unless it is an error, *OUT becomes the value that follows. */
#define RT_UNLOCK_WITH(e, out, ...) rt_unlock((e) ? (e) : (*(out) = (__VA_ARGS__), cudaSuccess))
/* A call and its twin for a stream, NAMEAsync: WORK gets the name, what follows it here, the stream
 * (NULL), and whether it is asynchronous. */
#define RT_PARAMETERS(...) __VA_ARGS__
#define RT_AND_ASYNC(name, params, work, ...)                          \
    cudaError_t name(RT_PARAMETERS params)                             \
    {                                                                  \
        return work(#name, __VA_ARGS__, NULL, false);                  \
    }                                                                  \
    cudaError_t name##Async(RT_PARAMETERS params, cudaStream_t stream) \
    {                                                                  \
        return work(#name "Async", __VA_ARGS__, stream, true);         \
    }
/* Like rt_unlock, for queries such as cudaStreamQuery: cudaErrorNotReady is no error. */
cudaError_t rt_unlock_after_query(cudaError_t e);
/* rt_release_lock releases the lock before an operation runs; rt_take_lock_again takes the lock
 * again afterwards. */
void rt_release_lock(void);
void rt_take_lock_again(void);
/* rt_wait_for_state_change releases the lock, waits until another thread calls
 * rt_wake_waiting_threads, and takes the lock again. rt_wake_waiting_threads wakes all threads that
 * wait in this way. */
void rt_wait_for_state_change(void);
void rt_wake_waiting_threads(void);

/* Compute capability of the device profile; 90 stands for 9.0. */
uint32_t rt_compute_capability(void);

/* Write TEXT to stderr in one write, each line prefixed with "warpbook: ". */
void rt_print(const char *text);
/* Print a formatted message as rt_print does, and append it to WARPBOOK_REPORTS. */
void rt_print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

cudaError_t rt_set_last_error(cudaError_t e);  /* records E as the thread's last error; returns E */
cudaError_t rt_swap_last_error(cudaError_t e); /* sets the thread's last error; returns the old */
/* The error code for a kernel fault of this kind. */
cudaError_t rt_error_of_fault(sm_fault_kind kind);
