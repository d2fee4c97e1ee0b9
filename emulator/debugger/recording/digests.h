/* Digests of device memory in a recording (WARPBOOK_DIGESTS); a replay compares them with digests
 * of its own memory. */
#ifndef WARPBOOK_DIGESTS_H
#define WARPBOOK_DIGESTS_H

#include "../../memory/memory.h"
#include "recording.h"

/* The caller holds the recorder's lock. Append a digest of each range of device memory in MAP that
 * has changed since the last call. If AT is not 0, only of the range that holds address AT. */
void write_memory_digests(rec_writer *w, const mem_map *map, uint64_t at);

#endif
