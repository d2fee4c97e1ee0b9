/* The modelled time of copies and fills of memory. */
#include "timing.h"

#include <math.h>

/* The rate of a copy in bytes per nanosecond. */
static double copy_rate(const device_profile *p, copy_kind kind)
{
    switch (kind) {
    case COPY_H2D_PINNED: return p->h2d_pinned_gbs;
    case COPY_H2D_PAGEABLE:
    case COPY_H2D_STAGED: return p->h2d_pageable_gbs;
    case COPY_D2H_PINNED: return p->d2h_pinned_gbs;
    case COPY_D2H_PAGEABLE: return p->d2h_pageable_gbs;
    case COPY_D2D: return p->dram_gbs / 2;     /* each byte is read and written */
    case COPY_MEMSET: return p->dram_read_gbs; /* a fill only writes, at about the read bandwidth */
    case COPY_H2H: return p->h2d_pageable_gbs;
    }
    return p->h2d_pageable_gbs;
}

/* The time of the shortest copy or fill of kind KIND, in ns. */
static double shortest_copy_ns(const device_profile *p, copy_kind kind, uint64_t bytes)
{
    const double copy = p->copy_us * 1e3, launch = p->launch_us * 1e3;
    switch (kind) {
    case COPY_D2D:
        return launch; /* a copy within the device is made by a kernel, so it takes at least the
                          time of a launch */
    case COPY_H2D_PAGEABLE:
        return p->copy_pageable_in *
               copy; /* the host first copies the data into a buffer of the driver */
    case COPY_H2D_STAGED:
        return p->copy_staged_in * copy; /* the call does not wait for the transfer to the device */
    case COPY_D2H_PINNED: return p->copy_out_us * 1e3;
    case COPY_D2H_PAGEABLE:
        return p->copy_pageable_out *
               copy; /* the data passes through a pinned buffer; the host waits for both steps */
    case COPY_MEMSET: return bytes <= p->fill_bytes ? p->fill_least * copy : launch;
    default: return copy;
    }
}

/* The modelled time of a copy or fill of BYTES bytes. A copy from pageable memory of up to
 * staged_bytes is staged completely before the transfer begins; if the copy is larger, only its
 * first staged_bytes delay the transfer. */
double timing_of_copy(const device_profile *p, timing_state *state, copy_kind kind, uint64_t bytes)
{
    /* The data passes through L2 and replaces lines at random. */
    if (kind != COPY_H2H)
        state->resident_bytes =
            (uint64_t)((double)state->resident_bytes * exp(-(double)bytes / (double)p->l2_bytes));
    double staged = kind == COPY_H2D_PAGEABLE || kind == COPY_H2D_STAGED
                        ? fmin((double)bytes, (double)p->staged_bytes) / p->staged_gbs
                        : 0;
    return shortest_copy_ns(p, kind, bytes) + staged + (double)bytes / copy_rate(p, kind);
}
