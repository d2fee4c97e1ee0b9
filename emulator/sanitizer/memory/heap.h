/* Finds accesses past the ends of what malloc() in device code returned, and to what free()
 * released (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations"). */
#pragma once

#include "../../core/observer.h"

extern const sm_observer san_heap_observer; /* reports accesses outside of malloc() memory */
