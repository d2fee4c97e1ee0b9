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
