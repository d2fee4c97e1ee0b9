/* The arrays that a launch works on, as rules name them. */
#pragma once

#include "../replay/replay.h"
#include "rules.h"

/* An array that a kernel parameter points to. The guard bytes before the array are as many as the
 * guard bytes after it. */
typedef struct judged_array {
    uint8_t *at; /* address of the array in this process; NULL: the pointer refers to no memory */
    uint64_t bytes; /* size of the array in bytes */
} judged_array;

/* The bytes of kernel parameter INDEX of the launch; NULL: the kernel has no such parameter. */
const uint8_t *find_parameter(const replay_kernel *k, uint32_t index, uint64_t *bytes);

/* The array that rule R names: a device variable, or what a parameter of kernel K points to. */
judged_array array_of_rule(const replay_kernel *k, const judge_rule *r);
