/* The list of asynchronous copies in flight in a cluster; it decides when each copy is executed. */
#include "flight.h"

#include "../../base/list.h"
#include "../../observe/observe.h"
#include "../fault.h"

#include <stdlib.h>
#include <string.h>

/* The latest phase of an mbarrier that a warp fills with copies, if it has not waited for it. */
typedef struct filled_phase {
    const sm_warp *warp;
    sm_mbarrier bar;
    bool parity; /* of the phase */
} filled_phase;

/* The bulk and tensor copies in flight of a cluster. */
struct sm_bulk_copies {
    sm_bulk_copy *list;  /* [count] copies in the order of issue */
    filled_phase *phase; /* [phases] for the counters: at most one of each warp and mbarrier */
    uint32_t count, phases;
    uint64_t *committed; /* bulk groups committed by each thread of the cluster; NULL: none */
};

struct sm_bulk_copies *sm_bulk_copies_new(void)
{
    return calloc(1, sizeof(struct sm_bulk_copies));
}

/* Free what bulk copy A owns: its copy of the box and the observers' objects. */
static void free_bulk_copy(const sm_bulk_copy *a)
{
    free((void *)(uintptr_t)a->box);
    observe_release_copy_objects(a->issued);
}

void sm_bulk_copies_free(struct sm_bulk_copies *f)
{
    if (f) {
        sm_bulk_copies_discard(f);
        free(f->list);
        free(f->phase);
        free(f);
    }
}

void sm_bulk_copies_discard(struct sm_bulk_copies *f)
{
    for (uint32_t k = 0; k < f->count; k++)
        free_bulk_copy(&f->list[k]);
    f->count = f->phases = 0;
    free(f->committed);
    f->committed = NULL;
}

static bool stop_out_of_memory(const sm_warp *w)
{
    sm_stop_grid(w->block->grid, w->block, SM_FAULT_MEMORY,
                 "The host is out of memory: no room for asynchronous copies in flight.");
    return false;
}

bool sm_bulk_copies_add(const sm_bulk_copy *flight)
{
    struct sm_bulk_copies *f = flight->warp->block->cluster->bulk_copies;
    sm_box *own = flight->box ? malloc(sizeof *own) : NULL;
    sm_bulk_copy *new = own || !flight->box ? LIST_ADD(f->list, f->count) : NULL;
    if (!new) {
        free(own);
        return stop_out_of_memory(flight->warp);
    }
    *new = *flight;
    if (own)
        *own = *flight->box;
    new->box = own;
    if (flight->warp->block->observed)
        observe_copy_issued(flight->warp, new->issued);
    return true;
}

static bool is_same_mbarrier(const sm_mbarrier *a, const sm_mbarrier *b)
{
    return a->block == b->block && a->offset == b->offset;
}

bool sm_bulk_copies_count_phase(sm_warp *w, const sm_mbarrier *m)
{
    struct sm_bulk_copies *f = w->block->cluster->bulk_copies;
    const bool parity = sm_mbarrier_parity(*sm_mbarrier_word(m));
    filled_phase *same = NULL;
    uint32_t others = 0;
    for (uint32_t k = 0; k < f->phases; k++) {
        const bool own = f->phase[k].warp == w, here = is_same_mbarrier(&f->phase[k].bar, m);
        same = own && here ? &f->phase[k] : same;
        others += own && !here;
    }
    if (!w->worker->counting || m->block != w->block || (same && same->parity == parity))
        return true;
    same = same ? same : LIST_ADD(f->phase, f->phases);
    if (!same)
        return stop_out_of_memory(w);
    *same = (filled_phase){w, *m, parity};
    w->worker->extra.v[CTR_bulk_phases]++;
    w->worker->extra.v[CTR_bulk_phases_ahead] += others;
    return true;
}

void sm_bulk_copies_note_wait(const sm_warp *w, const sm_mbarrier *m)
{
    struct sm_bulk_copies *f = m->block->cluster->bulk_copies;
    for (uint32_t k = 0; k < f->phases; k++) {
        if (f->phase[k].warp == w && is_same_mbarrier(&f->phase[k].bar, m)) {
            f->phase[k] = f->phase[--f->phases];
            return;
        }
    }
}

