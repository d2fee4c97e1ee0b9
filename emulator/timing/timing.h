/* The modelled clock: how long a kernel or a copy takes on the device that a profile describes.
 * Deterministic: equal counters give equal times. Programs that show a value from this model must
 * call it modelled. Times are nanoseconds, sizes bytes, unless a name ends in another unit.
 * model.c, uneven.c and copy.c name the recordings to which their constants were fitted. */
#ifndef WARPBOOK_TIMING_H
#define WARPBOOK_TIMING_H

#include "../counters/counters.h"
#include "../counters/source.h"
#include "../counters/work.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A device, as described by public data sheets and our own measurements. profile.def lists the
 * fields (name, type, unit, range, meaning); a line of profiles/NAME.profile is "key value  #
 * source". */
typedef struct device_profile {
    char id[32];   /* name of the profile, the value of WARPBOOK_PROFILE, for instance "h200" */
    char name[96]; /* name of the device, for instance "NVIDIA H200" */
#define FIELD_U(name, unit, least, most, meaning) uint64_t name;
#define FIELD_F(name, unit, least, most, meaning) double name;
#include "profile.def"
#undef FIELD_U
#undef FIELD_F
} device_profile;

/* Load a profile: a built-in one by its id, or a file if NAME contains a slash or ends in .profile.
 * NULL loads the default, h200. On failure returns false, and ERR has a message with the error and
 * the line. */
bool profile_load(const char *name, device_profile *out, char *err, size_t err_size);
/* The text of the profile NAME if it is a file, malloc'd, and its size; NULL: it is built in. */
char *profile_file_text(const char *name, size_t *size);

/* The ids of the built-in profiles, NULL-terminated. */
const char *const *profile_ids(void);

/* The size of a launch, and the registers and memory that each thread or block uses. */
typedef struct launch_shape {
    uint32_t grid[3], block[3]; /* blocks of the grid and threads of a block: x, y, z */
    uint32_t registers;         /* registers per thread */
    uint64_t shared_bytes;      /* bytes of shared memory per block: static and dynamic */
    uint64_t local_bytes;       /* bytes of local memory per thread: arrays and spilled registers */
    uint64_t spilled;           /* the part of local_bytes that is spilled registers */
    uint64_t kept_bytes; /* bytes of the PTX's local memory, per thread, that the assembler keeps in
                            registers */
    bool of_graph;       /* the launch is a node of a graph, which the device starts faster */
} launch_shape;

/* The number of blocks resident on one SM, as the occupancy calculator computes it; 0 if a block
 * does not fit. */
uint32_t timing_blocks_per_sm(const device_profile *p, uint32_t threads, uint32_t registers,
                              uint64_t shared_bytes);

/* The most GFLOP/s of multiply-adds of f32: each scheduler begins one of a warp, two flops per
 * lane, every pace_fma cycles. */
double timing_most_f32_gflops(const device_profile *p);

/* Bytes of an SM's L1 that remain besides the shared memory of BLOCKS_PER_SM blocks, each with
 * SHARED_BYTES bytes. */
uint64_t timing_l1_bytes(const device_profile *p, uint64_t blocks_per_sm, uint64_t shared_bytes);

/* The state of a device that launches and copies leave for later ones. One per device;
 * zero-initialise. */
typedef struct timing_state {
    uint64_t resident_bytes; /* bytes in L2 of data that earlier launches and copies touched */
    uint64_t reserved[7];    /* not used; keeps the size of the struct */
} timing_state;

/* The modelled time of a launch in nanoseconds: the total, and the time for which each part of the
 * device is busy. */
typedef struct launch_time {
    double total; /* total time in ns */
#define TERM(field, of_lines) double field;
#include "terms.def"
#undef TERM
    const char *bound; /* name of the largest term, for instance "dram" */
} launch_time;

/* The time of a launch with the given counters. WORK is the work of each block and warp; NULL: all
 * do equal work. */
launch_time timing_of_kernel(const device_profile *p, timing_state *state,
                             const launch_shape *shape, const counters *c, const launch_work *work);

/* Set the share of each of ROWS, the instructions of a launch with time T. The shares add up to the
 * part of T after the launch's start, relative to T; they are negative if no line causes the
 * limiting time. */
void timing_fill_shares(const device_profile *p, const launch_time *t, source_row *rows,
                        size_t count);

typedef enum {
    COPY_H2D_PINNED,   /* from pinned host memory to the device */
    COPY_H2D_PAGEABLE, /* from pageable host memory to the device */
    COPY_H2D_STAGED,   /* from pageable host memory to the device, by a call that returns once the
                          data is in the driver's buffer */
    COPY_D2H_PINNED,   /* from the device to pinned host memory */
    COPY_D2H_PAGEABLE, /* from the device to pageable host memory */
    COPY_D2D,          /* between addresses on the device */
    COPY_H2H,          /* within host memory */
    COPY_MEMSET        /* a memset */
} copy_kind;
double timing_of_copy(const device_profile *p, timing_state *state, copy_kind kind, uint64_t bytes);

#endif
