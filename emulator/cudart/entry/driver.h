/* What libcuda.so.1 gets from libcudart: one table of functions. The two libraries are built
 * together and share one process's state of the device through it; all else that the driver API
 * needs it takes from the runtime's own calls. Codes are the runtime's, whose numbers are the
 * driver API's where both have one. Each call takes the lock. */
#ifndef WARPBOOK_DRIVER_H
#define WARPBOOK_DRIVER_H

#include "../code/jit.h"
#include "../core/context.h"

#include <stdatomic.h>

/* Numbered as the driver API's. */
typedef enum rt_wait_how {
    RT_WAIT_GREATER, /* or equal */
    RT_WAIT_EQUAL,
    RT_WAIT_AND,
    RT_WAIT_NOR
} rt_wait_how;

/* memop.c: BYTES 4 or 8. cudaErrorInvalidValue: no memory there, or not a multiple of them. */
cudaError_t rt_memop_write(cudaStream_t stream, uint64_t at, uint64_t value, uint32_t bytes);
cudaError_t rt_memop_wait(cudaStream_t stream, uint64_t at, uint64_t value, uint32_t bytes,
                          rt_wait_how how);

/* stubs.c: one line that names a call that is not there, unless SAID. */
void rt_say_missing(const char *name, atomic_flag *said);

typedef struct rt_driver {
    /* Around each call: see rt_driver_begin. */
    void (*begin)(void);
    void (*end)(void);
    /* Has any call opened the device? The runtime's first call initialises the driver API too. */
    bool (*opened)(void);
    /* cudaErrorDeviceUninitialized: none is current, or C is none. cudaErrorContextIsDestroyed. */
    cudaError_t (*current_usable)(void);
    cudaError_t (*context_usable)(const rt_context *c);

    cudaError_t (*create)(rt_context **out, unsigned flags); /* and pushes it */
    cudaError_t (*destroy)(rt_context *c);
    cudaError_t (*push)(rt_context *c);
    cudaError_t (*pop)(rt_context **out);
    cudaError_t (*set)(rt_context *c);
    rt_context *(*current)(void);

    cudaError_t (*retain)(rt_context **out); /* the primary context */
    cudaError_t (*release)(void);
    bool (*active)(void);

    /* jit.h */
    cudaError_t (*jit_read)(unsigned count, const int *option, void **value, rt_jit *jit);
    void (*jit_answer)(const rt_jit *jit, double seconds);
    double (*jit_clock)(void);
    cudaError_t (*jit_source)(const char *text, const rt_jit *jit, char **out);
    cudaError_t (*jit_join)(const char *const *text, unsigned count, const rt_jit *jit, char **out);
    cudaError_t (*module_open)(const void *image, const rt_jit *jit, rt_module **out);
    cudaError_t (*module_close)(rt_module *m);
    cudaError_t (*module_kernel)(rt_module *m, const char *name, rt_kernel **out);
    /* How many kernels it has, and the names of the first ROOM. */
    cudaError_t (*module_names)(rt_module *m, const char **names, unsigned room, unsigned *count);
    cudaError_t (*module_variable)(rt_module *m, const char *name, uint64_t *at, size_t *size);
    /* A kernel; how many parameters it has. On: one that may be launched in STREAM. */
    cudaError_t (*kernel)(const void *handle, uint32_t *params);
    cudaError_t (*kernel_on)(const void *handle, cudaStream_t stream, uint32_t *params);

    cudaError_t (*kernel_module)(const void *handle, rt_module **out);
    cudaError_t (*library_module)(cudaLibrary_t library, rt_module **out);

    cudaError_t (*copy)(const char *what, uint64_t dst, uint64_t src, size_t bytes,
                        enum cudaMemcpyKind kind, cudaStream_t stream, bool async);
    /* Rows of WIDTH units of 1, 2 or 4 bytes; PITCH 0: one behind the other. */
    cudaError_t (*fill)(const char *what, uint64_t dst, size_t pitch, uint32_t value, size_t unit,
                        size_t width, size_t height, cudaStream_t stream, bool async);
    cudaError_t (*range)(uint64_t at, uint64_t *base, size_t *size);
    cudaError_t (*memop_write)(cudaStream_t stream, uint64_t at, uint64_t value, uint32_t bytes);
    cudaError_t (*memop_wait)(cudaStream_t stream, uint64_t at, uint64_t value, uint32_t bytes,
                              rt_wait_how how);
    /* Whose memory, and whose stream. */
    cudaError_t (*pointer_context)(uint64_t at, rt_context **out);
    cudaError_t (*stream_context)(cudaStream_t stream, rt_context **out);
    /* The calling thread's: above 0, a NULL stream is its own. */
    unsigned *(*per_thread_default)(void);
    void (*say_missing)(const char *name, atomic_flag *said);
    void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2))); /* on stderr */
} rt_driver;

RT_API const rt_driver *__cudaWarpbookDriver(void);

#endif
