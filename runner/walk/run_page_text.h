/* The page of a run as text: written by `warpbook page` of what it walked through, and by the
 * grader of data that came out of a sandbox, so that no markup of a page is the sandbox's. */
#pragma once

#include "../base/text.h"

#include <jansson.h>

enum { RUN_PAGE_MAX_BYTES = 5 << 20 }; /* size of a page, at most */

/* Append to OUT the HTML file that shows DATA (docs/FORMATS.md, "Page"). Whatever DATA holds, none
 * of it is markup. */
void append_run_page(sb *out, const json_t *data);
