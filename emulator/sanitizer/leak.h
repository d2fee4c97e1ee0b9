/* Memory that the program has not freed, and memory that it has: who asked for it, and who gave it
 * back. Callers hold one lock around all of these. */
#ifndef WARPBOOK_SANITIZER_LEAK_H
#define WARPBOOK_SANITIZER_LEAK_H

#include "caller.h"

#include <stdbool.h>
#include <stddef.h>

/* BY allocated SIZE bytes at AT. Where the host has no memory left, nothing is kept. */
void san_allocated(uint64_t at, uint64_t size, const san_caller *by);
/* BY freed what begins at AT. False: no allocation that is not freed begins there. */
bool san_freed(uint64_t at, const san_caller *by);
/* Forget everything: the device was reset. */
void san_allocations_drop(void);

/* The allocation that holds AT, or (FREED) the one that held it and was freed last. */
typedef struct san_allocation {
    uint64_t at, size;
    san_caller by, freed_by;
} san_allocation;
bool san_allocation_find(uint64_t at, bool freed, san_allocation *out);

/* What one line allocated and nobody freed. */
typedef struct san_leak {
    san_caller by;
    uint64_t bytes, count;
} san_leak;

/* The leaks, most bytes first: a malloc'd array of *COUNT, NULL: none. */
san_leak *san_leaks(size_t *count);

#endif
