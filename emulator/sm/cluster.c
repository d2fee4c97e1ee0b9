#include "cluster.h"

#include "../observe/observe.h"
#include "array_name.h"
#include "async/flight.h"
#include "fault.h"

#include <stdio.h>

sm_block *sm_cluster_find_block(const sm_block *from, uint64_t address, uint64_t bytes,
                                uint64_t *offset)
{
    const sm_cluster *c = from->cluster;
    const uint64_t rank = address >> SM_RANK_SHIFT;
    *offset = address & SM_RANK_OFFSET_MASK;
    if (rank >= c->count || c->has_ended[rank] || bytes > from->shared_bytes ||
        *offset > from->shared_bytes - bytes)
        return NULL;
    return c->block[rank];
}

void sm_stop_bad_cluster_address(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t address,
                                 uint64_t bytes, const char *verb)
{
    const sm_cluster *c = w->block->cluster;
    const unsigned long long rank = address >> SM_RANK_SHIFT,
                             offset = address & SM_RANK_OFFSET_MASK;
    if (rank >= c->count) {
        sm_stop_launch(
            w, i, SM_FAULT_GONE, 1u << lane, address, (uint32_t)bytes, PTX_SPACE_SHARED,
            "%s %llu bytes at 0x%llx, which is in the shared memory of none of the cluster's %u "
            "block%s: is the rank passed to map_shared_rank() less than the number of blocks?",
            verb, (unsigned long long)bytes, (unsigned long long)address, c->count,
            c->count == 1 ? "" : "s");
    } else if (c->has_ended[rank]) {
        sm_stop_launch(
            w, i, SM_FAULT_GONE, 1u << lane, address, (uint32_t)bytes, PTX_SPACE_SHARED,
            "%s shared memory of the block with rank %llu in the cluster, all of whose threads "
            "have exited: let them wait at cluster.sync() until no block needs it any more",
            verb, rank);
    } else {
        char whose[80] = "the block's shared memory";
        if (rank != w->block->rank) {
            snprintf(whose, sizeof whose,
                     "the shared memory of the block with rank %llu in the cluster", rank);
        }
        char place[SM_ARRAY_NAME_BYTES];
        sm_shared_name(w->block->grid, offset, place, sizeof place);
        sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << lane, address, (uint32_t)bytes,
                       PTX_SPACE_SHARED, "%s %llu bytes at %s: %s has %llu bytes", verb,
                       (unsigned long long)bytes, place, whose,
                       (unsigned long long)w->block->shared_bytes);
    }
}

void sm_cluster_note_barrier(const sm_cluster *c)
{
    for (uint32_t k = 0; k < c->count; k++)
        if (c->block[k]->observed)
            observe_cluster_barrier(c->block[k]);
}

void sm_cluster_begin(sm_cluster *c)
{
    c->live = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        c->has_ended[k] = false;
        c->live += c->block[k]->thread_count;
    }
    c->missing = c->live;
    c->phase = 0;
    sm_bulk_copies_discard(c->bulk_copies);
}
