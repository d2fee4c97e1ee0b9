/* Register windows of function calls, and the values written into a new window: constants,
 * parameters, special registers. */
#include "windows.h"
#include "../core/sched.h"
#include "cluster.h"

#include <stdlib.h>
#include <string.h>

static uint32_t special_register_of_lane(const sm_warp *w, ptx_sreg s, uint32_t l)
{
    switch (s) {
    case PTX_SREG_tid_x: return w->tid[0][l];
    case PTX_SREG_tid_y: return w->tid[1][l];
    case PTX_SREG_tid_z: return w->tid[2][l];
    case PTX_SREG_laneid: return l;
    case PTX_SREG_lanemask_eq: return 1u << l;
    case PTX_SREG_lanemask_lt: return (1u << l) - 1;
    case PTX_SREG_lanemask_le: return (2u << l) - 1;
    case PTX_SREG_lanemask_gt: return ~((2u << l) - 1);
    default: return ~((1u << l) - 1);
    }
}

static bool is_special_register_per_lane(ptx_sreg s)
{
    return s == PTX_SREG_tid_x || s == PTX_SREG_tid_y || s == PTX_SREG_tid_z ||
           s == PTX_SREG_laneid || (s >= PTX_SREG_lanemask_eq && s <= PTX_SREG_lanemask_gt);
}

static uint64_t special_register_of_warp(const sm_warp *w, ptx_sreg s)
{
    const sm_block *b = w->block;
    const sm_launch *launch = b->grid->launch;
    const uint32_t sms = launch->sm_count ? launch->sm_count : 1;
    switch (s) {
    case PTX_SREG_ntid_x:
    case PTX_SREG_ntid_y:
    case PTX_SREG_ntid_z: return launch->block[s - PTX_SREG_ntid_x];
    case PTX_SREG_ctaid_x:
    case PTX_SREG_ctaid_y:
    case PTX_SREG_ctaid_z: return b->id[s - PTX_SREG_ctaid_x];
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nctaid_z: return launch->grid[s - PTX_SREG_nctaid_x];
    case PTX_SREG_clusterid_x:
    case PTX_SREG_clusterid_y:
    case PTX_SREG_clusterid_z:
        return b->id[s - PTX_SREG_clusterid_x] / b->grid->cluster[s - PTX_SREG_clusterid_x];
    case PTX_SREG_nclusterid_x:
    case PTX_SREG_nclusterid_y:
    case PTX_SREG_nclusterid_z:
        return launch->grid[s - PTX_SREG_nclusterid_x] /
               b->grid->cluster[s - PTX_SREG_nclusterid_x];
    case PTX_SREG_cluster_nctaid_x:
    case PTX_SREG_cluster_nctaid_y:
    case PTX_SREG_cluster_nctaid_z: return b->grid->cluster[s - PTX_SREG_cluster_nctaid_x];
    case PTX_SREG_cluster_ctaid_x: return b->rank % b->grid->cluster[0];
    case PTX_SREG_cluster_ctaid_y: return b->rank / b->grid->cluster[0] % b->grid->cluster[1];
    case PTX_SREG_cluster_ctaid_z: return b->rank / b->grid->cluster[0] / b->grid->cluster[1];
    case PTX_SREG_cluster_ctarank: return b->rank;
    case PTX_SREG_cluster_nctarank: return b->cluster->count;
    case PTX_SREG_is_explicit_cluster: /* a predicate register: one bit per lane */
        return b->grid->clusters ? SM_FULL : 0;
    case PTX_SREG_warpid: return w->index;
    case PTX_SREG_nwarpid: return 64;
    case PTX_SREG_smid: return b->linear % sms;
    case PTX_SREG_nsmid: return sms;
    case PTX_SREG_gridid: return 1;
    case PTX_SREG_envreg1: /* upper half of the address that cooperative groups' this_grid()
                              reads */
        return b->grid->workspace >> 32;
    case PTX_SREG_envreg2: return b->grid->workspace & UINT32_MAX;
    case PTX_SREG_dynamic_smem_size: return launch->dynamic_shared;
    case PTX_SREG_total_smem_size: /* without the reserved bytes; an H200 allocates shared memory in
                                      units of 128 bytes */
        return (b->grid->reserved_at + 127) / 128 * 128;
    case PTX_SREG_aggr_smem_size: return b->shared_bytes;
    case PTX_SREG_reserved_smem_offset_begin:
    case PTX_SREG_reserved_smem_offset_0: return b->shared_base + b->grid->reserved_at;
    case PTX_SREG_reserved_smem_offset_1: /* the reserved part that cooperative groups use */
        return b->shared_base + b->grid->reserved_at + SM_RESERVED_SHARED_BYTES / 2;
    case PTX_SREG_reserved_smem_offset_cap:
    case PTX_SREG_reserved_smem_offset_end: return b->shared_base + b->shared_bytes;
    default: return 0;
    }
}

