/* The frames of a recording file, as writer.c and reader.c share them. */
#ifndef WARPBOOK_RECORDING_FILE_H
#define WARPBOOK_RECORDING_FILE_H

#include "recording.h"

/* A recording begins with a skippable frame of zstd (RFC 8878, 3.1.2): magic number, size, name,
 * version. The frames that follow have a content size and a checksum. */
#define REC_SKIPPABLE_FRAME UINT32_C(0x184D2A57)
#define REC_FORMAT_NAME     "warpbook record\n"

typedef struct rec_head {
    uint32_t skippable,
        size; /* header of a skippable zstd frame: its mark, and the number of bytes that follow */
    char name[16];
    uint32_t version, zero; /* version of the format; 0 */
} rec_head;

_Static_assert(sizeof(rec_head) == 32, "as in FORMAT.md");
_Static_assert(sizeof REC_FORMAT_NAME == 17, "as in FORMAT.md");

#endif
