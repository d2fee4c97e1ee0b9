#include "race_excuse.h"

#include "../../observe/observe.h"
#include "../../sm/cluster.h"
#include "../global/global.h"
#include "../intent.h"
#include "../value.h"

static bool is_ordered_by_release(const san_access_pair *m)
{
    const sm_cluster *c = m->w->block->cluster;
    const uint32_t rank = m->first.thread / SAN_BLOCK_THREADS;
    return m->second.thread != SAN_THREAD_OF_COPY && m->first.thread != SAN_THREAD_OF_COPY &&
           rank < c->count &&
           san_is_ordered_before_lane(m->w, m->second.thread % SM_LANES, c->block[rank]->linear,
                                      m->first.thread % SAN_BLOCK_THREADS, m->first_time,
                                      m->first.did == SM_READS);
}

static bool does_one_access_wait_for_other(const san_access_pair *m)
{
    const sm_unit *u = m->w->block->grid->unit;
    const ptx_insn *a = m->second.at, *b = m->first.at;
    return observe_order_of(a) != SM_WEAK && observe_order_of(b) != SM_WEAK &&
           (san_intent_of(u, a) == SAN_SYNCHRONISES || san_intent_of(u, b) == SAN_SYNCHRONISES);
}

bool san_pair_stores_same_value(const san_access_pair *m)
{
    const uint32_t first = (uint32_t)__builtin_ctz(m->bytes);
    return m->access && m->second.did == SM_WRITES && m->first.did == SM_WRITES &&
           m->w->block->cluster->count == 1 &&
           san_stores_same_value(m->access, m->second.thread % SM_LANES, m->word * 4 + first,
                                 (uint32_t)__builtin_popcount(m->bytes));
}

bool san_is_harmless_pair(const san_access_pair *m)
{
    return is_ordered_by_release(m) || does_one_access_wait_for_other(m);
}
