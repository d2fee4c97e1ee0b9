/* Conversion of 3D copies for copy calls and for graph nodes. Source: Driver API, cuMemcpy3D. */
#pragma once

#include "cudriver.h"

/* Convert the description of a copy to the runtime's struct. Returns cudaErrorInvalidValue or
 * cudaErrorInvalidResourceHandle if the description is invalid. */
cudaError_t cu_convert_copy(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *out);
