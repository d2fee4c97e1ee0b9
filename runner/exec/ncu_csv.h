/* Counters of a run in the shape that `ncu --csv --page raw` prints (exec --ncu-csv FILE). */
#pragma once

#include <stdbool.h>

/* Turn the table COUNTERS (WARPBOOK_COUNTERS) of a run of PROGRAM into FILE; "-": standard output.
 * False: a message was printed. */
bool ncu_csv_write(const char *counters, const char *file, const char *program);
