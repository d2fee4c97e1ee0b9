/* Kernels that wait for one another. */
#pragma once

#include "../../core/sm.h"

/* A kernel that is running or suspended. */
typedef struct rt_resident_kernel {
    uint64_t stuck;      /* count of memory changes when the kernel could not continue; 0: it can */
    bool suspended;      /* the kernel is suspended: its thread waits until it is resumed */
    counters before;     /* counters of memory accesses when the kernel was suspended */
    uint64_t issued;     /* number of issued operations that the kernel saw last */
    uint64_t generation; /* count of memory changes (rt.overlap.generation) that it saw last */
    double since;        /* when it last saw one of the two counts change, monotonic seconds */
    const char *name;    /* name of the kernel; owned elsewhere */
    struct rt_resident_kernel *next; /* next in the list of suspended kernels */
} rt_resident_kernel;

/* Implements sm_launch.others: runs other work for a kernel that may wait for it. SEAT is the
 * rt_resident_kernel of the waiting kernel. */
sm_help_result rt_run_other_kernels(void *seat, bool stuck, bool changed);
double rt_monotonic_seconds(void); /* the host's monotonic clock */
int rt_helper_thread_count(void);  /* number of threads that run work in place of a kernel */
