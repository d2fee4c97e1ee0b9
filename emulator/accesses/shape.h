/* The cost of a memory request, and the requests of an instruction grouped by cost. Requests with
 * the same cost and the same number of active lanes form a group; a group keeps the addresses of
 * its first request. */
#pragma once

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

typedef struct acc_request_group {
    acc_cost each;              /* cost of each request of the group */
    uint64_t requests;          /* number of requests */
    uint64_t block;             /* of the first request: index of its block in the grid */
    uint32_t warp;              /* of the first request: index of its warp in the block */
    uint32_t mask;              /* of the first request: its active lanes */
    uint32_t served;            /* of the first request: lanes served in one pass */
    uint64_t address[SM_LANES]; /* of the first request: address of each lane */
} acc_request_group;

typedef struct acc_insn_requests {
    const ptx_insn *insn; /* the memory instruction; NULL: it has made no request yet */
    ptx_space space;      /* state space that the instruction accesses */
    sm_effect effect;     /* load, store or atomic */
    uint32_t bytes;       /* bytes that each lane accesses */
    uint64_t requests, cost, ideal, conflicts, used; /* sums over all requests */
    acc_request_group *group; /* [count] in no particular order until acc_sort_request_groups */
    uint32_t count;
} acc_insn_requests;

/* A cp.async reads global memory and writes shared memory, and a generic access may do either: each
 * instruction has two lists of requests: one for shared memory, one for all other memory. */
enum { ACC_REQUEST_LISTS = 2 }; /* lists of requests of an instruction */
static inline uint32_t acc_request_list_index(uint32_t site, ptx_space space)
{
    return ACC_REQUEST_LISTS * site + (space == PTX_SPACE_SHARED);
}

/* Add request A with cost C to the instruction S. Returns false if the host is out of memory. */
bool acc_add_request(acc_insn_requests *s, const sm_access *a, const acc_cost *c);
/* Add the requests that another host thread collected in FROM. */
bool acc_merge_requests(acc_insn_requests *to, const acc_insn_requests *from);
/* Sort the groups by their share of the cost, the largest first. */
void acc_sort_request_groups(acc_insn_requests *s);
void acc_free_requests(acc_insn_requests *s);
