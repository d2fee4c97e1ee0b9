#include "arrays.h"

#include "../core/code.h"
#include "reported.h"
#include "reports.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the arrays ------------------------------------------------------------------------------- */

typedef struct guarded_array {
    uint64_t base;    /* first address of the allocation; 0: the entry is unused */
    uint64_t element; /* size of an element in bytes */
    san_caller by;
} guarded_array;

static pthread_mutex_t arrays_lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards guarded_arrays and array_count */
static guarded_array *guarded_arrays;
static size_t array_count;

static guarded_array *guarded_array_at(uint64_t base)
{
    for (size_t k = 0; k < array_count; k++) {
        if (guarded_arrays[k].base == base) {
            return &guarded_arrays[k];
        }
    }
    return NULL;
}

void san_add_guarded_array(uint64_t base, uint64_t element, const san_caller *by)
{
    pthread_mutex_lock(&arrays_lock);
    guarded_array *a = guarded_array_at(base);
    a = a ? a : guarded_array_at(0);
    if (!a) {
        const size_t room = 2 * array_count + 16;
        guarded_array *more = realloc(guarded_arrays, room * sizeof *more);
        if (more) {
            guarded_arrays = more;
            a = &guarded_arrays[array_count];
            for (; array_count < room; array_count++) {
                guarded_arrays[array_count].base = 0;
            }
        }
    }
    if (a) {
        *a = (guarded_array){base, element, *by};
    }
    pthread_mutex_unlock(&arrays_lock);
}

void san_drop_guarded_array(uint64_t base)
{
    pthread_mutex_lock(&arrays_lock);
    guarded_array *a = base ? guarded_array_at(base) : NULL;
    if (a) {
        a->base = 0;
    }
    pthread_mutex_unlock(&arrays_lock);
}

static bool find_guarded_array(uint64_t base, guarded_array *out)
{
    pthread_mutex_lock(&arrays_lock);
    const guarded_array *a = guarded_array_at(base);
    *out = a ? *a : (guarded_array){.base = base, .element = 1};
    pthread_mutex_unlock(&arrays_lock);
    return a != NULL;
}

/* --- accesses to guard zones during a launch
 * -------------------------------------------------------------------- */

enum { MAX_ZONE_ACCESSES = 20 };

/* The accesses of one instruction to the guard zones of one array. */
typedef struct zone_access {
    const ptx_insn *insn;    /* the instruction that accessed the guard zone */
    mem_range range;         /* address range of the array, without its guard zones */
    sm_effect effect;        /* load, store or atomic */
    uint64_t block, address; /* the first access: index of its block in the grid; its address */
    uint32_t thread, bytes;  /* the first access: thread in the block; number of bytes */
    uint64_t times;          /* number of accesses, counted by threads */
} zone_access;

typedef struct zone_launch {
    const sm_grid *grid;
    pthread_mutex_t lock;                /* guards the rest */
    zone_access list[MAX_ZONE_ACCESSES]; /* accesses seen so far */
    uint32_t count;                      /* entries used in `list` */
} zone_launch;

static zone_access *find_zone_access(zone_launch *l, const sm_access *a, const mem_range *r)
{
    for (uint32_t k = 0; k < l->count; k++) {
        if (l->list[k].insn == a->insn && l->list[k].range.base == r->base) {
            return &l->list[k];
        }
    }
    if (l->count == MAX_ZONE_ACCESSES) {
        return NULL;
    }
    zone_access *t = &l->list[l->count++];
    *t = (zone_access){.insn = a->insn, .range = *r, .effect = a->effect, .block = UINT64_MAX};
    return t;
}

static void record_zone_access(void *state, const sm_access *a)
{
    zone_launch *l = state;
    const sm_block *b = a->warp->block;
    pthread_mutex_lock(&l->lock);
    for (uint32_t m = a->mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        const mem_range *r = mem_find_guarded_in_snapshot(b->grid->map, a->address[lane]);
        zone_access *t = r ? find_zone_access(l, a, r) : NULL;
        if (t && b->linear < t->block) {
            t->block = b->linear;
            t->address = a->address[lane];
            t->thread = a->warp->index * SM_LANES + lane;
            t->bytes = a->bytes;
        }
        if (t) {
            t->times++;
        }
    }
    pthread_mutex_unlock(&l->lock);
}

/* --- reports ---------------------------------------------------------------------------------- */

static const char *const effect_verbs[] = {
    [SM_READS] = "reads", [SM_WRITES] = "writes", [SM_UPDATES] = "updates"};
