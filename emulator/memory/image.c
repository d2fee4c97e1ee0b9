/* The table of texture and surface objects. A handle encodes a slot of the table and how often the
 * slot has been used, so that stale handles are recognised. */
#include "image.h"

#include "watcher.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Slots are allocated in chunks that are never moved: kernels look objects up without a lock. */
#define CHUNK  256u
#define CHUNKS 4096u /* 2^20 objects, the number of texture headers that a device has */

typedef struct place {
    mem_object object;
    atomic_uint_least64_t handle; /* 0: free */
    uint64_t uses;
    uint32_t next_free; /* index + 1 of the next free slot; 0: none */
} place;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(place *) chunks[CHUNKS];
static uint32_t slots_used; /* number of slots that have ever been used */
static uint32_t first_free; /* index + 1; 0: none */

static place *place_at(uint32_t index)
{
    place *chunk = atomic_load_explicit(&chunks[index / CHUNK], memory_order_acquire);
    return chunk ? &chunk[index % CHUNK] : NULL;
}

static place *place_of(uint64_t handle)
{
    const uint64_t index = (handle & (CHUNK * CHUNKS - 1)) - 1;
    if (index >= CHUNK * CHUNKS) {
        return NULL;
    }
    place *p = place_at((uint32_t)index);
    return p && atomic_load_explicit(&p->handle, memory_order_acquire) == handle ? p : NULL;
}

uint64_t mem_object_add(const mem_object *o)
{
    uint64_t handle = 0;
    pthread_mutex_lock(&lock);
    uint32_t index = first_free - 1;
    if (!first_free && slots_used < CHUNK * CHUNKS - 1) {
        index = slots_used;
        if (!place_at(index)) {
            atomic_store_explicit(&chunks[index / CHUNK], calloc(CHUNK, sizeof(place)),
                                  memory_order_release);
        }
        slots_used += place_at(index) != NULL;
    }
    place *p = index < slots_used ? place_at(index) : NULL;
    if (p) {
        first_free = first_free ? p->next_free : 0;
        handle = p->uses++ * CHUNK * CHUNKS + index + 1;
        p->object = *o;
        p->object.handle = handle;
        atomic_store_explicit(&p->handle, handle, memory_order_release);
        if (mem_watched) {
            mem_watched->object_added(&p->object);
        }
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

/* The slots of a repeated recording are those that its handles name, in any order: none of them is
 * ever on the list of free ones. */
bool mem_object_put(const mem_object *o)
{
    const uint64_t index = (o->handle & (CHUNK * CHUNKS - 1)) - 1;
    if (index >= CHUNK * CHUNKS - 1) {
        return false;
    }
    pthread_mutex_lock(&lock);
    if (!place_at((uint32_t)index)) {
        atomic_store_explicit(&chunks[index / CHUNK], calloc(CHUNK, sizeof(place)),
                              memory_order_release);
    }
    place *p = place_at((uint32_t)index);
    const bool good = p && !atomic_load(&p->handle);
    if (good) {
        p->object = *o;
        atomic_store_explicit(&p->handle, o->handle, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return good;
}

static void drop_slot(place *p, uint64_t handle)
{
    if (mem_watched) {
        mem_watched->object_dropped(handle);
    }
    atomic_store_explicit(&p->handle, 0, memory_order_release);
    p->object.kind = MEM_NO_OBJECT;
    p->next_free = first_free;
    first_free = (uint32_t)(handle & (CHUNK * CHUNKS - 1));
}

bool mem_object_drop(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    place *p = place_of(handle);
    if (p) {
        drop_slot(p, handle);
    }
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

void mem_object_drop_all(void)
{
    pthread_mutex_lock(&lock);
    for (uint32_t k = 0; k < slots_used; k++) {
        place *p = place_at(k);
        const uint64_t handle = atomic_load(&p->handle);
        if (handle) {
            drop_slot(p, handle);
        }
    }
    pthread_mutex_unlock(&lock);
}

const mem_object *mem_object_find(uint64_t handle)
{
    const place *p = place_of(handle);
    return p ? &p->object : NULL;
}
