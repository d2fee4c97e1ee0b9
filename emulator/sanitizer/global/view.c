#include "view.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of entries of a view. Beyond it, the entries of threads and warps are merged
 * into those of their blocks: races may then be missed, but no false race is reported. */
enum { MAX_VIEW_ENTRIES = 8192 /* most entries of a view */ };

/* The number of other views for which a view remembers that it contains them. */
enum { MAX_CONTAINED_VIEWS = 4 /* other views known to be contained in a view */ };

struct san_view {
    uint32_t owners, count; /* number of references to this view; number of entries */
    uint64_t number;        /* number of this view: unique in the process, from 1 */
    uint64_t contained[MAX_CONTAINED_VIEWS]; /* numbers of views that it contains; 0: none */
    uint32_t next_contained;                 /* the place in `contained` that is written next */
    san_view_entry entry[];                  /* accesses that the view contains, sorted by `who` */
};

san_view *san_view_keep(san_view *v)
{
    if (v)
        v->owners++;
    return v;
}

void san_view_drop(san_view *v)
{
    if (v && --v->owners == 0)
        free(v);
}

static san_view *new_view(uint32_t cap)
{
    static uint64_t last_number;
    san_view *v = malloc(sizeof *v + cap * sizeof v->entry[0]);
    if (v) {
        *v = (san_view){.owners = 1,
                        .number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED)};
    }
    return v;
}

/* Merge the entries of each block into one entry of the block. */
static void merge_threads_of_view(san_view *v)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        const san_view_entry e = {v->entry[k].who >> 16 << 16, v->entry[k].until};
        if (kept && v->entry[kept - 1].who == e.who) {
            san_view_entry *last = &v->entry[kept - 1];
            last->until = last->until < e.until ? e.until : last->until;
        } else {
            v->entry[kept++] = e;
        }
    }
    v->count = kept;
}

static bool is_block_entry(const san_view_entry *e)
{
    return e->who == san_block_owner(e->who >> 16);
}

/* Does WHOLE, the view entry of a block (or NULL), cover E, an entry of a warp or thread: same
 * block, and no earlier time? */
static bool is_covered_by_block_entry(const san_view_entry *whole, const san_view_entry *e)
{
    return whole && whole->who >> 16 == e->who >> 16 && whole->until >= e->until;
}

/* Does view A contain all that the COUNT entries of B contain? */
static bool contains_entries(const san_view *a, const san_view_entry *b, uint32_t count)
{
    const san_view_entry *at = a->entry, *end = at + a->count, *whole = NULL;
    for (uint32_t k = 0; k < count; k++) {
        for (; at < end && at->who < b[k].who; at++)
            whole = is_block_entry(at) ? at : whole;
        if (!(at < end && at->who == b[k].who && at->until >= b[k].until) &&
            !is_covered_by_block_entry(whole, &b[k]))
            return false;
    }
    return true;
}

static void remember_contained_view(san_view *a, const san_view *b)
{
    a->contained[a->next_contained++ % MAX_CONTAINED_VIEWS] = b->number;
}

/* Does view A contain view B? A positive answer is remembered, as threads often reread a word. */
static bool contains_view(san_view *a, const san_view *b)
{
    for (uint32_t k = 0; k < MAX_CONTAINED_VIEWS; k++)
        if (a->contained[k] == b->number)
            return true;
    if (!contains_entries(a, b->entry, b->count))
        return false;
    remember_contained_view(a, b);
    return true;
}

/* A new view with the entries of A and the COUNT entries of B, which are sorted. Entries of warps
 * and threads that an entry of their block covers are omitted. */
static san_view *merged_view(const san_view *a, const san_view_entry *b, uint32_t count)
{
    san_view *v = new_view(a->count + count);
    if (!v)
        return NULL;
    const san_view_entry *whole = NULL;
    uint32_t i = 0, k = 0;
    while (i < a->count || k < count) {
        const bool from_a = k == count || (i < a->count && a->entry[i].who <= b[k].who);
        const bool both = from_a && k < count && i < a->count && a->entry[i].who == b[k].who;
        san_view_entry e = from_a ? a->entry[i] : b[k];
        if (both && e.until < b[k].until)
            e.until = b[k].until;
        i += from_a;
        k += !from_a || both;
        if (is_covered_by_block_entry(whole, &e))
            continue;
        whole = is_block_entry(&e) ? &v->entry[v->count] : whole;
        v->entry[v->count++] = e;
    }
    if (v->count > MAX_VIEW_ENTRIES)
        merge_threads_of_view(v);
    return v;
}

san_view *san_view_merge(san_view *a, san_view *b)
{
    if (!a || !b || a == b)
        return san_view_keep(a ? a : b);
    if (contains_view(a, b))
        return san_view_keep(a);
    if (contains_view(b, a))
        return san_view_keep(b);
    san_view *v = merged_view(a, b->entry, b->count);
    if (!v)
        return san_view_keep(a);
    remember_contained_view(v, a);
    remember_contained_view(v, b);
    return v;
}

static int compare_by_owner(const void *a, const void *b)
{
    const san_view_entry *x = a, *y = b;
    return (x->who > y->who) - (x->who < y->who);
}

san_view *san_view_add_entries(san_view *v, const san_view_entry *entry, uint32_t count)
{
    san_view *more = new_view(count);
    if (!more)
        return san_view_keep(v);
    memcpy(more->entry, entry, count * sizeof *entry);
    more->count = count;
    qsort(more->entry, count, sizeof *entry, compare_by_owner);
    san_view *both = san_view_merge(v, more);
    san_view_drop(more);
    return both; /* NOLINT: where it is MORE, it has been kept once more */
}

void san_view_merge_into(san_view **v, san_view *more)
{
    if (more && more != *v) {
        san_view *both = san_view_merge(*v, more);
        san_view_drop(*v);
        *v = both;
    }
}

static uint32_t latest_known_time(const san_view *v, uint64_t who)
{
    uint32_t low = 0, high = v->count;
    while (low < high) {
        const uint32_t mid = (low + high) / 2;
        if (v->entry[mid].who < who)
            low = mid + 1;
        else
            high = mid;
    }
    return low < v->count && v->entry[low].who == who ? v->entry[low].until : 0;
}

bool san_view_contains(const san_view *v, uint64_t block, uint32_t thread, uint32_t time)
{
    return v && (time < latest_known_time(v, san_block_owner(block)) ||
                 time < latest_known_time(v, san_warp_owner(block, thread / 32)) ||
                 time < latest_known_time(v, san_thread_owner(block, thread)));
}
