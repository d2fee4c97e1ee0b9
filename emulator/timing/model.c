/* The modelled clock. A launch is held up by whichever part of the device has most to do: each part
 * gets a term in nanoseconds, from the counters and the profile, and the largest wins, softly. The
 * constants here were fitted to tests/hardware/timings/h200; test_timing_model.c holds them to it.
 */
#include "timing.h"
#include "uneven.h"

#include <math.h>

enum { WARP = 32, SECTOR = 32, PAIR = 64, LINE = 128, PAGE = 2048 };

/* A block's place is empty from its last warp's end until the next block's first instruction, and
 * its warps start one after another: ns, and ns a warp. */
#define TURNOVER_NS   88.0
#define WARP_START_NS 1.9

/* The place is free when the slowest warp has ended: how much longer its way to L2 and DRAM takes,
 * for each doubling of the block's warps, and once more where the others wait at a barrier. Over
 * many rounds of waiting the one evens out the other. */
#define SLOWEST_OF_TWO     0.16
#define SLOWEST_AT_BARRIER 0.45

/* Requests of one warp that are under way together: the compiler hoists the loads of an unrolled
 * loop's body above their first use. */
#define REQUESTS_IN_FLIGHT 8.0

/* Cycles from one instruction of a warp to the next where neither needs the other's result: units
 * are 16 lanes wide. */
#define CHAIN_CYCLES 2.0

/* A barrier's cycles: from the last arrival until the block goes on, and for each warp's arrival,
 * one after the other on the whole SM. */
#define BARRIER_CYCLES 20.0
#define ARRIVAL_CYCLES 2.0

/* Cycles that L1 loses between two requests: products of matrices whose loads all hit. */
#define REQUEST_GAP_CYCLES 0.15

/* Cycles that an SM takes longer for an atomic update where another lane of the request updates the
 * same: atomics, words_1 to words_8 on 4096 lines. */
#define ATOMIC_AGAIN_CYCLES 2.0

/* Cycles that the constant cache takes to fetch 64 bytes from the one behind it, and that one from
 * L2: gathers from tables larger than either. */
#define CONSTANT_MISS_CYCLES     17.0
#define CONSTANT_FAR_MISS_CYCLES 25.0

/* Cycles that a scheduler's integer unit takes for a warp's logic, shift, comparison or selection:
 * 16 lanes wide. */
#define ALU_CYCLES 2.0

/* Likewise of the special function unit, which has 4 lanes. */
#define SPECIAL_CYCLES 8.0

/* Cycles that a scheduler loses at a branch where lanes may part: it notes where they meet, and the
 * instructions after it are fetched anew. Chapter 12, many_ways of whole warps. */
#define PART_CYCLES 5.0

/* Cycles that an SM takes for a sector of another block's shared memory: clusters of 4 and of 8; of
 * 2 it is two thirds. Records: bulk, cluster_read. */
#define DSHARED_CYCLES 3.4

/* Local memory is written through to L2, at half the rate at which L2 is read: local_words. */
#define LOCAL_WRITES 2.0

/* What a request for some of a line's sectors costs L2 whichever they are, as a share of the time
 * that a whole line takes: gathers from tables that L2 holds. */
#define L2_REQUEST 0.227

/* How much longer than on an idle device a warp waits for a memory that is busy all the time. */
#define QUEUE_GROWTH 0.95

/* Of L2, the share that one pass over a footprint may fill and the next one still finds whole; over
 * the rest it fades to nothing: lines are replaced nearly in the order of their use. */
#define L2_KEEPS_ALL 0.6

/* DRAM where only some of a page is wanted: opening the page shows. At most this much longer, and
 * how that grows with the share that is not wanted. Records: partial, 1 GiB. */
#define SPARSE_READ        0.85
#define SPARSE_READ_POWER  2.5
#define SPARSE_WRITE       1.7
#define SPARSE_WRITE_POWER 1.2

