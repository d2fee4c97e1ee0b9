/* The cost of a memory request, and the requests of an instruction grouped by cost. Requests with
 * the same cost and the same number of active lanes form a shape; a shape keeps the addresses of
 * its first request. */
#ifndef WARPBOOK_SHAPE_H
#define WARPBOOK_SHAPE_H

#include "../core/observer.h"

/* The cost of one request, counted from its addresses as profiler/count.h says. The profiler
 * computes this cost with faster code; a test compares both results. */
typedef struct acc_cost {
    uint32_t lanes;     /* active lanes */
    uint32_t cost;      /* for global and local memory: 32-byte sectors; for shared memory: passes
                           (wavefronts); for constant memory: distinct addresses */
    uint32_t ideal;     /* what `cost` would be if the same lanes had accessed adjacent addresses */
    uint32_t conflicts; /* passes that bank conflicts in shared memory add */
    uint32_t used;      /* bytes that the lanes access, each counted once */
} acc_cost;

acc_cost acc_cost_of(const sm_access *a);

/* The number of lanes that shared memory serves in one pass: 32, or 16 for accesses of 8 bytes, or
 * 8 for 16 bytes. A load whose neighbouring lanes read the same words serves twice as many, as in
 * sm_shared_wavefronts. */
uint32_t acc_lanes_served(const sm_access *a);

typedef struct acc_shape {
    acc_cost each;     /* cost of each request of the shape */
    uint64_t requests; /* number of requests */
    /* The first request of the shape: its block, warp, active lanes, lanes served in one pass, and
     * addresses. */
    uint64_t block; /* of the first request: index of its block in the grid */
    uint32_t warp, mask,
        served; /* of the first request: its warp, active lanes, and lanes served in one pass */
    uint64_t address[SM_LANES]; /* of the first request: address of each lane */
} acc_shape;

typedef struct acc_site {
    const ptx_insn *insn; /* the memory instruction; NULL: it has made no request yet */
    ptx_space space;      /* state space that the instruction accesses */
    sm_effect effect;     /* load, store or atomic */
    uint32_t bytes;       /* bytes that each lane accesses */
    uint64_t requests, cost, ideal, conflicts, used; /* sums over all requests */
    acc_shape *shape;     /* [count] in no particular order until acc_site_sort */
    uint32_t count, room; /* number of shapes; capacity of `shape` */
} acc_site;

/* A cp.async reads global memory and writes shared memory, and a generic access may do either: each
 * instruction has two lists of requests: one for shared memory, one for all other memory. */
enum { ACC_REQUEST_LISTS = 2 };
static inline uint32_t acc_request_list_index(uint32_t site, ptx_space space)
{
    return ACC_REQUEST_LISTS * site + (space == PTX_SPACE_SHARED);
}

/* Add request A with cost C to the instruction S. Returns false if the host is out of memory. */
bool acc_site_add(acc_site *s, const sm_access *a, const acc_cost *c);
/* Add the requests that another host thread collected in FROM. */
bool acc_site_merge(acc_site *to, const acc_site *from);
/* Sort the shapes by their share of the cost, the largest first. */
void acc_site_sort(acc_site *s);
void acc_site_free(acc_site *s);

#endif
