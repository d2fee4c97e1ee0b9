/* Device memory: a window of addresses that the host cannot access, the allocations in it, and the
 * ranges of host memory (pinned, managed, registered) that kernels may access too.
 *
 * The window is reserved without access rights, so host code that dereferences a device pointer
 * faults, and a message names the allocation. The contents are in a second mapping, the backing, of
 * the same size at a constant distance; the operating system provides pages of the backing when
 * they are touched. Device address + the range's `delta` = host address.
 *
 * All sizes are bytes. All functions may be called by any thread unless stated otherwise. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of memory that kernels can access. */
typedef enum mem_kind {
    MEM_DEVICE,   /* device memory: cudaMalloc and similar calls */
    MEM_MODULE,   /* device memory: __device__ variables */
    MEM_CONSTANT, /* __constant__ variables: the memory that ld.const may read */
    MEM_PINNED,   /* cudaMallocHost, cudaHostAlloc: host memory, at the same address for kernels */
    MEM_REGISTERED, /* cudaHostRegister: host memory of the program */
    MEM_MANAGED,    /* cudaMallocManaged: host memory that the device may use */
    MEM_ARRAY,      /* CUDA arrays: cudaMallocArray and similar calls (see image.h) */
    MEM_MAPPED      /* device memory that the program maps itself, or opens (mapped.h) */
} mem_kind;

/* A range of memory that kernels may access. */
typedef struct mem_range {
    uint64_t base;    /* device address of the first byte */
    uint64_t size;    /* size in bytes as requested by the program */
    intptr_t delta;   /* host address of a byte minus its device address */
    mem_kind kind;    /* what kind of memory it is */
    uint32_t serial;  /* number of the allocation among allocations of its kind, from 1 */
    bool freed;       /* the range is freed, and kept for messages until its addresses are reused */
    bool own;         /* the emulator itself needs the memory, not the program */
    bool read_only;   /* kernels and copies may not write it */
    const char *name; /* for memory of a variable: the variable's name; mapped memory: the call that
                       * opened it; else NULL */
    /* Guard zones: bytes at the start and at the end of the allocation that kernels should not
     * touch (mem_set_guard_zones). In a snapshot for kernels they lie outside of [base, base +
     * size); other snapshots have none. */
    uint64_t front; /* size of the guard zone at the start of the allocation, bytes */
    uint64_t back;  /* size of the guard zone at the end of the allocation, bytes */
} mem_range;

/* An immutable snapshot of the live ranges, sorted by base. Each launch uses one snapshot. */
typedef struct mem_map {
    uint32_t count;         /* number of ranges */
    const mem_range *range; /* [count] the live ranges, sorted by base */
} mem_map;

/* Reserve the window for a device with TOTAL bytes. Later calls do nothing. If a limit forbids
 * that, the device gets less memory. False: no address space (errno says why). */
bool mem_reserve_window(uint64_t total);

/* Allocate SIZE > 0 bytes at a multiple of ALIGN, which is a power of two; 256 is the least.
 * Returns the device address, or 0 if no memory is left. Allocations are at least 4096 bytes apart.
 * Reused memory keeps its old contents, as on a device. NAME is copied (may be NULL). */
uint64_t mem_alloc(uint64_t size, uint64_t align, mem_kind kind, const char *name);

/* Between mem_mark_emulator_memory(true) and mem_mark_emulator_memory(false) the calling thread
 * allocates memory that the device itself needs. These allocations are not reported to a recorder
 * (watcher.h), because a replay makes them again. */
void mem_mark_emulator_memory(bool begin);

/* Let kernels access SIZE bytes of host memory at HOST, at the same address. The caller keeps
 * ownership. Returns false if another range overlaps. */
bool mem_add_host_range(void *host, uint64_t size, mem_kind kind);

/* Free the range that begins at ADDRESS. Returns false if no range begins there. */
bool mem_free_range(uint64_t address);

/* Get how many bytes of device memory are free, and how many the device has. */
void mem_free_and_total(uint64_t *free_bytes, uint64_t *total_bytes);

/* Find the live range that contains ADDRESS, and copy it to *OUT. */
bool mem_find_range(uint64_t address, mem_range *out);

/* The host pointer for [ADDRESS, ADDRESS + SIZE), or NULL if they are not inside one live range. */
void *mem_host_pointer(uint64_t address, uint64_t size);

/* Is ADDRESS in the device window, allocated or not? */
bool mem_in_window(uint64_t address);

/* Kernels should touch only [AT, AT + SIZE) of the allocation that contains these bytes: the rest
 * of it becomes guard zones, until it is freed. Returns the allocation's base; 0 if no live range
 * contains the bytes. */
