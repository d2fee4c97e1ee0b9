/* The number of blocks resident on an SM, computed as in the toolkit's occupancy calculator
 * (cuda_occupancy.h). A unit test compares both results. */
#include "timing.h"

enum {
    WARP_LANES = 32,          /* threads of a warp */
    REGISTERS_PER_UNIT = 256, /* a warp gets registers in multiples of this number */
    MAX_BLOCK_THREADS = 1024  /* most threads of a block */
};

static uint64_t round_up(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* The number of resident blocks that the registers allow. A warp gets registers in units of 256
 * from the register file of its scheduler; the warps of a block are distributed over the
 * schedulers. */
static uint64_t blocks_by_registers(const device_profile *p, uint64_t warps, uint32_t registers)
{
    if (registers > p->registers_per_thread)
        return 0;
    uint64_t a_warp = round_up((uint64_t)registers * WARP_LANES, REGISTERS_PER_UNIT);
    if (a_warp == 0)
        return UINT64_MAX;
    if (a_warp * round_up(warps, p->schedulers_per_sm) > p->registers_per_block)
        return 0;
    uint64_t warps_a_part = p->registers_per_sm / p->schedulers_per_sm / a_warp;
    return warps_a_part * p->schedulers_per_sm / warps;
}

/* The number of resident blocks that shared memory allows, if each has BYTES bytes; 0: none fits.
 * */
static uint64_t blocks_by_shared(const device_profile *p, uint64_t bytes)
{
    uint64_t unit = p->compute_major >= 8 ? 128 : 256;

    if (bytes > p->shared_per_block_optin)
        return 0;
    bytes = round_up(bytes + p->shared_reserved, unit);
    return bytes ? p->shared_per_sm / bytes : UINT64_MAX;
}

uint32_t timing_blocks_per_sm(const device_profile *p, uint32_t threads, uint32_t registers,
                              uint64_t shared_bytes)
{
    if (threads == 0 || threads > MAX_BLOCK_THREADS)
        return 0;
    uint64_t warps = (threads + WARP_LANES - 1) / WARP_LANES;
    uint64_t limits[] = {p->blocks_per_sm, p->threads_per_sm / WARP_LANES / warps,
                         blocks_by_registers(p, warps, registers),
                         blocks_by_shared(p, shared_bytes)};
    uint64_t least = limits[0];

    for (size_t i = 1; i < sizeof limits / sizeof *limits; i++)
        least = limits[i] < least ? limits[i] : least;
    return (uint32_t)least;
}

/* The shared memory of an SM is a part of L1 whose size, in KB, is one of `parts`. ncu reports the
 * smallest size for all kernels without shared memory (chapters/h200/pages). */
uint64_t timing_l1_bytes(const device_profile *p, uint64_t blocks_per_sm, uint64_t shared_bytes)
{
    static const uint64_t parts[] = {32, 64, 100, 132, 164, 196, 228};
    const uint64_t needed = blocks_per_sm * (shared_bytes + p->shared_reserved);
    uint64_t taken = p->l1_bytes;

    for (size_t i = sizeof parts / sizeof *parts; i-- > 0;)
        taken = parts[i] << 10 >= needed ? parts[i] << 10 : taken;
    return taken < p->l1_bytes ? p->l1_bytes - taken : 0;
}

double timing_most_f32_gflops(const device_profile *p)
{
    return (double)(p->sm_count * p->schedulers_per_sm * WARP_LANES) * 2 / (double)p->pace_fma *
           p->clock_mhz / 1e3;
}
