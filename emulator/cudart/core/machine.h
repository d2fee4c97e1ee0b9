/* What the program's machine code says of its kernels. It is not run here; but where it is for the
 * very device, it knows what the toolkit's assembler made of a kernel: how many registers, how much
 * local memory. */
#ifndef WARPBOOK_MACHINE_H
#define WARPBOOK_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct machine_kernel {
    uint32_t registers; /* a thread */
    uint32_t frame;     /* bytes of local memory a thread: arrays and spilled registers */
} machine_kernel;

/* What the ELF image of SIZE bytes says of KERNEL (mangled); false: nothing. Reads no byte behind
 * it, and never crashes on any bytes. */
bool machine_describe(const void *image, size_t size, const char *kernel, machine_kernel *out);

#endif