/* How sharply the largest term wins: parts that are busy at the same time hardly disturb each
 * other, except for latency and memory, which latency_term joins. */
#define JOIN 8.0

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
    double resident_blocks;           /* on the whole device, at once */
    double sms_busy;                  /* work of the device over work of its busiest SM */
    double local_read, local_written; /* bytes of local memory, spilled registers included */
    double local_resident;            /* bytes that resident threads have of it */
    double kept_words;                /* a thread: of it, in registers after all */
    double local_miss;                /* share of its loads for which L1 is too small */
} machine;

static double count(const machine *m, counter_id id)
{
    return (double)m->c->v[id];
}

/* Instructions that take the place of local memory in registers: its words are selected one by one.
 */
static double selections(const machine *m)
{
    return m->kept_words * (count(m, CTR_local_ld_requests) + count(m, CTR_local_st_requests));
}

/* Warp instructions, as many as the assembler makes. */
static double instructions(const machine *m)
{
    return selections(m) + count(m, CTR_inst) + count(m, CTR_inst_more) -
           count(m, CTR_inst_folded) - count(m, CTR_shared_widened);
}

/* A spilled register is stored once and loaded once. */
static void describe_local(machine *m, const launch_shape *s)
{
    double a_warp = (double)s->spilled * WARP, per_sm = at_most(m->blocks, m->resident_blocks) /
                                                        at_most(m->blocks, (double)m->p->sm_count);
    double there = s->kept_bytes ? 0 : SECTOR;
    m->kept_words = (double)s->kept_bytes / 4;
    double threads = m->warps / m->blocks * WARP;
    double l1 = (double)m->p->l1_bytes - per_sm * (double)s->shared_bytes;

    m->local_read = there * count(m, CTR_local_ld_sectors) + a_warp * m->warps;
    m->local_written = there * count(m, CTR_local_st_sectors) + a_warp * m->warps;
    m->local_resident = (double)s->local_bytes * threads * at_most(m->blocks, m->resident_blocks);
    double an_sm = (double)s->local_bytes * threads * per_sm;
    m->local_miss = an_sm > 0 ? at_least(1 - at_least(l1, 0) / an_sm, 0) : 0;
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
    describe_local(&m, s);
    return m;
}

/* Of an SM's schedulers, those that have a warp: a lone one keeps only one busy. */
static double schedulers_busy(const machine *m)
{
    double warps_per_sm = m->warps / m->blocks * at_most(m->blocks, m->resident_blocks) /
                          at_most(m->blocks, (double)m->p->sm_count);
    return at_most((double)m->p->schedulers_per_sm, warps_per_sm);
}

/* Each scheduler issues one instruction a cycle, one to its integer unit every other, and to those
 * of products, of double precision and of special functions as they can take them. */
static double issue_term(const machine *m)
{
    double schedulers = schedulers_busy(m);

    double doubles =
        count(m, CTR_inst_f64) * WARP * (double)m->p->schedulers_per_sm / m->p->f64_fmas;
    double alu = ALU_CYCLES * (count(m, CTR_inst_alu) + selections(m));
    double busiest =
        at_least(at_least(instructions(m), alu), at_least(doubles, count(m, CTR_imul_cycles)));
    double cycles = at_least(busiest, SPECIAL_CYCLES * count(m, CTR_inst_special)) +
                    PART_CYCLES * count(m, CTR_branch_parts);

    return cycles * m->p->issue_per_inst / (schedulers * m->sms_busy * m->ghz);
}

/* Cycles of an SM's tensor cores for all matrix instructions. */
static double tensor_cycles(const machine *m)
{
    const device_profile *p = m->p;
    double sums = count(m, CTR_tensor_f16) / p->tensor_f16_fmas +
                  count(m, CTR_tensor_f8) / p->tensor_f8_fmas +
                  count(m, CTR_tensor_tf32) / p->tensor_tf32_fmas +
                  count(m, CTR_tensor_f64) / p->tensor_f64_fmas +
                  count(m, CTR_tensor_i8) / p->tensor_i8_fmas +
                  count(m, CTR_tensor_i4) / p->tensor_i4_fmas +
                  count(m, CTR_tensor_b1) / p->tensor_b1_fmas;
    return at_least(sums, count(m, CTR_tensor_inst) * p->tensor_least_cycles);
}

