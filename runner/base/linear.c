#include "linear.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

bool is_colour_wanted(FILE *f)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !is_output_linear() && isatty(fileno(f)) && !(no && *no) && term &&
           strcmp(term, "dumb") != 0;
}

bool locale_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
