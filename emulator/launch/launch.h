/* Runs grids. launch_run returns when the grid has ended; streams and queues belong to cudart. */
#pragma once

#include "../core/sm.h"

/* Run a grid to its end. Output of device printf goes to stdout in the order of blocks. Always
 * fills in *result; returns true if there was no fault. Thread-safe; launches may overlap. */
bool launch_run(sm_program *p, const sm_launch *launch, sm_result *result);
/* Whether any device runs grids and blocks of this size; else WHY names the limit. */
bool launch_is_shape_possible(const uint32_t grid[3], const uint32_t block[3], char *why,
                              size_t size);
/* Whether GRID can be cut into clusters of this size, of at most MOST blocks; else WHY says it. */
bool launch_is_cluster_possible(const uint32_t grid[3], const uint32_t cluster[3], uint64_t most,
                                char *why, size_t size);
void launch_result_clear(sm_result *result);

/* Add to OUT the bytes of device memory that launches have touched since the last call or since the
 * last launch ended. Used if a launch begins before another has ended. */
void launch_count_touched(counters *out);
