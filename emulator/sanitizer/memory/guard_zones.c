#include "guard_zones.h"

#include "../../base/list.h"
#include "../../base/lock.h"
#include "../reports.h"
#include "outside.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

/* --- arrays with guard zones ------------------------------------------------------------------ */

typedef struct guarded_array {
    uint64_t base;    /* first address of the allocation; 0: the entry is unused */
    uint64_t element; /* size of an element in bytes */
    san_caller by;
} guarded_array;

static pthread_mutex_t guarded_arrays_lock =
    PTHREAD_MUTEX_INITIALIZER;        /* guards guarded_arrays and guarded_array_count */
static guarded_array *guarded_arrays; /* the arrays with guard zones */
static size_t guarded_array_count;    /* number of entries in `guarded_arrays` */

static guarded_array *guarded_array_at(uint64_t base)
{
    for (size_t k = 0; k < guarded_array_count; k++)
        if (guarded_arrays[k].base == base)
            return &guarded_arrays[k];
    return NULL;
}

void san_add_guarded_array(uint64_t base, uint64_t element, const san_caller *by)
{
    HOLD_LOCK(&guarded_arrays_lock);
    guarded_array *a = guarded_array_at(base);
    a = a ? a : guarded_array_at(0);
    a = a ? a : LIST_ADD(guarded_arrays, guarded_array_count);
    if (a)
        *a = (guarded_array){base, element, *by};
}

void san_drop_guarded_array(uint64_t base)
{
    HOLD_LOCK(&guarded_arrays_lock);
    guarded_array *a = base ? guarded_array_at(base) : NULL;
    if (a)
        a->base = 0;
}

static bool find_guarded_array(uint64_t base, guarded_array *out)
{
    HOLD_LOCK(&guarded_arrays_lock);
    const guarded_array *a = guarded_array_at(base);
    *out = a ? *a : (guarded_array){.base = base, .element = 1};
    return a != NULL;
}

/* --- accesses to guard zones during a launch -------------------------------------------------- */

static void record_guard_zone_access(void *state, const sm_access *a)
{
    SM_EACH_LANE(lane, a->mask) {
        const mem_range *r =
            mem_find_guarded_in_snapshot(a->warp->block->grid->map, a->address[lane]);
        if (r) {
            const san_missed_object array = {r->base, r->size, r->base - r->front};
            san_stray_accesses_add(state, a, lane, &array);
        }
    }
}

/* --- reports ---------------------------------------------------------------------------------- */

/* Index of the element that holds the byte OFFSET bytes after the start of an array. */
static int64_t element_index(int64_t offset, uint64_t element)
{
    const int64_t size = (int64_t)element;
    return offset >= 0 ? offset / size : -((-offset + size - 1) / size);
}

/* "writes element 100 of an array of 100 elements, 1 past the end" */
static void describe_guard_zone_access(const san_stray_access *x, uint64_t element, char *out,
                                       size_t size)
{
    const int64_t offset = (int64_t)(x->address - x->object.base);
    const int64_t first = element_index(offset, element);
    const int64_t last = element_index(offset + (int64_t)x->bytes - 1, element);
    const int64_t count = (int64_t)(x->object.size / element);
    char which[80];
    if (first == last)
        snprintf(which, sizeof which, "element %" PRId64, first);
    else
        snprintf(which, sizeof which, "elements %" PRId64 " to %" PRId64, first, last);
    snprintf(out, size, "%s %s of an array of %" PRId64 " element%s, %s%" PRId64 " %s",
             sm_effect_in_present(x->effect), which, count, count == 1 ? "" : "s",
             first == last ? "" : "up to ", first < 0 ? -first : last - count + 1,
             first < 0 ? "before the start" : "past the end");
}

static void complete_guard_zone_report(void *context, sm_report *r, const san_stray_access *x)
{
    guarded_array a;
    char what[300];
    (void)context;
    const bool known = find_guarded_array(x->object.key, &a);
    r->chapter = CHAPTER_EFFECTIVE_BANDWIDTH;
    r->remedy = x->address < x->object.base
                    ? "Compare the index with 0: the first element has none before it."
                    : "Compare the index with the array's size; a guard such as `if (i < n)` stops "
                      "threads past the end.";
    describe_guard_zone_access(x, a.element, what, sizeof what);
    snprintf(r->sentence, sizeof r->sentence, "%s %s", r->at.thread_text, what);
    if (known && san_caller_is_known(&a.by))
        san_report_set_host_access(r, &a.by, "the array was allocated here");
}

/* --- the observer of guard zones -------------------------------------------------------------- */

static void *on_launch_begin(const sm_grid *g)
{
    return san_stray_accesses_new(g);
}

static sm_report *on_launch_end(void *state)
{
    return san_stray_accesses_report(state, complete_guard_zone_report, NULL);
}

const sm_observer san_guard_zone_observer = {.launch_begins = on_launch_begin,
                                             .launch_ends = on_launch_end,
                                             .block_opens = san_block_shares_launch,
                                             .block_closes = san_ignore_block_end,
                                             .array_overrun = record_guard_zone_access};
