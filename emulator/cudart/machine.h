/* What the program's machine code says of its kernels. It is not run here; but where it is for the
 * very device, it knows what the toolkit's assembler made of a kernel: how many registers. */
#ifndef WARPBOOK_MACHINE_H
#define WARPBOOK_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* The registers a thread that KERNEL (mangled) takes in the ELF image of SIZE bytes; 0: it does not
 * say. Reads no byte behind it, and never crashes on any bytes. */
uint32_t machine_registers(const void *image, size_t size, const char *kernel);

#endif
