/* Counters on a GPU: NVIDIA's Nsight Compute, where it is installed. */
#ifndef WARPBOOK_NCU_H
#define WARPBOOK_NCU_H

#include "../base/job.h"

/* Path of ncu, from PATH or beside the toolkit, to be freed; NULL: not found. */
char *ncu_find(void);

/* Run PROGRAM's measurements under ncu; its CSV goes to FILE. */
job *ncu_start(const char *ncu, const char *program, const char *dir, const char *file);

/* Turn ncu's CSV in FILE into a counters table, in place. False where it holds no counters. */
bool ncu_convert(const char *file);

/* The same for texts, for tests; to be freed, NULL: no counters. */
char *ncu_table(const char *csv);

#endif
