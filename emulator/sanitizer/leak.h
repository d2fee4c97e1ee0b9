/* Allocated memory, and memory that has been freed: the API calls that allocated and freed it.
 * Created objects, such as events. The caller holds one lock around these functions. */
#pragma once

#include "caller.h"

#include <stdbool.h>
#include <stddef.h>

/* API call BY allocated SIZE bytes at AT. Without memory, that is not recorded. */
void san_add_allocation(uint64_t at, uint64_t size, const san_caller *by);
/* API call BY freed the allocation at AT. False: no live allocation begins at AT. */
bool san_remove_allocation(uint64_t at, const san_caller *by);
/* The device was reset by BY, which freed all memory and destroyed all objects. */
void san_free_all_allocations(const san_caller *by);

/* An allocation. san_find_allocation finds the one that contains AT or, with FREED, the one that
 * contained AT and was freed last. */
typedef struct san_allocation {
    uint64_t at, size;
    san_caller by, freed_by;
} san_allocation;
bool san_find_allocation(uint64_t at, bool freed, san_allocation *out);

/* API call BY created an object: WHAT is its noun ("event"), HANDLE tells it from others of that
 * noun. san_remove_object: it is destroyed. */
void san_add_object(const char *what, uint64_t handle, const san_caller *by);
void san_remove_object(const char *what, uint64_t handle);

/* The memory that one source line allocated and that was never freed, or the objects that it
 * created and that were never destroyed. */
typedef struct san_leak {
    san_caller by;
    const char *what;      /* the objects' noun; NULL: memory */
    uint64_t bytes, count; /* total size; number of allocations or objects */
} san_leak;

/* The leaks, in order of descending size: a malloc'd array of *COUNT. NULL: none. */
san_leak *san_find_leaks(size_t *count);
