/* State of device memory that the files of memory/ share. */
#ifndef WARPBOOK_MEMORY_STATE_H
#define WARPBOOK_MEMORY_STATE_H

#include "memory.h"

#include <pthread.h>

#define MEM_ALLOCATION_ALIGNMENT 256u
/* Free space between allocations: wide enough that an index slightly out of range hits no other
 * allocation. */
#define MEM_GAP_BYTES  4096u
#define MEM_KIND_COUNT (MEM_ARRAY + 1)

typedef struct mem_list {
    mem_range *range; /* ranges, ordered by address */
    size_t count, room;
} mem_list;

typedef struct mem_state {
    pthread_mutex_t lock;
    uint64_t base,
        size;       /* the window of device addresses: first address; size, 0: not reserved yet */
    uint64_t floor; /* lowest address that mem_alloc uses; 0: the start of the window */
    intptr_t delta; /* address of the backing minus address of the window */
    bool commit;    /* the backing has access rights only where memory is allocated */
    uint64_t total, used; /* bytes of device memory; number of these bytes that are allocated */
    /* End of the part of the window that has ever been allocated; atomic, read by limit.c. */
    uint64_t extent;  /* end of what was ever allocated */
    uint64_t adopted; /* bytes of live pinned and managed memory; atomic, read by limit.c */
    mem_list live;    /* live allocations, sorted by base */
    mem_list freed;   /* freed ranges whose addresses are not reused, oldest first */
    bool keeps_freed_addresses; /* mem_alloc avoids the addresses of small ranges in `freed` */
    size_t packed; /* no gap before live.range[packed] is large enough for any allocation */
    uint32_t serial[MEM_KIND_COUNT]; /* number of allocations of each kind so far */
    uint64_t changes;                /* number of changes of the list of live ranges */
    uint64_t zoned_count;            /* number of live ranges with guard zones; atomic */
} mem_state;

extern mem_state mem_state_shared;

/* The index of the first range whose base is above ADDRESS, in an array sorted by base. */
size_t mem_first_above(const mem_range *range, size_t count, uint64_t address);

/* Like mem_describe, for callers that hold the lock of mem_state_shared. */
const char *mem_describe_locked(uint64_t address, uint64_t size, char *buf, size_t buf_size);

/* Describe a range, for instance "the 400 bytes that the 2nd cudaMalloc returned (0x7000...)". */
void mem_describe_range(const mem_range *r, char *buf, size_t buf_size);

/* Update mem_is_scarce after an allocation or a change of the limit. */
void mem_update_scarce(void);

/* Like mem_start_host_watch, for a process of NOW bytes on a host with GIVES() bytes of available
 * memory.
 */
void mem_start_simulated_host_watch(uint64_t now, uint64_t (*gives)(void));

/* Allocate the bitmaps of touched sectors for a window of SIZE bytes at BASE. Returns false if no
 * address space is available. */
bool mem_reserve_touch_bitmaps(uint64_t base, uint64_t size);
/* Mark the megabytes inside [FROM, TO) as never touched, because their memory is unmapped: no cache
 * and no TLB holds it. */
void mem_forget_sector_marks(uint64_t from, uint64_t to);

#endif
