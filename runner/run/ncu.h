/* Reads counters on a GPU through NVIDIA's Nsight Compute (ncu), if it is installed. */
#pragma once

#include "../base/job.h"

/* Path of ncu, from PATH or next to the toolkit, to be freed; NULL: not found. */
char *find_ncu(void);

/* Run PROGRAM's measurements under ncu; its CSV goes to FILE. */
job *start_ncu(const char *ncu, const char *program, const char *dir, const char *file);

/* Convert ncu's CSV in FILE into a table of counters, in place. False: FILE holds no counters. */
bool convert_ncu_file(const char *file);

/* ncu's CSV text as the text of a table of counters; for tests. To be freed; NULL: no counters. */
char *counters_from_ncu_csv(const char *csv);
