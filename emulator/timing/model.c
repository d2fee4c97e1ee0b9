/* The modelled time of a kernel launch. Each part of the device has a term: the nanoseconds for
 * which the launch keeps that part busy, computed from counters and profile. The launch takes about
 * as long as the largest term. The values of the H200's profile were fitted to
 * tests/hardware/timings/h200; test_timing_model.c checks them. */
#include "launch_model.h"
#include "terms.h"
#include "timing.h"
#include "uneven.h"

#include <math.h>

/* The number of loads of one warp that are in flight at the same time, because the compiler moves
 * the loads of an unrolled loop before their first use. */
#define REQUESTS_IN_FLIGHT 8.0 /* loads of a warp that wait at the same time */

/* Exponent of the power mean of the terms. Parts that are busy at the same time hardly slow each
 * other down, except for latency and memory, which latency_ns combines. */
#define POWER_MEAN_EXPONENT 8.0

/* The number of instructions that replace accesses to local arrays kept in registers: each access
 * selects one of the registers. */
static double register_selection_insn_count(const launch_model *m)
{
    return m->kept_words *
           (counter_value(m, CTR_local_ld_requests) + counter_value(m, CTR_local_st_requests));
}

/* The number of warp instructions of the machine code, estimated from the PTX. */
static double machine_instruction_count(const launch_model *m)
{
    return register_selection_insn_count(m) + counter_value(m, CTR_inst) +
           counter_value(m, CTR_inst_more) - counter_value(m, CTR_inst_folded) -
           counter_value(m, CTR_shared_widened);
}

/* Set the fields of M that describe the traffic of local memory. Each spilled register is stored
 * once and loaded once. */
static void set_local_traffic(launch_model *m, const launch_shape *s)
{
    double a_warp = (double)s->spilled * WARP_LANES,
           per_sm = min_double(m->blocks, m->resident_blocks) /
                    min_double(m->blocks, (double)m->p->sm_count);
    double there = s->kept_bytes ? 0 : SECTOR_BYTES;
    m->kept_words = (double)s->kept_bytes / 4;
    double threads = m->warps / m->blocks * WARP_LANES;
    double l1 = (double)timing_l1_bytes(m->p, (uint64_t)ceil(per_sm), s->shared_bytes);

    m->local_read = there * counter_value(m, CTR_local_ld_sectors) + a_warp * m->warps;
    m->local_written = there * counter_value(m, CTR_local_st_sectors) + a_warp * m->warps;
    m->local_write_load = m->p->local_write_cost * m->local_written +
                          m->p->local_line_cost * (there * counter_value(m, CTR_local_st_lines) +
                                                   a_warp * m->warps * SECTOR_BYTES / LINE_BYTES) +
                          m->p->local_part_cost * there * counter_value(m, CTR_local_st_part_lines);
    m->local_resident =
        (double)s->local_bytes * threads * min_double(m->blocks, m->resident_blocks);
    double an_sm = (double)s->local_bytes * threads * per_sm;
    m->local_miss = an_sm > 0 ? max_double(1 - max_double(l1, 0) / an_sm, 0) : 0;
}

/* The inputs of the terms for a launch of shape S with the counters C. */
static launch_model make_launch_model(const device_profile *p, const launch_shape *s,
                                      const counters *c)
{
    launch_model m = {.p = p, .c = c, .ghz = p->clock_mhz / 1e3};
    double threads = (double)s->block[0] * s->block[1] * s->block[2];
    uint32_t per_sm = timing_blocks_per_sm(p, (uint32_t)min_double(threads, UINT32_MAX),
                                           s->registers, s->shared_bytes);

    m.blocks = max_double((double)s->grid[0] * s->grid[1] * s->grid[2], 1);
    m.warps = m.blocks * max_double(ceil(threads / WARP_LANES), 1);
    m.resident_blocks = (double)p->sm_count * max_double(per_sm, 1);
    /* Blocks are distributed one by one, so the busiest SM has at most one block more than the
     * average. */
    m.sms_busy = m.blocks / ceil(m.blocks / (double)p->sm_count);
    set_local_traffic(&m, s);
    return m;
}

