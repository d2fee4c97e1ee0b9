#include "leak.h"

#include "../base/list.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FREED_KEPT = 1024 }; /* number of freed allocations that are remembered */

static void *live_allocations; /* allocations that are not freed: a tree of san_allocation, by
                                * address (tsearch(3)) */
static san_allocation freed_allocations[MAX_FREED_KEPT]; /* the allocations freed last */
static size_t next_freed_index; /* index at which the next freed allocation is stored */

static int compare_allocation_addresses(const void *a, const void *b)
{
    const san_allocation *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

void san_add_allocation(uint64_t at, uint64_t size, const san_caller *by)
{
    san_allocation *a = malloc(sizeof *a);
    if (a) {
        *a = (san_allocation){.at = at, .size = size, .by = *by};
        san_allocation **slot = tsearch(a, &live_allocations, compare_allocation_addresses);
        if (!slot || *slot != a) {
            if (slot)
                **slot = *a;
            free(a);
        }
    }
}

bool san_remove_allocation(uint64_t at, const san_caller *by)
{
    const san_allocation key = {.at = at};
    san_allocation **slot = tfind(&key, &live_allocations, compare_allocation_addresses);
    if (slot) {
        san_allocation *a = *slot;
        tdelete(a, &live_allocations, compare_allocation_addresses);
        a->freed_by = *by;
        freed_allocations[next_freed_index++ % MAX_FREED_KEPT] = *a;
        free(a);
    }
    return slot;
}

typedef struct object {
    const char *what; /* noun of the object */
    uint64_t handle;
    san_caller by; /* the call that created it */
} object;
static void *live_objects; /* objects that are not destroyed: a tree of `object` */

static int compare_objects(const void *a, const void *b)
{
    const object *x = a, *y = b;
    return x->handle != y->handle ? (x->handle > y->handle) - (x->handle < y->handle)
                                  : strcmp(x->what, y->what);
}

void san_add_object(const char *what, uint64_t handle, const san_caller *by)
{
    object *o = malloc(sizeof *o);
    if (o) {
        *o = (object){what, handle, *by};
        object **slot = tsearch(o, &live_objects, compare_objects);
        if (!slot || *slot != o)
            free(o);
    }
}

void san_remove_object(const char *what, uint64_t handle)
{
    const object key = {.what = what, .handle = handle};
    object **slot = tfind(&key, &live_objects, compare_objects);
    if (slot) {
        object *o = *slot;
        tdelete(o, &live_objects, compare_objects);
        free(o);
    }
}

void san_free_all_allocations(const san_caller *by)
{
    while (live_allocations) /* the root of a tree is a pointer to its element */
        san_remove_allocation((*(san_allocation **)live_allocations)->at, by);
    tdestroy(live_objects, free);
    live_objects = NULL;
}

static bool contains_address(const san_allocation *a, uint64_t at)
{
    return at >= a->at && at - a->at < (a->size ? a->size : 1);
}

/* Comparison function for searches: an address equals the allocation that contains it.
 * Allocations are disjoint. */
static int compare_with_contained_address(const void *key, const void *in_tree)
{
    const san_allocation *x = key, *y = in_tree;
    return contains_address(y, x->at) ? 0 : compare_allocation_addresses(x, y);
}

bool san_find_allocation(uint64_t at, bool was_freed, san_allocation *out)
{
    const san_allocation key = {.at = at}, *found = NULL;
    if (!was_freed) {
        san_allocation *const *slot =
            tfind(&key, &live_allocations, compare_with_contained_address);
        found = slot ? *slot : NULL;
    }
    for (size_t k = 0; was_freed && k < MAX_FREED_KEPT && !found; k++) {
        const san_allocation *a =
            &freed_allocations[(next_freed_index + MAX_FREED_KEPT - 1 - k) % MAX_FREED_KEPT];
        found = a->size && contains_address(a, at) ? a : NULL;
    }
    if (found)
        *out = *found;
    return found;
}

typedef struct leak_list {
    san_leak *list; /* the leaks, by allocating source line */
    size_t count;
} leak_list;

static bool have_same_frames(const san_caller *a, const san_caller *b)
{
    return a->depth == b->depth && memcmp(a->frame, b->frame, a->depth * sizeof *a->frame) == 0;
}

static void add_leak(leak_list *l, const char *what, uint64_t bytes, const san_caller *by)
{
    for (size_t k = 0; k < l->count; k++) {
        if (l->list[k].what == what && have_same_frames(&l->list[k].by, by)) {
            l->list[k].bytes += bytes;
            l->list[k].count++;
            return;
        }
    }
    san_leak *leak = LIST_ADD(l->list, l->count);
    if (leak)
        *leak = (san_leak){.by = *by, .what = what, .bytes = bytes, .count = 1};
}

static void add_leaked_allocation(const void *node, VISIT visit, void *list)
{
    const san_allocation *a = *(san_allocation *const *)node;
    if (visit == postorder || visit == leaf)
        add_leak(list, NULL, a->size, &a->by);
}

static void add_leaked_object(const void *node, VISIT visit, void *list)
{
    const object *o = *(object *const *)node;
    if (visit == postorder || visit == leaf)
        add_leak(list, o->what, 0, &o->by);
}

static int compare_by_bytes(const void *a, const void *b)
{
    const san_leak *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes)
                                : (x->by.number > y->by.number) - (x->by.number < y->by.number);
}

san_leak *san_find_leaks(size_t *count)
{
    leak_list l = {0};
    twalk_r(live_allocations, add_leaked_allocation, &l);
    twalk_r(live_objects, add_leaked_object, &l);
    if (l.count)
        qsort(l.list, l.count, sizeof *l.list, compare_by_bytes);
    *count = l.count;
    return l.list;
}
