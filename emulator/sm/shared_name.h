/* What a kernel calls a byte of its block's shared memory, for messages. */
#ifndef WARPBOOK_SHARED_NAME_H
#define WARPBOOK_SHARED_NAME_H

#include "../core/warp.h"

#include <stddef.h>

enum { SM_SHARED_NAME_BYTES = 120 }; /* enough for the text of sm_shared_name */

/* Write to BUF what the kernel of G calls the byte at OFFSET of a block's shared memory: "byte 16
 * of part", or, after its last array, "byte 8 past the end of part". */
void sm_shared_name(const sm_grid *g, uint64_t offset, char *buf, size_t size);

/* Write to NAME what the kernel of G calls the array that holds the byte at OFFSET of a block's
 * shared memory; *BASE, *BYTES: its offset there, and its size. False: no array holds the byte. */
bool sm_shared_array(const sm_grid *g, uint64_t offset, char *name, size_t size, uint64_t *base,
                     uint64_t *bytes);

/* Write to BUF the name that the source gives variable V. */
void sm_variable_name(const ptx_var *v, char *buf, size_t size);

#endif
