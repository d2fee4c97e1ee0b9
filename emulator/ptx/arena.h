/* Arena allocation: memory that is released all at once. A parsed module owns one arena.
 *
 * Memory is zeroed and aligned to 16 bytes. Not thread-safe. */
#pragma once

#include <stddef.h>

typedef struct ptx_arena ptx_arena;

ptx_arena *ptx_arena_new(void);                    /* NULL: out of memory */
void *ptx_arena_alloc(ptx_arena *a, size_t bytes); /* NULL: out of memory */
void ptx_arena_free(ptx_arena *a);                 /* A may be NULL */