/* Number of an SM's schedulers that have at least one warp. */
static double busy_schedulers(const launch_model *m)
{
    double warps_per_sm = m->warps / m->blocks * min_double(m->blocks, m->resident_blocks) /
                          min_double(m->blocks, (double)m->p->sm_count);
    return min_double((double)m->p->schedulers_per_sm, warps_per_sm);
}

/* The time of the schedulers and execution units. A scheduler issues one instruction per cycle. Its
 * integer unit accepts an instruction every other cycle, and on some devices so does the unit for
 * f32; the units for integer products, double precision and special functions accept fewer. */
static double issue_ns(const launch_model *m)
{
    double schedulers = busy_schedulers(m);

    double doubles = counter_value(m, CTR_inst_f64) * WARP_LANES * (double)m->p->schedulers_per_sm /
                     m->p->f64_fmas;
    double alu = (double)m->p->pace_alu *
                 (counter_value(m, CTR_inst_alu) + register_selection_insn_count(m));
    double floats = (double)m->p->pace_fma * counter_value(m, CTR_inst_fma);
    double busiest = max_double(max_double(machine_instruction_count(m), max_double(alu, floats)),
                                max_double(doubles, counter_value(m, CTR_imul_cycles)));
    double cycles =
        max_double(busiest, (double)m->p->pace_special * counter_value(m, CTR_inst_special)) +
        m->p->diverge_cycles * counter_value(m, CTR_branch_parts) +
        m->p->fetch_cycles * counter_value(m, CTR_branch_fetches);

    return (cycles * m->p->issue_per_inst + counter_value(m, CTR_slow_path_cycles)) /
           (schedulers * m->sms_busy * m->ghz);
}

/* Cycles that the tensor cores of one SM would need for all matrix instructions. */
static double tensor_cycles(const launch_model *m)
{
    const device_profile *p = m->p;
    double sums = counter_value(m, CTR_tensor_f16) / p->tensor_f16_fmas +
                  counter_value(m, CTR_tensor_f8) / p->tensor_f8_fmas +
                  counter_value(m, CTR_tensor_tf32) / p->tensor_tf32_fmas +
                  counter_value(m, CTR_tensor_f64) / p->tensor_f64_fmas +
                  counter_value(m, CTR_tensor_i8) / p->tensor_i8_fmas +
                  counter_value(m, CTR_tensor_i4) / p->tensor_i4_fmas +
                  counter_value(m, CTR_tensor_b1) / p->tensor_b1_fmas;
    return max_double(sums, counter_value(m, CTR_tensor_inst) * p->tensor_least_cycles);
}

/* The time of the tensor cores. Each scheduler has its own tensor core. */
static double tensor_ns(const launch_model *m)
{
    double share = busy_schedulers(m) / (double)m->p->schedulers_per_sm;
    return tensor_cycles(m) / (share * m->sms_busy * m->ghz);
}

/* The time for which an SM handles the arrivals of warps at barriers. */
static double barrier_ns(const launch_model *m)
{
    return counter_value(m, CTR_barriers) * m->p->arrival_cycles / (m->sms_busy * m->ghz);
}

/* The time of L1. L1 handles one pass per cycle, whatever the addresses of a request, and loses
 * part of a cycle between requests; so do the texture units. L1 forwards atomics to L2 sector by
 * sector. Words of local memory are interleaved, so neighbouring lanes access neighbouring words.
 * Stored data uses the path to L2, which is narrower than L1. */
static double l1_ns(const launch_model *m)
{
    double local = (m->local_read + m->local_written) / SECTOR_BYTES;
    double updates = counter_value(m, CTR_red_sectors) / m->p->red_sectors_per_clock +
                     counter_value(m, CTR_atom_sectors) / m->p->atom_sectors_per_clock +
                     m->p->atomic_again_cycles * counter_value(m, CTR_atom_again);
    double requests = counter_value(m, CTR_ld_requests) + counter_value(m, CTR_st_requests) +
                      counter_value(m, CTR_atom_requests) + counter_value(m, CTR_red_requests);
    double cycles =
        max_double(counter_value(m, CTR_l1_passes), updates) + m->p->request_gap_cycles * requests;
    cycles =
        max_double(cycles, counter_value(m, CTR_tex_requests) * (1 + m->p->request_gap_cycles));
    double stored = counter_value(m, CTR_l2_write_sectors);
    cycles +=
        max_double(stored / m->p->store_sectors_per_clock - stored / m->p->l1_sectors_per_clock, 0);

    return (cycles + local / m->p->l1_sectors_per_clock) / (m->sms_busy * m->ghz);
}

