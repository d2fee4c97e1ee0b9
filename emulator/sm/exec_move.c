/* mov: registers, vectors packed into scalars and back, special registers (PTX ISA 9.7.9.3, 10). */
#include "exec_lanes.h"

typedef struct u128 {
    uint64_t lo, hi;
} u128;

SM_FN1(mov_32, uint32_t, uint32_t, a)
SM_FN1(mov_64, uint64_t, uint64_t, a)

SM_FN(mov_128)
{
    SM_EACH_LANE(w->mask)
    {
        SM_R(u128, w, i->d)[l] = SM_R(u128, w, i->a)[l];
    }
    return i + 1;
}

SM_FN(mov_pred)
{
    sm_put_pred(w, i->d, SM_P(w, i->a) ^ (i->mode ? UINT32_MAX : 0));
    return i + 1;
}

/* --- vectors -----------------------------------------------------------------------------------*/
/* i->vec elements of i->mode bits; extra: their slots, NO_SLOT for `_`. */
#define NO_SLOT UINT32_MAX

static inline uint64_t get(const sm_warp *w, uint32_t slot, uint32_t bytes, uint32_t l)
{
    return bytes == 8 ? SM_R(uint64_t, w, slot)[l] : SM_R(uint32_t, w, slot)[l];
}

static inline void put(sm_warp *w, uint32_t slot, uint32_t bytes, uint32_t l, uint64_t x)
{
    if (bytes == 8) {
        SM_R(uint64_t, w, slot)[l] = x;
    } else {
        SM_R(uint32_t, w, slot)[l] = (uint32_t)x;
    }
}

SM_FN(pack)
{
    const uint32_t *slot = i->extra, bytes = (uint32_t)i->imm;
    const uint64_t ones = UINT64_MAX >> (64 - i->mode);
    SM_EACH_LANE(w->mask)
    {
        uint64_t x = 0;
        for (uint32_t k = 0; k < i->vec; k++) {
            x |= (get(w, slot[k], 4, l) & ones) << (k * i->mode);
        }
        put(w, i->d, bytes, l, x);
    }
    return i + 1;
}

SM_FN(unpack)
{
    const uint32_t *slot = i->extra, bytes = (uint32_t)i->imm;
    const uint64_t ones = UINT64_MAX >> (64 - i->mode);
    SM_EACH_LANE(w->mask)
    {
        const uint64_t x = get(w, i->a, bytes, l);
        for (uint32_t k = 0; k < i->vec; k++) {
            if (slot[k] != NO_SLOT) {
                put(w, slot[k], 4, l, x >> (k * i->mode) & ones);
            }
        }
    }
    return i + 1;
}

/* The common one: a 64-bit register made of two 32-bit ones, and back. */
SM_FN(pack_2x32)
{
    const uint32_t *slot = i->extra;
    const uint32_t *lo = SM_R(uint32_t, w, slot[0]), *hi = SM_R(uint32_t, w, slot[1]);
    SM_LANES_DO(w, uint64_t, SM_R(uint64_t, w, i->d), lo[l] | (uint64_t)hi[l] << 32);
    return i + 1;
}

SM_FN(unpack_2x32)
{
    const uint32_t *slot = i->extra;
    const uint64_t *a = SM_R(uint64_t, w, i->a);
    if (slot[0] != NO_SLOT) {
        SM_LANES_DO(w, uint32_t, SM_R(uint32_t, w, slot[0]), (uint32_t)a[l]);
    }
    if (slot[1] != NO_SLOT) {
        SM_LANES_DO(w, uint32_t, SM_R(uint32_t, w, slot[1]), (uint32_t)(a[l] >> 32));
    }
    return i + 1;
}

SM_FN(pack_2x64)
{
    const uint32_t *slot = i->extra;
    SM_EACH_LANE(w->mask)
    {
        SM_R(u128, w, i->d)[l] = (u128){get(w, slot[0], 8, l), get(w, slot[1], 8, l)};
    }
    return i + 1;
}

