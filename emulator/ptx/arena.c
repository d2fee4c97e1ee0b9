#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

#define ARENA_ALIGNMENT         ((size_t)16)
#define ARENA_FIRST_CHUNK_BYTES ((size_t)32 << 10)
#define ARENA_CHUNK_BYTES       ((size_t)1 << 20)

typedef struct arena_chunk {
    struct arena_chunk *next;          /* another chunk of the arena; NULL: none */
    size_t used, size;                 /* bytes of `data` handed out; bytes of `data` in total */
    _Alignas(16) unsigned char data[]; /* the bytes that are handed out */
} arena_chunk;

struct ptx_arena {
    arena_chunk *head; /* the chunk that allocations come from */
};

/* Allocate a chunk. calloc returns large chunks as untouched zero pages. */
static arena_chunk *new_arena_chunk(size_t bytes)
{
    arena_chunk *c = calloc(1, sizeof *c + bytes);
    if (c)
        c->size = bytes;
    return c;
}

ptx_arena *ptx_arena_new(void)
{
    ptx_arena *a = calloc(1, sizeof *a);
    if (a && !(a->head = new_arena_chunk(ARENA_FIRST_CHUNK_BYTES))) {
        free(a);
        a = NULL;
    }
    return a;
}

void *ptx_arena_alloc(ptx_arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = bytes ? (bytes + ARENA_ALIGNMENT - 1) & ~(ARENA_ALIGNMENT - 1) : ARENA_ALIGNMENT;
    arena_chunk *c = a->head;
    if (bytes > c->size - c->used) {
        if (bytes > ARENA_CHUNK_BYTES / 4) { /* give the large request its own chunk, and keep
                                              * filling the current chunk */
            arena_chunk *own = new_arena_chunk(bytes);
            if (!own)
                return NULL;
            own->used = bytes;
            own->next = c->next;
            c->next = own;
            return own->data;
        }
        arena_chunk *fresh = new_arena_chunk(ARENA_CHUNK_BYTES);
        if (!fresh)
            return NULL;
        fresh->next = c;
        a->head = c = fresh;
    }
    void *at = c->data + c->used;
    c->used += bytes;
    return at;
}

void ptx_arena_free(ptx_arena *a)
{
    if (!a)
        return;
    for (arena_chunk *c = a->head, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(a);
}
