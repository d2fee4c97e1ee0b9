/* The terms of L2 and DRAM in the modelled time of a launch. */
#include "launch_model.h"

#include <math.h>

/* The time of L2. The cost of loads depends on their lines and sectors. A store of one sector of a
 * line takes as long as a store of all four sectors. */
double timing_l2_ns(const launch_model *m)
{
    double write = max_double(counter_value(m, CTR_l2_write_sectors) * SECTOR_BYTES,
                              counter_value(m, CTR_l2_write_lines) * LINE_BYTES);
    double read =
        (1 - m->p->l2_request_share) * counter_value(m, CTR_l2_read_sectors) * SECTOR_BYTES +
        m->p->l2_request_share * counter_value(m, CTR_l2_read_lines) * LINE_BYTES;
    double local = m->local_read * m->local_miss + m->local_write_load;
    return (read + write + local) / m->p->l2_gbs;
}

/* Bytes of a footprint that the next pass over the footprint finds in L2. A footprint up to the
 * profile's share of L2 is found completely; above, the result drops linearly to 0 at another
 * share, since lines are replaced in nearly the order of their use. */
static double l2_kept_bytes_of(const device_profile *p, double footprint, double bytes)
{
    double share = footprint / bytes;
    double over = (share - p->l2_keeps) / (p->l2_loses - p->l2_keeps);
    return footprint * (1 - min_double(max_double(over, 0), 1));
}

double timing_l2_kept_share(const device_profile *p, double footprint)
{
    return l2_kept_bytes_of(p, footprint, (double)p->l2_bytes);
}

/* Like timing_l2_kept_share, if all running SMs are on one side of L2. Each half of L2 is the home
 * of half of the lines. An SM reads through its own half, which keeps the lines it has read. The
 * other half keeps the lines whose home it is. */
double timing_l2_kept_share_one_side(const device_profile *p, double footprint)
{
    double half = (double)p->l2_bytes / 2;
    return l2_kept_bytes_of(p, footprint, half) / 2 + l2_kept_bytes_of(p, footprint / 2, half);
}

/* How much longer DRAM takes for PAIRS pairs of sectors spread over PAGES pages of 2 KB than for
 * the same number of contiguous pairs. */
static double dram_slowdown_of_sparse_access(double pairs, double pages, double growth,
                                             double power)
{
    double empty = pages > 0 ? 1 - pairs / (pages * PAGE_BYTES / SECTOR_PAIR_BYTES) : 0;
    return 1 + growth * pow(max_double(empty, 0), power);
}

/* Bytes of partly written sectors that the launch does not read: L2 must fetch the rest of such a
 * sector, unless consecutive stores fill it. */
static double bytes_fetched_to_fill_sectors(const launch_model *m)
{
    double part = min_double(counter_value(m, CTR_st_part_sectors) * SECTOR_BYTES,
                             counter_value(m, CTR_dram_blind_bytes));
    double missing = 1 - ratio_or_zero(counter_value(m, CTR_st_part_bytes), part);
    return part * min_double(2 * max_double(missing, 0), 1);
}

/* The part of MOVED bytes of local memory traffic that goes to DRAM, because L2 cannot hold the
 * local memory of all resident threads together with the other data. */
static double local_bytes_to_dram(const launch_model *m, double moved)
{
    double all = counter_value(m, CTR_footprint_bytes) + m->local_resident;
    double waves = max_double(m->blocks / m->resident_blocks, 1);
    double lost = all > 0 ? 1 - timing_l2_kept_share(m->p, all) / all : 0;
    return min_double(moved, m->local_resident * waves) * lost;
}

/* The time of DRAM. L2_MISS is the miss rate in L2. Reads run at the read bandwidth. If there are
 * writes too, the bus changes direction; therefore a kernel that copies is slower than a kernel
 * that only reads. */
double timing_dram_ns(const launch_model *m, double l2_miss)
{
    const device_profile *p = m->p;
    double read = counter_value(m, CTR_dram_read_bytes),
           write = counter_value(m, CTR_dram_write_bytes);
    double fill = bytes_fetched_to_fill_sectors(m),
           read_pairs = counter_value(m, CTR_dram_read_pairs),
           write_pairs = counter_value(m, CTR_dram_write_pairs);

    if (p->dram_granule > SECTOR_BYTES) {
        read = max_double(read, read_pairs * (double)p->dram_granule);
        write = max_double(write, write_pairs * (double)p->dram_granule);
    }
    read *= dram_slowdown_of_sparse_access(read_pairs, counter_value(m, CTR_dram_read_pages),
                                           m->p->sparse_read, m->p->sparse_read_power);
    double apart =
        dram_slowdown_of_sparse_access(write_pairs, counter_value(m, CTR_dram_write_pages),
                                       m->p->sparse_write, m->p->sparse_write_power);
    fill *= apart;
    write *= apart;
    double turn = 1 / p->dram_gbs - 1 / p->dram_read_gbs;
    read = l2_miss * (read + fill) + local_bytes_to_dram(m, m->local_read * m->local_miss);
    write = l2_miss * write + local_bytes_to_dram(m, m->local_written);
    return (read + write) / p->dram_read_gbs + 2 * min_double(read, write) * turn;
}
