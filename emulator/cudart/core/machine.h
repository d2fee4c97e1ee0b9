/* Reads the program's machine code. The emulator does not run machine code. If the code was built
 * for exactly the modelled device, it states how many registers and how much local memory the
 * toolkit's assembler gave a kernel. */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct machine_kernel_info {
    uint32_t registers; /* number of registers of a thread */
    uint32_t frame;     /* bytes of local memory of each thread: arrays and spilled registers */
} machine_kernel_info;

/* Look up KERNEL (mangled name) in the ELF image of SIZE bytes. False: the image does not describe
 * the kernel. Safe for any bytes: never reads past the image's end, and changes nothing. */
bool machine_read_kernel_info(void *image, size_t size, const char *kernel,
                              machine_kernel_info *out);

/* The bytes of section NAME, which live as long as E; NULL if the section is missing or its bytes
 * are not in the file. */
const Elf_Data *machine_section(Elf *e, const char *name);
