#include "heap.h"

#include "../../base/lock.h"
#include "../../core/code.h"
#include "../../sm/heap.h"
#include "../reports.h"
#include "outside.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FREES = 256 /* number of calls of free() that are remembered */ };

/* A call of free() in device code. */
typedef struct heap_free {
    const ptx_insn *insn; /* the call instruction */
    uint64_t address;     /* the device address that was passed to free() */
    uint64_t block;       /* index in the grid of the thread's block */
    uint32_t thread;      /* index in its block of the thread that called free() */
} heap_free;

typedef struct heap_launch {
    const sm_grid *grid;        /* the grid that the launch runs */
    san_stray_accesses *stray;  /* accesses that miss the memory returned by malloc() */
    pthread_mutex_t lock;       /* protects the fields below */
    heap_free freed[MAX_FREES]; /* the last calls of free(), in a ring */
    uint64_t free_count;        /* how many calls of free() there were */
} heap_launch;

static bool may_use_heap(const sm_grid *g)
{
    return g->unit->heap || sm_heap_is_open();
}

static void *on_launch_begin(const sm_grid *g)
{
    heap_launch *l = calloc(1, sizeof *l);
    san_stray_accesses *stray = l ? san_stray_accesses_new(g) : NULL;
    if (!stray) {
        free(l);
        return NULL;
    }
    sm_heap_check_accesses();
    l->grid = g;
    l->stray = stray;
    pthread_mutex_init(&l->lock, NULL);
    return l;
}

static void check_heap_access(void *state, const sm_access *a)
{
    heap_launch *l = state;
    SM_EACH_LANE(lane, a->mask) {
        sm_heap_piece piece;
        if (!sm_heap_is_allocated(a->address[lane], a->bytes) &&
            sm_heap_find_piece(a->address[lane], &piece)) {
            const san_missed_object object = {piece.base, piece.size, piece.is_freed};
            san_stray_accesses_add(l->stray, a, lane, &object);
        }
    }
}

static void on_device_free(void *state, const sm_warp *w, const ptx_insn *in, uint32_t lane,
                           uint64_t address)
{
    heap_launch *l = state;
    HOLD_LOCK(&l->lock);
    l->freed[l->free_count++ % MAX_FREES] =
        (heap_free){in, address, w->block->linear, w->index * SM_LANES + lane};
}

/* --- reports ---------------------------------------------------------------------------------- */

static const heap_free *find_recorded_free(const heap_launch *l, uint64_t address)
{
    const uint64_t kept = l->free_count < MAX_FREES ? l->free_count : MAX_FREES;
    for (uint64_t k = 0; k < kept; k++)
        if (l->freed[k].address == address)
            return &l->freed[k];
    return NULL;
}

static void describe_freeing_thread(const heap_launch *l, sm_report *r, const heap_free *f)
{
    san_report_set_source_line(r, &r->other, l->grid, f->insn);
    r->other.access_name = "freed";
    san_block_thread_text(l->grid->launch, f->block, f->thread, r->other.thread_text,
                          sizeof r->other.thread_text);
    snprintf(r->other_text, sizeof r->other_text, "%s freed it here", r->other.thread_text);
}

static void complete_heap_report(void *context, sm_report *r, const san_stray_access *x)
{
    const heap_launch *l = context;
    const uint64_t end = x->object.base + x->object.size;
    const bool is_freed = x->object.key && x->address < end;
    const heap_free *f = is_freed ? find_recorded_free(l, x->object.base) : NULL;
    r->chapter = CHAPTER_FINDING_MISTAKES;
    if (is_freed) {
        r->remedy = "Call free() after the last use of the memory, by any thread.";
        snprintf(r->sentence, sizeof r->sentence,
                 "%s %s %u byte%s of the %" PRIu64
                 " bytes that malloc() in a kernel returned (0x%" PRIx64
                 "), after free() had released them",
                 r->at.thread_text, sm_effect_in_present(x->effect), x->bytes,
                 x->bytes == 1 ? "" : "s", x->object.size, x->address);
    } else {
        r->remedy = "Ask malloc() for as many bytes as are used: count times sizeof. Compare the "
                    "index with the count.";
        snprintf(r->sentence, sizeof r->sentence,
                 "%s %s %u byte%s that end %" PRIu64 " past the end of the %" PRIu64
                 " bytes that malloc() in a kernel returned (0x%" PRIx64 ")",
                 r->at.thread_text, sm_effect_in_present(x->effect), x->bytes,
                 x->bytes == 1 ? "" : "s", x->address + x->bytes - end, x->object.size, x->address);
    }
    if (f)
        describe_freeing_thread(l, r, f);
}

/* --- the observer ----------------------------------------------------------------------------- */

static sm_report *on_launch_end(void *state)
{
    heap_launch *l = state;
    sm_report *list = san_stray_accesses_report(l->stray, complete_heap_report, l);
    pthread_mutex_destroy(&l->lock);
    free(l);
    return list;
}

const sm_observer san_heap_observer = {.sees = SM_SEES_GLOBAL,
                                       .wants = may_use_heap,
                                       .launch_begins = on_launch_begin,
                                       .launch_ends = on_launch_end,
                                       .block_opens = san_block_shares_launch,
                                       .block_closes = san_ignore_block_end,
                                       .access = check_heap_access,
                                       .device_free = on_device_free};
