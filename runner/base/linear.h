/* Output for a screen reader, `--plain`: lines to be read one after the other, words in place of
 * signs, no table, drawing or screen. */
#ifndef WARPBOOK_LINEAR_H
#define WARPBOOK_LINEAR_H

#include <stdbool.h>

/* Whether output is to be plain: --plain was given, or WARPBOOK_PLAIN is set and neither empty nor
 * 0. */
bool linear_output(void);
void linear_output_set(void);

#endif
