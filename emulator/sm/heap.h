/* The heap of malloc() and free() in device code. Thread-safe. */
#ifndef WARPBOOK_HEAP_H
#define WARPBOOK_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Set the size of the heap in bytes. Returns false if a launch has already used the heap; its size
 * is then fixed. */
bool sm_heap_resize(uint64_t bytes);
/* Free the heap at a device reset. The next launch that needs a heap makes a new one. */
void sm_heap_release(void);
/* Allocate the heap in device memory, before a launch takes its map of memory. Returns false if
 * device memory is exhausted. */
bool sm_heap_open(void);
/* Allocate SIZE bytes. Returns a device address, a multiple of 16, or 0 if the heap is full. */
uint64_t sm_heap_alloc(uint64_t size);
/* Free the piece at ADDRESS. Returns false if sm_heap_alloc did not return ADDRESS or it is already
 * free. */
bool sm_heap_free(uint64_t address);

#endif
