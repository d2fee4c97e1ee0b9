/* Reads the device code in a program's file without running the program. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct judged_program {
    char **ptx;     /* [count] the PTX texts that a device of this kind would load */
    size_t *length; /* [count] bytes of each text */
    size_t count;   /* number of texts */
} judged_program;

/* Read the ELF file PATH (section .nv_fatbin). Returns false with a message in ERR.
 * free_program_ptx releases OUT. */
bool read_program_ptx(const char *path, judged_program *out, char *err, size_t cap);
void free_program_ptx(judged_program *p);

/* Whether the program contains a PTX text equal to the LENGTH bytes at PTX. */
bool program_has_ptx(const judged_program *p, const void *ptx, size_t length);
