/* What a kernel calls an array, and a byte of its block's shared memory, for messages. */
#ifndef WARPBOOK_ARRAY_NAME_H
#define WARPBOOK_ARRAY_NAME_H

#include "../core/warp.h"

#include <stddef.h>

enum { SM_ARRAY_NAME_BYTES = 120 }; /* enough for the text of sm_shared_name */

/* Write to BUF what the kernel of G calls the byte at OFFSET of a block's shared memory: "byte 16
 * of part", or, after its last array, "byte 8 past the end of part". */
void sm_shared_name(const sm_grid *g, uint64_t offset, char *buf, size_t size);

/* An array that a kernel accesses. */
typedef struct sm_array {
    char name[SM_ARRAY_NAME_BYTES]; /* what the source calls it */
    uint64_t base, size; /* its first address, of shared memory an offset in the block's; bytes */
} sm_array;

/* Store in A the array in shared memory that holds the bytes at ADDRESS of all lanes of MASK.
 * False: there is none. */
bool sm_shared_array_of(const sm_grid *g, uint32_t mask, const uint64_t address[SM_LANES],
                        sm_array *a);

/* Allocation R as an array of the kernel of G: the variable's name, the kernel argument that points
 * to R ("argument 2", counted from 1), or the number of R among allocations of its kind. */
sm_array sm_array_of_allocation(const sm_grid *g, const mem_range *r);

/* Write to BUF the name that the source gives variable V. */
void sm_variable_name(const ptx_var *v, char *buf, size_t size);

#endif
