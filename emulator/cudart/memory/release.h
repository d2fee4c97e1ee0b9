/* What pools and managed memory are told of frees, waits and prefetches. */
#pragma once

#include "../core/call.h"

/* Memory at AT was freed: update the statistics of the pool that it came from, if any. */
void rt_pool_count_freed(uint64_t at);
/* Host memory: pinned, or managed (KIND). Writes its address, which the device uses too, to *OUT;
 * rt_release_host_memory frees it. It returns false if none begins at AT. Both need the lock. */
cudaError_t rt_allocate_host_memory(void **out, size_t size, unsigned flags, mem_kind kind);
bool rt_release_host_memory(uint64_t at);
/* The host has waited: release the memory that pools hold above their release thresholds. */
void rt_pools_release_unused(void);

/* Note that SIZE bytes from P on are prefetched to TO. TO NULL: check that they are managed. */
cudaError_t rt_managed_prefetch(const void *p, size_t size, const struct cudaMemLocation *to);
void rt_managed_drop_hints(uint64_t at,
                           uint64_t size); /* managed memory was freed: drop its advice */
