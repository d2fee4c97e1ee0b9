/* Atomic operations on global memory in L2, for the modelled clock. Each line belongs to one slice
 * of L2, which processes its updates one after another.
 *
 * A warp's request is sent to L2 as packets: one for each line, and, for each word that n lanes
 * update, n - 1 more. A slice processes a packet sector by sector; a packet of a single sector
 * takes 5/4 of a sector's time. Source: tests/hardware/timings/h200/parts/atomics.tsv. Which lines
 * share a slice was found with ncu's lts__t_sectors.max: pairs of lines alternate between two
 * slices, and each KB of memory has its own pair of slices. */
#pragma once

#include "../core/warp.h"
#include "count.h"

/* Record the atomic request of instruction I with N active lanes; address[] are the words that they
 * update, in the order of the lanes. APART: their lines, if no two lanes update the same word;
 * PACKETS: what profiler_find_packets says. NULL: not known. */
void profiler_l2_count_atomic(sm_worker *k, const sm_insn *i, const uint64_t *address, uint32_t n,
                              const profiler_lines *apart, const profiler_packets *packets);

/* Functions for sm_grid.rollback: they remove the statistics of loop iterations that only waited.
 */
extern const sm_rollback profiler_l2_rollback;

/* profiler_l2_add_worker adds the statistics of FROM to those of TO; profiler_l2_collect_counters
 * turns them into counters. */
void profiler_l2_add_worker(sm_worker *to, const sm_worker *from);
void profiler_l2_collect_counters(const sm_worker *k, counters *out);
void profiler_l2_free(sm_worker *k);