static uint64_t *bulk_group_count(const struct sm_bulk_copies *f, const sm_warp *w, uint32_t lane)
{
    const sm_block *b = w->block;
    return &f->committed[b->rank * b->thread_count + w->index * SM_LANES + lane];
}

static bool is_issued_by_thread(const sm_bulk_copy *a, const sm_warp *w, uint32_t lane)
{
    return a->warp == w && a->lane == lane && !a->bar.block;
}

bool sm_bulk_copies_commit(sm_warp *w, uint32_t lane)
{
    struct sm_bulk_copies *f = w->block->cluster->bulk_copies;
    if (!f->committed) {
        const sm_cluster *c = w->block->cluster;
        f->committed = calloc((size_t)c->count * w->block->thread_count, sizeof *f->committed);
        if (!f->committed)
            return stop_out_of_memory(w);
    }
    const uint64_t group = ++*bulk_group_count(f, w, lane);
    for (uint32_t k = 0; k < f->count; k++)
        if (is_issued_by_thread(&f->list[k], w, lane) && !f->list[k].group)
            f->list[k].group = group;
    return true;
}

/* --- executing copies ------------------------------------------------------------------------- */

/* Report to the observers the rows of a tensor box in global memory, one access for each row. */
static void report_rows_to_observers(sm_bulk_copy *a, sm_effect effect)
{
    sm_box_iterator walk = {.box = a->box};
    const uint32_t element = mem_tensor_bytes(a->box->map.type);
    for (sm_box_row row; sm_box_next_row(&walk, &row);) {
        if (row.count) {
            observe_copy_lands(a->warp->block, a->issued, a->warp, a->insn, a->lane,
                               PTX_SPACE_GLOBAL, row.address, row.count * element, effect);
        }
    }
}

static void report_copy_to_observers(sm_bulk_copy *a)
{
    const sm_effect effect = a->combine ? SM_UPDATES : SM_WRITES;
    if (a->to_block) {
        observe_copy_lands(a->to_block, a->issued, a->warp, a->insn, a->lane, PTX_SPACE_SHARED,
                           a->to_offset, a->box ? sm_box_shared_bytes(a->box) : a->bytes, effect);
    } else if (a->box) {
        report_rows_to_observers(a, effect);
    } else {
        observe_copy_lands(a->warp->block, a->issued, a->warp, a->insn, a->lane, PTX_SPACE_GLOBAL,
                           a->to_address, a->bytes, effect);
    }
}

/* Report the bytes that the box of A transfers, in pieces like PIECE; if shared memory is swizzled,
 * a piece has at most 16 bytes. */
static void report_box_bytes_to_observers(const sm_bulk_copy *a, sm_copied piece)
{
    const sm_box *box = a->box;
    const uint32_t element = mem_tensor_bytes(box->map.type);
    sm_box_iterator walk = {.box = box};
    for (sm_box_row row; sm_box_next_row(&walk, &row);) {
        const uint32_t in = row.first * element, past = in + row.count * element;
        for (uint32_t at = in, to; at < past; at = to) {
            const uint64_t inside = (a->to_block ? a->to_offset : a->from_offset) + row.at + at;
            const uint32_t unit = at + 16 - (uint32_t)(inside % 16);
            to = !box->map.swizzle || unit > past ? past : unit;
            const uint64_t offset = sm_swizzled_offset(inside, box->map.swizzle);
            const uint64_t global = row.address + (at - in);
            piece.bytes = to - at;
            piece.from = a->to_block ? global : offset;
            piece.to = a->to_block ? offset : global;
            observe_copied_bytes(&piece);
        }
    }
}

static void report_bytes_to_observers(const sm_bulk_copy *a)
{
    const bool from_global = a->from_address || (a->box && a->to_block);
    sm_copied c = {.warp = a->warp,
                   .insn = a->insn,
                   .lane = a->lane,
                   .bytes = a->bytes,
                   .from_block =
                       a->warp->block, /* a copy from shared memory reads that of its own block */
                   .to_block = a->to_block ? a->to_block : a->warp->block,
                   .from_space = from_global ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED,
                   .space = a->to_block ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL,
                   .to = a->to_block ? a->to_offset : a->to_address,
                   .reduces = a->combine != NULL};
    if (a->box) {
        report_box_bytes_to_observers(a, c);
    } else if (a->from &&
               a->bytes) { /* otherwise the bytes come from registers, and no memory is read */
        c.from = from_global ? a->from_address : (uint64_t)(a->from - c.from_block->shared);
        observe_copied_bytes(&c);
    }
}

