/* What one request costs, and the requests of an instruction by cost: of all requests with the same
 * cost and the same number of lanes, a shape, the first is kept with its addresses. */
#ifndef WARPBOOK_SHAPE_H
#define WARPBOOK_SHAPE_H

#include "../core/observer.h"

/* The cost of one request, counted from its addresses as profiler/count.h says. The profiler has
 * fast paths of its own, and a test compares the two. */
typedef struct acc_cost {
    uint32_t lanes;
    uint32_t cost;      /* global and local: 32-byte sectors; shared: passes (wavefronts); constant:
                         * distinct addresses */
    uint32_t ideal;     /* what `cost` would be if the same lanes had accessed adjacent addresses */
    uint32_t conflicts; /* shared: passes that bank conflicts add */
    uint32_t used;      /* bytes that the lanes access, each counted once */
} acc_cost;

acc_cost acc_cost_of(const sm_access *a);

/* Lanes that shared memory serves at once: 32, 16 for 8 bytes a lane, 8 for 16; of a load whose
 * neighbouring lanes read the same words twice as many, as in sm_wavefronts. */
uint32_t acc_lanes_served(const sm_access *a);

typedef struct acc_shape {
    acc_cost each;
    uint64_t requests;
    /* Where the first one is: block, warp in it, how many requests of this warp came before. */
    uint64_t block;
    uint32_t warp, mask, served;
    uint64_t address[SM_LANES];
} acc_shape;

typedef struct acc_site {
    const ptx_insn *insn; /* NULL: nothing was accessed */
    ptx_space space;
    sm_effect effect;
    uint32_t bytes;
    uint64_t requests, cost, ideal, conflicts, used;
    acc_shape *shape; /* list of shapes, in no particular order */
    uint32_t count, room;
} acc_site;

/* Add one request. False: the host is out of memory. */
bool acc_site_add(acc_site *s, const sm_access *a, const acc_cost *c);
/* Add what another host thread has collected. */
bool acc_site_merge(acc_site *to, const acc_site *from);
/* The shapes on which most of the cost is spent first. */
void acc_site_sort(acc_site *s);
void acc_site_free(acc_site *s);

#endif
