/* Pictures of memory accesses, as data: the tables of WARPBOOK_ACCESSES (for each memory
 * instruction representative requests, with the addresses of all lanes) and WARPBOOK_HEAT (for each
 * allocation that a kernel accesses the sectors fetched and the bytes used, piece by piece).
 *
 * An observer fills both. A launch that is not written has no observer and pays nothing. Launches
 * of a kernel that repeat grid, block and parameters are written once. Asynchronous copies and
 * textures are in neither table; a loop that only waits is counted as often as it ran. */
#ifndef WARPBOOK_ACCESSES_H
#define WARPBOOK_ACCESSES_H

#include "../core/observer.h"

/* Read the two variables, FILE[:KERNEL[:LINE[:LAUNCH]]] each, NULL: not set. What is left empty
 * means all. False with a sentence in ERR: malformed. */
bool acc_configure(const char *accesses, const char *heat, char *err, size_t err_size);

/* Add the observer to LIST, which ends with NULL, if launch L of KERNEL (a name as users write it,
 * borrowed until the launch ends) is to be written. */
void acc_add_observer(const sm_observer *list[SM_OBSERVERS + 1], const sm_launch *l,
                      const char *kernel);

/* The file that could not be written since the last call, errno says why; NULL: none. Nothing more
 * is written to it. */
const char *acc_unwritten(void);

#endif
