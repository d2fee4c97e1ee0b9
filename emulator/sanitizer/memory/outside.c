#include "outside.h"

#include "../../base/lock.h"
#include "../reported.h"
#include "../reports.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_STRAY_ACCESSES = 20 /* most accesses that a launch reports */ };

struct san_stray_accesses {
    const sm_grid *grid;                       /* the grid that the launch runs */
    pthread_mutex_t lock;                      /* protects the fields below */
    san_stray_access list[MAX_STRAY_ACCESSES]; /* accesses of the launch that missed an object */
    uint32_t count;                            /* entries used in `list` */
};

san_stray_accesses *san_stray_accesses_new(const sm_grid *g)
{
    san_stray_accesses *l = calloc(1, sizeof *l);
    if (l) {
        l->grid = g;
        pthread_mutex_init(&l->lock, NULL);
    }
    return l;
}

static san_stray_access *find_stray_access(san_stray_accesses *l, const sm_access *a,
                                           const san_missed_object *object)
{
    for (uint32_t k = 0; k < l->count; k++)
        if (l->list[k].insn == a->insn && l->list[k].object.base == object->base)
            return &l->list[k];
    if (l->count == MAX_STRAY_ACCESSES)
        return NULL;
    san_stray_access *x = &l->list[l->count++];
    *x = (san_stray_access){
        .insn = a->insn, .object = *object, .effect = a->effect, .block = UINT64_MAX};
    return x;
}

void san_stray_accesses_add(san_stray_accesses *l, const sm_access *a, uint32_t lane,
                            const san_missed_object *object)
{
    const sm_block *b = a->warp->block;
    HOLD_LOCK(&l->lock);
    san_stray_access *x = find_stray_access(l, a, object);
    if (x && b->linear < x->block) {
        x->block = b->linear;
        x->address = a->address[lane];
        x->thread = a->warp->index * SM_LANES + lane;
        x->bytes = a->bytes;
    }
    if (x)
        x->times++;
}

/* --- reports ---------------------------------------------------------------------------------- */

/* Comparison for sorting accesses by block; within a block writes come first, because each source
 * line is reported only once. */
static int compare_stray_access_blocks(const void *a, const void *b)
{
    const san_stray_access *x = a, *y = b;
    const bool x_reads = x->effect == SM_READS, y_reads = y->effect == SM_READS;
    return x->block != y->block ? (x->block > y->block) - (x->block < y->block)
           : x_reads != y_reads ? x_reads - y_reads
                                : (x->insn > y->insn) - (x->insn < y->insn);
}

static sm_report *new_stray_access_report(const sm_grid *g, const san_stray_access *x)
{
    sm_report *r = calloc(1, sizeof *r);
    if (r) {
        r->kind = "memory";
        r->address = x->address;
        r->times = x->times;
        r->any_other = true;
        san_report_set_source_line(r, &r->at, g, x->insn);
        r->at.access_name = sm_effect_in_past(x->effect);
        san_block_id(g->launch, x->block, r->block);
        san_block_thread_text(g->launch, x->block, x->thread, r->at.thread_text,
                              sizeof r->at.thread_text);
    }
    return r;
}

sm_report *san_stray_accesses_report(san_stray_accesses *l,
                                     void (*complete)(void *context, sm_report *r,
                                                      const san_stray_access *x),
                                     void *context)
{
    sm_report *list = NULL, **end = &list;
    qsort(l->list, l->count, sizeof *l->list, compare_stray_access_blocks);
    for (uint32_t k = 0; k < l->count; k++) {
        char times[80];
        sm_report *r = new_stray_access_report(l->grid, &l->list[k]);
        if (r) {
            complete(context, r, &l->list[k]);
            snprintf(times, sizeof times, "%" PRIu64 " threads of the launch made this access.",
                     r->times);
            san_report_set_text(r, r->times > 1 ? times : NULL);
        }
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

/* --- blocks ----------------------------------------------------------------------------------- */

void *san_block_shares_launch(void *launch, const sm_block *b)
{
    (void)b;
    return launch;
}

void san_ignore_block_end(void *launch)
{
    (void)launch;
}
