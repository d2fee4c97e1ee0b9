/* What the host changes without a call: memory of the host that kernels may use is compared, page
 * by page, with what a replay has there, before a kernel uses it. With the recorder's lock held. */
#ifndef WARPBOOK_HOST_PAGES_H
#define WARPBOOK_HOST_PAGES_H

#include "recording.h"

/* Kernels may use SIZE bytes at BASE from now on, no more. */
void pages_add(uint64_t base, uint64_t size);
void pages_remove(uint64_t base);
/* Whether ADDRESS lies in such memory. */
bool pages_have(uint64_t address);

/* The kernel of launch LAUNCH is about to use the range that begins at BASE: append what the host
 * has changed there, once a launch. */
void pages_used(rec_writer *w, uint64_t base, uint64_t launch);
/* Whether launch LAUNCH has used any such memory. */
bool pages_touched(uint64_t launch);
/* The kernel has ended. STILL: no thread of the host could write meanwhile, so that a replay finds
 * the same bytes: append digests of the ranges used. Else what has changed. */
void pages_done(rec_writer *w, uint64_t launch, bool still);

#endif
