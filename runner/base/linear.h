/* What the output may have: colours, characters, or only plain lines for a screen reader
 * (`--plain`): lines to be read in order, words instead of symbols, no tables, drawings or
 * full-screen display. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Output must be plain: --plain was given or WARPBOOK_PLAIN is set and neither empty nor 0. */
bool is_output_linear(void);
void linear_output_set(void); /* to be called if the option --plain was given */

/* Return true if output to F may have colours: F is a terminal, and NO_COLOR is not set. */
bool is_colour_wanted(FILE *f);
/* Return true if the locale uses UTF-8. */
bool locale_is_utf8(void);
