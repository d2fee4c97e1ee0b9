/* Scoped symbol table: a hash table over a stack of entries. */
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

ptx_symbol *ptx_symbol_find(const ptx_symbols *s, const char *name, size_t len, uint32_t hash)
{
    if (!s->buckets)
        return NULL;
    for (uint32_t i = s->bucket[hash & (s->buckets - 1)]; i; i = s->entry[i - 1].next) {
        ptx_symbol *e = &s->entry[i - 1];
        if (e->hash == hash && e->len == len && memcmp(e->name, name, len) == 0)
            return e;
    }
    return NULL;
}

static void add_entry_to_bucket(ptx_symbols *s, uint32_t index)
{
    uint32_t *head = &s->bucket[s->entry[index].hash & (s->buckets - 1)];
    s->entry[index].next = *head;
    *head = index + 1;
}

static bool grow_buckets(ptx_symbols *s)
{
    uint32_t cap = s->cap ? s->cap * 2 : 256;
    ptx_symbol *entry = realloc(s->entry, cap * sizeof *entry);
    if (!entry)
        return false;
    s->entry = entry;
    uint32_t *bucket = calloc(cap * 2, sizeof *bucket);
    if (!bucket)
        return false;
    free(s->bucket);
    s->bucket = bucket;
    s->buckets = cap * 2;
    s->cap = cap;
    for (uint32_t i = 0; i < s->count; i++) {
        add_entry_to_bucket(
            s, i); /* oldest entry first, so that the newest is at the head of its bucket */
    }
    return true;
}

ptx_symbol *ptx_symbol_add(ptx_symbols *s, const char *name, size_t len, uint32_t hash,
                           uint32_t depth, ptx_symbol_kind kind)
{
    if (s->count == s->cap && !grow_buckets(s))
        return NULL;
    ptx_symbol *e = &s->entry[s->count];
    memset(e, 0, sizeof *e);
    e->name = name;
    e->len = (uint32_t)len;
    e->hash = hash;
    e->depth = depth;
    e->kind = kind;
    add_entry_to_bucket(s, s->count++);
    return e;
}

void ptx_symbols_leave_scope(ptx_symbols *s, uint32_t depth)
{
    while (s->count && s->entry[s->count - 1].depth > depth) {
        ptx_symbol *e = &s->entry[--s->count];
        s->bucket[e->hash & (s->buckets - 1)] = e->next;
    }
}

void ptx_symbols_clear(ptx_symbols *s)
{
    free(s->entry);
    free(s->bucket);
    *s = (ptx_symbols){0};
}
