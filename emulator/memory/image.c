/* The table of texture and surface objects. A handle encodes the index of a slot of the table and
 * how often the slot has been used, so that handles of destroyed objects are recognised. */
#include "image.h"

#include "../base/lock.h"

#include "watcher.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Number of slots in a chunk. Chunks are never moved, as kernels look objects up without a lock. */
#define OBJECT_SLOTS_PER_CHUNK 256u
#define MAX_OBJECT_CHUNKS      4096u /* 2^20 objects in total, the maximum of a GPU */

/* A slot of the table. */
typedef struct object_slot {
    mem_object object;            /* the texture or surface object */
    atomic_uint_least64_t handle; /* handle of the object; 0: the slot is free */
    uint64_t uses;                /* how often the slot has been used */
    uint32_t next_free;           /* index + 1 of the next free slot; 0: none */
} object_slot;

static pthread_mutex_t image_slots_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the table */
static _Atomic(object_slot *) chunks[MAX_OBJECT_CHUNKS];
static uint32_t slots_used; /* number of slots that have ever been used */
static uint32_t first_free; /* index + 1 of the first free slot; 0: none */

static object_slot *object_slot_at(uint32_t index)
{
    object_slot *chunk =
        atomic_load_explicit(&chunks[index / OBJECT_SLOTS_PER_CHUNK], memory_order_acquire);
    return chunk ? &chunk[index % OBJECT_SLOTS_PER_CHUNK] : NULL;
}

static object_slot *object_slot_of_handle(uint64_t handle)
{
    const uint64_t index = (handle & (OBJECT_SLOTS_PER_CHUNK * MAX_OBJECT_CHUNKS - 1)) - 1;
    if (index >= OBJECT_SLOTS_PER_CHUNK * MAX_OBJECT_CHUNKS)
        return NULL;
    object_slot *p = object_slot_at((uint32_t)index);
    return p && atomic_load_explicit(&p->handle, memory_order_acquire) == handle ? p : NULL;
}

uint64_t mem_object_add(const mem_object *o)
{
    HOLD_LOCK(&image_slots_lock);
    uint32_t index = first_free - 1;
    if (!first_free && slots_used < OBJECT_SLOTS_PER_CHUNK * MAX_OBJECT_CHUNKS - 1) {
        index = slots_used;
        if (!object_slot_at(index)) {
            atomic_store_explicit(&chunks[index / OBJECT_SLOTS_PER_CHUNK],
                                  calloc(OBJECT_SLOTS_PER_CHUNK, sizeof(object_slot)),
                                  memory_order_release);
        }
        slots_used += object_slot_at(index) != NULL;
    }
    object_slot *p = index < slots_used ? object_slot_at(index) : NULL;
    if (!p)
        return 0;
    first_free = first_free ? p->next_free : 0;
    p->object = *o;
    p->object.handle = p->uses++ * OBJECT_SLOTS_PER_CHUNK * MAX_OBJECT_CHUNKS + index + 1;
    atomic_store_explicit(&p->handle, p->object.handle, memory_order_release);
    if (mem_current_watcher)
        mem_current_watcher->object_added(&p->object);
    return p->object.handle;
}

/* Create object O in the slot that O->handle names. Used when a recording is replayed; such slots
 * are never in the list of free slots. */
bool mem_object_add_at(const mem_object *o)
{
    const uint64_t index = (o->handle & (OBJECT_SLOTS_PER_CHUNK * MAX_OBJECT_CHUNKS - 1)) - 1;
    if (index >= OBJECT_SLOTS_PER_CHUNK * MAX_OBJECT_CHUNKS - 1)
        return false;
    HOLD_LOCK(&image_slots_lock);
    if (!object_slot_at((uint32_t)index)) {
        atomic_store_explicit(&chunks[index / OBJECT_SLOTS_PER_CHUNK],
                              calloc(OBJECT_SLOTS_PER_CHUNK, sizeof(object_slot)),
                              memory_order_release);
    }
    object_slot *p = object_slot_at((uint32_t)index);
    const bool good = p && !atomic_load(&p->handle);
    if (good) {
        p->object = *o;
        atomic_store_explicit(&p->handle, o->handle, memory_order_release);
    }
    return good;
}

static void free_object_slot(object_slot *p, uint64_t handle)
{
    if (mem_current_watcher)
        mem_current_watcher->object_dropped(handle);
    atomic_store_explicit(&p->handle, 0, memory_order_release);
    p->object.kind = MEM_NO_OBJECT;
    p->next_free = first_free;
    first_free = (uint32_t)(handle & (OBJECT_SLOTS_PER_CHUNK * MAX_OBJECT_CHUNKS - 1));
}

bool mem_object_drop(uint64_t handle)
{
    HOLD_LOCK(&image_slots_lock);
    object_slot *p = object_slot_of_handle(handle);
    if (p)
        free_object_slot(p, handle);
    return p != NULL;
}

void mem_object_drop_all(void)
{
    HOLD_LOCK(&image_slots_lock);
    for (uint32_t k = 0; k < slots_used; k++) {
        object_slot *p = object_slot_at(k);
        const uint64_t handle = atomic_load(&p->handle);
        if (handle)
            free_object_slot(p, handle);
    }
}

const mem_object *mem_object_find(uint64_t handle)
{
    const object_slot *p = object_slot_of_handle(handle);
    return p ? &p->object : NULL;
}
