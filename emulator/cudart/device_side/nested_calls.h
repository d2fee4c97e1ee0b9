/* What device code calls of the runtime, for the files that answer: nested_calls.c (whose list says
 * who), nested_streams.c, nested_launch.c. Each answers as an H200 does, and no error is noted
 * here: nested_calls.c does that. */
#ifndef WARPBOOK_NESTED_CALLS_H
#define WARPBOOK_NESTED_CALLS_H

#include "nested.h"

/* Argument K of a call: 64 bits, as they were passed. */
static inline uint64_t nested_address(const sm_runtime_call *c, uint32_t k)
{
    return c->arg[k].value;
}

static inline int nested_number(const sm_runtime_call *c, uint32_t k)
{
    return (int)(uint32_t)c->arg[k].value;
}

/* Copy BYTES at VALUE to the address TO of the calling thread. cudaErrorInvalidValue: it has no
 * memory there. */
cudaError_t nested_give(const sm_runtime_call *c, uint64_t to, const void *value, uint32_t bytes);
/* The kernel whose address in device code is FUNCTION; NULL: none. */
rt_kernel *nested_kernel_at(const rt_nested *n, uint64_t function);
/* Note W, to be done when the grid has ended. cudaErrorMemoryAllocation: the host has none left. */
cudaError_t nested_add(rt_nested *n, const nested_work *w);
/* The call faults, with these words. */
void nested_stop(sm_runtime_call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* nested_streams.c. Index in n->lanes of the lane that a stream's handle means to the calling
 * thread; made where there is none yet. cudaErrorInvalidValue: no such stream. */
cudaError_t nested_lane_of(rt_nested *n, const sm_runtime_call *c, uint64_t handle, uint32_t *lane);
cudaError_t nested_stream_create(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_stream_destroy(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_stream_wait(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_event_create(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_event_destroy(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_event_record(rt_nested *n, const sm_runtime_call *c);

/* nested_launch.c. v1: function and shape come with the launch; v2: with the buffer. OUT gets the
 * address of a buffer for parameters, or 0; the launch frees it. */
cudaError_t nested_buffer_v1(const sm_runtime_call *c, uint64_t *out);
cudaError_t nested_buffer_v2(const rt_nested *n, sm_runtime_call *c, uint64_t *out);
cudaError_t nested_launch_v1(rt_nested *n, const sm_runtime_call *c);
cudaError_t nested_launch_v2(rt_nested *n, sm_runtime_call *c);

#endif
