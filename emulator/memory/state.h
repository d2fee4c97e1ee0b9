/* State of device memory that the files of memory/ share. */
#pragma once

#include "mapped.h"

#include <pthread.h>

#define MEM_ALLOCATION_ALIGNMENT 256u /* smallest alignment of device memory, bytes */
/* Free space between allocations: so wide that an index slightly out of range hits no other. */
#define MEM_GAP_BYTES 4096u
#define MEM_CHUNK_BYTES                                                                      \
    (UINT64_C(1) << 20)                 /* the unit in which cached.c knows what was touched \
                                         */
#define MEM_KIND_COUNT (MEM_MAPPED + 1) /* number of values of mem_kind */

/* A list of ranges of memory. */
typedef struct mem_list {
    mem_range *range; /* [count] the ranges */
    size_t count;     /* number of ranges in the list */
} mem_list;

/* The state of device memory. */
typedef struct mem_state {
    pthread_mutex_t lock; /* guards all other fields */
    uint64_t base;        /* first address of the window of device addresses */
    uint64_t size;        /* size of the window in bytes; 0: it is not reserved yet */
    uint64_t floor;       /* lowest address that mem_alloc uses; 0: the start of the window */
    intptr_t delta;       /* host address of a byte of device memory minus its device address */
    bool commit;          /* only pages where memory is allocated have been made accessible */
    uint64_t total;       /* size of device memory in bytes */
    uint64_t used;        /* number of these bytes that are allocated */
    uint64_t extent;   /* bytes from `base` to the end of the highest allocation so far; atomic */
    uint64_t adopted;  /* bytes of live pinned and managed memory; atomic, read by limit.c */
    mem_list live;     /* live allocations, sorted by base */
    mem_list reserved; /* addresses that the program has reserved, sorted by base */
    mem_list freed;    /* freed ranges whose addresses have not been reused, oldest first */
    bool keeps_freed_addresses; /* mem_alloc avoids the addresses of small ranges in `freed` */
    size_t packed; /* no gap before live.range[packed] is large enough for any allocation */
    uint32_t serial[MEM_KIND_COUNT]; /* number of allocations of each kind so far */
    uint64_t changes;                /* number of changes of the list of live ranges */
    uint64_t zoned_count;            /* number of live ranges with guard zones; atomic */
} mem_state;

extern mem_state mem_state_shared; /* the state of device memory */

/* The index of the first range whose base is above ADDRESS, in an array sorted by base. */
size_t mem_first_above(const mem_range *range, size_t count, uint64_t address);

bool mem_list_insert(mem_list *list, size_t at, const mem_range *r); /* false: no host memory */
void mem_list_remove(mem_list *list, size_t at);
/* The device's memory is used up to the address END at least. */
void mem_extend(uint64_t end);

/* Of mapped.h, for callers that hold the lock: the reserved addresses with ADDRESS among them, or
 * NULL; whether anything is mapped at the SIZE bytes at AT. mem_end_sharing: the allocation at BASE
 * is being freed. */
const mem_range *mem_find_reserved(uint64_t address);
bool mem_find_mapping_locked(uint64_t address, mem_mapping *out);
bool mem_is_mapped(uint64_t at, uint64_t size);
void mem_end_sharing(uint64_t base);

/* Like mem_describe, for callers that hold the lock of mem_state_shared. */
const char *mem_describe_locked(uint64_t address, uint64_t size, char *buf, size_t buf_size);

/* Describe a range, for instance "the 400 bytes that the 2nd cudaMalloc returned (0x7000...)". */
void mem_describe_range(const mem_range *r, char *buf, size_t buf_size);

/* After an allocation or a change of the limit: decide whether memory may run short, so that the
 * memory that kernels touch must be counted (mem_is_scarce). */
void mem_update_scarce(void);

/* Like mem_start_host_watch, for a process of NOW bytes on a host with GIVES() bytes of available
 * memory.
 */
void mem_start_simulated_host_watch(uint64_t now, uint64_t (*gives)(void));

/* Allocate the bitmaps of touched sectors for a window of SIZE bytes at BASE. Returns false if no
 * address space is available. */
bool mem_reserve_touch_bitmaps(uint64_t base, uint64_t size);
/* cached.c: allocate the table of the last uses of the CHUNKS megabytes from BASE on. Returns false
 * if no address space is available. */
bool mem_reserve_recent_use(uint64_t base, uint64_t chunks);
void mem_release_recent_use(void);
/* A launch has touched LINES lines of the megabyte CHUNK, STREAMED of them by streamed accesses
 * only. Add what L2 still held of them to OUT. */
void mem_use_chunk(uint64_t chunk, uint64_t lines, uint64_t streamed, mem_traffic *out);
/* Mark the megabytes inside [FROM, TO) as never touched, because their memory is unmapped: no cache
 * and no TLB holds it. */
void mem_forget_recent_use(uint64_t from, uint64_t to);