/* Each scheduler has a tensor core of its own. */
static double tensor_term(const machine *m)
{
    double share = schedulers_busy(m) / (double)m->p->schedulers_per_sm;
    return tensor_cycles(m) / (share * m->sms_busy * m->ghz);
}

static double barrier_term(const machine *m)
{
    return count(m, CTR_barriers) * ARRIVAL_CYCLES / (m->sms_busy * m->ghz);
}

/* L1 makes one pass a cycle, wherever the words of a request lie; from one request to the next a
 * part of a cycle is lost. Atomics leave a sector at a time. Local memory's words of
 * neighbouring lanes lie side by side. */
static double l1_term(const machine *m)
{
    double local = (m->local_read + m->local_written) / SECTOR;
    double updates = count(m, CTR_red_sectors) / m->p->red_sectors_per_clock +
                     count(m, CTR_atom_sectors) / m->p->atom_sectors_per_clock +
                     ATOMIC_AGAIN_CYCLES * count(m, CTR_atom_again);
    double requests = count(m, CTR_ld_requests) + count(m, CTR_st_requests) +
                      count(m, CTR_atom_requests) + count(m, CTR_red_requests);
    double cycles = at_least(count(m, CTR_l1_passes), updates) + REQUEST_GAP_CYCLES * requests;

    return (cycles + local / m->p->l1_sectors_per_clock) / (m->sms_busy * m->ghz);
}

/* Shared memory answers one wavefront a cycle: bank conflicts are more of them. Shuffles take the
 * same way. */
static double shared_term(const machine *m)
{
    double wavefronts = count(m, CTR_shared_ld_wavefronts) + count(m, CTR_shared_st_wavefronts) +
                        count(m, CTR_shared_ldmatrix_wavefronts) +
                        count(m, CTR_shared_stmatrix_wavefronts) +
                        count(m, CTR_shared_atom_wavefronts) + count(m, CTR_shuffles) -
                        count(m, CTR_shared_widened_wavefronts);

    double others = (count(m, CTR_dshared_ld_sectors) + count(m, CTR_dshared_st_sectors) +
                     count(m, CTR_dshared_red_sectors) + count(m, CTR_dshared_atom_sectors)) *
                    DSHARED_CYCLES;

    return (wavefronts / m->p->shared_wavefronts_per_clock + others) / (m->sms_busy * m->ghz);
}

/* The constant cache answers one address at a time, and fetches what it does not hold. A load at a
 * fixed address is folded into the instruction that uses it and costs nothing of its own. */
static double constant_term(const machine *m)
{
    double indexed = count(m, CTR_const_indexed);
    if (indexed == 0)
        return 0;
    double cycles = (indexed + count(m, CTR_const_replays)) / m->p->constant_addresses_per_clock +
                    count(m, CTR_const_misses) * CONSTANT_MISS_CYCLES +
                    count(m, CTR_const_far_misses) * CONSTANT_FAR_MISS_CYCLES;
    return cycles / (m->sms_busy * m->ghz);
}

/* L2 serves loads by the line and by the sector. It takes a store's line in the same time whether
 * one of its sectors is written or all four. */
static double l2_term(const machine *m)
{
    double write =
        at_least(count(m, CTR_l2_write_sectors) * SECTOR, count(m, CTR_l2_write_lines) * LINE);
    double read = (1 - L2_REQUEST) * count(m, CTR_l2_read_sectors) * SECTOR +
                  L2_REQUEST * count(m, CTR_l2_read_lines) * LINE;
    double local = m->local_read * m->local_miss + m->local_written * LOCAL_WRITES;
    return (read + write + local) / m->p->l2_gbs;
}

