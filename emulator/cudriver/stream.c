/* Streams and events (Driver API, "Stream Management" and "Event Management"): the runtime's own,
 * with the same flags. */
#include "cudriver.h"

CUresult cuStreamCreate(CUstream *out, unsigned int flags)
{
    CU_CALL_IF(out, cudaStreamCreateWithFlags(out, flags));
}

CUresult cuStreamDestroy(CUstream stream)
{
    CU_CALL(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
    CU_CALL(cudaStreamSynchronize(stream));
}

CUresult cuStreamQuery(CUstream stream)
{
    CU_CALL(cudaStreamQuery(stream));
}

CUresult cuEventCreate(CUevent *out, unsigned int flags)
{
    CU_CALL_IF(out, cudaEventCreateWithFlags(out, flags));
}

CUresult cuEventDestroy(CUevent event)
{
    CU_CALL(cudaEventDestroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    CU_CALL(cudaEventRecord(event, stream));
}

CUresult cuEventSynchronize(CUevent event)
{
    CU_CALL(cudaEventSynchronize(event));
}

CUresult cuEventQuery(CUevent event)
{
    CU_CALL(cudaEventQuery(event));
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    CU_CALL_IF(ms, cudaEventElapsedTime(ms, start, end));
}

CUresult older_elapsed(float *ms, CUevent start, CUevent end) CU_OLDER("cuEventElapsedTime");
CUresult older_elapsed(float *ms, CUevent start, CUevent end)
{
    return cuEventElapsedTime(ms, start, end);
}
