/* Allocated memory, and memory that has been freed: the API calls that allocated and freed it.
 * The caller holds one lock around all of these functions. */
#ifndef WARPBOOK_SANITIZER_LEAK_H
#define WARPBOOK_SANITIZER_LEAK_H

#include "caller.h"

#include <stdbool.h>
#include <stddef.h>

/* API call BY allocated SIZE bytes at AT. If the host is out of memory, the allocation is not
 * recorded. */
void san_add_allocation(uint64_t at, uint64_t size, const san_caller *by);
/* API call BY freed the allocation at AT. False: no live allocation begins at AT. */
bool san_remove_allocation(uint64_t at, const san_caller *by);
/* Forget all allocations, because the device was reset. */
void san_forget_allocations(void);

/* An allocation. san_find_allocation finds the one that contains AT or, with FREED, the one that
 * contained AT and was freed last. */
typedef struct san_allocation {
    uint64_t at, size;
    san_caller by, freed_by;
} san_allocation;
bool san_find_allocation(uint64_t at, bool freed, san_allocation *out);

/* The memory that one source line allocated and that was never freed. */
typedef struct san_leak {
    san_caller by;
    uint64_t bytes, count; /* total size; number of allocations */
} san_leak;

/* The leaks, in order of descending size: a malloc'd array of *COUNT. NULL: none. */
san_leak *san_find_leaks(size_t *count);

#endif
