/* Tells one observer of every change of what memory there is. Without one, nothing is called. */
#ifndef WARPBOOK_MEMORY_WATCHER_H
#define WARPBOOK_MEMORY_WATCHER_H

#include "image.h"

/* Called by any thread, most with memory's lock held: these functions must not call the room's
 * functions that take it. */
typedef struct mem_watcher {
    /* A range was allocated or adopted, or is freed, but for those of mem_mark_own. */
    void (*added)(const mem_range *r);
    void (*freed)(uint64_t base);
    void (*object_added)(const mem_object *o);
    void (*object_dropped)(uint64_t handle);
    /* A kernel that is running looks up an address in R, which is memory of the host: before it
     * accesses R for the first time, and perhaps again. Without memory's lock. */
    void (*host_range)(const mem_range *r);
} mem_watcher;

extern const mem_watcher *mem_watched; /* the watcher; NULL: nobody watches */

/* Allocate at exactly ADDRESS, where a recording says that it was. False: it is not in the window,
 * not aligned, or not free. */
bool mem_alloc_at(uint64_t address, uint64_t size, mem_kind kind, const char *name);
/* Create an object with exactly the handle O->handle. False: there is one, or it cannot be. */
bool mem_object_put(const mem_object *o);
/* The window shall be at BASE, a multiple of the page size, and have SIZE bytes (0: as usual), and
 * mem_alloc shall take addresses from FLOOR on: before the device is opened. Where BASE is in use,
 * the window lies elsewhere. */
void mem_window_wish(uint64_t base, uint64_t size, uint64_t floor);
/* The window: its first address and its bytes. */
void mem_window(uint64_t *base, uint64_t *size);

/* When each part of device memory was touched last (mem_recently_used): malloc'ed, NULL if the host
 * is out of memory; and back to that. */
void *mem_recent_save(void);
void mem_recent_load(const void *saved);

/* Map SIZE bytes of host memory for the program; SIZE is a multiple of the page size. While a
 * recorder watches, the addresses are such that the replaying process probably has them free. NULL:
 * the host is out of memory. */
void *mem_host_pages(uint64_t size);

#endif