static bool complete_bulk_copy(sm_bulk_copy *a)
{
    sm_warp *w = a->warp;
    const uint8_t *from = a->from ? a->from : a->value;
    if (a->to_block && a->to_block->cluster->has_ended[a->to_block->rank]) {
        sm_stop_bad_cluster_address(w, a->insn, a->lane,
                                    (uint64_t)a->to_block->rank << SM_RANK_SHIFT | a->to_offset,
                                    a->bytes, "writes");
        return false;
    }
    if (w->block->observed) {
        report_copy_to_observers(a);
        if (observe_needs_copied_bytes(w->block))
            report_bytes_to_observers(a);
    }
    if (a->box && a->to_block) {
        sm_box_copy(w->worker, a->box, a->to_block->shared, a->to_offset, false, NULL);
    } else if (a->box) {
        sm_box_copy(w->worker, a->box, (uint8_t *)(uintptr_t)a->from, a->from_offset, true,
                    a->combine);
    } else if (a->combine) {
        a->combine(a->to, from, a->bytes, a->to_block != NULL);
    } else {
        memmove(a->to, from, a->bytes);
    }
    w->worker->changes += a->to_block == NULL;
    w->worker->shared_changes += a->bytes != 0;
    return !a->bar.block || !a->bytes ||
           sm_mbarrier_expect_bytes(w, a->insn, a->lane, &a->bar, -(int64_t)a->bytes);
}

/* Execute the copies for which WANTED returns true, in the order of issue. */
static bool complete_matching_copies(struct sm_bulk_copies *f,
                                     bool (*wanted)(const sm_bulk_copy *a, const void *of),
                                     const void *of)
{
    uint32_t kept = 0;
    bool good = true;
    while (kept < f->count && !wanted(&f->list[kept], of))
        kept++;
    for (uint32_t k = kept; k < f->count; k++) {
        sm_bulk_copy a = f->list[k];
        if (good && wanted(&a, of)) {
            good = complete_bulk_copy(&a);
            free_bulk_copy(&a);
        } else {
            f->list[kept++] = a;
        }
    }
    f->count = kept;
    return good;
}

static bool completes_on_mbarrier(const sm_bulk_copy *a, const void *mbarrier)
{
    return is_same_mbarrier(&a->bar, mbarrier);
}

bool sm_bulk_copies_complete_for_mbarrier(const sm_mbarrier *m)
{
    struct sm_bulk_copies *f = m->block->cluster->bulk_copies;
    return f->count == 0 || complete_matching_copies(f, completes_on_mbarrier, m);
}

typedef struct thread_groups {
    const sm_warp *warp; /* the warp of the thread */
    uint32_t lane;       /* lane of the thread */
    uint64_t last;       /* number of the last group whose copies are completed */
} thread_groups;

static bool is_copy_in_groups(const sm_bulk_copy *a, const void *groups)
{
    const thread_groups *g = groups;
    return is_issued_by_thread(a, g->warp, g->lane) && a->group && a->group <= g->last;
}

bool sm_bulk_copies_complete_groups(sm_warp *w, uint32_t lane, uint64_t keep)
{
    struct sm_bulk_copies *f = w->block->cluster->bulk_copies;
    const uint64_t all = f->committed ? *bulk_group_count(f, w, lane) : 0;
    const thread_groups g = {w, lane, all > keep ? all - keep : 0};
    return f->count == 0 || complete_matching_copies(f, is_copy_in_groups, &g);
}

static bool is_issued_by_block(const sm_bulk_copy *a, const void *block)
{
    return a->warp->block == block;
}

bool sm_bulk_copies_complete_block(sm_block *b)
{
    struct sm_bulk_copies *f = b->cluster->bulk_copies;
    return f->count == 0 || complete_matching_copies(f, is_issued_by_block, b);
}
