/* Text that a launch prints, in the order of its blocks. */
#ifndef WARPBOOK_OUTPUT_H
#define WARPBOOK_OUTPUT_H

#include "../core/sm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a call of printf takes of the buffer of a GPU (cudaLimitPrintfFifoSize): an H200 keeps
 * 65,220 lines without arguments and 63,211 with one in 8,650,752 bytes. */
enum { SM_PRINTF_CALL_BYTES = 132, SM_PRINTF_ARGUMENT_BYTES = 4 };

/* Text printed by blocks; a block's text is kept until all earlier blocks have ended. */
struct sm_output;
struct sm_output *sm_output_new(void); /* NULL: the host is out of memory */
void sm_output_add(struct sm_output *o, uint64_t block, const char *text, size_t length);
/* Add N to what the launch has printed. */
void sm_output_count(struct sm_output *o, const sm_printed *n);
sm_printed sm_output_printed(struct sm_output *o);
/* Write all text to stdout in block order, and free it. PRINT: false to free it without writing. */
void sm_output_flush(struct sm_output *o, bool print);

#endif
