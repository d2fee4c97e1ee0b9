/* Digests of device memory, which a replay compares with its own (WARPBOOK_DIGESTS). */
#ifndef WARPBOOK_DIGESTS_H
#define WARPBOOK_DIGESTS_H

#include "../../memory/memory.h"
#include "recording.h"

/* Append a digest of each range of device memory that has changed since the last call: of those in
 * MAP, or, where AT is not 0, of the one that holds address AT. With the recorder's lock held. */
void digests_put(rec_writer *w, const mem_map *map, uint64_t at);

#endif
