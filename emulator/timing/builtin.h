/* The text of the built-in profiles. timing.h declares profile_ids. */
#ifndef WARPBOOK_TIMING_BUILTIN_H
#define WARPBOOK_TIMING_BUILTIN_H

#include "timing.h"

/* The NUL-terminated text of profile ID, or NULL if there is none. */
const char *profile_builtin_text(const char *id);

#endif
