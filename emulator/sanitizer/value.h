/* Values that plain stores leave: stores of the same value do no harm to one another. */
#ifndef WARPBOOK_SANITIZER_VALUE_H
#define WARPBOOK_SANITIZER_VALUE_H

#include "../core/observer.h"

/* Store A of LANE is about to happen. Do BYTES bytes at ADDRESS, as far as it stores them, hold
 * that already? ADDRESS is as in A. False: they do not, or nobody knows. */
bool san_stores_same(const sm_access *a, uint32_t lane, uint64_t address, uint32_t bytes);
/* Does lane OTHER also store to any of these bytes, and (SAME) the same value? */
bool san_lanes_meet(const sm_access *a, uint32_t lane, uint32_t other, uint64_t address,
                    uint32_t bytes, bool *same);

#endif
