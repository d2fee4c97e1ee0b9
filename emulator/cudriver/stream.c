/* Streams and events (Driver API, "Stream Management" and "Event Management"): the calls that
 * calls.def cannot define, because they differ from the runtime's. */
#include "../cudart/core/state.h"
#include "cudriver.h"

#include <stdlib.h>

CUresult older_event_elapsed_time(float *ms, CUevent start, CUevent end)
    CU_HIDDEN_SYMBOL("cuEventElapsedTime");
CUresult older_event_elapsed_time(float *ms, CUevent start, CUevent end)
{
    return cuEventElapsedTime(ms, start, end);
}

/* The arguments of cuStreamAddCallback. */
typedef struct stream_callback {
    CUstreamCallback function; /* the program's function to call */
    void *data;                /* argument of the function */
} stream_callback;

static void CUDART_CB call_stream_callback(cudaStream_t stream, cudaError_t error, void *data)
{
    stream_callback c = *(stream_callback *)data;
    free(data);
    c.function(stream, cu_result_of(error), c.data);
}

static cudaError_t add_callback(CUstream stream, CUstreamCallback function, void *data,
                                unsigned flags)
{
    stream_callback *c = malloc(sizeof *c);
    if (!c)
        return cudaErrorMemoryAllocation;
    *c = (stream_callback){function, data};
    cudaError_t e = cudaStreamAddCallback(stream, call_stream_callback, c, flags);
    if (e)
        free(c);
    return e;
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data,
                             unsigned int flags)
{
    CU_CALL_ON(stream, function, add_callback(stream, function, data, flags));
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *out)
{
    CU_CALL_ON(stream, out, cu_runtime_table()->stream_context(stream, (rt_context **)out));
}

/* The emulator has no green contexts. One of the two outputs may be NULL. */
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *out, CUgreenCtx *green)
{
    CUcontext of;
    CUresult r = cuStreamGetCtx(stream, out || !green ? out : &of);
    if (!r && green)
        *green = NULL;
    return r;
}

/* --- stream memory operations ----------------------------------------------------------------- */

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned int flags)
{
    CU_CALL_ON(stream, !flags, cu_runtime_table()->memop_write(stream, at, value, 4));
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned int flags)
{
    CU_CALL_ON(stream, !flags, cu_runtime_table()->memop_write(stream, at, value, 8));
}

#define MAX_WAIT_VALUE_FLAGS CU_STREAM_WAIT_VALUE_NOR /* highest valid flags of a wait */

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned int flags)
{
    CU_CALL_ON(stream, flags <= MAX_WAIT_VALUE_FLAGS,
               cu_runtime_table()->memop_wait(stream, at, value, 4, (rt_wait_condition)flags));
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned int flags)
{
    CU_CALL_ON(stream, flags <= MAX_WAIT_VALUE_FLAGS,
               cu_runtime_table()->memop_wait(stream, at, value, 8, (rt_wait_condition)flags));
}

static CUresult queue_stream_memop(CUstream stream, const CUstreamBatchMemOpParams *p)
{
    switch ((int)p->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        return cuStreamWaitValue32(stream, p->waitValue.address, p->waitValue.value,
                                   p->waitValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return cuStreamWaitValue64(stream, p->waitValue.address, p->waitValue.value64,
                                   p->waitValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return cuStreamWriteValue32(stream, p->writeValue.address, p->writeValue.value,
                                    p->writeValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return cuStreamWriteValue64(stream, p->writeValue.address, p->writeValue.value64,
                                    p->writeValue.flags);
    case CU_STREAM_MEM_OP_BARRIER: /* not needed: a stream's operations are ordered anyway */
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list,
                            unsigned int flags)
{
    CUresult r = cu_begin_call_on(stream);
    if (r)
        return r;
    cu_end_call(cudaSuccess);
    r = (count && !list) || count > 256 || flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    for (unsigned i = 0; !r && i < count; i++)
        r = queue_stream_memop(stream, &list[i]);
    return r;
}
