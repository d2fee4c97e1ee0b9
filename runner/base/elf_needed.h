/* What a program's ELF file says about the libraries that it will load. */
#ifndef WARPBOOK_ELF_NEEDED_H
#define WARPBOOK_ELF_NEEDED_H

#include <stdbool.h>

typedef struct elf_facts {
    bool is_elf;
    bool has_fatbin; /* it contains device code: a section .nv_fatbin or .nvFatBinSegment */
    bool has_rpath;  /* it has DT_RPATH or DT_RUNPATH */
    char cudart[64]; /* the DT_NEEDED entry libcudart.so.N, "" without one */
} elf_facts;

/* False where the file cannot be read. Damaged files give the facts that can be read; nothing is
 * read outside the file. 64-bit files of this machine's byte order. */
bool elf_read(const char *path, elf_facts *out);

#endif
