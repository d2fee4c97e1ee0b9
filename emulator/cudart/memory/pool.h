/* Memory pools. */
#ifndef WARPBOOK_RT_POOL_H
#define WARPBOOK_RT_POOL_H

#include "../core/state.h"

/* The pool that HANDLE names, or NULL. Needs the lock. */
rt_pool *rt_pool_of(cudaMemPool_t handle);

#endif