/* Bytes of a footprint that the next pass over it still finds in L2. */
static double l2_kept(double footprint, double capacity)
{
    double over = (footprint / capacity - L2_KEEPS_ALL) / (1 - L2_KEEPS_ALL);
    return footprint * (1 - at_most(at_least(over, 0), 1));
}

/* How much longer DRAM takes for PAIRS pairs of sectors in PAGES pages of 2 KB than for all of
 * their pairs in a row. */
static double sparse(double pairs, double pages, double growth, double power)
{
    double empty = pages > 0 ? 1 - pairs / (pages * PAGE / PAIR) : 0;
    return 1 + growth * pow(at_least(empty, 0), power);
}

/* Bytes of the sectors that are written in part and that nobody reads: L2 fetches what is missing.
 * Stores to one sector one after another may fill it. */
static double filled_bytes(const machine *m)
{
    double part = at_most(count(m, CTR_st_part_sectors) * SECTOR, count(m, CTR_dram_blind_bytes));
    double missing = 1 - ratio(count(m, CTR_st_part_bytes), part);
    return part * at_most(2 * at_least(missing, 0), 1);
}

/* Bytes of local memory that leave L2, and those of them that come back: as far as it is too small
 * for what resident threads have there and for all else. */
static double local_to_dram(const machine *m, double moved)
{
    double all = count(m, CTR_footprint_bytes) + m->local_resident;
    double waves = at_least(m->blocks / m->resident_blocks, 1);
    double lost = all > 0 ? 1 - l2_kept(all, (double)m->p->l2_bytes) / all : 0;
    return at_most(moved, m->local_resident * waves) * lost;
}

/* Bytes that DRAM moves, MISS being the share that L2 does not hold. Reading costs the read rate;
 * where there is writing too, the bus turns around, which is what sets a copy's rate below a pure
 * reader's. */
static double dram_term(const machine *m, double miss)
{
    const device_profile *p = m->p;
    double read = count(m, CTR_dram_read_bytes), write = count(m, CTR_dram_write_bytes);
    double fill = filled_bytes(m), read_pairs = count(m, CTR_dram_read_pairs),
           write_pairs = count(m, CTR_dram_write_pairs);

    if (p->dram_granule > SECTOR) {
        read = at_least(read, read_pairs * (double)p->dram_granule);
        write = at_least(write, write_pairs * (double)p->dram_granule);
    }
    read *= sparse(read_pairs, count(m, CTR_dram_read_pages), SPARSE_READ, SPARSE_READ_POWER);
    double apart =
        sparse(write_pairs, count(m, CTR_dram_write_pages), SPARSE_WRITE, SPARSE_WRITE_POWER);
    fill *= apart;
    write *= apart;
    double turn = 1 / p->dram_gbs - 1 / p->dram_read_gbs;
    read = miss * (read + fill) + local_to_dram(m, m->local_read * m->local_miss);
    write = miss * write + local_to_dram(m, m->local_written);
    return (read + write) / p->dram_read_gbs + 2 * at_most(read, write) * turn;
}

/* A warp's time on a device that is otherwise idle, by its own chain of dependent steps: what it
 * waits for L2 and DRAM, and the rest. */
typedef struct warp_life {
    double far, near;
} warp_life;

/* A barrier of the whole grid: the last block's arrival goes to L2 and comes back to all, and the
 * arrivals meet in one word. */
static double grid_barriers(const machine *m)
{
    return count(m, CTR_grid_arrivals) / m->blocks *
           (m->p->grid_barrier_ns + m->blocks * m->p->atomic_ns);
}

