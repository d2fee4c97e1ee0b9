#include "linear.h"

#include <stdlib.h>
#include <string.h>

static bool wanted;

void linear_output_set(void)
{
    wanted = true;
}

bool linear_output(void)
{
    const char *set = getenv("WARPBOOK_PLAIN");
    return wanted || (set && *set && strcmp(set, "0") != 0);
}