/* The time of shared memory: one wavefront per cycle; bank conflicts add wavefronts. Shuffles use
 * the path of shared memory too, and so does a request whose predicate no lane has. */
static double shared_memory_ns(const launch_model *m)
{
    double wavefronts =
        counter_value(m, CTR_shared_ld_wavefronts) + counter_value(m, CTR_shared_st_wavefronts) +
        counter_value(m, CTR_shared_ldmatrix_wavefronts) +
        counter_value(m, CTR_shared_stmatrix_wavefronts) +
        counter_value(m, CTR_shared_atom_wavefronts) + counter_value(m, CTR_shuffles) -
        counter_value(m, CTR_shared_widened_wavefronts) +
        max_double(counter_value(m, CTR_shared_predicated) - counter_value(m, CTR_shared_taken), 0);

    double others =
        (counter_value(m, CTR_dshared_ld_sectors) + counter_value(m, CTR_dshared_st_sectors) +
         counter_value(m, CTR_dshared_red_sectors) + counter_value(m, CTR_dshared_atom_sectors)) *
        m->p->dshared_cycles;

    return (wavefronts / m->p->shared_wavefronts_per_clock + others) / (m->sms_busy * m->ghz);
}

/* The time of the constant cache. The cache serves one address at a time, and fetches lines that it
 * does not hold. A load from a fixed address is folded into the instruction that uses the value and
 * takes no time. */
static double constant_memory_ns(const launch_model *m)
{
    double indexed = counter_value(m, CTR_const_indexed);
    if (indexed == 0)
        return 0;
    double cycles =
        (indexed + counter_value(m, CTR_const_replays)) / m->p->constant_addresses_per_clock +
        counter_value(m, CTR_const_misses) * m->p->constant_miss_cycles +
        counter_value(m, CTR_const_far_misses) * m->p->constant_far_miss_cycles;
    return cycles / (m->sms_busy * m->ghz);
}

/* The lifetime of a warp on an otherwise idle device, in ns: waiting for L2 and DRAM (far), and
 * everything else (near). Both are computed from the chain of dependent steps of the warp. */
typedef struct warp_life {
    double far, near; /* ns that the warp waits for L2 and DRAM; all other ns of its life */
} warp_life;

/* The time of grid barriers per block, in ns: the last arrival travels to L2 and back to all
 * blocks, and all arrivals are atomics on one word. */
static double grid_barrier_time(const launch_model *m)
{
    return counter_value(m, CTR_grid_arrivals) / m->blocks *
           (m->p->grid_barrier_ns + m->blocks * m->p->atomic_ns);
}

/* SUM of a counter of phases of bulk copies, each of which all warps of a block wait for, as if
 * each of them had issued the copies. */
static double bulk_phases_of_all_warps(const launch_model *m, counter_id sum)
{
    return counter_value(m, sum) * m->warps / m->blocks;
}

/* The number of waits for groups of cp.async and for phases of bulk copies, per warp. */
static double async_copy_rounds(const launch_model *m)
{
    return (counter_value(m, CTR_copy_waits) + bulk_phases_of_all_warps(m, CTR_bulk_phases)) /
           m->warps;
}

/* How much of FAR, the latency of all asynchronous copies that a warp waits for, is left if it
 * works for NEAR ns meanwhile. A wait that leaves N groups or phases in flight is for a copy that
 * was issued N waits earlier: the latency overlaps the work between these waits. */
static double async_copy_wait(const launch_model *m, double far, double near)
{
    double left = ratio_or_zero(counter_value(m, CTR_copy_groups_left) +
                                    bulk_phases_of_all_warps(m, CTR_bulk_phases_ahead),
                                async_copy_rounds(m) * m->warps);
    if (left < 1)
        return (1 - left) * far + left * max_double(far - near, 0);
    return max_double(far / left - near, 0);
}