uint64_t mem_set_guard_zones(uint64_t at, uint64_t size);
/* Does any live range have guard zones? */
bool mem_has_guard_zones(void);

/* Take the current snapshot (NULL if the host is out of memory). It stays valid until released. */
const mem_map *mem_take_snapshot(void);
/* Take a snapshot for the accesses of a kernel: its ranges end at their guard zones. */
const mem_map *mem_take_kernel_snapshot(void);
void mem_release_snapshot(const mem_map *map); /* the caller no longer uses the snapshot */

/* The range that contains ADDRESS, by binary search; NULL if no range contains it. */
const mem_range *mem_find_in_snapshot(const mem_map *map, uint64_t address);
/* The range of MAP that contains ADDRESS plus a multiple of 2^32 elements of BYTES bytes, more than
 * 2^31 elements after its first byte: then an index computed in 32 bits has overflowed. *ADDRESS
 * becomes that address. NULL: there is none, or BYTES is 0, as for a copy, which has no type. */
const mem_range *mem_find_of_overflowed_index(const mem_map *map, uint32_t bytes,
                                              uint64_t *address);
/* Like mem_find_in_snapshot, but also finds the range if ADDRESS is in one of its guard zones. */
const mem_range *mem_find_guarded_in_snapshot(const mem_map *map, uint64_t address);

/* Describe an address that is in no live range, for instance "4 bytes past the end of the 132 bytes
 * that the 2nd cudaMalloc returned (0x7f..)", "inside ..., which was freed before", or "a host
 * address: the kernel was given a pointer that is not device memory". Returns BUF. */
const char *mem_describe(uint64_t address, uint64_t size, char *buf, size_t buf_size);

/* Footprint: which 32-byte sectors of device memory a launch has touched, for the modelled DRAM
 * traffic. touch.c has one bit per sector of the window for each host thread that marks any. */
typedef enum {
    MEM_READ,   /* a read; index of the bitmap of sectors that were read */
    MEM_WRITE,  /* a write; index of the bitmap of sectors that were written */
    MEM_STREAM, /* a read or write that is marked as such too, and whose line L2 replaces first */
    MEM_ACCESSES
} mem_access;
/* Footprint of one host thread, from mem_begin_marks to mem_end_marks. Holds the last touched word
 * of each bitmap, and its bits not written yet, since consecutive accesses mostly touch the same
 * word. */
typedef struct mem_pending_touches {
    struct mem_touched_set *set; /* the thread's bitmaps */
    /* Each for reads [MEM_READ], for writes [MEM_WRITE] and for streamed accesses [MEM_STREAM]: */
    uint64_t word[MEM_ACCESSES]; /* index of the last touched 64-bit word of the bitmap */
    uint64_t bits[MEM_ACCESSES]; /* bits of this word that are not yet in the bitmap */
    uint64_t from[MEM_ACCESSES]; /* device address of this word's first sector; 0: no word yet */
    /* Used while memory is scarce (mem_is_scarce): pages written since the limit was last checked,
     * the page last written, and the time slice of the running warp (or NULL), which is set to 0 if
     * the limit is exceeded.
     */
    uint32_t pages; /* number of host pages written since the limit was last checked */
    uint64_t page;  /* number of the host page that was written last */
    int32_t *slice; /* remaining time slice of the running warp; NULL: none */
} mem_pending_touches;
/* How many of THREADS threads can begin to mark sectors: fewer if no address space is available. */
uint32_t mem_prepare_marks(uint32_t threads);
/* This host thread begins to mark sectors. False: no address space is available. */
bool mem_begin_marks(mem_pending_touches *t);
/* Write the pending bits of T, if its marks have begun, and give its bitmaps to other threads. */
void mem_end_marks(mem_pending_touches *t);
/* Record that a kernel reads or writes sectors of device memory: bit k of SECTOR_MASK stands for
 * the sector k sectors after FIRST_SECTOR_ADDRESS. T holds the marks until mem_flush_marks. */
void mem_mark_sectors(mem_pending_touches *t, mem_access how, uint64_t first_sector_address,
                      uint32_t sector_mask);
/* Count a kernel's write to host address AT, outside of device memory. Called only
 * while memory is scarce (mem_is_scarce). */