static const char *const effect_past_tenses[] = {
    [SM_READS] = "read", [SM_WRITES] = "wrote", [SM_UPDATES] = "atomically updated"};

/* Index of the element that holds the byte OFFSET bytes after the start of an array. */
static int64_t element_index(int64_t offset, uint64_t element)
{
    const int64_t size = (int64_t)element;
    return offset >= 0 ? offset / size : -((-offset + size - 1) / size);
}

/* "writes element 100 of an array of 100 elements, 1 past the end" */
static void describe_zone_access(const zone_access *t, uint64_t element, char *out, size_t size)
{
    const int64_t offset = (int64_t)(t->address - t->range.base);
    const int64_t first = element_index(offset, element);
    const int64_t last = element_index(offset + (int64_t)t->bytes - 1, element);
    const int64_t count = (int64_t)(t->range.size / element);
    char which[80];
    if (first == last) {
        snprintf(which, sizeof which, "element %" PRId64, first);
    } else {
        snprintf(which, sizeof which, "elements %" PRId64 " to %" PRId64, first, last);
    }
    snprintf(out, size,
             "%s %s of an array of %" PRId64 " element%s, %s%" PRId64 " %s (0x%" PRIx64 ")",
             effect_verbs[t->effect], which, count, count == 1 ? "" : "s",
             first == last ? "" : "up to ", first < 0 ? -first : last - count + 1,
             first < 0 ? "before the start" : "past the end", t->address);
}

static sm_report *new_zone_report(const sm_grid *g, const zone_access *t)
{
    sm_report *r = calloc(1, sizeof *r);
    guarded_array a;
    char what[300], times[80];
    if (!r) {
        return NULL;
    }
    const bool known = find_guarded_array(t->range.base - t->range.front, &a);
    r->kind = "memory";
    r->chapter = 1;
    r->address = t->address;
    r->times = t->times;
    r->any_other = true;
    r->remedy = t->address < t->range.base
                    ? "Compare the index with 0: the first element has none before it."
                    : "Compare the index with the array's size; a guard such as `if (i < n)` stops "
                      "threads past the end.";
    san_report_set_place(r, &r->at, g, t->insn);
    r->at.access_name = effect_past_tenses[t->effect];
    san_block_id(g->launch, t->block, r->block);
    san_block_thread_text(g->launch, t->block, t->thread, r->at.thread_text,
                          sizeof r->at.thread_text);
    describe_zone_access(t, a.element, what, sizeof what);
    snprintf(r->sentence, sizeof r->sentence, "%s %s", r->at.thread_text, what);
    if (known && a.by.depth) {
        san_report_host_side(r, &a.by, "the array was allocated here");
    }
    snprintf(times, sizeof times, "%" PRIu64 " threads of the launch made this access.", t->times);
    san_report_set_text(r, t->times > 1 ? times : NULL);
    return r;
}

/* --- the observer of guard zones
 * ----------------------------------------------------------------------------- */

static void *launch_begins(const sm_grid *g)
{
    zone_launch *l = calloc(1, sizeof *l);
    if (l) {
        l->grid = g;
        pthread_mutex_init(&l->lock, NULL);
    }
    return l;
}

/* Comparison for sorting zone_access by block; within a block writes come first, because each
 * source line is reported only once. */
static int compare_access_blocks(const void *a, const void *b)
{
    const zone_access *x = a, *y = b;
    const bool x_reads = x->effect == SM_READS, y_reads = y->effect == SM_READS;
    return x->block != y->block ? (x->block > y->block) - (x->block < y->block)
           : x_reads != y_reads ? x_reads - y_reads
                                : (x->insn > y->insn) - (x->insn < y->insn);
}

static sm_report *launch_ends(void *state)
{
    zone_launch *l = state;
    sm_report *list = NULL, **end = &list;
    qsort(l->list, l->count, sizeof *l->list, compare_access_blocks);
    for (uint32_t k = 0; k < l->count; k++) {
        sm_report *r = new_zone_report(l->grid, &l->list[k]);
        if (r && san_is_reported(r, l->grid->launch->name)) {
            free(r);
            continue;
        }
        *end = r;
        end = r ? &r->next : end;
    }
    pthread_mutex_destroy(&l->lock);
    free(l);
    return list;
}

static void *block_opens(void *state, const sm_block *b)
{
    (void)b;
    return state;
}

static void block_closes(void *state)
{
    (void)state;
}

const sm_observer san_guard_zone_observer = {.launch_begins = launch_begins,
                                             .launch_ends = launch_ends,
                                             .block_opens = block_opens,
                                             .block_closes = block_closes,
                                             .array_overrun = record_zone_access};
