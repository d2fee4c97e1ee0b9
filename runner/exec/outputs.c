#include "outputs.h"
#include "../base/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool write_output_file(const char *file, const char *bytes, size_t len)
{
    const bool standard = strcmp(file, "-") == 0;
    const bool written = standard ? fwrite(bytes, 1, len, stdout) == len && fflush(stdout) == 0
                                  : write_whole_file(file, bytes, len);
    if (!written)
        fprintf(stderr, "warpbook: cannot write %s: %s\n", standard ? "standard output" : file,
                strerror(errno));
    return written;
}

json_t *text_json_or_null(const char *s)
{
    json_t *j = s ? json_string(s) : json_null();
    return j ? j : json_string("(a text that is not UTF-8)");
}