static warp_life live(const machine *m, double miss)
{
    const device_profile *p = m->p;
    double warps_a_block = m->warps / m->blocks;
    double loads = (count(m, CTR_ld_requests) + count(m, CTR_atom_requests)) / m->warps;
    double near = (count(m, CTR_shared_ld_requests) - count(m, CTR_shared_widened) +
                   count(m, CTR_shared_atom_requests) + count(m, CTR_local_ld_requests) +
                   count(m, CTR_const_indexed)) /
                  m->warps;
    double barriers = count(m, CTR_barriers) / m->warps;
    double far_loads = (count(m, CTR_l2_read_requests) + count(m, CTR_atom_requests)) / m->warps;
    double sectors = count(m, CTR_l2_read_sectors) + count(m, CTR_atom_sectors);
    double to_dram = at_most(miss * ratio(count(m, CTR_dram_read_bytes), sectors * SECTOR), 1);

    /* Rounds of waiting. What the first request that goes far costs is waited for whole, however
     * many follow it; what stands between two barriers cannot overlap, nor what needs the result of
     * another load. */
    double near_rounds = at_least(near / REQUESTS_IN_FLIGHT, count(m, CTR_near_rounds) / m->warps);
    double l1_rounds = at_least(loads / REQUESTS_IN_FLIGHT, count(m, CTR_l1_rounds) / m->warps);
    double l2_rounds = at_least(far_loads / REQUESTS_IN_FLIGHT, count(m, CTR_l2_rounds) / m->warps);
    double dram_rounds = l2_rounds * to_dram;
    double slowest =
        1 + (SLOWEST_OF_TWO * log2(warps_a_block) + SLOWEST_AT_BARRIER * at_most(barriers, 1)) /
                sqrt(at_least(l2_rounds, 1));
    /* The warps of a block stand in one line for its bank conflicts, and wait for the last. */
    double conflicts = count(m, CTR_shared_ld_conflicts) + count(m, CTR_shared_st_conflicts) -
                       count(m, CTR_shared_widened_conflicts);
    double a_matrix =
        p->tensor_latency_cycles +
        ratio(tensor_cycles(m), count(m, CTR_tensor_inst)) * (double)p->schedulers_per_sm;
    double cycles = at_least((instructions(m) - count(m, CTR_tensor_inst)) * CHAIN_CYCLES,
                             count(m, CTR_chain_cycles)) /
                        m->warps +
                    count(m, CTR_tensor_chain) / m->warps * a_matrix +
                    barriers * (BARRIER_CYCLES + warps_a_block * ARRIVAL_CYCLES) +
                    at_most(barriers, 1) * conflicts / m->blocks;

    return (warp_life){
        .far = slowest * (l2_rounds * (p->l2_latency_ns - p->l1_latency_ns) +
                          dram_rounds * (p->dram_latency_ns - p->l2_latency_ns)),
        .near = TURNOVER_NS + warps_a_block * WARP_START_NS + cycles / m->ghz +
                l1_rounds * p->l1_latency_ns + near_rounds * p->shared_latency_ns +
                count(m, CTR_cluster_barriers) / m->warps * p->cluster_barrier_ns +
                grid_barriers(m),
    };
}

/* A device full of warps finishes resident / life of them a nanosecond: Little's law, and why
 * occupancy hides latency. MEMORY is how long L2 and DRAM are busy, MEMORY / t how busy they are,
 * and the busier the longer the wait in their queues: t = near + far + growth * far * MEMORY / t,
 * solved for t. */
static double latency_term(const machine *m, double miss, double memory)
{
    double waves = at_least(m->blocks / m->resident_blocks, 1);
    warp_life w = live(m, miss);
    double idle = waves * (w.near + w.far);

    return (idle + sqrt(idle * idle + 4 * QUEUE_GROWTH * waves * w.far * memory)) / 2;
}

/* The device is not full while the last blocks run to their ends; nor while the first warps wait
 * for the first of their rounds, of which LATENCY / ALL, the share that is the warps' own, has it
 * already. */
static double drain(const machine *m, double miss, double latency, double all)
{
    double waves = at_least(m->blocks / m->resident_blocks, 1);
    double rounds = at_least(count(m, CTR_l2_rounds) / m->warps, 1);
    double first = (1 - at_most(ratio(latency, all), 1)) / (waves * rounds);
    warp_life w = live(m, miss);

    return (1 - 1 / waves + first) * (w.near + w.far);
}

