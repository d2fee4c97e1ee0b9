/* Reads of memory that nobody has written: device memory of cudaMalloc and of malloc() in kernels
 * from its allocation on, shared and local memory from the beginning of the block on. What a
 * function leaves in local memory counts as written by the next one that uses these bytes.
 *
 * A load is reported where all bytes of an element that it reads are unwritten, unless the value is
 * only stored again (flow.h) or by cp.async: then what is stored counts as unwritten too. So
 * padding of structures is copied without a word. Nothing is said of a value that a selection
 * (selp) may drop: the compiler loads it ahead of the test that says whether it is wanted. An
 * atomic operation reads, unless it is an exchange whose result is unused.
 *
 * A read of what another block of the launch stores, or another thread of the block before the next
 * barrier, is a race whatever came first this time, and not reported here. Blocks run on one host
 * thread, one after another, so that what is found is the same each time.
 *
 * Managed and pinned memory (which the host writes without a call) and memory that cudaMallocAsync
 * gives again count as written. So does what textures read, and what bulk copies carry. */
#ifndef WARPBOOK_SANITIZER_INIT_H
#define WARPBOOK_SANITIZER_INIT_H

#include "../../core/observer.h"

extern const sm_observer san_initcheck;

#endif
