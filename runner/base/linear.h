/* Plain output for a screen reader (`--plain`): lines to be read in order, words instead of
 * symbols, no tables, drawings or full-screen display. */
#ifndef WARPBOOK_LINEAR_H
#define WARPBOOK_LINEAR_H

#include <stdbool.h>

/* True: output must be plain, because --plain was given or WARPBOOK_PLAIN is set and neither empty
 * nor 0. */
bool is_output_linear(void);
void linear_output_set(void); /* to be called if the option --plain was given */

#endif
