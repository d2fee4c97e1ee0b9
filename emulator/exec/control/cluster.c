/* Cluster instructions (PTX ISA 9.7.9.23, 9.7.9.24, 9.7.13.3): addresses in another block's shared
 * memory, and the cluster barrier. sm/cluster.h explains the addresses. */
#include "../../sm/cluster.h"

#include "../../compile/compile.h"
#include "../../sm/barrier.h"
#include "../lanes.h"
#include <stdatomic.h>

/* Address bits of the block with rank RANK in a cluster of COUNT blocks. If the rank does not
 * exist, the address is always invalid, as on a GPU. */
static inline uint32_t address_bits_of_rank(uint32_t rank, uint32_t count)
{
    return (rank < count ? rank : 0xff) << SM_RANK_SHIFT;
}

#define DEFINE_MAPA(name, type)                                                              \
    EXEC_FN(name)                                                                            \
    {                                                                                        \
        const type *a = SM_R(const type, w, i->a);                                           \
        const uint32_t *b = SM_R(const uint32_t, w, i->b), count = w->block->cluster->count; \
        const type keep = (type) ~(UINT64_C(0xff) << SM_RANK_SHIFT);                         \
        EXEC_LANES_DO(w, type, SM_R(type, w, i->d),                                          \
                      (type)((a[l] & keep) | (type)address_bits_of_rank(b[l], count)));      \
        return i + 1;                                                                        \
    }
DEFINE_MAPA(mapa_32, uint32_t)
DEFINE_MAPA(mapa_64, uint64_t)

EXEC_SELECT(mapa)
{
    ptx_value a = in->opd[1].v[0];
    const uint32_t bytes = ptx_type_bytes(in->type[0]);
    /* A generic address has 64 bits, and the name of a variable is not generic. */
    if ((a.kind == PTX_VAL_VAR && a.var->space != PTX_SPACE_SHARED) ||
        (in->space == PTX_SPACE_NONE && (bytes != 8 || a.kind == PTX_VAL_VAR)))
        return NULL;
    out->a = compile_slot_of_value(t, &a, bytes);
    return bytes == 8 ? mapa_64 : mapa_32;
}

#define DEFINE_RANK_OF(name, type)                               \
    EXEC_FN(name)                                                \
    {                                                            \
        const type *a = SM_R(const type, w, i->a);               \
        EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d),      \
                      (uint32_t)(a[l] >> SM_RANK_SHIFT & 0xff)); \
        return i + 1;                                            \
    }
DEFINE_RANK_OF(rank_of_32, uint32_t)
DEFINE_RANK_OF(rank_of_64, uint64_t)

EXEC_SELECT(getctarank)
{
    const uint32_t bytes = ptx_type_bytes(in->type[0]);
    out->a = compile_slot_of_value(t, &in->opd[1].v[0], bytes);
    return bytes == 8 ? rank_of_64 : rank_of_32;
}

EXEC_FN(arrive)
{
    atomic_thread_fence(memory_order_seq_cst);
    return sm_cluster_barrier_arrive(w, i) ? i + 1 : NULL;
}

EXEC_SELECT(barrier_cluster_arrive)
{
    return arrive;
}

EXEC_FN(wait)
{
    return sm_cluster_barrier_wait(w, i);
}

EXEC_SELECT(barrier_cluster_wait)
{
    out->mode = SM_BAR_SYNC;
    return wait;
}