SM_FN(unpack_2x64)
{
    const uint32_t *slot = i->extra;
    SM_EACH_LANE(w->mask)
    {
        const u128 x = SM_R(u128, w, i->a)[l];
        if (slot[0] != NO_SLOT) {
            put(w, slot[0], 8, l, x.lo);
        }
        if (slot[1] != NO_SLOT) {
            put(w, slot[1], 8, l, x.hi);
        }
    }
    return i + 1;
}

static sm_fn vector(sm_translation *t, const ptx_insn *in, sm_insn *out, const ptx_operand *o,
                    bool packing)
{
    const uint32_t bytes = ptx_type_bytes(in->type[0]);
    if ((o->count != 2 && o->count != 4) || bytes < 2 || bytes / o->count * o->count != bytes) {
        return NULL;
    }
    const uint32_t element = bytes / o->count;
    uint32_t *slot = sm_code_alloc(t, o->count * sizeof *slot);
    if (!slot) {
        return NULL;
    }
    for (uint32_t k = 0; k < o->count; k++) {
        if (o->v[k].kind == PTX_VAL_SINK) {
            if (packing) {
                return NULL;
            }
            slot[k] = NO_SLOT;
        } else {
            slot[k] = sm_slot(t, &o->v[k], element == 8 ? 8 : 4);
        }
    }
    out->extra = slot;
    out->vec = (uint8_t)o->count;
    out->mode = (uint16_t)(element * 8);
    out->imm = bytes == 8 ? 8 : 4;
    if (bytes == 16) {
        return o->count != 2 ? NULL : packing ? pack_2x64 : unpack_2x64;
    }
    if (bytes == 8 && o->count == 2) {
        return packing ? pack_2x32 : unpack_2x32;
    }
    return packing ? pack : unpack;
}

/* --- special registers -------------------------------------------------------------------------*/
/* Cycles that pass between two reads of a clock: a loop that waits for one makes progress. The
 * modelled time of a launch comes from its counters, not from here. */
#define TICKS_A_READ 16

static uint64_t nanoseconds(const sm_warp *w)
{
    const sm_launch *launch = w->block->grid->launch;
    const double mhz = launch->clock_mhz > 0 ? launch->clock_mhz : 1000;
    return launch->clock_base + (uint64_t)((double)w->ticks * 1000 / mhz);
}

/* The same in every lane. */
static uint64_t uniform(sm_warp *w, ptx_sreg s)
{
    const sm_block *block = w->block;
    const sm_launch *launch = block->grid->launch;
    switch (s) {
    case PTX_SREG_ntid_x:
    case PTX_SREG_ntid_y:
    case PTX_SREG_ntid_z:
        return launch->block[s - PTX_SREG_ntid_x];
    case PTX_SREG_ctaid_x:
    case PTX_SREG_ctaid_y:
    case PTX_SREG_ctaid_z:
        return block->id[s - PTX_SREG_ctaid_x];
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nctaid_z:
        return launch->grid[s - PTX_SREG_nctaid_x];
    case PTX_SREG_warpid:
        return w->index;
    case PTX_SREG_nwarpid:
        return 64;
    case PTX_SREG_smid:
        return launch->sm_count ? block->linear % launch->sm_count : 0;
    case PTX_SREG_nsmid:
        return launch->sm_count;
    case PTX_SREG_clock:
        return (uint32_t)(w->ticks += TICKS_A_READ);
    case PTX_SREG_clock_hi:
        return (w->ticks += TICKS_A_READ) >> 32;
    case PTX_SREG_clock64:
        return w->ticks += TICKS_A_READ;
    case PTX_SREG_globaltimer:
        w->ticks += TICKS_A_READ;
        return nanoseconds(w);
    case PTX_SREG_globaltimer_lo:
        w->ticks += TICKS_A_READ;
        return (uint32_t)nanoseconds(w);
    case PTX_SREG_globaltimer_hi:
        w->ticks += TICKS_A_READ;
        return nanoseconds(w) >> 32;
    case PTX_SREG_dynamic_smem_size:
        return launch->dynamic_shared;
    case PTX_SREG_total_smem_size:
    case PTX_SREG_aggr_smem_size:
        return block->grid->shared_bytes;
    case PTX_SREG_warp_sz:
        return SM_LANES;
    /* A grid without clusters is a grid of clusters of one block. */
    case PTX_SREG_clusterid_x:
    case PTX_SREG_clusterid_y:
    case PTX_SREG_clusterid_z:
        return block->id[s - PTX_SREG_clusterid_x];
    case PTX_SREG_nclusterid_x:
    case PTX_SREG_nclusterid_y:
    case PTX_SREG_nclusterid_z:
        return launch->grid[s - PTX_SREG_nclusterid_x];
    case PTX_SREG_cluster_nctaid_x:
    case PTX_SREG_cluster_nctaid_y:
    case PTX_SREG_cluster_nctaid_z:
    case PTX_SREG_cluster_nctarank:
        return 1;
    default: /* gridid, envreg*, cluster_ctaid, cluster_ctarank */
        return 0;
    }
}

