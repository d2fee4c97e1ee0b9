/* Reports each allocation and release of kernels' memory to one observer, the watcher. */
#pragma once

#include "image.h"

/* Functions of the watcher. Any thread calls them, mostly with the lock of memory/ held; they must
 * not call functions of memory/ that take this lock. */
typedef struct mem_watcher {
    /* A range was allocated or made accessible, or is freed. Not called for ranges of
     * mem_mark_emulator_memory.
     */
    void (*added)(const mem_range *r);         /* the range R is accessible to kernels now */
    void (*freed)(uint64_t base);              /* the range that begins at BASE is freed */
    void (*object_added)(const mem_object *o); /* a texture or surface object was created */
    void (*object_dropped)(uint64_t handle);   /* a texture or surface object was destroyed */
    /* A running kernel looks up an address in R, a range of host memory: called before the kernel's
     * first access to R, and possibly again. The lock of memory/ is not held. */
    void (*host_range)(const mem_range *r); /* a kernel is going to access the range R */
} mem_watcher;

extern const mem_watcher *mem_current_watcher; /* the watcher; NULL: none */

/* Allocate SIZE bytes at exactly ADDRESS, as in a recording. Returns false if ADDRESS is not in the
 * window, not aligned, or not free. */
bool mem_alloc_at(uint64_t address, uint64_t size, mem_kind kind, const char *name);
/* Create a texture or surface object with exactly the handle O->handle. Returns false if that
 * handle is in use or invalid. */
bool mem_object_add_at(const mem_object *o);
/* Choose the address BASE of the device window, a multiple of the page size, its size SIZE in bytes
 * (0: the default), and the lowest address FLOOR that mem_alloc uses. Call this function before the
 * device is opened. If BASE is in use, the window gets another address. */
void mem_set_window(uint64_t base, uint64_t size, uint64_t floor);
/* Get the first address and the size in bytes of the device window. */
void mem_get_window(uint64_t *base, uint64_t *size);

/* Map SIZE bytes of host memory for the program; SIZE is a multiple of the page size. While a
 * recorder watches, the addresses are such that the replaying process probably has them free. NULL:
 * the host is out of memory. */
void *mem_host_pages(uint64_t size);
