/* Initcheck: finds reads of memory that has not been written. Device memory is unwritten from
 * its allocation (cudaMalloc, or malloc() in kernels), shared and local memory from the
 * beginning of the block. If a function leaves values in local memory, the bytes count as
 * written when another function uses them.
 *
 * A load is reported if all bytes of an element are unwritten. It is not reported if the value
 * is only stored again (flow.h), nor for cp.async and bulk copies: then the stored bytes count as
 * unwritten too, so that padding of structures can be copied. It is not reported if a selection
 * (selp) may drop the value: the compiler loads such a value before the test that decides whether
 * it is needed. An atomic operation reads, unless it is an exchange whose result is unused.
 *
 * A read of bytes that another block of the launch stores, or that another thread of the block
 * stores before the next barrier, is a race, whichever access comes first in this run, and is
 * not reported here. Blocks run on one host thread, one after another, so that every run finds
 * the same reads.
 *
 * Pinned memory, which the host writes without a call, counts as written, and so do the pages of
 * managed memory that the host has touched (written.h). A fetch from a texture is reported if none
 * of the texels that it reads has been written. */
#pragma once

#include "../../core/observer.h"

extern const sm_observer san_init_observer; /* finds reads of unwritten memory */