static uint64_t window_fill_value(const sm_warp *w, const sm_frame *f, const sm_window_fill *e)
{
    if (e->sreg != PTX_SREG_NONE)
        return special_register_of_warp(w, e->sreg);
    uint64_t v = 0;
    if (e->shared)
        return w->block->shared_base + e->offset;
    if (!e->param)
        return f->local_base + e->offset;
    memcpy(&v, w->block->grid->params + e->offset, e->bytes);
    return v;
}

/* Registers that may be read before they are written are zero, so that every run is the same. */
void sm_fill_window(sm_warp *w, sm_frame *f, bool fresh)
{
    const sm_code *c = f->code;
    for (uint32_t k = 0; k < c->zero_count; k++)
        memset(f->window + c->zero[k].slot, 0, c->zero[k].bytes);
    const uint32_t count = fresh ? c->fill_count : c->block_fill_count;
    for (uint32_t k = 0; k < count; k++) {
        const sm_window_fill *e = &c->fill[k];
        uint32_t *to = (uint32_t *)(f->window + e->slot);
        if (is_special_register_per_lane(e->sreg)) {
            for (uint32_t l = 0; l < SM_LANES; l++)
                to[l] = special_register_of_lane(w, e->sreg, l);
            continue;
        }
        const uint64_t v = window_fill_value(w, f, e);
        if (e->bytes == 8)
            for (uint32_t l = 0; l < SM_LANES; l++)
                ((uint64_t *)to)[l] = v;
        else
            for (uint32_t l = 0; l < SM_LANES; l++)
                to[l] = (uint32_t)v;
    }
}

uint64_t sm_stack_limit(const sm_grid *g)
{
    enum { DEFAULT_STACK = 1024 };
    uint64_t most = g->launch->stack_bytes ? g->launch->stack_bytes : DEFAULT_STACK;
    for (uint32_t k = 0; k < g->unit->code_count; k++)
        most = g->unit->code[k]->frame_bytes > most ? g->unit->code[k]->frame_bytes : most;
    return most;
}

sm_frame *sm_new_frame(sm_warp *w, const sm_code *code, uint64_t local_base)
{
    sm_frame **list = &w->worker->free_frames[code->index];
    sm_frame *f = *list;
    if (f) {
        *list = f->next_free;
    } else {
        f = calloc(1, sizeof *f);
        uint8_t *window = f ? aligned_alloc(64, code->window_bytes) : NULL;
        const bool clock = code->unit->clock;
        uint64_t *ready = clock ? calloc(code->func->reg_count + 1u, sizeof *ready) : NULL;
        if (!window || (clock && !ready)) {
            free(window);
            free(ready);
            free(f);
            return NULL;
        }
        memset(window, 0, code->const_offset);
        memcpy(window + code->const_offset, code->consts, code->window_bytes - code->const_offset);
        f->code = code;
        f->window = window;
        f->ready = ready;
        f->next_made = w->worker->frames;
        w->worker->frames = f;
    }
    f->local_base = local_base;
    f->allocates = false;
    if (f->ready)
        memset(f->ready, 0, code->func->reg_count * sizeof *f->ready);
    sm_fill_window(w, f, true);
    return f;
}

void sm_recycle_frame(sm_warp *w, sm_frame *f)
{
    sm_frame **list = &w->worker->free_frames[f->code->index];
    f->next_free = *list;
    *list = f;
}

void sm_frames_free(sm_worker *k)
{
    for (sm_frame *f = k->frames, *next; f; f = next) {
        next = f->next_made;
        free(f->window);
        free(f->ready);
        free(f);
    }
    free(k->free_frames);
}