/* Cycles from the first to the last instruction of each warp, for all warps together, if none waits
 * for another. The unit for sums and products of f32 accepts instructions faster than the others.
 */
static double issue_intervals(const launch_model *m)
{
    double floats = counter_value(m, CTR_flops) / (2 * WARP_LANES);
    double saved = max_double(m->p->chain_cycles - (double)m->p->pace_fma, 0);
    double all = machine_instruction_count(m) - counter_value(m, CTR_tensor_inst);
    return all * m->p->chain_cycles - min_double(floats, all) * saved;
}

/* The lifetime of an average warp of the launch. L2_MISS: the miss rate in L2. */
static warp_life warp_lifetime(const launch_model *m, double l2_miss)
{
    const device_profile *p = m->p;
    double warps_a_block = m->warps / m->blocks;
    double loads =
        (counter_value(m, CTR_ld_requests) + counter_value(m, CTR_atom_requests)) / m->warps;
    double near = (counter_value(m, CTR_shared_ld_requests) - counter_value(m, CTR_shared_widened) +
                   counter_value(m, CTR_shared_atom_requests) +
                   counter_value(m, CTR_local_ld_requests) + counter_value(m, CTR_const_indexed)) /
                  m->warps;
    double barriers = counter_value(m, CTR_barriers) / m->warps;
    double far_loads =
        (counter_value(m, CTR_l2_read_requests) + counter_value(m, CTR_atom_requests)) / m->warps;
    double sectors = counter_value(m, CTR_l2_read_sectors) + counter_value(m, CTR_atom_sectors);
    double to_dram = min_double(
        l2_miss * ratio_or_zero(counter_value(m, CTR_dram_read_bytes), sectors * SECTOR_BYTES), 1);

    /* Rounds of waiting. Loads in flight together count as one round. Loads before and after a
     * barrier cannot overlap, nor can two loads if one needs the result of the other. */
    double near_rounds =
        max_double(near / REQUESTS_IN_FLIGHT, counter_value(m, CTR_near_rounds) / m->warps);
    double copies = async_copy_rounds(m);
    double l1_rounds =
        max_double(loads / REQUESTS_IN_FLIGHT, counter_value(m, CTR_l1_rounds) / m->warps + copies);
    double bulk = counter_value(m, CTR_bulk_phases) / m->blocks; /* past L1 */
    double copy_rounds = (copies - bulk) * min_double(ratio_or_zero(far_loads, loads), 1) + bulk;
    double l2_rounds = max_double(far_loads / REQUESTS_IN_FLIGHT,
                                  counter_value(m, CTR_l2_rounds) / m->warps + copy_rounds);
    double dram_rounds = l2_rounds * to_dram;
    double slowest = 1 + (m->p->slowest_of_two * log2(warps_a_block) +
                          m->p->slowest_at_barrier * min_double(barriers, 1)) /
                             sqrt(max_double(l2_rounds, 1));
    /* Bank conflicts of all warps of a block delay the last one before a barrier. */
    double conflicts = counter_value(m, CTR_shared_ld_conflicts) +
                       counter_value(m, CTR_shared_st_conflicts) -
                       counter_value(m, CTR_shared_widened_conflicts);
    double a_matrix = p->tensor_latency_cycles +
                      ratio_or_zero(tensor_cycles(m), counter_value(m, CTR_tensor_inst)) *
                          (double)p->schedulers_per_sm;
    double cycles = max_double(issue_intervals(m), counter_value(m, CTR_chain_cycles)) / m->warps +
                    counter_value(m, CTR_slow_path_chain) / m->warps +
                    counter_value(m, CTR_tensor_chain) / m->warps * a_matrix +
                    barriers * (m->p->barrier_cycles + warps_a_block * m->p->arrival_cycles) +
                    min_double(barriers, 1) * conflicts / m->blocks;

    double far = slowest * (l2_rounds * (p->l2_latency_ns - p->l1_latency_ns) +
                            dram_rounds * (p->dram_latency_ns - p->l2_latency_ns));
    double of_copies = far * min_double(ratio_or_zero(copy_rounds, l2_rounds), 1);

    return (warp_life){
        .far = far - of_copies + async_copy_wait(m, of_copies, cycles / m->ghz),
        .near = m->p->turnover_ns + warps_a_block * m->p->warp_start_ns + cycles / m->ghz +
                l1_rounds * p->l1_latency_ns + near_rounds * p->shared_latency_ns +
                counter_value(m, CTR_cluster_barriers) / m->warps * p->cluster_barrier_ns +
                grid_barrier_time(m),
    };
}

