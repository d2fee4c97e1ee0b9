/* Reads the program's machine code. It is not run; but where it was made for exactly the modelled
 * device, it says how many registers and how much local memory the toolkit's assembler gave a
 * kernel. */
#ifndef WARPBOOK_MACHINE_H
#define WARPBOOK_MACHINE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct machine_kernel {
    uint32_t registers; /* registers of each thread */
    uint32_t frame;     /* bytes of local memory of each thread: arrays and spilled registers */
} machine_kernel;

/* Look up KERNEL (mangled name) in the ELF image of SIZE bytes. Returns false if the image says
 * nothing about it. Safe for arbitrary bytes: never reads past the end, and changes nothing. */
bool machine_describe(void *image, size_t size, const char *kernel, machine_kernel *out);

/* The bytes of section NAME, which live as long as E; NULL: it is not there, or not in the file. */
const Elf_Data *machine_section(Elf *e, const char *name);

#endif
