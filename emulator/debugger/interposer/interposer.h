/* A recorder IN_INTERPOSER_OF a CUDA runtime library. The recorder is loaded before that library
 * (LD_PRELOAD) and passes every call on to it. It writes a recording (recording/FORMAT.md): the
 * kernels that the program launches, and the data that the program gives to device memory. It is
 * meant for NVIDIA's runtime on a GPU, and needs only the documented calls of that library.
 *
 * A recording is a sequence, so the recorder waits for each operation before it issues the next
 * one: streams do not overlap while a program is recorded. The recorder waits at most
 * INTERPOSER_MAX_WAIT_SECONDS seconds for an operation, since the operation may itself wait for the
 * host or for later work.
 *
 * One lock guards all state; the recorder does not hold the lock while it waits for an operation.
 * Calls that the real library makes itself are passed on and not recorded. */
#pragma once

#include "../recording/recording.h"

#include "../../toolkit/runtime.h"

enum { INTERPOSER_MAX_WAIT_SECONDS = 10 }; /* maximum number of seconds to wait for an operation */

#define INTERPOSER_API __attribute__((visibility("default"))) /* the program sees the symbol */

/* --- real.c: calls into the real CUDA runtime library (NVIDIA's) --- */

typedef enum interposer_runtime_call {
#define HOOK(name) HOOK_##name,
#include "hooks.def"
#undef HOOK
    INTERPOSER_HOOKS
} interposer_runtime_call;

/* The real library's function for a runtime call. Ends the process with status 3 if the library has
 * no such function. */
void *interposer_real_function(interposer_runtime_call which);
#define REAL_FUNCTION(name) ((__typeof__(&name))interposer_real_function(HOOK_##name))
/* Call the real library's function NAME. Runtime calls that it makes are not recorded. */
#define CALL_REAL(name, ...)                                                        \
    __extension__({                                                                 \
        interposer_call_depth++;                                                    \
        const __typeof__(name(__VA_ARGS__)) is_ = REAL_FUNCTION(name)(__VA_ARGS__); \
        interposer_call_depth--;                                                    \
        is_;                                                                        \
    })
extern __thread unsigned
    interposer_call_depth; /* number of nested calls of the runtime in this thread */
/* Any function of the real runtime library, by name; NULL: the library has no such function. */
void *interposer_find_runtime_function(const char *name);

/* --- keep.c: the open recording, and the operations that are written to it -------------------- */

typedef struct interposer_state {
    rec_writer *writer; /* writer of the recording; NULL: nothing is recorded (any more) */
    bool captures;      /* some stream may be capturing a graph */
    uint64_t stack;     /* value that the program set for cudaLimitStackSize; 0: the default */
} interposer_state;
extern interposer_state interposer_recorder; /* state of the recorder, guarded by its lock */

/* Take the recorder's lock; the first call also begins the recording. Returns false, without the
 * lock, if the current runtime call must not be recorded. */
bool interposer_begin_recording(void);
/* Take the lock without beginning a recording: for registrations of device code, which run before
 * the device is used. */
void interposer_take_recorder_lock(void);
void interposer_release_recorder_lock(void);
/* The caller holds the lock. Append a record to the recording. */
void interposer_write_record(const rec_item *item);
/* The caller holds the lock. Write a warning as a record `unsure` and print it, but only once. */
__attribute__((format(printf, 1, 2))) void interposer_warn(const char *format, ...);
/* Whether STREAM is capturing a graph, so that work on it joins the graph instead of running. */
bool interposer_is_stream_capturing(cudaStream_t stream);

/* An operation on a recorded stream, from interposer_begin_op to interposer_end_op. */
typedef struct interposer_op {
    uint64_t id, stream;     /* numbers, in the recording, of the operation and its stream */
    cudaStream_t on;         /* stream that the operation runs on */
    cudaEvent_t begin, done; /* events recorded before and after the operation */
} interposer_op;

/* Begin an operation; the caller holds the lock. Writes what the host has changed in memory; the
 * caller makes the real call next. */
interposer_op interposer_begin_op(cudaStream_t stream);
/* Wait until operation O ends. Its real call has succeeded and its record is written. The lock is
 * released during the wait. Returns the operation's time in ns; *FAULT becomes its error code. */
double interposer_wait_for_op(interposer_op *o, cudaError_t *fault);
/* Write the result of operation O. DIGEST: digest of the bytes that a copy to the host returned.
 * LAUNCH: O is a launch, so also write what kernels may have changed in host memory. */
void interposer_end_op(interposer_op *o, double ns, cudaError_t fault, uint64_t digest,
                       bool launch);
/* Drop operation O, whose real call failed and had no effect. */
void interposer_drop_op(interposer_op *o);

/* --- modules.c: device code ------------------------------------------------------------------- */

typedef struct interposer_kernel interposer_kernel;
/* The caller holds the lock. The kernel that KEY, a host function or a cudaKernel_t, launches; its
 * module gets recorded. NULL, after a warning: the kernel cannot be recorded. */
const interposer_kernel *interposer_find_kernel(const void *key);
/* The number in the recording of the module that contains kernel K. */
uint64_t interposer_module_number_of_kernel(const interposer_kernel *k);
/* The name of kernel K in the PTX. */
const char *interposer_kernel_name(const interposer_kernel *k);
/* Kernel K's parameters as bytes in the PTX layout, from the arguments ARGS of a launch: malloc'ed,
 * *BYTES bytes; NULL: the host is out of memory. */
void *interposer_kernel_params(const interposer_kernel *k, void **args, uint64_t *bytes);
/* The device address of the variable that SYMBOL names; its module gets recorded. 0: no variable
 * has that symbol. */
uint64_t interposer_symbol_address(const void *symbol);
/* Forget which modules are recorded, after a reset of the device: their code is loaded again. */
void interposer_forget_modules(void);

/* --- allocations.c: allocations --- */

/* Whether ADDRESS lies in device memory. */
bool interposer_is_device_memory(uint64_t address);
/* Add the module's variable NAME at ADDRESS to the recording and to the list of allocations. */
void interposer_record_variable(uint64_t address, uint64_t size, bool constant, const char *name);
/* Add host memory that kernels may use to the recording. KIND: its mem_kind. */
void interposer_record_host_memory(uint64_t address, uint64_t size, int kind);
/* Before operation OP: write what the host has changed in memory that kernels may use. */
void interposer_record_pages_before_op(uint64_t op);
/* After launch OP: write digests of the host memory that kernels may use, or the changed bytes if
 * other host threads may also write them. */
void interposer_record_pages_after_launch(uint64_t op);
/* Empty the list of allocations, after a reset of the device. */
void interposer_forget_allocations(void);
