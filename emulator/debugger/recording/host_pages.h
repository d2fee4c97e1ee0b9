/* Finds what the host writes into host memory that kernels may use. Before a kernel uses such
 * memory, it is compared, page by page, with the contents that a replay has there. The caller of
 * these functions holds the recorder's lock. */
#pragma once

#include "recording.h"

/* Begin to watch SIZE bytes of host memory at BASE, which kernels may use from now on;
 * host_pages_remove ends this. */
void host_pages_add(uint64_t base, uint64_t size);
void host_pages_remove(uint64_t base);
/* Whether SIZE bytes at ADDRESS lie in one range of host memory that kernels may use. */
bool host_pages_contain(uint64_t address, uint64_t size);

/* Call before kernel launch LAUNCH uses the range at BASE: appends what the host has changed in the
 * range. Does nothing if called again for LAUNCH. */
void host_pages_before_use(rec_writer *w, uint64_t base, uint64_t launch);
/* Whether launch LAUNCH has used any host memory. */
bool host_pages_were_used(uint64_t launch);
/* Call after launch LAUNCH. STILL: no host thread could write during the launch, so a replay finds
 * equal bytes; append digests of the ranges that the launch used. Otherwise append the bytes that
 * have changed. */
void host_pages_after_launch(rec_writer *w, uint64_t launch, bool still);
