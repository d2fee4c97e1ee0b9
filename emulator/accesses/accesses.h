/* Writes tables of the memory accesses of kernels. The table of WARPBOOK_ACCESSES has
 * representative requests of each memory instruction, with the addresses of all lanes. The table of
 * WARPBOOK_HEAT has the sectors fetched from and the bytes used of each piece of the allocations
 * (cut into at most 1024 pieces) that a kernel accesses.
 *
 * An observer fills both tables. A launch that is not written has no observer and no overhead. A
 * launch that repeats kernel, grid, block and parameters of an earlier launch is not written again.
 * Asynchronous copies and texture reads are in neither table. A loop that only waits is counted for
 * each iteration that ran. */
#pragma once

#include "../core/observer.h"

/* Read the values of WARPBOOK_ACCESSES and WARPBOOK_HEAT: FILE[:KERNEL[:LINE[:LAUNCH]]], or NULL if
 * not set. An empty field means all. Returns false with a message in ERR if a value is malformed.
 */
bool acc_configure(const char *accesses, const char *heat, char *err, size_t err_size);

/* True: one of the tables is wanted. */
bool acc_is_configured(void);

/* Add the observer of memory accesses to LIST, which ends with NULL, if launch L is to be written
 * to a table. KERNEL is the kernel's name as users write it; the caller keeps it until the launch
 * ends. */
void acc_add_observer(const sm_observer *list[SM_OBSERVERS + 1], const sm_launch *l,
                      const char *kernel);

/* The path of a table file that could not be written since the last call, with the reason in errno;
 * NULL: no write failed. Nothing more is written to a file after a failed write. */
const char *acc_failed_path(void);
