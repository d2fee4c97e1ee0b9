/* Which launches of a run a lab timed. On the emulator, LAB_MEASURE and LAB_SWEEP surround what
 * they time with cudaProfilerStart and cudaProfilerStop; the counters say in which of these ranges
 * a launch was issued, and the record has a row for each range. */
#pragma once

#include "../base/table.h"

/* Add the columns `variant` (the name of the row that timed the launch) and `timed` (the number of
 * that row, from 1) to COUNTERS; both are empty for launches that no row timed. If RECORD does not
 * have as many rows as the run had ranges, the variant of the timed is `?`. Either may be NULL. */
void name_timed_launches(table *counters, const table *record);
