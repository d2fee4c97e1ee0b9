/* The header of a recording file, for writer.c and reader.c. */
#pragma once

#include "recording.h"

/* A recording begins with a skippable frame of zstd (RFC 8878, 3.1.2): magic number, size, name,
 * version. The frames that follow have a content size and a checksum. */
#define REC_SKIPPABLE_FRAME UINT32_C(0x184D2A57)
#define REC_FORMAT_NAME     "warpbook record\n"

typedef struct rec_file_header {
    uint32_t skippable, size; /* header of a skippable zstd frame: REC_SKIPPABLE_FRAME, and the
                                 number of bytes that follow */
    char name[16];            /* REC_FORMAT_NAME without its NUL byte */
    uint32_t version, zero;   /* version of the format; always 0 */
} rec_file_header;

_Static_assert(sizeof(rec_file_header) == 32, "FORMAT.md states the size of the file header");
_Static_assert(sizeof REC_FORMAT_NAME == 17, "FORMAT.md states the length of the format's name");
