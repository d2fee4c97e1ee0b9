#include "linear.h"

#include <stdlib.h>
#include <string.h>

static bool is_plain_output_wanted; /* the option --plain was given: output for a screen reader */

void linear_output_set(void)
{
    is_plain_output_wanted = true;
}

bool is_output_linear(void)
{
    const char *set = getenv("WARPBOOK_PLAIN");
    return is_plain_output_wanted || (set && *set && strcmp(set, "0") != 0);
}
