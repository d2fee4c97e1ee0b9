/* The modelled clock. A launch is held up by whichever part of the device has most to do: each part
 * gets a term in nanoseconds, from the counters and the profile, and the terms are joined by a
 * power mean, since two parts that are both nearly busy slow each other down. */
#include "timing.h"

#include <math.h>
#include <string.h>

enum { WARP = 32, SECTOR = 32 };

/* Requests of one warp that are under way together: the compiler hoists the loads of an unrolled
 * loop's body above their first use, usually four to eight of them. */
#define REQUESTS_IN_FLIGHT 8.0

/* From a block's start to its first load, and from its last store to the next block in its place:
 * launch of the block, parameters, address arithmetic, drain. */
#define BLOCK_TURNOVER_NS 150.0

/* Cycles between two instructions of one warp that depend on each other. */
#define DEPENDENT_CYCLES 4.0

/* Cycles from the last warp's arrival at a barrier until the block goes on. */
#define BARRIER_CYCLES 20.0

/* How sharply the largest term wins. 4 fits strided copies between the latency bound of stride 1
 * and the DRAM bound of stride 8. */
#define JOIN 4.0

static double at_most(double x, double limit)
{
    return x < limit ? x : limit;
}

static double at_least(double x, double limit)
{
    return x > limit ? x : limit;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* What the launch's terms are worked out from, besides the counters. */
typedef struct machine {
    const device_profile *p;
    const counters *c;
    double ghz;
    double blocks, warps;
    double resident_blocks; /* on the whole device, at once */
    double sms_busy;        /* work of the device over work of its busiest SM */
} machine;

static double count(const machine *m, counter_id id)
{
    return (double)m->c->v[id];
}

static machine describe(const device_profile *p, const launch_shape *s, const counters *c)
{
    machine m = {.p = p, .c = c, .ghz = p->clock_mhz / 1e3};
    double threads = (double)s->block[0] * s->block[1] * s->block[2];
    uint32_t per_sm = timing_blocks_per_sm(p, (uint32_t)at_most(threads, UINT32_MAX), s->registers,
                                           s->shared_bytes);

    m.blocks = at_least((double)s->grid[0] * s->grid[1] * s->grid[2], 1);
    m.warps = m.blocks * at_least(ceil(threads / WARP), 1);
    m.resident_blocks = (double)p->sm_count * at_least(per_sm, 1);
    /* Blocks are dealt out one by one, so the busiest SM has at most one more than the mean. */
    m.sms_busy = m.blocks / ceil(m.blocks / (double)p->sm_count);
    return m;
}

/* Each scheduler issues one instruction a cycle; a lone warp keeps only one scheduler busy. */
static double issue_term(const machine *m)
{
    double warps_per_sm = m->warps / m->blocks * at_most(m->blocks, m->resident_blocks) /
                          at_most(m->blocks, (double)m->p->sm_count);
    double schedulers = at_most((double)m->p->schedulers_per_sm, warps_per_sm);

    return count(m, CTR_inst) * m->p->issue_per_inst / (schedulers * m->sms_busy * m->ghz);
}

/* A request takes the L1 at least one cycle, and as many as its sectors need. */
static double l1_term(const machine *m)
{
    double requests = count(m, CTR_ld_requests) + count(m, CTR_st_requests) +
                      count(m, CTR_atom_requests) + count(m, CTR_red_requests) +
                      count(m, CTR_local_ld_requests) + count(m, CTR_local_st_requests);
    double sectors = count(m, CTR_ld_sectors) + count(m, CTR_st_sectors) +
                     count(m, CTR_atom_sectors) + count(m, CTR_red_sectors) +
                     count(m, CTR_local_ld_sectors) + count(m, CTR_local_st_sectors);

    return at_least(requests, sectors / m->p->l1_sectors_per_clock) / (m->sms_busy * m->ghz);
}

/* Shared memory answers one wavefront a cycle: bank conflicts are more of them. */
static double shared_term(const machine *m)
{
    double wavefronts = count(m, CTR_shared_ld_wavefronts) + count(m, CTR_shared_st_wavefronts) +
                        count(m, CTR_shared_atom_requests);

    return wavefronts / (m->p->shared_wavefronts_per_clock * m->sms_busy * m->ghz);
}

/* The constant cache answers one address at a time. A load at a fixed address is folded into the
 * instruction that uses it and costs nothing of its own. */
static double constant_term(const machine *m)
{
    return count(m, CTR_const_addresses) /
           (m->p->constant_addresses_per_clock * m->sms_busy * m->ghz);
}

static double l2_term(const machine *m)
{
    double sectors = count(m, CTR_l2_read_sectors) + count(m, CTR_l2_write_sectors);
    return sectors * SECTOR / m->p->l2_gbs;
}

/* The share of a footprint that the next pass over it still finds in L2. Lines are replaced at
 * random, nearly: a line outlives the misses of a whole pass with probability
 * exp(-misses / capacity), and misses are what did not outlive. Solved by iteration. */
static double l2_survival(double footprint, double capacity)
{
    double f = footprint / capacity, miss = 1;

    if (f <= 1)
        return 1;
    for (int i = 0; i < 200; i++)
        miss = 1 - exp(-f * miss);
    return 1 - miss;
}

/* Bytes that DRAM moves. Reading costs the read rate; where there is writing too, the bus turns
 * around, which is what sets a copy's rate below a pure reader's. */
static double dram_term(const machine *m, double miss)
{
    const device_profile *p = m->p;
    double read = count(m, CTR_dram_read_bytes), write = count(m, CTR_dram_write_bytes);

    if (p->dram_granule > SECTOR) {
        read = at_least(read, count(m, CTR_dram_read_pairs) * (double)p->dram_granule);
        write = at_least(write, count(m, CTR_dram_write_pairs) * (double)p->dram_granule);
    }
    double turn = 1 / p->dram_gbs - 1 / p->dram_read_gbs;
    return miss * ((read + write) / p->dram_read_gbs + 2 * at_most(read, write) * turn);
}

/* How long one warp lives, by its own chain of dependent steps: rounds of requests to L1, L2 and
 * DRAM, instructions, barriers. A device full of warps finishes resident / life of them a
 * nanosecond: Little's law, and why occupancy hides latency. */
static double latency_term(const machine *m, double miss)
{
    const device_profile *p = m->p;
    double loads = count(m, CTR_ld_requests) + count(m, CTR_atom_requests);
    double sectors = count(m, CTR_ld_sectors) + count(m, CTR_atom_sectors);
    double a_warp = ratio(loads, m->warps);
    double to_l2 = at_most(ratio(count(m, CTR_l2_read_sectors), sectors), 1);
    double to_dram = at_most(miss * ratio(count(m, CTR_dram_read_bytes), sectors * SECTOR), 1);

    /* Rounds: the first request that goes far is waited for whole, however many follow it. */
    double rounds = at_least(a_warp / REQUESTS_IN_FLIGHT, at_most(a_warp, 1));
    double l2_rounds = at_least(rounds * to_l2, at_most(a_warp * to_l2, 1));
    double dram_rounds = at_least(rounds * to_dram, at_most(a_warp * to_dram, 1));
    double life = BLOCK_TURNOVER_NS + rounds * p->l1_latency_ns +
                  l2_rounds * (p->l2_latency_ns - p->l1_latency_ns) +
                  dram_rounds * (p->dram_latency_ns - p->l2_latency_ns) +
                  ratio(count(m, CTR_inst), m->warps) * DEPENDENT_CYCLES / m->ghz +
                  ratio(count(m, CTR_barriers), m->warps) * BARRIER_CYCLES / m->ghz;
    double waves = at_least(m->blocks / m->resident_blocks, 1);

    return waves * life;
}

/* Atomics on one address are done one after the other. How many meet on one is told by how few
 * sectors they wrote. */
static double atomic_term(const machine *m)
{
    double sectors = count(m, CTR_atom_sectors) + count(m, CTR_red_sectors);
    double written = count(m, CTR_dram_write_bytes) / SECTOR;
    double stored = count(m, CTR_st_sectors);

    if (sectors == 0)
        return 0;
    double distinct = written > stored ? written - stored : written;
    return sectors / at_least(at_most(distinct, sectors), 1) * m->p->atomic_ns;
}

/* The terms as a power mean. */
static double join(const launch_time *t)
{
    double terms[] = {t->dispatch, t->issue, t->l1 + t->shared, t->constant,
                      t->l2,       t->dram,  t->atomics,        t->latency};
    double most = 0, sum = 0;

    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        most = at_least(most, terms[i]);
    if (most == 0)
        return 0;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        sum += pow(terms[i] / most, JOIN);
    return most * pow(sum, 1 / JOIN);
}

static const char *largest(const launch_time *t)
{
    const struct {
        const char *name;
        double ns;
    } terms[] = {{"dram", t->dram},
                 {"l2", t->l2},
                 {"l1", t->l1},
                 {"shared", t->shared},
                 {"constant", t->constant},
                 {"issue", t->issue},
                 {"dispatch", t->dispatch},
                 {"atomics", t->atomics},
                 {"latency", t->latency},
                 {"launch", t->launch}};
    size_t best = 0;

    for (size_t i = 1; i < sizeof terms / sizeof *terms; i++)
        if (terms[i].ns > terms[best].ns)
            best = i;
    return terms[best].name;
}

launch_time timing_kernel(const device_profile *p, timing_state *state, const launch_shape *shape,
                          const counters *c)
{
    machine m = describe(p, shape, c);
    double footprint = count(&m, CTR_footprint_bytes);
    double capacity = (double)p->l2_bytes;

    /* What the launches before left in L2 is taken to be this launch's own data: a program that
     * repeats a kernel, or runs its variants on one array. */
    double kept =
        at_most((double)state->resident_bytes, footprint * l2_survival(footprint, capacity));
    double miss = footprint > 0 ? 1 - kept / footprint : 1;
    state->resident_bytes = (uint64_t)at_most(footprint, capacity);

    launch_time t = {
        .launch = p->launch_us * 1e3,
        .dispatch = m.blocks / p->blocks_per_ns,
        .issue = issue_term(&m),
        .l1 = l1_term(&m),
        .shared = shared_term(&m),
        .constant = constant_term(&m),
        .l2 = l2_term(&m),
        .dram = dram_term(&m, miss),
        .atomics = atomic_term(&m),
        .latency = latency_term(&m, miss),
    };
    t.bound = largest(&t);
    t.total = t.launch + join(&t);
    return t;
}
