/* Memory pools. */
#pragma once

#include "../core/state.h"

/* The pool that HANDLE names, or NULL. Needs the lock. */
rt_pool *rt_pool_of(cudaMemPool_t handle);

/* Whether AT lies in memory of a host's pool that the device may not access yet. Needs the lock. */
bool rt_pool_hides_from_device(uint64_t at);

/* Whether the memory that begins at AT is a pool's. Needs the lock. */
bool rt_pool_holds(uint64_t at);
