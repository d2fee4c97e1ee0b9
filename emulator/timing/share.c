/* Divides a launch's modelled time among its instructions. Each instruction gets a share by its
 * work on the part of the device that limits the launch, computed as in model.c. Two kinds of work
 * are estimated, because the counts of an instruction do not show them: traffic of L2 and DRAM,
 * from the requests that miss L1, and latency, from waits as if no waits overlapped. */
#include "terms.h"
#include "timing.h"

#include <string.h>

/* The number of sectors that instruction R requests from L2 or sends to L2. */
static double sectors_beyond_l1(const source_row *r)
{
    const double sectors = (double)r->s.sectors;
    switch (r->kind) {
    case SOURCE_LOAD: return r->s.requests ? sectors * (double)r->s.far / (double)r->s.requests : 0;
    case SOURCE_STORE:
    case SOURCE_ATOMIC:
    case SOURCE_TEXTURE:
    case SOURCE_LOCAL: return sectors;
    default: return 0;
    }
}

/* The total nanoseconds for which warps wait at instruction R, as if no waits overlapped. */
static double total_wait_ns(const device_profile *p, const source_row *r)
{
    const double ghz = p->clock_mhz / 1e3, requests = (double)r->s.requests;
    const double issue = (double)r->executed * p->chain_cycles / ghz;
    switch (r->kind) {
    case SOURCE_LOAD:
    case SOURCE_TEXTURE:
        return issue + requests * p->l1_latency_ns +
               (double)r->s.far * (p->dram_latency_ns - p->l1_latency_ns);
    case SOURCE_ATOMIC: return issue + requests * p->l2_latency_ns;
    case SOURCE_LOCAL: return issue + requests * p->l1_latency_ns;
    case SOURCE_SHARED:
        return issue + requests * p->shared_latency_ns +
               (double)r->s.conflicts / (p->shared_wavefronts_per_clock * ghz);
    case SOURCE_BARRIER: return issue + (double)r->executed * p->barrier_cycles / ghz;
    default: return issue;
    }
}

/* The work of instruction R on the part LIMIT of the device, in a unit that depends on LIMIT. */
static double work_of_instruction(const device_profile *p, timing_term limit, const source_row *r)
{
    const double executed = (double)r->executed, sectors = (double)r->s.sectors;
    switch (limit) {
    case TERM_dram:
    case TERM_l2: return sectors_beyond_l1(r);
    case TERM_l1:
        return r->kind == SOURCE_LOAD || r->kind == SOURCE_STORE || r->kind == SOURCE_ATOMIC ||
                       r->kind == SOURCE_LOCAL
                   ? sectors
                   : 0;
    case TERM_shared:
        return r->kind == SOURCE_SHARED ? sectors : r->kind == SOURCE_SHUFFLE ? executed : 0;
    case TERM_constant: return r->kind == SOURCE_CONST ? sectors : 0;
    case TERM_issue: return executed;
    case TERM_tensor: return r->kind == SOURCE_TENSOR ? executed : 0;
    case TERM_barrier: return r->kind == SOURCE_BARRIER ? executed : 0;
    case TERM_atomics: return r->kind == SOURCE_ATOMIC ? (double)r->s.lanes : 0;
    case TERM_passages:
    case TERM_latency:
    case TERM_uneven: return total_wait_ns(p, r);
    case TERM_dispatch:
    case TERM_launch:
    case TERM_COUNT: break;
    }
    return 0;
}

/* The term that limits the launch T. If this term is the start of the launch or of its blocks, the
 * largest other term. */
static timing_term limiting_term_of_lines(const launch_time *t)
{
    timing_term limit = 0;
    while (limit < TERM_COUNT && strcmp(timing_term_name(limit), t->bound) != 0)
        limit++;
    return limit == TERM_launch || limit == TERM_dispatch ? timing_largest_term(t, true) : limit;
}

void timing_fill_shares(const device_profile *p, const launch_time *t, source_row *rows,
                        size_t count)
{
    const timing_term limit = limiting_term_of_lines(t);
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += work_of_instruction(p, limit, &rows[k]);
    /* the time of starting the kernel belongs to no line */
    const double ours = t->total > t->launch ? (t->total - t->launch) / t->total : 0;
    for (size_t k = 0; k < count; k++)
        rows[k].share = sum > 0 ? ours * work_of_instruction(p, limit, &rows[k]) / sum : -1;
}
