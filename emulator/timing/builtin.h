/* Text of the built-in profiles; timing.h has profile_ids. */
#ifndef WARPBOOK_TIMING_BUILTIN_H
#define WARPBOOK_TIMING_BUILTIN_H

#include "timing.h"

/* NUL-terminated text of profile ID, or NULL when there is none of that id. */
const char *profile_builtin_text(const char *id);

#endif
