/* How long copies and fills take. */
#include "timing.h"

#include <math.h>

/* Bytes a nanosecond; 0 for kinds that the device has no part in. */
static double copy_rate(const device_profile *p, copy_kind kind)
{
    switch (kind) {
    case COPY_H2D_PINNED:
        return p->h2d_pinned_gbs;
    case COPY_H2D_PAGEABLE:
    case COPY_H2D_STAGED:
        return p->h2d_pageable_gbs;
    case COPY_D2H_PINNED:
        return p->d2h_pinned_gbs;
    case COPY_D2H_PAGEABLE:
        return p->d2h_pageable_gbs;
    case COPY_D2D:
        return p->dram_gbs / 2; /* each byte is read and written */
    case COPY_MEMSET:
        return p->dram_read_gbs; /* one direction only */
    case COPY_H2H:
        return p->h2d_pageable_gbs;
    }
    return p->h2d_pageable_gbs;
}

/* The unit that reads the queues writes a few bytes itself; for more, a kernel does. Records:
 * memset, of 2 KB and of 16. */
#define FILL_BYTES 4096

/* What the shortest one takes, in ns. */
static double copy_least(const device_profile *p, copy_kind kind, uint64_t bytes)
{
    const double copy = p->copy_us * 1e3, launch = p->launch_us * 1e3;
    switch (kind) {
    case COPY_D2D:
        return launch; /* a kernel does it */
    case COPY_H2D_PAGEABLE:
        return 1.4 * copy; /* the host puts it into a buffer of the driver's first */
    case COPY_H2D_STAGED:
        return 0.55 * copy; /* and does not wait until it is on the device */
    case COPY_D2H_PINNED:
        return p->copy_out_us * 1e3;
    case COPY_D2H_PAGEABLE:
        return 1.85 * copy; /* by way of a pinned buffer, and the host waits for both */
    case COPY_MEMSET:
        return bytes <= FILL_BYTES ? 0.5 * copy : launch;
    default:
        return copy;
    }
}

/* A small copy from pageable memory goes through the driver's buffer as a whole, one step after the
 * other; of a larger one only its first part does. Bytes, and bytes a nanosecond. Records: link. */
#define STAGED_BYTES 65536.0
#define STAGED_RATE  8.0

double timing_copy(const device_profile *p, timing_state *state, copy_kind kind, uint64_t bytes)
{
    /* The data passes through L2 and pushes out, line by line at random, what kernels left there.
     */
    if (kind != COPY_H2H)
        state->resident_bytes =
            (uint64_t)((double)state->resident_bytes * exp(-(double)bytes / (double)p->l2_bytes));
    double staged = kind == COPY_H2D_PAGEABLE || kind == COPY_H2D_STAGED
                        ? fmin((double)bytes, STAGED_BYTES) / STAGED_RATE
                        : 0;
    return copy_least(p, kind, bytes) + staged + (double)bytes / copy_rate(p, kind);
}
