/* Reads the program's machine code. It is not run; but where it was made for exactly the modelled
 * device, it says how many registers and how much local memory the toolkit's assembler gave a
 * kernel. */
#ifndef WARPBOOK_MACHINE_H
#define WARPBOOK_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct machine_kernel {
    uint32_t registers; /* registers of each thread */
    uint32_t frame;     /* bytes of local memory of each thread: arrays and spilled registers */
} machine_kernel;

/* Look up KERNEL (mangled name) in the ELF image of SIZE bytes. Returns false if the image says
 * nothing about it. Safe for arbitrary bytes: never reads past the end. */
bool machine_describe(const void *image, size_t size, const char *kernel, machine_kernel *out);

#endif
