/* Clusters (PTX ISA 9.7.9.23, 9.7.9.24, 9.7.13.3). A launch with larger ones is refused, so that
 * here every cluster is one block: its own shared memory is all that there is to map, and the
 * barrier of the cluster is one of the block. */
#include "exec_lanes.h"
#include "sched.h"

SM_FN(mapa_)
{
    const uint32_t *rank = SM_R(const uint32_t, w, i->b);
    SM_EACH_LANE(w->mask)
    {
        if (rank[l] != 0) {
            return sm_stop(w, i, SM_FAULT_ILLEGAL, 1u << l, 0, 0, PTX_SPACE_NONE,
                           "mapa: shared memory of block %u of the cluster, which has one block",
                           rank[l]);
        }
    }
    if (i->vec == 8) {
        const uint64_t *a = SM_R(const uint64_t, w, i->a);
        SM_LANES_DO(w, uint64_t, SM_R(uint64_t, w, i->d), a[l]);
    } else {
        const uint32_t *a = SM_R(const uint32_t, w, i->a);
        SM_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), a[l]);
    }
    return i + 1;
}

SM_SELECT(mapa)
{
    ptx_value a = in->opd[1].v[0];
    out->vec = (uint8_t)ptx_type_bytes(in->type[0]);
    if (a.kind == PTX_VAL_VAR && (out->vec != 8 || a.var->space != PTX_SPACE_SHARED)) {
        return NULL;
    }
    out->a = sm_slot(t, &a, out->vec);
    return mapa_;
}

SM_FN(rank_of)
{
    SM_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), 0);
    return i + 1;
}

SM_SELECT(getctarank)
{
    (void)t, (void)in, (void)out;
    return rank_of;
}

/* Nobody waits for an arrival alone: whoever arrives and has not exited comes to wait. */
SM_FN(arrive)
{
    (void)w;
    atomic_thread_fence(memory_order_seq_cst);
    return i + 1;
}

SM_SELECT(barrier_cluster_arrive)
{
    (void)t, (void)in, (void)out;
    return arrive;
}

SM_FN(wait)
{
    sm_barrier_arrive(w, i, SM_BAR_CLUSTER, 0, 0, 0, true);
    return sm_next(w);
}

SM_SELECT(barrier_cluster_wait)
{
    (void)t, (void)in;
    out->mode = SM_BAR_SYNC;
    return wait;
}
