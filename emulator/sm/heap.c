/* The heap of malloc() and free() in device code. All launches share one range of device memory;
 * the list of allocated pieces is stored outside it. */
#include "heap.h"

#include "../base/lock.h"
#include "../memory/memory.h"

#include <pthread.h>
#include <stdlib.h>

/* How an H200 divides the heap of device malloc(), from the counts in
 * tests/hardware/codes/memory/device_heap.cu: in pieces of 2220 bytes; 24 of them are a chunk, 24
 * chunks a large block, and a piece has 24 parts. A request takes 1, 2, 3, 4, 6, 8, 12 or 24 of the
 * smallest that it needs at most 24 of, or any number of large blocks. */
#define PARTS_OF_EACH 24u
#define PIECE_BYTES   2220u
/* What requests may fill of a part, a piece, a chunk and a large block. */
static const uint64_t filled_bytes[] = {80, 2208, 53280, 1278976};
#define PIECE_LEFT_OVER_BYTES 1536u /* one piece is left over for requests that are larger */

#define HEAP_ALIGNMENT        16 /* addresses from device malloc() are multiples of this */

/* The bytes between two allocations of a checked heap, so that an access just past the end of one
 * does not hit the next. */
#define HEAP_GAP_BYTES 16

typedef enum {
    PIECE_FREE,      /* malloc() may return its bytes */
    PIECE_ALLOCATED, /* malloc() has returned it, and free() has not been called for it */
    PIECE_KEPT       /* free() has been called for it, and a checked heap does not reuse it yet */
} piece_state;       /* who may use a piece of the heap */

typedef struct heap_piece {
    struct heap_piece *next; /* next piece in order of address */
    uint64_t base, size;     /* address and size of the piece */
    uint64_t requested;      /* bytes that malloc() was asked for */
    uint64_t charged;        /* parts of pieces that a GPU would need for it */
    piece_state state;       /* is the piece free, allocated, or kept after free()? */
} heap_piece;

static struct {
    pthread_mutex_t lock;      /* protects all other fields */
    bool is_checked;           /* kernels' accesses to the heap are checked */
    bool keeps_layout;         /* a checked heap allocates the same addresses as another */
    uint64_t *bytes_allocated; /* for a checked heap: a bit for each byte of the heap; set: the byte
                                  is allocated */
    uint64_t bytes; /* the heap (cudaLimitMallocHeapSize); at first the runtime's default */
    uint64_t base;
    uint64_t charged; /* sum over the pieces that are allocated */
    bool was_full;    /* malloc() has returned a null pointer since the heap exists */
    uint32_t
        serial; /* serial number of the heap's memory range; changes when the device is reset */
    heap_piece *first; /* pieces in the order of their addresses */
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER, .bytes = UINT64_C(8) << 20};