/* Little's law: a device with R resident warps that live L nanoseconds completes R / L of them per
 * nanosecond, which is why occupancy hides latency. The far part grows with the utilisation MEMORY
 * / t of L2 and DRAM, where MEMORY is the time for which L2 and DRAM are busy: t = near + far +
 * growth * far * MEMORY / t, solved for t. */
static double latency_ns(const launch_model *m, double l2_miss, double memory)
{
    double waves = max_double(m->blocks / m->resident_blocks, 1);
    warp_life w = warp_lifetime(m, l2_miss);
    double idle = waves * (w.near + w.far);

    return (idle + sqrt(idle * idle + 4 * m->p->queue_growth * waves * w.far * memory)) / 2;
}

/* The additional time, in ns, in which the device is not full: while the last blocks finish, and
 * while the first warps wait in their first round. The last blocks live as long as the others, even
 * if they are few, where latency limits the launch. LATENCY / ALL is the share of the time that is
 * due to latency; it already includes the first wait. */
static double unfilled_device_ns(const launch_model *m, double l2_miss, double latency, double all)
{
    double waves = max_double(m->blocks / m->resident_blocks, 1);
    double rounds =
        max_double(counter_value(m, CTR_l2_rounds) / m->warps + async_copy_rounds(m), 1);
    double first = (1 - min_double(ratio_or_zero(latency, all), 1)) / (waves * rounds);
    warp_life w = warp_lifetime(m, l2_miss);

    double life = w.near + w.far;
    double last = max_double((1 - 1 / waves) * life, latency + (ceil(waves) - waves) * life - all);

    return last + first * life;
}

/* The time of blocks that run in step: all begin at the same time, and a barrier follows each wait
 * of their warps for L2 and DRAM. Then the blocks of an SM wait at the same time and share its
 * units afterwards. 0: the blocks do not run in step. */
static double time_of_blocks_in_step(const launch_model *m, double l2_miss, const launch_time *t)
{
    double waits = counter_value(m, CTR_l2_rounds) + async_copy_rounds(m) * m->warps;
    if (m->blocks > m->resident_blocks || waits == 0 || counter_value(m, CTR_barriers) < waits)
        return 0;
    warp_life w = warp_lifetime(m, l2_miss);
    double units = max_double(max_double(t->issue, t->l1 + t->shared), t->barrier);
    return max_double(units, w.near) + w.far;
}

/* The time of atomics. The busiest slice of L2 handles its packets one after another. A
 * floating-point addition must be complete before the next addition to the same address begins. */
static double atomic_ns(const launch_model *m)
{
    /* in the unit of the counter atom_slice, a packet of one sector counts 5 */
    enum { QUARTERS = 5 };
    double hottest =
        counter_value(m, CTR_atom_hottest) *
        ratio_or_zero(counter_value(m, CTR_atom_float_lanes), counter_value(m, CTR_atom_lanes));

    return max_double(counter_value(m, CTR_atom_slice) / QUARTERS * m->p->atomic_ns,
                      hottest * m->p->atomic_float_ns);
}

/* Combine the terms by a power mean. L1 and shared memory are one unit with one input, so their
 * terms add up. */
static double combine_times(const launch_time *t)
{
    double terms[] = {t->dispatch,       t->issue,    t->tensor, t->barrier,
                      t->l1 + t->shared, t->constant, t->l2,     t->dram,
                      t->atomics,        t->passages, t->latency};
    double most = 0, sum = 0;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        most = max_double(most, terms[i]);
    if (most == 0)
        return 0;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        sum += pow(terms[i] / most, POWER_MEAN_EXPONENT);
    return most * pow(sum, 1 / POWER_MEAN_EXPONENT);
}

