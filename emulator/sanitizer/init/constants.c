#include "constants.h"

#include "../memory/outside.h"
#include "written.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_uint unset_constants; /* variables that are tracked */

void san_add_unset_constant(uint64_t at, uint64_t size)
{
    static const san_caller nobody;
    san_add_unwritten(at, size, &nobody);
    atomic_fetch_add(&unset_constants, 1);
}

void san_forget_constant(uint64_t at)
{
    if (san_is_allocation_tracked(at)) {
        san_forget_tracked_allocation(at);
        atomic_fetch_sub(&unset_constants, 1);
    }
}

static bool are_constants_tracked(const sm_grid *g)
{
    (void)g;
    return atomic_load(&unset_constants);
}

/* The state of a launch. Nobody writes constant memory during a launch. */
typedef struct constant_launch {
    const sm_grid *grid;
    san_stray_accesses *reads;    /* reads of bytes that nobody has set */
    san_device_allocation **list; /* tracked memory, sorted by address */
    uint32_t count;               /* entries of `list` */
} constant_launch;

static void *on_launch_begin(const sm_grid *g)
{
    constant_launch *l = calloc(1, sizeof *l);
    san_stray_accesses *reads = l ? san_stray_accesses_new(g) : NULL;
    if (!reads) {
        free(l);
        return NULL;
    }
    l->grid = g;
    l->reads = reads;
    l->list = san_take_tracked_allocations(&l->count);
    return l;
}

static void check_constant_access(void *state, const sm_access *a)
{
    constant_launch *l = state;
    uint64_t last = 0;
    SM_EACH_LANE(lane, a->space == PTX_SPACE_CONST ? a->mask : 0) {
        const uint64_t at = a->address[lane];
        const san_device_allocation *f =
            at == last ? NULL : san_find_tracked_allocation(l->list, l->count, at);
        last = at;
        if (f && !san_is_any_bit_set(f->bits, at - f->at, a->bytes)) {
            const san_missed_object object = {.base = f->at, .size = f->size};
            san_stray_accesses_add(l->reads, a, lane, &object);
        }
    }
}

static void complete_constant_report(void *context, sm_report *r, const san_stray_access *x)
{
    const constant_launch *l = context;
    const san_device_allocation *f = san_find_tracked_allocation(l->list, l->count, x->object.base);
    const bool some = f && san_is_any_bit_set(f->bits, 0, f->size);
    char memory[250];
    mem_describe(x->address, x->bytes, memory, sizeof memory);
    r->kind = "init";
    r->chapter = CHAPTER_DEVICE_SYMBOLS;
    r->remedy = some ? "Set the whole variable: cudaMemcpyToSymbol() counts bytes, for instance "
                       "sizeof of the variable, not elements."
                     : "Set the variable before the launch, with cudaMemcpyToSymbol(), or give it "
                       "an initial value.";
    snprintf(r->sentence, sizeof r->sentence,
             "%s reads %u byte%s of a __constant__ variable that the program has %s: byte %" PRIu64
             " %s: it is 0",
             r->at.thread_text, x->bytes, x->bytes == 1 ? "" : "s",
             some ? "set only in part" : "never set", x->address - x->object.base, memory);
}

static sm_report *on_launch_end(void *state)
{
    constant_launch *l = state;
    sm_report *list = san_stray_accesses_report(l->reads, complete_constant_report, l);
    san_release_tracked_allocations(l->list, l->count);
    free(l);
    return list;
}

const sm_observer san_constant_observer = {.sees = SM_SEES_CONST,
                                           .wants = are_constants_tracked,
                                           .launch_begins = on_launch_begin,
                                           .launch_ends = on_launch_end,
                                           .block_opens = san_block_shares_launch,
                                           .block_closes = san_ignore_block_end,
                                           .access = check_constant_access};
