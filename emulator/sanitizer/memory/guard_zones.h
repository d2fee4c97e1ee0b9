/* Arrays around which the program has set guard zones (mem_set_guard_zones), and the observer that
 * reports kernels which touch a guard zone: an index just past the end of an array or before its
 * start. The access itself is executed, as on a GPU. */
#pragma once

#include "../../core/observer.h"
#include "../caller.h"

/* The allocation that begins at BASE holds an array with guard zones; its elements have ELEMENT
 * bytes (at least 1), and the API call BY allocated it. A later call for the same allocation
 * replaces these values. If the host is out of memory, nothing is recorded. */
void san_add_guarded_array(uint64_t base, uint64_t element, const san_caller *by);
/* The allocation that begins at BASE is freed; unknown addresses are ignored. */
void san_drop_guarded_array(uint64_t base);

extern const sm_observer san_guard_zone_observer; /* reports accesses to guard zones */
