/* The device code in a program's file, without running it. */
#ifndef WARPBOOK_JUDGE_PROGRAM_H
#define WARPBOOK_JUDGE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct program {
    char **ptx; /* [count] the PTX texts that the device would choose */
    size_t *length;
    size_t count;
} program;

/* Read the ELF file PATH (section .nv_fatbin). False with a sentence in ERR. program_free releases.
 */
bool program_read(const char *path, program *out, char *err, size_t room);
void program_free(program *p);

/* Whether the PTX of LENGTH bytes is one of the program's, byte for byte. */
bool program_holds(const program *p, const void *ptx, size_t length);

#endif
