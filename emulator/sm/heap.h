/* The heap behind malloc() and free() in device code. Thread-safe. */
#ifndef WARPBOOK_HEAP_H
#define WARPBOOK_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Set the size in bytes. False if a launch has already used the heap; its size is then fixed. */
bool sm_heap_resize(uint64_t bytes);
/* Release the heap, at a device reset. The next launch that needs it makes a new one. */
void sm_heap_drop(void);
/* Allocate the heap, before a launch takes its map of memory. False: device memory is exhausted. */
bool sm_heap_open(void);
/* Returns a device address, a multiple of 16, or 0. */
uint64_t sm_heap_alloc(uint64_t size);
/* False: ADDRESS was not returned by sm_heap_alloc, or is free already. */
bool sm_heap_free(uint64_t address);

#endif
