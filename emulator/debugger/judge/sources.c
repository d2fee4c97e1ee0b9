#include "sources.h"

#include "../../base/list.h"

#include <stdlib.h>

/* Number of the memory, from 1, that contains ADDRESS: the one that was adopted last; 0: none. */
static uint64_t memory_at(const copy_sources *s, uint64_t address)
{
    for (size_t k = s->locked_count; k > 0; k--)
        if (address - s->locked[k - 1].address < s->locked[k - 1].size)
            return k;
    return 0;
}

bool copy_sources_note(copy_sources *s, const rec_item *item)
{
    const rec_copy *x = &item->copy;
    if (item->kind == REC_adopt) {
        struct locked_memory *m = LIST_ADD(s->locked, s->locked_count);
        if (!m)
            return false;
        *m = (struct locked_memory){item->adopt.address, item->adopt.size};
    }
    if (item->kind != REC_copy || !x->host_from || x->from.count != 3 || !x->from.of[0])
        return true;
    copy_source *c = LIST_ADD(s->list, s->count);
    if (c)
        *c = (copy_source){x->op, .from = x->from.of[0], .range = memory_at(s, x->from.of[0])};
    return c;
}

static int compare_places(const void *x, const void *y)
{
    const copy_source *a = x, *b = y;
    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    if (a->range != b->range)
        return a->range < b->range ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static int compare_ops(const void *x, const void *y)
{
    const copy_source *a = x, *b = y;
    return (a->op > b->op) - (a->op < b->op);
}

void copy_sources_find_starts(copy_sources *s)
{
    if (!s->count)
        return;
    qsort(s->list, s->count, sizeof *s->list, compare_places);
    for (size_t k = 0; k < s->count; k++) {
        const copy_source *before = k ? &s->list[k - 1] : NULL;
        copy_source *own = &s->list[k];
        const bool same = before && before->section == own->section && before->range == own->range;
        own->start = same ? before->start : own->from;
    }
    qsort(s->list, s->count, sizeof *s->list, compare_ops);
}

uint64_t copy_sources_start(const copy_sources *s, uint64_t op)
{
    const copy_source key = {.op = op};
    const copy_source *found =
        s->count ? bsearch(&key, s->list, s->count, sizeof *s->list, compare_ops) : NULL;
    return found ? found->start : 0;
}

void copy_sources_free(copy_sources *s)
{
    free(s->list);
    free(s->locked);
    *s = (copy_sources){0};
}
