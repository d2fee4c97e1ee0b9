/* Reads from a program's ELF file what it runs on, and which CUDA runtime library it will load. */
#pragma once

#include <stdbool.h>

typedef struct elf_facts {
    char machine[24];      /* what runs the program, in words: "x86-64"; "": it is no ELF file */
    char interpreter[256]; /* path of its dynamic linker; "": it has none */
    bool has_fatbin;       /* it contains device code: a section .nv_fatbin or .nvFatBinSegment */
    bool has_rpath;        /* it names directories in which libraries are searched before those of
                              LD_LIBRARY_PATH: DT_RPATH; DT_RUNPATH comes after them */
    char cudart[64];       /* the CUDA runtime that the program loads, "libcudart.so.N"; "": none */
} elf_facts;

/* Read the ELF file at PATH; only the machine of one that is not 64-bit in this machine's byte
 * order. False: the file cannot be read. For a damaged file, OUT holds the facts that could be
 * read; no read goes past the end of the file. */
bool read_elf_facts(const char *path, elf_facts *out);
