/* Calls of the device runtime, for the files that implement them: nested_calls.c, nested_streams.c
 * and nested_launch.c. Each function returns the error that an H200 returns; only nested_calls.c
 * records it for the calling thread. Source: Runtime API, "Device Runtime". */
#pragma once

#include "nested.h"

/* Argument number K of a call, all 64 bits. */
static inline uint64_t nested_arg64(const sm_runtime_call *c, uint32_t k)
{
    return c->arg[k].value;
}

/* Argument number K of a call, as an int. */
static inline int nested_arg_int(const sm_runtime_call *c, uint32_t k)
{
    return (int)(uint32_t)c->arg[k].value;
}

/* Copy BYTES bytes from VALUE to address TO, as seen by the calling thread. Returns
 * cudaErrorInvalidValue if the thread may not access TO. */
cudaError_t nested_store_result(const sm_runtime_call *c, uint64_t to, const void *value,
                                uint32_t bytes);
/* The kernel whose address in device code is FUNCTION; NULL if there is no such kernel. */
rt_kernel *nested_kernel_at(const rt_nested *n, uint64_t function);
/* Append W to the work that runs after the grid. Returns cudaErrorMemoryAllocation if the host is
 * out of memory. */
cudaError_t nested_add_work(rt_nested *n, const nested_work *w);
/* Stop the kernel with a fault whose text is the formatted message. */
void nested_raise_fault(sm_runtime_call *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* nested_streams.c: store in *STREAM the index in n->streams of the stream that HANDLE refers to in
 * the calling thread; a stream is created if needed. cudaErrorInvalidValue: there is none. */
cudaError_t nested_find_stream(rt_nested *n, const sm_runtime_call *c, uint64_t handle,
                               uint32_t *stream);
/* nested_streams.c: device code's calls on streams and events by these names. C: the arguments. */
cudaError_t nested_stream_create(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_stream_destroy(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_stream_wait(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_event_create(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_event_destroy(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_event_record(rt_nested *n, const sm_runtime_call *c);

/* nested_launch.c: in version 1 of the launch calls the function and the shape are arguments of the
 * launch; in version 2 they are arguments of the buffer allocation. *OUT becomes the device address
 * of a parameter buffer, or 0; the launch frees the buffer. */
cudaError_t nested_new_param_buffer_v1(const sm_runtime_call *c, uint64_t *out);
cudaError_t nested_new_param_buffer_v2(const rt_nested *n, sm_runtime_call *c, uint64_t *out);
cudaError_t nested_launch_v1(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_launch_v2(rt_nested *n, sm_runtime_call *c);
