/* Device memory: one window of addresses that the host cannot touch, the allocations in it, and
 * the host ranges (pinned, managed, registered) that kernels may use too.
 *
 * The window is reserved without access, so that a host that dereferences a device pointer faults
 * and is told which allocation it was. The bytes live in a second mapping of the same size at a
 * constant distance; the kernel's pages appear as they are touched. A device address is turned
 * into a host pointer by adding the range's `delta`. */
#ifndef WARPBOOK_MEMORY_H
#define WARPBOOK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum mem_kind {
    MEM_DEVICE,   /* cudaMalloc and its like */
    MEM_MODULE,   /* __device__ variables */
    MEM_CONSTANT, /* __constant__ variables: what ld.const may read */
    MEM_PINNED, /* cudaMallocHost, cudaHostAlloc: host memory that kernels see at its own address */
    MEM_REGISTERED,
    MEM_MANAGED, /* cudaMallocManaged */
    MEM_ARRAY    /* cudaMallocArray and its like: image.h */
} mem_kind;

/* One range that a kernel may touch. */
typedef struct mem_range {
    uint64_t base;  /* device address of the first byte */
    uint64_t size;  /* bytes, exactly as asked for */
    intptr_t delta; /* host address of a byte minus its device address */
    mem_kind kind;
    uint32_t serial;  /* counts allocations of its kind from 1 */
    bool freed;       /* kept for messages until its addresses are used again */
    const char *name; /* the variable's, or NULL */
} mem_range;

/* The live ranges at one moment, sorted by base; what a launch runs against. Immutable. */
typedef struct mem_map {
    uint32_t count;
    const mem_range *range; /* [count] */
} mem_map;

/* Reserve the window: TOTAL bytes of device memory. Once a process; later calls do nothing.
 * Returns false where the address space cannot be had (errno says why). Thread-safe, as is all
 * that follows. */
bool mem_open(uint64_t total);

/* Allocate SIZE > 0 bytes at a multiple of ALIGN (a power of two, at least 256 is used).
 * Returns the device address, or 0 where memory is out. Neighbours are kept apart by at least 256
 * bytes that belong to nobody. Fresh memory reads as zero only because it is untouched; used
 * memory keeps what was there, as on a device. NAME is copied (may be NULL). */
uint64_t mem_alloc(uint64_t size, uint64_t align, mem_kind kind, const char *name);

/* Let kernels use SIZE bytes of host memory at HOST. Ownership stays with the caller. */
bool mem_adopt(void *host, uint64_t size, mem_kind kind);

/* Give back the range that begins at ADDRESS. False when there is none. */
bool mem_free(uint64_t address);

void mem_info(uint64_t *free_bytes, uint64_t *total_bytes);

/* Find the live range that holds ADDRESS (copied to *out). */
bool mem_find(uint64_t address, mem_range *out);

/* Is [ADDRESS, ADDRESS + SIZE) inside one live range? Then its host pointer, else NULL. */
void *mem_host(uint64_t address, uint64_t size);

/* Is ADDRESS inside the device window, allocated or not? */
bool mem_in_window(uint64_t address);

/* Take and release the current map. A map taken stays valid until released. */
const mem_map *mem_map_take(void);
void mem_map_release(const mem_map *map);

/* Binary search; NULL when no live range holds ADDRESS. */
const mem_range *mem_map_find(const mem_map *map, uint64_t address);

/* One sentence about an address that no live range holds: "4 bytes past the end of the 132 bytes
 * that the 2nd cudaMalloc returned (0x7f..)", "inside an allocation freed before", "a host
 * address: the kernel was given a pointer that is not device memory". Returns BUF. */
const char *mem_describe(uint64_t address, uint64_t size, char *buf, size_t buf_size);

/* Footprint: which 32-byte sectors of device memory a launch touched, for the modelled DRAM
 * traffic. One bit a sector over the window; thread-safe, relaxed. */
typedef enum { MEM_READ, MEM_WRITE } mem_access;
/* A host thread's, zeros at first: the word of each map that it touched last, kept back, as
 * neighbours in memory are touched one after another. */
typedef struct mem_touches {
    uint64_t word[2], bits[2];
} mem_touches;
void mem_touch(mem_touches *t, mem_access how, uint64_t first_sector_address, uint32_t sector_mask);
/* Before mem_footprint: what T holds goes to the maps. */
void mem_touch_end(mem_touches *t);
/* What was touched since the last call, from the bits of both maps; then all cleared. */
typedef struct mem_traffic {
    uint64_t read_bytes, write_bytes; /* 32 a sector */
    uint64_t read_pairs, write_pairs; /* aligned 64-byte pairs with either sector touched:
                                         popcount((bits | bits >> 1) & 0x5555...) */
    uint64_t read_pages, write_pages; /* aligned 2 KB of memory with a sector touched */
    uint64_t blind_bytes;             /* of the sectors written, those that were not read */
    uint64_t line_bytes; /* 128-byte lines with a sector read or written: their place in L2 */
} mem_traffic;
void mem_footprint(mem_traffic *out);
/* Has the megabyte of device memory around ADDRESS been touched by launches after which
 * less than BYTES were? Then L2 of that size still has what it had of it. */
bool mem_recently_used(uint64_t address, uint64_t bytes);

/* limit.c: how much may be touched. */

/* What the host can give to this process now, bytes; UINT64_MAX: unknown. */
uint64_t mem_host_gives(void);
/* BYTES of device, managed, local and pinned memory may be touched; 0: what the host and the limits
 * of this process can give now, but a part. */
void mem_limit(uint64_t bytes);
uint64_t mem_limit_now(void);
/* BYTES of host memory at AT are local memory of threads; until they are gone. */
void mem_private(const void *at, uint64_t bytes);
void mem_private_gone(const void *at);
/* May at most MOST of the BYTES at ADDRESS, if it is device or managed memory, be written? */
bool mem_has_room(uint64_t address, uint64_t bytes, uint64_t most);
bool mem_has_room_pinned(uint64_t bytes);
/* Is too much touched? Exact, and the same on every run. */
bool mem_touched_too_much(void);
/* For what runs kernels, again and again: has too much been touched since mem_stop_no_more, or has
 * the host nearly nothing left? mem_watch_host finds the latter. */
bool mem_must_stop(void);
void mem_stop_no_more(void);
void mem_watch_host(void);
/* Why, and what to do. Returns BUF. */
const char *mem_limit_text(char *buf, size_t size);

#endif
