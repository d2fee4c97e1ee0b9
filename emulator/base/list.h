/* Arrays that grow. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A new entry behind the COUNT entries of LIST, or before one of them; COUNT becomes one more.
 * NULL: no memory, and nothing has changed. Entries can be taken off the end. A LIST has no other
 * allocation than this, NULL at first; COUNT has 32 or 64 bits. */
#define LIST_ADD(list, count) LIST_INSERT(list, count, count)
#define LIST_INSERT(list, count, before) \
    ((__typeof(list))list_insert(&(list), sizeof *(list), &(count), sizeof(count), (before)))

typedef void *__attribute__((may_alias)) list_entries; /* of entries of any type */

static inline void *list_insert(void *list, size_t entry_bytes, void *count, size_t count_bytes,
                                size_t before)
{
    enum { FEWEST = 16 }; /* entries of the first allocation; it is doubled when they are used */
    list_entries *of = list;
    char *entry = *of;
    uint32_t narrow = 0;
    size_t n = 0;
    memcpy(count_bytes == sizeof n ? (void *)&n : &narrow, count, count_bytes);
    n |= narrow;
    if (!entry || (n >= FEWEST && (n & (n - 1)) == 0)) {
        void *grown = realloc(entry, (n < FEWEST ? FEWEST : 2 * n) * entry_bytes);
        if (!grown)
            return NULL;
        *of = entry = grown;
    }
    narrow = (uint32_t)++n;
    memcpy(count, count_bytes == sizeof n ? (void *)&n : &narrow, count_bytes);
    entry += before * entry_bytes;
    memmove(entry + entry_bytes, entry, (n - 1 - before) * entry_bytes);
    return entry;
}
