/* The modelled clock: how long a launch or a copy takes on a device described by a profile.
 * Deterministic: equal counters give equal times. Every figure that comes from here is called
 * modelled wherever it is shown. */
#ifndef WARPBOOK_TIMING_H
#define WARPBOOK_TIMING_H

#include "../counters/counters.h"
#include "../counters/work.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A device as public datasheets and our own measurements describe it. profile.def lists the fields
 * (name in the file, type, unit, range, meaning); profiles/NAME.profile is "key value  # source" a
 * line. */
typedef struct device_profile {
    char id[32];   /* "h200", as WARPBOOK_PROFILE names it */
    char name[96]; /* "NVIDIA H200" */
#define FIELD_U(name, unit, least, most, meaning) uint64_t name;
#define FIELD_F(name, unit, least, most, meaning) double name;
#include "profile.def"
#undef FIELD_U
#undef FIELD_F
} device_profile;

/* Load a profile: a built-in one by id, or a file where NAME holds a slash or ends in .profile.
 * NULL gives the default, h200. False with a sentence in ERR that names the line. */
bool profile_load(const char *name, device_profile *out, char *err, size_t err_size);

/* Ids of the built-in profiles, NULL-terminated. */
const char *const *profile_ids(void);

typedef struct launch_shape {
    uint32_t grid[3], block[3];
    uint32_t registers;    /* a thread, estimated from the PTX */
    uint64_t shared_bytes; /* static and dynamic, a block */
    uint64_t local_bytes;  /* a thread: arrays and spilled registers */
    uint64_t spilled;      /* of these, registers for which there was no room */
    uint64_t
        kept_bytes; /* a thread: local memory in the PTX that the assembler keeps in registers */
    bool of_graph;  /* a node of one: the device needs less to begin it */
} launch_shape;

/* Blocks that one SM holds at once, as the occupancy calculator says; 0 where not even one fits. */
uint32_t timing_blocks_per_sm(const device_profile *p, uint32_t threads, uint32_t registers,
                              uint64_t shared_bytes);

/* L2 contents carry over from launch to launch; one a device. Zero-initialise. */
typedef struct timing_state {
    uint64_t resident_bytes; /* what the last launches left in L2 */
    uint64_t reserved[7];
} timing_state;

/* Where the time of a launch went, in nanoseconds; `bound` names the largest. */
typedef struct launch_time {
    double total;
    double launch, dispatch, issue, tensor, barrier, l1, shared, constant, l2, dram, atomics,
        latency, uneven;
    const char *bound; /* "dram", "dispatch", ... */
} launch_time;

/* WORK: which blocks and warps had how much to do; NULL: all the same. */
launch_time timing_kernel(const device_profile *p, timing_state *state, const launch_shape *shape,
                          const counters *c, const launch_work *work);

typedef enum {
    COPY_H2D_PINNED,
    COPY_H2D_PAGEABLE,
    COPY_H2D_STAGED, /* pageable, by a call that does not wait for more than the driver's buffer */
    COPY_D2H_PINNED,
    COPY_D2H_PAGEABLE,
    COPY_D2D,
    COPY_H2H,
    COPY_MEMSET
} copy_kind;
double timing_copy(const device_profile *p, timing_state *state, copy_kind kind, uint64_t bytes);

#endif
