/* Boxes of tensors (PTX ISA 5.5.2 to 5.5.6): which bytes of global memory belong to which bytes of
 * shared memory. Inside the SM.
 *
 * A box lies in shared memory as rows, one behind the other; a row is what lies side by side along
 * the tensor's first dimension. A swizzle exchanges the 16 bytes that lie together, by bits of the
 * address in shared memory, and rows that are shorter than its span begin a span apart; so does the
 * recorded H200. What a box has outside of the tensor is filled on the way in, and is not there on
 * the way out. */
#ifndef WARPBOOK_BOX_H
#define WARPBOOK_BOX_H

#include "../core/warp.h"
#include "../memory/tensor_map.h"

#include <stddef.h>

typedef struct sm_box {
    mem_tensor_map map;
    int32_t at[MEM_TENSOR_MOST]; /* coordinates of its first element */
    uint16_t offset[3];          /* im2col: added along dimensions 1 to 3 */
} sm_box;

/* A map as a program keeps it: was it encoded, and is all of it within its range? */
bool sm_box_good(const mem_tensor_map *m);

/* Bytes that are copied, and bytes of shared memory from the first of them to the last. */
uint32_t sm_box_bytes(const sm_box *b);
uint32_t sm_box_extent(const sm_box *b);

/* What an H200 does not do: WHY (of SIZE characters) says it. OUT: from shared memory. */
bool sm_box_legal(const sm_box *b, bool out, char *why, size_t size);

/* A row. Elements FIRST to FIRST + COUNT lie in the tensor, the first of them at ADDRESS. */
typedef struct sm_box_row {
    uint32_t at; /* where the row begins in the box in shared memory, before the swizzle: bytes */
    uint32_t length;
    uint32_t first, count;
    uint64_t address;
} sm_box_row;

/* Row after row: begins all zero but for `box`. */
typedef struct sm_box_walk {
    const sm_box *box;
    uint32_t row;                   /* the next one */
    int64_t index[MEM_TENSOR_MOST]; /* of it: steps along each dimension, or pixel coordinates */
} sm_box_walk;
bool sm_box_next(sm_box_walk *walk, sm_box_row *row);

/* Where byte OFFSET of shared memory lies under swizzle SWIZZLE. */
static inline uint64_t sm_swizzled(uint64_t offset, uint32_t swizzle)
{
    const uint64_t bits = swizzle ? (UINT64_C(1) << swizzle) - 1 : 0;
    return offset ^ (offset >> 7 & bits) << 4;
}

/* Puts BYTES bytes at FROM to TO, where other host threads may be at work too when SHARED is
 * false. */
typedef void (*sm_combine)(uint8_t *to, const uint8_t *from, uint64_t bytes, bool shared);

/* Make the copy: into shared memory, whose byte 0 is SHARED, at OFFSET; out of it with OUT, where
 * COMBINE, if there is one, says what becomes of the old values. All rows are in live memory. */
void sm_box_move(sm_worker *k, const sm_box *b, uint8_t *shared, uint64_t offset, bool out,
                 sm_combine combine);

#endif