SM_FN(sreg_uniform_32)
{
    const uint32_t x = (uint32_t)uniform(w, (ptx_sreg)i->mode);
    SM_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), x);
    return i + 1;
}

SM_FN(sreg_uniform_64)
{
    const uint64_t x = uniform(w, (ptx_sreg)i->mode);
    SM_LANES_DO(w, uint64_t, SM_R(uint64_t, w, i->d), x);
    return i + 1;
}

/* i->imm: the dimension. */
SM_FN(sreg_tid)
{
    const uint32_t *tid = w->tid[i->imm];
    SM_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), tid[l]);
    return i + 1;
}

SM_FN(sreg_laneid)
{
    SM_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), l);
    return i + 1;
}

SM_FN(sreg_lanemask)
{
    SM_EACH_LANE(w->mask)
    {
        const uint32_t eq = 1u << l, lt = eq - 1;
        const uint32_t x = i->mode == PTX_SREG_lanemask_eq   ? eq
                           : i->mode == PTX_SREG_lanemask_lt ? lt
                           : i->mode == PTX_SREG_lanemask_le ? lt | eq
                           : i->mode == PTX_SREG_lanemask_gt ? ~(lt | eq)
                                                             : ~lt;
        SM_R(uint32_t, w, i->d)[l] = x;
    }
    return i + 1;
}

SM_FN(sreg_false)
{
    sm_put_pred(w, i->d, 0);
    return i + 1;
}

static sm_fn special(const ptx_insn *in, sm_insn *out, ptx_sreg s)
{
    out->mode = (uint16_t)s;
    switch (s) {
    case PTX_SREG_NONE:
        return NULL;
    case PTX_SREG_tid_x:
    case PTX_SREG_tid_y:
    case PTX_SREG_tid_z:
        out->imm = (uint64_t)(s - PTX_SREG_tid_x);
        return sreg_tid;
    case PTX_SREG_laneid:
        return sreg_laneid;
    case PTX_SREG_lanemask_eq:
    case PTX_SREG_lanemask_le:
    case PTX_SREG_lanemask_lt:
    case PTX_SREG_lanemask_ge:
    case PTX_SREG_lanemask_gt:
        return sreg_lanemask;
    case PTX_SREG_is_explicit_cluster:
        return sreg_false;
    default:
        return ptx_type_bytes(in->type[0]) == 8 ? sreg_uniform_64 : sreg_uniform_32;
    }
}

SM_SELECT(mov)
{
    const ptx_operand *d = &in->opd[0], *a = &in->opd[1];
    if (in->operand_count < 2 || !a->count || !d->count) {
        return NULL;
    }
    if (a->vector) {
        return vector(t, in, out, a, true);
    }
    if (d->vector) {
        return vector(t, in, out, d, false);
    }
    if (a->v[0].kind == PTX_VAL_SREG) {
        return special(in, out, a->v[0].sreg);
    }
    if (in->type[0] == PTX_pred) {
        out->a = sm_pred_slot(t, in, 1, out->a);
        out->mode = a->v[0].negate;
        return mov_pred;
    }
    const uint32_t bytes = ptx_type_bytes(in->type[0]);
    return bytes == 16 ? mov_128 : bytes == 8 ? mov_64 : mov_32;
}
