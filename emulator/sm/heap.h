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
/* Allocate the heap in device memory, before a launch takes its snapshot of the allocations.
 * Returns false if device memory is exhausted. */
bool sm_heap_open(void);
/* Check kernels' accesses to the heap from now on: allocations have gaps between them, and freed
 * memory is reused as late as possible. Has no effect if a launch has already used the heap. */
void sm_heap_check_accesses(void);
/* Allocate the same addresses whether accesses are checked or not, for runs that are recorded or
 * repeated: without gaps, and reusing freed memory at once. Some mistakes are then not seen. */
void sm_heap_keep_layout(void);
/* Has malloc() returned a null pointer, for want of memory, since the heap exists? */
bool sm_heap_was_full(void);
/* Does the heap exist: has a launch needed it since the last reset? */
bool sm_heap_is_open(void);
/* Are the BYTES bytes at ADDRESS allocated? True too for memory outside the heap, and if accesses
 * are not checked. */
bool sm_heap_is_allocated(uint64_t address, uint32_t bytes);
typedef struct sm_heap_piece {
    uint64_t base, size; /* address and bytes that malloc() was asked for */
    bool is_freed;       /* free() has been called for this allocation */
} sm_heap_piece;
/* The allocation at ADDRESS, or else the last one before it. Returns false if there is none. */
bool sm_heap_find_piece(uint64_t address, sm_heap_piece *out);
/* Allocate SIZE bytes. Returns a device address, a multiple of 16, or 0 if the heap is full. */
uint64_t sm_heap_alloc(uint64_t size);
/* Free the piece at ADDRESS. False: sm_heap_alloc did not return it, or it is already free. */
bool sm_heap_free(uint64_t address);

#endif
