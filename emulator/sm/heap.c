/* The heap of malloc() and free() in device code. All launches share one range of device memory;
 * the list of allocated pieces is stored outside it. */
#include "heap.h"

#include "../memory/memory.h"

#include <pthread.h>
#include <stdlib.h>

#define HEAP_ALIGNMENT 16 /* addresses from device malloc() are multiples of this */

typedef struct heap_piece {
    struct heap_piece *next; /* next piece in order of address */
    uint64_t base, size;     /* address and size of the piece */
    bool is_allocated;       /* allocated; false: free */
} heap_piece;

static struct {
    pthread_mutex_t lock;
    uint64_t bytes; /* value of cudaLimitMallocHeapSize; initially the runtime's default */
    uint64_t base;
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
    heap.base = 0;
}

/* Forget the old heap if the device has been reset since. */
static void reset_heap_after_device_reset(void)
{
    mem_range range;
    if (heap.base && !(mem_find_range(heap.base, &range) && range.serial == heap.serial)) {
        free_piece_list();
    }
}

void sm_heap_release(void)
{
    pthread_mutex_lock(&heap.lock);
    reset_heap_after_device_reset();
    if (heap.base) {
        mem_free_range(heap.base);
        free_piece_list();
    }
    pthread_mutex_unlock(&heap.lock);
}

bool sm_heap_resize(uint64_t bytes)
{
    pthread_mutex_lock(&heap.lock);
    reset_heap_after_device_reset();
    const bool good = !heap.base;
    if (good) {
        heap.bytes = bytes;
    }
    pthread_mutex_unlock(&heap.lock);
    return good;
}

bool sm_heap_open(void)
{
    mem_range range;
    pthread_mutex_lock(&heap.lock);
    reset_heap_after_device_reset();
    if (!heap.base) {
        mem_mark_emulator_memory(true);
        heap.base = mem_alloc(heap.bytes, 256, MEM_MODULE, "the heap of device malloc()");
        mem_mark_emulator_memory(false);
        heap.first = heap.base ? calloc(1, sizeof *heap.first) : NULL;
        if (heap.first) {
            *heap.first = (heap_piece){NULL, heap.base, heap.bytes, false};
            heap.serial = mem_find_range(heap.base, &range) ? range.serial : 0;
        }
    }
    const bool good = heap.first != NULL;
    pthread_mutex_unlock(&heap.lock);
    return good;
}

uint64_t sm_heap_alloc(uint64_t size)
{
    uint64_t address = 0;
    if (size == 0 || size > heap.bytes) {
        return 0;
    }
    size = (size + HEAP_ALIGNMENT - 1) / HEAP_ALIGNMENT * HEAP_ALIGNMENT;
    pthread_mutex_lock(&heap.lock);
    for (heap_piece *p = heap.first; p && !address; p = p->next) {
        if (p->is_allocated || p->size < size) {
            continue;
        }
        if (p->size > size) {
            heap_piece *rest = malloc(sizeof *rest);
            if (!rest) {
                break;
            }
            *rest = (heap_piece){p->next, p->base + size, p->size - size, false};
            p->next = rest;
            p->size = size;
        }
        p->is_allocated = true;
        address = p->base;
    }
    pthread_mutex_unlock(&heap.lock);
    return address;
}

bool sm_heap_free(uint64_t address)
{
    bool found = false;
    pthread_mutex_lock(&heap.lock);
    for (heap_piece *p = heap.first, *before = NULL; p; before = p, p = p->next) {
        if (p->base != address || !p->is_allocated) {
            continue;
        }
        found = true;
        p->is_allocated = false;
        heap_piece *next = p->next;
        if (next && !next->is_allocated) {
            p->size += next->size;
            p->next = next->next;
            free(next);
        }
        if (before && !before->is_allocated) {
            before->size += p->size;
            before->next = p->next;
            free(p);
        }
        break;
    }
    pthread_mutex_unlock(&heap.lock);
    return found;
}
