/* Arrays that grow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Make LIST, an array with capacity CAP and COUNT entries in use, large enough for another entry.
 * False: no memory, and nothing has changed. LIST is a pointer, CAP a uint32_t or size_t. */
#define LIST_GROW(list, cap, count) \
    ((count) < (cap) || list_grow(&(list), sizeof *(list), &(cap), sizeof(cap)))

static inline bool list_grow(void *list, size_t entry_bytes, void *cap, size_t cap_bytes)
{
    uint32_t narrow = 0;
    size_t wide = 0;
    void *old, *grown;
    memcpy(&old, list, sizeof old);
    memcpy(cap_bytes == sizeof wide ? (void *)&wide : &narrow, cap, cap_bytes);
    wide = wide | narrow ? 2 * (wide | narrow) : 16;
    narrow = (uint32_t)wide;
    if ((cap_bytes == sizeof narrow && narrow != wide) ||
        !(grown = realloc(old, wide * entry_bytes)))
        return false;
    memcpy(list, &grown, sizeof grown);
    memcpy(cap, cap_bytes == sizeof wide ? (void *)&wide : &narrow, cap_bytes);
    return true;
}
