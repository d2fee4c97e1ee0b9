#include "sync_words.h"

#include "../../base/list.h"

#include <stdlib.h>

static san_sync_word *find_slot(san_sync_word *slot, uint32_t cap, uint64_t key)
{
    uint32_t at = (uint32_t)((key >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (cap - 1);
    while (slot[at].used && slot[at].key != key)
        at = (at + 1) & (cap - 1);
    return &slot[at];
}

san_sync_word *san_sync_word_find(const san_sync_words *t, uint64_t key)
{
    san_sync_word *w = t->cap ? find_slot(t->slot, t->cap, key) : NULL;
    return w && w->used ? w : NULL;
}

static bool grow_table(san_sync_words *t)
{
    const uint32_t cap = t->cap ? 2 * t->cap : 64;
    san_sync_word *more = calloc(cap, sizeof *more);
    if (!more)
        return false;
    for (uint32_t k = 0; k < t->cap; k++)
        if (t->slot[k].used)
            *find_slot(more, cap, t->slot[k].key) = t->slot[k];
    free(t->slot);
    t->slot = more;
    t->cap = cap;
    return true;
}

san_sync_word *san_sync_word_add(san_sync_words *t, uint64_t key)
{
    if (2 * (t->count + 1) > t->cap && !grow_table(t))
        return NULL;
    san_sync_word *w = find_slot(t->slot, t->cap, key);
    if (!w->used) {
        *w = (san_sync_word){.key = key, .used = true};
        t->count++;
    }
    return w;
}

void san_sync_word_clear(san_sync_word *w)
{
    san_view_drop(w->all);
    san_view_drop(w->reads);
    for (uint32_t k = 0; k < w->own_count; k++)
        san_view_drop(w->own[k].view);
    free(w->own);
    *w = (san_sync_word){.key = w->key, .used = w->used};
}

san_view **san_sync_word_of_block(san_sync_word *w, uint64_t block)
{
    for (uint32_t k = 0; k < w->own_count; k++)
        if (w->own[k].block == block)
            return &w->own[k].view;
    struct san_block_release *own = LIST_ADD(w->own, w->own_count);
    if (!own)
        return NULL;
    *own = (struct san_block_release){block, NULL};
    return &own->view;
}

void san_sync_words_free(san_sync_words *t)
{
    for (uint32_t k = 0; k < t->cap; k++)
        san_sync_word_clear(&t->slot[k]);
    free(t->slot);
    *t = (san_sync_words){0};
}
