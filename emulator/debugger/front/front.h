/* A recorder in front of a CUDA runtime library: loaded before it (LD_PRELOAD), it passes every
 * call on and writes what device memory and kernels were given as a recording
 * (recording/FORMAT.md). It is meant for NVIDIA's runtime on a GPU, and needs of that library the
 * documented calls only.
 *
 * A recording is a sequence, so each operation is waited for before the next one is issued: streams
 * do not overlap while a program is recorded. An operation that has not ended after
 * FRONT_PATIENCE seconds is no longer waited for, since it may wait for the host or for later work.
 *
 * One lock guards all state; it is not held while an operation is waited for. A call that comes
 * from within the real library is passed on unseen. */
#ifndef WARPBOOK_FRONT_H
#define WARPBOOK_FRONT_H

#include "../recording/recording.h"

#include <cuda_runtime_api.h>

enum { FRONT_PATIENCE = 10 };

#define FRONT_API __attribute__((visibility("default")))

/* real.c: NVIDIA's own library, to which calls are passed on */

typedef enum front_hook {
#define HOOK(name) HOOK_##name,
#include "hooks.def"
#undef HOOK
    FRONT_HOOKS
} front_hook;

/* The function behind a hook. Ends the process with status 3 where there is none. */
void *front_real(front_hook which);
#define REAL(name) ((__typeof__(&name))front_real(HOOK_##name))
/* Call it; what it calls in turn is not seen. */
#define PASS(name, ...)                                                    \
    __extension__({                                                        \
        front_inside++;                                                    \
        const __typeof__(name(__VA_ARGS__)) is_ = REAL(name)(__VA_ARGS__); \
        front_inside--;                                                    \
        is_;                                                               \
    })
extern __thread unsigned front_inside; /* number of nested calls of the runtime in this thread */
/* Another function of the library behind, NULL: none. */
void *front_find(const char *name);

/* --- keep.c: the recording and its operations ----------------------------------------------------
 */

typedef struct front_state {
    rec_writer *writer; /* writer of the recording; NULL: nothing is recorded (any more) */
    bool captures;      /* some stream may be capturing a graph */
    uint64_t stack;     /* value that the program set for cudaLimitStackSize; 0: the default */
} front_state;
extern front_state front;

/* Take the lock, and begin the recording with the first call. False: this call is not to be kept;
 * the lock is not held then. */
bool front_enter(void);
/* Take the lock alone: for registrations, which come before the device is used. */
void front_hold(void);
void front_leave(void);
void front_put(const rec_item *item);
/* Write a sentence as a record `unsure`, and print it, once each. With the lock. */
__attribute__((format(printf, 1, 2))) void front_doubt(const char *format, ...);
/* Whether work on STREAM becomes part of a graph instead of running. */
bool front_captured(cudaStream_t stream);

/* An operation on a stream, between front_begin and front_end. */
typedef struct front_op {
    uint64_t id, stream;
    cudaStream_t on;
    cudaEvent_t begin, done;
} front_op;

/* Begin one, with the lock: what the host has changed is written, and the real call comes next. */
front_op front_begin(cudaStream_t stream);
/* The real call has succeeded and its record has been put: wait for it, without the lock, and take
 * the lock again. Returns its time in ns, and in *FAULT how it ended. */
double front_wait(front_op *o, cudaError_t *fault);
/* Write its result. DIGEST is of what a copy to the host returned. LAUNCH: what kernels may have
 * changed in memory of the host is written as well. */
void front_end(front_op *o, double ns, cudaError_t fault, uint64_t digest, bool launch);
/* The real call has failed: nothing happened. */
void front_drop(front_op *o);

/* --- modules.c: device code ----------------------------------------------------------------------
 */

typedef struct front_kernel front_kernel;
/* The kernel behind a host function or a cudaKernel_t, its module recorded; NULL: it cannot be
 * recorded, which has been said. With the lock. */
const front_kernel *front_kernel_of(const void *key);
uint64_t front_kernel_module(const front_kernel *k);
const char *front_kernel_name(const front_kernel *k);
/* Its parameters from the arguments of a launch, as laid out in the PTX: malloc'ed, *BYTES bytes;
 * NULL: the host is out of memory. */
void *front_kernel_params(const front_kernel *k, void **args, uint64_t *bytes);
/* The device address of the variable behind SYMBOL, its module recorded; 0: there is none. */
uint64_t front_symbol(const void *symbol);
/* The device was reset: code is loaded anew. */
void front_modules_forget(void);

/* --- memory.c: what is allocated -----------------------------------------------------------------
 */

/* Whether ADDRESS lies in device memory. */
bool front_is_device(uint64_t address);
/* A variable of a module lies there. */
void front_variable(uint64_t address, uint64_t size, bool constant, const char *name);
void front_adopt(uint64_t address, uint64_t size, int kind);
/* Before an operation: write what the host has changed in memory that kernels may use. */
void front_pages(uint64_t op);
/* After a launch: write digests of that memory, or what has changed if other threads may write. */
void front_pages_done(uint64_t op);
void front_memory_forget(void);

#endif
