/* The heap behind malloc() and free() in device code. Thread-safe. */
#ifndef WARPBOOK_HEAP_H
#define WARPBOOK_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* How large it will be, bytes. False when a launch has used it: then it stays as it is. */
bool sm_heap_resize(uint64_t bytes);
/* The device is reset: it is gone until a launch uses it again. */
void sm_heap_drop(void);
/* Make it, before a launch takes its map of memory. False when device memory is out. */
bool sm_heap_open(void);
/* Device address at a multiple of 16, or 0. */
uint64_t sm_heap_alloc(uint64_t size);
/* False: nothing that sm_heap_alloc gave begins there. */
bool sm_heap_free(uint64_t address);

#endif
