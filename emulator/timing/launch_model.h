/* The inputs of the terms of a launch's time, and the terms of L2 and DRAM. Inside timing/ only. */
#ifndef WARPBOOK_TIMING_LAUNCH_MODEL_H
#define WARPBOOK_TIMING_LAUNCH_MODEL_H

#include "timing.h"

/* Sizes in threads or bytes. */
enum {
    WARP_LANES = 32,        /* threads of a warp */
    SECTOR_BYTES = 32,      /* a sector of a cache line */
    SECTOR_PAIR_BYTES = 64, /* two neighbouring sectors */
    LINE_BYTES = 128,       /* a cache line */
    PAGE_BYTES = 2048       /* a page of DRAM */
};

static inline double min_double(double x, double limit)
{
    return x < limit ? x : limit;
}

static inline double max_double(double x, double limit)
{
    return x > limit ? x : limit;
}

static inline double ratio_or_zero(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* The inputs of all terms, besides the counters. */
typedef struct launch_model {
    const device_profile *p;          /* the device */
    const counters *c;                /* counters of the launch */
    double ghz;                       /* clock rate of the SMs in GHz */
    double blocks, warps;             /* number of blocks and number of warps of the launch */
    double resident_blocks;           /* largest number of blocks resident on the whole device */
    double sms_busy;                  /* total work divided by the work of the busiest SM */
    double local_read, local_written; /* bytes of local memory, including spilled registers */
    double local_write_load;          /* what the writes cost L2, in bytes read */
    double local_resident;            /* bytes of local memory of all resident threads */
    double kept_words; /* words of local memory per thread that ptxas keeps in registers */
    double local_miss; /* miss rate of local loads in L1 */
} launch_model;

static inline double counter_value(const launch_model *m, counter_id id)
{
    return (double)m->c->v[id];
}

/* ns for which L2 is busy. */
double timing_l2_ns(const launch_model *m);

/* Bytes of a FOOTPRINT that the next pass over it finds in L2; one_side: if all running SMs are on
 * one side of L2. */
double timing_l2_kept_share(const device_profile *p, double footprint);
double timing_l2_kept_share_one_side(const device_profile *p, double footprint);

/* ns for which DRAM is busy. L2_MISS is the miss rate in L2. */
double timing_dram_ns(const launch_model *m, double l2_miss);

#endif