static void free_piece_list(void)
{
    for (heap_piece *p = heap.first, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    heap.first = NULL;
    heap.base = heap.charged = 0;
    heap.was_full = false;
    free(heap.bytes_allocated);
    heap.bytes_allocated = NULL;
}

/* Forget the old heap if the device has been reset since. */
static void reset_heap_after_device_reset(void)
{
    mem_range range;
    if (heap.base && !(mem_find_range(heap.base, &range) && range.serial == heap.serial))
        free_piece_list();
}

void sm_heap_release(void)
{
    HOLD_LOCK(&heap.lock);
    reset_heap_after_device_reset();
    if (heap.base) {
        mem_free_range(heap.base);
        free_piece_list();
    }
}

bool sm_heap_resize(uint64_t bytes)
{
    HOLD_LOCK(&heap.lock);
    reset_heap_after_device_reset();
    if (!heap.base)
        heap.bytes = bytes;
    return !heap.base;
}

void sm_heap_check_accesses(void)
{
    HOLD_LOCK(&heap.lock);
    reset_heap_after_device_reset();
    heap.is_checked = heap.is_checked || !heap.base;
}

void sm_heap_keep_layout(void)
{
    HOLD_LOCK(&heap.lock);
    heap.keeps_layout = true;
}

bool sm_heap_open(void)
{
    mem_range range;
    HOLD_LOCK(&heap.lock);
    reset_heap_after_device_reset();
    if (!heap.base) {
        mem_mark_emulator_memory(true);
        heap.base = mem_alloc(heap.bytes, 256, MEM_MODULE, "the heap of device malloc()");
        mem_mark_emulator_memory(false);
        heap.first = heap.base ? calloc(1, sizeof *heap.first) : NULL;
        heap.bytes_allocated =
            heap.is_checked ? calloc(heap.bytes / 64 + 2, sizeof *heap.bytes_allocated) : NULL;
        if (heap.first) {
            *heap.first = (heap_piece){NULL, heap.base, heap.bytes, 0, 0, PIECE_FREE};
            heap.serial = mem_find_range(heap.base, &range) ? range.serial : 0;
        }
    }
    return heap.first && (heap.bytes_allocated || !heap.is_checked);
}

/* Mark the bytes of an allocation as allocated or not. */
static void mark_bytes(uint64_t address, uint64_t bytes, bool allocated)
{
    for (uint64_t at = address - heap.base, end = at + bytes; heap.bytes_allocated && at < end;) {
        const uint64_t n = 64 - at % 64 < end - at ? 64 - at % 64 : end - at;
        const uint64_t bits = (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << at % 64;
        if (allocated)
            __atomic_fetch_or(&heap.bytes_allocated[at / 64], bits, __ATOMIC_RELAXED);
        else
            __atomic_fetch_and(&heap.bytes_allocated[at / 64], ~bits, __ATOMIC_RELAXED);
        at += n;
    }
}

/* The parts of pieces that a request takes on a GPU. */
static uint64_t charged_parts(uint64_t requested)
{
    const size_t largest = sizeof filled_bytes / sizeof filled_bytes[0] - 1;
    uint64_t each = 1;
    for (size_t k = 0;; k++, each *= PARTS_OF_EACH) {
        uint64_t n = (requested + filled_bytes[k] - 1) / filled_bytes[k];
        if (k == largest)
            return n * each;
        while (n <= PARTS_OF_EACH && PARTS_OF_EACH % n)
            n++;
        if (n <= PARTS_OF_EACH)
            return n * each;
    }
}

static bool fits_on_gpu(uint64_t requested)
{
    const uint64_t parts = heap.bytes / PIECE_BYTES * PARTS_OF_EACH,
                   left_over = requested > PIECE_LEFT_OVER_BYTES ? PARTS_OF_EACH : 0;
    return heap.charged + left_over + charged_parts(requested) <= parts;
}

/* Allocate REQUESTED bytes in a free piece of at least SIZE. 0: there is none. */
static uint64_t take_free_piece(uint64_t size, uint64_t requested)
{
    for (heap_piece *p = heap.first; p; p = p->next) {
        if (p->state != PIECE_FREE || p->size < size)
            continue;
        if (p->size > size) {
            heap_piece *rest = malloc(sizeof *rest);
            if (!rest)
                return 0;
            *rest = (heap_piece){p->next, p->base + size, p->size - size, 0, 0, PIECE_FREE};
            p->next = rest;
            p->size = size;
        }
        p->state = PIECE_ALLOCATED;
        p->requested = requested;
        heap.charged += p->charged = charged_parts(requested);
        mark_bytes(p->base, requested, true);
        return p->base;
    }
    return 0;
}

/* If P is a free piece, join it with the free pieces that follow it. */
static void join_with_next(heap_piece *p)
{
    for (heap_piece *next = p->next; next && p->state == PIECE_FREE && next->state == PIECE_FREE;
         next = p->next) {
        p->size += next->size;
        p->next = next->next;
        free(next);
    }
}

/* Let the pieces that are kept after free() be allocated again. */
static void make_kept_pieces_free(void)
{
    for (heap_piece *p = heap.first; p; p = p->next)
        p->state = p->state == PIECE_KEPT ? PIECE_FREE : p->state;
    for (heap_piece *p = heap.first; p; p = p->next)
        join_with_next(p);
}

/* Do allocations have gaps between them, and is freed memory reused as late as possible? */
static bool is_spread(void)
{
    return heap.bytes_allocated && !heap.keeps_layout;
}

uint64_t sm_heap_alloc(uint64_t requested)
{
    if (requested == 0)
        return 0;
    HOLD_LOCK(&heap.lock);
    const uint64_t gap = is_spread() ? HEAP_GAP_BYTES : 0;
    const uint64_t size = (requested + HEAP_ALIGNMENT - 1) / HEAP_ALIGNMENT * HEAP_ALIGNMENT;
    const bool fits = fits_on_gpu(requested);
    uint64_t address = fits ? take_free_piece(size + gap, requested) : 0;
    if (fits && !address && gap) {
        make_kept_pieces_free();
        address = take_free_piece(size + gap, requested);
        address = address ? address : take_free_piece(size, requested);
    }
    heap.was_full = heap.was_full || !address;
    return address;
}

bool sm_heap_free(uint64_t address)
{
    HOLD_LOCK(&heap.lock);
    heap_piece *p = heap.first, *before = NULL;
    while (p && (p->base != address || p->state != PIECE_ALLOCATED)) {
        before = p;
        p = p->next;
    }
    if (!p)
        return false;
    mark_bytes(p->base, p->requested, false);
    heap.charged -= p->charged;
    p->state = is_spread() ? PIECE_KEPT : PIECE_FREE;
    join_with_next(p);
    if (before)
        join_with_next(before); /* this may release P */
    return true;
}

bool sm_heap_was_full(void)
{
    return heap.was_full;
}

bool sm_heap_is_open(void)
{
    return heap.base != 0;
}

bool sm_heap_is_allocated(uint64_t address, uint32_t bytes)
{
    const uint64_t at = address - heap.base, end = at + bytes;
    if (!heap.bytes_allocated || at >= heap.bytes || end > heap.bytes)
        return true;
    for (uint64_t k = at; k < end; k++) {
        const uint64_t bits = __atomic_load_n(&heap.bytes_allocated[k / 64], __ATOMIC_RELAXED);
        if (!(bits >> k % 64 & 1))
            return false;
    }
    return true;
}

bool sm_heap_find_piece(uint64_t address, sm_heap_piece *out)
{
    const heap_piece *found = NULL;
    HOLD_LOCK(&heap.lock);
    for (const heap_piece *p = heap.first; p && p->base <= address; p = p->next)
        found = p->requested ? p : found;
    if (found)
        *out = (sm_heap_piece){found->base, found->requested, found->state != PIECE_ALLOCATED};
    return found != NULL;
}
