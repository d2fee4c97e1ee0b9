/* Digests of device memory (WARPBOOK_DIGESTS), of copied bytes and of counters in a recording, with
 * which a replay compares its own. The caller of each function holds the recorder's lock. */
#pragma once

#include "../../memory/memory.h"
#include "recording.h"

/* Append a digest of each range of device memory in MAP that has changed since the last call. If AT
 * is not 0, only of the range that holds address AT. */
void write_memory_digests(rec_writer *w, const mem_map *map, uint64_t at);

/* The hash of DEPTH slices of HEIGHT rows of WIDTH bytes of host memory: row y of slice z begins at
 * BASE + z * SLICE + y * PITCH. */
uint64_t hash_of_rows(uint64_t base, size_t pitch, size_t slice, size_t width, size_t height,
                      size_t depth);

/* Keep HASH, the hash of the counters of launch OP, until take_counter_hash(OP) returns it and
 * forgets it; 0: none is kept. At most 64 are kept. */
void keep_counter_hash(uint64_t op, uint64_t hash);
uint64_t take_counter_hash(uint64_t op);