void mem_count_host_write(mem_pending_touches *t, uint64_t at);
/* Write the pending bits of T to the bitmaps. Call it before mem_take_footprint. */
void mem_flush_marks(mem_pending_touches *t);
/* The memory touched since the last call of mem_take_footprint. */
typedef struct mem_traffic {
    uint64_t read_bytes;  /* 32 bytes for each sector that was read */
    uint64_t write_bytes; /* 32 bytes for each sector that was written */
    uint64_t
        read_pairs; /* number of aligned 64-byte pairs of sectors with a sector that was read */
    uint64_t write_pairs;      /* number of such pairs with a sector that was written */
    uint64_t read_pages;       /* number of aligned 2 KB blocks with a sector that was read */
    uint64_t write_pages;      /* number of such blocks with a sector that was written */
    uint64_t blind_bytes;      /* 32 bytes for each sector that was written but not read */
    uint64_t line_bytes;       /* 128 bytes for each L2 cache line with a touched sector */
    uint64_t found_bytes;      /* the part of line_bytes that earlier launches have left in L2 */
    uint64_t found_side_bytes; /* that part if all SMs that run are on one side of L2 */
} mem_traffic;
/* Store in *OUT what was touched since the last call, and forget it. */
void mem_take_footprint(mem_traffic *out);
/* cached.c: the modelled L2 holds data for certain until SURE bytes have been touched after it, and
 * no more of it from LOST bytes on. For data whose own use was not streamed, bytes of streamed
 * accesses do not count. */
void mem_set_cache(uint64_t sure, uint64_t lost);
/* Have fewer than BYTES bytes been touched since a launch last touched the megabyte around ADDRESS?
 * Then an L2 cache of BYTES bytes still holds the cached lines of this megabyte. */
bool mem_recently_used(uint64_t address, uint64_t bytes);
/* Has a launch touched the aligned PAGE bytes around ADDRESS since they were allocated? Always true
 * for memory that is not device memory. */
bool mem_ever_used(uint64_t address, uint64_t page);

/* --- limit.c: the limit of memory that may be touched ----------------------------------------- */

/* Set the number of bytes of device, managed, local and pinned memory that may be touched. 0: 15/16
 * of what the host and the limits of this process allow now. */
void mem_set_limit(uint64_t bytes);
uint64_t mem_get_limit(void); /* the limit in bytes of memory that may be touched */
/* Count BYTES of host memory at AT as local memory of threads, until mem_uncount_local_memory. */
void mem_count_local_memory(const void *at, uint64_t bytes);
void mem_uncount_local_memory(const void *at); /* this memory is being freed */
/* Add BYTES (negative: subtract) to the host memory that launches need to run: registers and shared
 * memory of resident blocks, and text that kernels have printed. */
void mem_count_working_memory(int64_t bytes);
/* May BYTES bytes at ADDRESS be written without exceeding the limit, if at most MOST of them need
 * new pages? Always true unless ADDRESS is device or managed memory. */
bool mem_may_write_within_limit(uint64_t address, uint64_t bytes, uint64_t most);
bool mem_has_room_for_pinned(uint64_t bytes); /* may BYTES more bytes be pinned? */
/* Has more memory been touched than the limit? The count is exact: every run gets one result. */
bool mem_touched_too_much(void);
/* True if the allocations have ever exceeded the limit, or the host was almost out of memory. While
 * it is false, mem_must_stop costs one load. */
extern bool mem_is_scarce;
bool mem_must_stop_if_scarce(void); /* mem_must_stop, called only if mem_is_scarce */
/* Must a running kernel stop, because the limit has been exceeded since mem_clear_stop_request or
 * the host is almost out of memory? Polled while a kernel runs. mem_start_host_watch, which must be
 * called regularly, checks the host's memory. */
static inline bool mem_must_stop(void)
{
    return __builtin_expect(__atomic_load_n(&mem_is_scarce, __ATOMIC_RELAXED), 0) &&
           mem_must_stop_if_scarce();
}
/* Mark sectors of one 128-byte line as mem_mark_sectors does: SECTORS is a mask of 4 bits,
 * LINE_ADDRESS the address of the line. */
static inline void mem_touch_line(mem_pending_touches *t, mem_access how, uint64_t line_address,
                                  uint32_t sectors)
{
    const uint64_t at = (line_address - t->from[how]) / 32;
    if (at >= 64 || (how == MEM_WRITE && __atomic_load_n(&mem_is_scarce, __ATOMIC_RELAXED))) {
        mem_mark_sectors(t, how, line_address, sectors);
        return;
    }
    t->bits[how] |= (uint64_t)sectors << at;
}
void mem_clear_stop_request(void); /* kernels may run again after the limit was exceeded */
/* Find out whether the host is almost out of memory. Call it regularly while a kernel runs. */
void mem_start_host_watch(void);
/* Bytes of a page of the host's memory. May be called from a signal handler. */
uint64_t mem_page_bytes(void);
/* Write a message to BUF that says why memory ran out and what to do. Returns BUF. */
const char *mem_limit_text(char *buf, size_t size);
