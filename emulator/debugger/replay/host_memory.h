/* Memory of the host that the recorded program's kernels used, at the same addresses in this
 * process. */
#ifndef WARPBOOK_REPLAY_HOST_MEMORY_H
#define WARPBOOK_REPLAY_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Make [BASE, BASE + SIZE) usable, and zero. False: something of this process lies there. */
bool host_memory_map(uint64_t base, uint64_t size);

#endif
