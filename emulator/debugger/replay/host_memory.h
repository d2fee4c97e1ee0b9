/* Maps the host memory that the recorded program's kernels used, at the recorded addresses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Map [BASE, BASE + SIZE), filled with zeros. Returns false if the range contains other memory of
 * this process. */
bool host_memory_map(uint64_t base, uint64_t size);