/* The busiest slice of L2 takes its packets one after the other. A floating-point sum must be there
 * before the next number can be added to it. */
static double atomic_term(const machine *m)
{
    enum { QUARTERS = 5 }; /* of a packet of one sector */
    double hottest = count(m, CTR_atom_hottest) *
                     ratio(count(m, CTR_atom_float_lanes), count(m, CTR_atom_lanes));

    return at_least(count(m, CTR_atom_slice) / QUARTERS * m->p->atomic_ns,
                    hottest * m->p->atomic_float_ns);
}

/* The terms as a power mean. L1 and shared memory are one store with one way in. */
static double join(const launch_time *t)
{
    double terms[] = {t->dispatch, t->issue, t->tensor, t->barrier, t->l1 + t->shared,
                      t->constant, t->l2,    t->dram,   t->atomics, t->latency};
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
                 {"tensor", t->tensor},
                 {"barrier", t->barrier},
                 {"dispatch", t->dispatch},
                 {"atomics", t->atomics},
                 {"latency", t->latency},
                 {"uneven", t->uneven},
                 {"launch", t->launch}};
    size_t best = 0;

    for (size_t i = 1; i < sizeof terms / sizeof *terms; i++)
        if (terms[i].ns > terms[best].ns)
            best = i;
    return terms[best].name;
}

/* What unlike blocks and warps add to that. */
static double uneven_term(const machine *m, double miss, const launch_time *t,
                          const launch_work *work, double busy)
{
    warp_life w = live(m, miss);
    double start = TURNOVER_NS + m->warps / m->blocks * WARP_START_NS + grid_barriers(m);
    double sms = at_most(m->blocks, (double)m->p->sm_count);
    double issue = at_least(at_least(t->issue, t->tensor), at_least(t->barrier, t->constant));
    uneven_launch l = {
        .places = at_most(m->blocks, m->resident_blocks),
        .sms = sms,
        .start = start,
        .chain = w.near - start,
        .far = w.far,
        .issue = at_least(issue, t->shared) * m->sms_busy,
        .requests = t->l1 * m->sms_busy,
        .memory = at_least(at_least(t->l2, t->dram), t->atomics),
    };
    return uneven_more(&l, work, busy);
}

launch_time timing_kernel(const device_profile *p, timing_state *state, const launch_shape *shape,
                          const counters *c, const launch_work *work)
{
    machine m = describe(p, shape, c);
    double footprint = count(&m, CTR_footprint_bytes) + m.local_resident;
    double capacity = (double)p->l2_bytes;

    /* What the launches before left in L2 is taken to be this launch's own data: a program that
     * repeats a kernel, or runs its variants on one array. */
    double kept = at_most((double)state->resident_bytes, l2_kept(footprint, capacity));
    double miss = footprint > 0 ? 1 - kept / footprint : 1;
    state->resident_bytes = (uint64_t)at_most(footprint, capacity);

    launch_time t = {
        .launch = (shape->of_graph ? p->graph_launch_us : p->launch_us) * 1e3,
        .dispatch = m.blocks / p->blocks_per_ns,
        .issue = issue_term(&m),
        .tensor = tensor_term(&m),
        .barrier = barrier_term(&m),
        .l1 = l1_term(&m),
        .shared = shared_term(&m),
        .constant = constant_term(&m),
        .l2 = l2_term(&m),
        .dram = dram_term(&m, miss),
        .atomics = atomic_term(&m),
    };
    t.latency = latency_term(&m, miss, at_least(t.l2, t.dram));
    double busy = join(&t);
    t.uneven = work ? uneven_term(&m, miss, &t, work, busy) : 0;
    t.bound = largest(&t);
    t.total = t.launch + busy + drain(&m, miss, t.latency, busy) + t.uneven;
    return t;
}
