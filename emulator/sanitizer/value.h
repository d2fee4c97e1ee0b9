/* Compare the values that plain stores write: unordered stores of the same value do no harm. */
#pragma once

#include "../core/observer.h"

/* Store A of LANE is about to happen. Do the bytes that it will store, within BYTES bytes at
 * ADDRESS (an address in A's state space), already hold the new values? False: they do not, or this
 * is not known. */
bool san_stores_same_value(const sm_access *a, uint32_t lane, uint64_t address, uint32_t bytes);
/* Does lane OTHER also store to any of BYTES bytes at ADDRESS? *SAME: it stores the same value. */
bool san_do_stores_overlap(const sm_access *a, uint32_t lane, uint32_t other, uint64_t address,
                           uint32_t bytes, bool *same);

/* Do LANE and OTHER, in the same store, write different values to any of the BYTES bytes at
 * ADDRESS? Then one of the values is lost. */
bool san_do_stores_differ(const sm_access *a, uint32_t lane, uint32_t other, uint64_t address,
                          uint32_t bytes);
