/* Text that a launch prints, in the order of its blocks. */
#ifndef WARPBOOK_OUTPUT_H
#define WARPBOOK_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text printed by blocks; a block's text is kept until all earlier blocks have ended. */
struct sm_output;
struct sm_output *sm_output_new(void); /* NULL: the host is out of memory */
void sm_output_add(struct sm_output *o, uint64_t block, const char *text, size_t length);
/* Write all text to stdout in block order, and free it. PRINT: false to free it without writing. */
void sm_output_flush(struct sm_output *o, bool print);

#endif
