/* Writes a page, or its data, to a file. */
#include "page.h"

#include "../base/files.h"
#include "../base/json.h"
#include "../walk/run_page_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool page_write_file(const char *path, const json_t *data, bool json)
{
    CLEANUP(sb_free) sb out = {0};
    if (json) {
        OWNED char *text = json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_USUAL_DIGITS);
        sb_puts(&out, text);
        sb_puts(&out, "\n");
    } else {
        append_run_page(&out, data);
    }
    bool good = out.len <= RUN_PAGE_MAX_BYTES;
    if (!good)
        fprintf(
            stderr,
            "warpbook: the page would have %zu bytes, more than %d: store less with --moments\n",
            out.len, RUN_PAGE_MAX_BYTES);
    else if (!(good = write_whole_file(path, out.s, out.len)))
        fprintf(stderr, "warpbook: cannot write %s: %s\n", path, strerror(errno));
    return good;
}
