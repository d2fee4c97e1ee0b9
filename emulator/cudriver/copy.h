/* Copies of boxes, for calls and for nodes of graphs. Source: Driver API, cuMemcpy3D. */
#ifndef WARPBOOK_CUDRIVER_COPY_H
#define WARPBOOK_CUDRIVER_COPY_H

#include "cudriver.h"

/* Translate the description of a copy. Returns cudaErrorInvalidValue or
 * cudaErrorInvalidResourceHandle if it is invalid. */
cudaError_t cu_copy_params(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *out);

#endif
