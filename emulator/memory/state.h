/* What the files of this room share. */
#ifndef WARPBOOK_MEMORY_STATE_H
#define WARPBOOK_MEMORY_STATE_H

#include "memory.h"

#include <pthread.h>

#define MEM_ALIGN 256u
/* Between neighbours: wide enough that an index a little out of range meets nobody. */
#define MEM_GAP   4096u
#define MEM_KINDS (MEM_ARRAY + 1)

typedef struct mem_list {
    mem_range *range;
    size_t count, room;
} mem_list;

typedef struct mem_state {
    pthread_mutex_t lock;
    uint64_t base, size; /* the window; size 0: not open */
    intptr_t delta;      /* backing minus window */
    bool commit;         /* the backing has no access yet where nothing is allocated */
    uint64_t total, used;
    uint64_t extent;  /* of the window, what has ever been allocated ends here; limit.c reads it */
    uint64_t adopted; /* bytes of live pinned and managed memory; likewise */
    mem_list live;    /* sorted by base */
    mem_list gone;    /* freed, not used again; the latest last */
    size_t packed;    /* no gap before live.range[packed] can hold anything */
    uint32_t serial[MEM_KINDS];
    bool changed; /* since the current map was made */
} mem_state;

extern mem_state mem_the;

/* With the lock held: index of the first range of the sorted LIST whose base is above ADDRESS. */
size_t mem_upper(const mem_range *range, size_t count, uint64_t address);

/* As mem_describe, with the lock held. */
const char *mem_describe_locked(uint64_t address, uint64_t size, char *buf, size_t buf_size);

/* "the 400 bytes that the 2nd cudaMalloc returned (0x7000...)". */
void mem_describe_range(const mem_range *r, char *buf, size_t buf_size);

/* Ready the maps of touched sectors for a window of SIZE bytes at BASE. False: no address space. */
bool mem_touch_open(uint64_t base, uint64_t size);

#endif
