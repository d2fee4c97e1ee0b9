/* The table of functions that libcudart gives to libcuda.so.1. The two libraries are built together
 * and share one state of the device. Everything else that the driver API needs is in public
 * functions of the runtime. The functions return the runtime's error codes; an error that the
 * driver API also has has the same number there. Each function takes the runtime's lock. */
#pragma once

#include "../code/jit.h"
#include "../core/context.h"
#include "../memory/virtual.h"

#include <stdatomic.h>

/* The condition that a stream waits for; the values are those of CUstreamWaitValue_flags. */
typedef enum rt_wait_condition {
    RT_WAIT_GREATER, /* memory >= value, compared by the sign of the difference */
    RT_WAIT_EQUAL,   /* memory == value */
    RT_WAIT_AND,     /* (memory & value) != 0 */
    RT_WAIT_NOR      /* ~(memory | value) != 0 */
} rt_wait_condition;

/* memop.c: write a value to memory, or wait for a value in memory, in stream order. BYTES is 4 or
 * 8. Returns cudaErrorInvalidValue if AT is not valid memory or not aligned to BYTES. */
cudaError_t rt_memop_write(cudaStream_t stream, uint64_t at, uint64_t value, uint32_t bytes);
cudaError_t rt_memop_wait(cudaStream_t stream, uint64_t at, uint64_t value, uint32_t bytes,
                          rt_wait_condition how);

/* stubs.c: print one line that names an unsupported call, unless the flag SAID is set. */
void rt_report_unsupported(const char *name, atomic_flag *said);

/* Functions of the runtime that libcuda.so.1 calls. */
typedef struct rt_driver {
    /* Call `begin` before, and `end` after, each public runtime function: see
     * rt_begin_driver_call. */
    void (*begin)(void); /* a call of the driver API begins to use the runtime */
    void (*end)(void);   /* it no longer uses the runtime */
    /* Has a call opened the device? The runtime's first call initialises the driver API too. */
    bool (*opened)(void); /* is the device open? */
    /* Returns cudaErrorDeviceUninitialized if no context is current or C is not a context;
     * cudaErrorContextIsDestroyed if it has been destroyed. */
    cudaError_t (*current_usable)(void);                /* can the current context be used? */
    cudaError_t (*context_usable)(const rt_context *c); /* can context C be used? */

    cudaError_t (*create)(rt_context **out,
                          unsigned flags); /* creates a context, makes it current */
    cudaError_t (*destroy)(rt_context *c); /* cuCtxDestroy */
    cudaError_t (*push)(rt_context *c);    /* cuCtxPushCurrent */
    cudaError_t (*pop)(rt_context **out);  /* cuCtxPopCurrent */
    cudaError_t (*set)(rt_context *c);     /* cuCtxSetCurrent */
    rt_context *(*current)(void);          /* the current context of the thread; NULL: none */

    cudaError_t (*retain)(rt_context **out); /* retain the primary context */
    cudaError_t (*release)(void);            /* release the primary context */
    bool (*active)(void);                    /* does the primary context exist? */

    /* Reads the options of the JIT compiler (jit.h). */
    cudaError_t (*jit_read)(unsigned count, const int *option, void **value, rt_jit_options *jit);
    void (*jit_answer)(const rt_jit_options *jit, double seconds); /* stores what options return */
    double (*jit_clock)(void); /* the host's monotonic clock, seconds */
    /* `jit_source` turns options into directives in PTX text; `jit_join` links COUNT PTX texts. */
    cudaError_t (*jit_source)(const char *text, const rt_jit_options *jit, char **out);
    cudaError_t (*jit_join)(const char *const *text, unsigned count, const rt_jit_options *jit,
                            char **out);
    /* `module_open` loads a module from an image; `module_close` unloads it. */
    cudaError_t (*module_open)(const void *image, const rt_jit_options *jit, rt_module **out);
    cudaError_t (*module_close)(rt_module *m);
    /* Finds the kernel NAME of a module. */
    cudaError_t (*module_kernel)(rt_module *m, const char *name, rt_kernel **out);
    /* Stores the number of kernels in the module, and the names of the first CAP kernels. */
    cudaError_t (*module_kernel_names)(rt_module *m, const char **names, unsigned cap,
                                       unsigned *count);
    /* Finds the address and size of the variable NAME of a module. */
    cudaError_t (*module_variable)(rt_module *m, const char *name, uint64_t *at, size_t *size);
    /* `kernel` stores the number of a kernel's parameters; `kernel_on` also checks that the kernel
     * may be launched in STREAM. */
    cudaError_t (*kernel)(const void *handle, uint32_t *params);
    cudaError_t (*kernel_on)(const void *handle, cudaStream_t stream, uint32_t *params);

    /* Find the module that contains a kernel, and the module that is a library. */
    cudaError_t (*kernel_module)(const void *handle, rt_module **out);
    cudaError_t (*library_module)(cudaLibrary_t library, rt_module **out);

    /* Copy BYTES bytes, in stream order. WHAT names the call in messages. */
    cudaError_t (*copy)(const char *what, uint64_t dst, uint64_t src, size_t bytes,
                        enum cudaMemcpyKind kind, cudaStream_t stream, bool async);
    /* Fill rows of WIDTH units of 1, 2 or 4 bytes; PITCH 0: the rows are contiguous. */
    cudaError_t (*fill)(const char *what, uint64_t dst, size_t pitch, uint32_t value, size_t unit,
                        size_t width, size_t height, cudaStream_t stream, bool async);
    /* Finds the start and size of the allocation that contains address AT. */
    cudaError_t (*range)(uint64_t at, uint64_t *base, size_t *size);
    /* Write a value to memory, or wait for a value in memory, in stream order. */
    cudaError_t (*memop_write)(cudaStream_t stream, uint64_t at, uint64_t value, uint32_t bytes);
    cudaError_t (*memop_wait)(cudaStream_t stream, uint64_t at, uint64_t value, uint32_t bytes,
                              rt_wait_condition how);
    const rt_virtual *virtual; /* memory that the program maps itself */
    /* These functions find the context that owns the memory at AT, or the stream. */
    cudaError_t (*pointer_context)(uint64_t at, rt_context **out);
    cudaError_t (*stream_context)(cudaStream_t stream, rt_context **out);
    /* Address of the calling thread's counter of per-thread default mode. While it is above 0, NULL
     * means the per-thread default stream. */
    unsigned *(*per_thread_default)(void);
    void (*say_missing)(const char *name, atomic_flag *said); /* reports an unsupported call */
    /* Prints a message to stderr. */
    void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
} rt_driver;

/* The table, for libcuda.so.1. */
RT_API const rt_driver *__cudaWarpbookDriver(void);