timing_term timing_largest_term(const launch_time *t, bool of_lines)
{
    static const bool by_lines[] = {
#define TERM(field, of_lines) of_lines,
#include "terms.def"
#undef TERM
    };
    const double ns[] = {
#define TERM(field, of_lines) t->field,
#include "terms.def"
#undef TERM
    };
    timing_term best = TERM_COUNT;

    for (timing_term k = 0; k < TERM_COUNT; k++)
        if ((!of_lines || (by_lines[k] && ns[k] > 0)) && (best == TERM_COUNT || ns[k] > ns[best]))
            best = k;
    return best;
}

const char *timing_term_name(timing_term term)
{
    static const char *const names[] = {
#define TERM(field, of_lines) #field,
#include "terms.def"
#undef TERM
    };
    return names[term];
}

/* The additional time due to differences between blocks and between warps. */
static double uneven_blocks_ns(const launch_model *m, double l2_miss, const launch_time *t,
                               const launch_work *work, double busy)
{
    warp_life w = warp_lifetime(m, l2_miss);
    double start =
        m->p->turnover_ns + m->warps / m->blocks * m->p->warp_start_ns + grid_barrier_time(m);
    double sms = min_double(m->blocks, (double)m->p->sm_count);
    double issue = max_double(max_double(t->issue, t->tensor), max_double(t->barrier, t->constant));
    uneven_launch l = {
        .places = min_double(m->blocks, m->resident_blocks),
        .sms = sms,
        .start = start,
        .chain = w.near - start,
        .far = w.far,
        .issue = max_double(issue, t->shared) * m->sms_busy,
        .requests = t->l1 * m->sms_busy,
        .memory = max_double(max_double(t->l2, t->dram), t->atomics),
    };
    return uneven_extra_time(&l, work, busy);
}

launch_time timing_of_kernel(const device_profile *p, timing_state *state,
                             const launch_shape *shape, const counters *c, const launch_work *work)
{
    launch_model m = make_launch_model(p, shape, c);
    double footprint = counter_value(&m, CTR_footprint_bytes) + m.local_resident;
    double takes = footprint + (p->l2_written_weighs - 1) * counter_value(&m, CTR_dram_write_bytes);

    /* The data that earlier launches left in L2 is assumed to be data of this launch, as in a
     * program that repeats a kernel, or runs several on one array (labs have no warm-up). A launch
     * that touches less displaces nothing. Where hints made L2 keep more, it finds that. */
    bool one_side = m.blocks <= (double)p->l2_side_blocks;
    double finds =
        (one_side ? timing_l2_kept_share_one_side(p, takes) : timing_l2_kept_share(p, takes)) *
        ratio_or_zero(footprint, takes);
    double found = counter_value(&m, one_side ? CTR_found_side_bytes : CTR_found_bytes);
    double kept = min_double((double)state->resident_bytes, max_double(finds, found));
    double l2_miss = footprint > 0 ? 1 - kept / footprint : 1;
    state->resident_bytes = (uint64_t)min_double(
        max_double(footprint, (double)state->resident_bytes), (double)p->l2_bytes);
    launch_time t = {
        .launch = (shape->of_graph ? p->graph_launch_us : p->launch_us) * 1e3,
        .dispatch = m.blocks / p->blocks_per_ns,
        .issue = issue_ns(&m),
        .tensor = tensor_ns(&m),
        .barrier = barrier_ns(&m),
        .l1 = l1_ns(&m),
        .shared = shared_memory_ns(&m),
        .constant = constant_memory_ns(&m),
        .l2 = timing_l2_ns(&m),
        .dram = timing_dram_ns(&m, l2_miss),
        .atomics = atomic_ns(&m),
        .passages = counter_value(&m, CTR_passages) * p->passage_ns,
    };
    t.latency = latency_ns(&m, l2_miss, max_double(t.l2, t.dram));
    double busy = max_double(combine_times(&t), time_of_blocks_in_step(&m, l2_miss, &t));
    t.uneven = work ? uneven_blocks_ns(&m, l2_miss, &t, work, busy) : 0;
    t.bound = timing_term_name(timing_largest_term(&t, false));
    t.total = t.launch + busy + unfilled_device_ns(&m, l2_miss, t.latency, busy) + t.uneven;
    return t;
}
