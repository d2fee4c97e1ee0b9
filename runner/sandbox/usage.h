/* Memory and threads used by a process and its descendants, read from /proc (proc(5)). */
#pragma once

#include <stdint.h>
#include <sys/types.h>

typedef struct usage {
    uint64_t resident;           /* bytes of resident memory; shared pages count once per process */
    uint64_t threads, processes; /* numbers of threads and processes */
} usage;

/* The memory and threads of process ROOT and its descendants. Processes that end meanwhile are
 * omitted; of more than 4096 processes the rest is not counted. */
usage usage_of(pid_t root);
