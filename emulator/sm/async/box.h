/* Boxes of tensor maps (PTX ISA 5.5.2 to 5.5.6): which bytes of global memory correspond to which
 * bytes of shared memory.
 *
 * A box is stored in shared memory row after row; a row is contiguous along the tensor's first
 * dimension. A swizzle permutes 16-byte units by bits of their address in shared memory. Rows
 * shorter than the swizzle span are padded to it, as on an H200. Elements outside the tensor are
 * filled in when reading and skipped when writing. */
#ifndef WARPBOOK_BOX_H
#define WARPBOOK_BOX_H

#include "../../core/warp.h"
#include "../../memory/tensor_map.h"

#include <stddef.h>

typedef struct sm_box {
    mem_tensor_map map;              /* the tensor map */
    int32_t at[MEM_MAX_TENSOR_DIMS]; /* tensor coordinates of the box's first element */
    uint16_t offset[3];              /* for im2col maps: offsets added along dimensions 1 to 3 */
} sm_box;

/* Whether M is a valid encoded map whose fields are all in range. */
bool sm_box_is_valid(const mem_tensor_map *m);

/* sm_box_bytes: the bytes that the copy transfers. sm_box_shared_bytes: the bytes of shared memory
 * that the box spans, with padding. */
uint32_t sm_box_bytes(const sm_box *b);
uint32_t sm_box_shared_bytes(const sm_box *b);

/* Whether an H200 accepts the copy of box B; if not, WHY (SIZE characters) receives the reason.
 * OUT: from shared to global memory. */
bool sm_box_is_allowed(const sm_box *b, bool out, char *why, size_t size);

/* One row of a box. Its elements FIRST to FIRST + COUNT - 1 lie in the tensor, starting at device
 * address ADDRESS. */
typedef struct sm_box_row {
    uint32_t at;           /* offset of the row in the box, in bytes, before swizzling */
    uint32_t length;       /* bytes of the row */
    uint32_t first, count; /* index and number of the row's elements that lie in the tensor */
    uint64_t address;      /* device address of the first element that lies in the tensor */
} sm_box_row;

/* Iterator over the rows of a box. Initialise `box`, and all other fields to zero. */
typedef struct sm_box_iterator {
    const sm_box *box;                  /* the box whose rows are visited */
    uint32_t row;                       /* number of the next row */
    int64_t index[MEM_MAX_TENSOR_DIMS]; /* position of the next row: indices along each dimension,
                                           or pixel coordinates for im2col */
} sm_box_iterator;
bool sm_box_next_row(sm_box_iterator *walk, sm_box_row *row);

/* Offset in shared memory of byte OFFSET under swizzle mode SWIZZLE. */
static inline uint64_t sm_swizzled_offset(uint64_t offset, uint32_t swizzle)
{
    const uint64_t bits = swizzle ? (UINT64_C(1) << swizzle) - 1 : 0;
    return offset ^ (offset >> 7 & bits) << 4;
}

/* Combine BYTES bytes at FROM with those at TO (a reduction). SHARED: TO is shared memory;
 * otherwise other host threads may update it at the same time. */
typedef void (*sm_combine)(uint8_t *to, const uint8_t *from, uint64_t bytes, bool shared);

/* Copy box B between global memory and byte OFFSET of the shared memory at SHARED. OUT: from shared
 * to global memory; COMBINE, unless NULL, combines the new values with the old ones. The caller has
 * checked that all rows lie in allocated memory. */
void sm_box_copy(sm_worker *k, const sm_box *b, uint8_t *shared, uint64_t offset, bool out,
                 sm_combine combine);

#endif
