/* The device linker, working on PTX: it joins what nvcc -rdc=true compiled file by file into one
 * module (PTX ISA 11.6, "Linking Directives"; CUDA Compiler Driver NVCC, "Using Separate
 * Compilation in CUDA"). Input and output are PTX text. */
#ifndef WARPBOOK_PTX_LINK_H
#define WARPBOOK_PTX_LINK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ptx_link_text {
    const char *text; /* NUL-terminated PTX */
    const char *name; /* how messages name it: "main.o" */
} ptx_link_text;

/* Join COUNT texts into one module. It gets one header with the highest version and target. If
 * several texts define a function or variable, the one that is not weak is used, or else the first.
 * Local names that collide get a suffix, and file numbers are renumbered.
 *
 * PROVIDED tells for an undefined name whether the device has it (vprintf, malloc). NULL: undefined
 * names are not reported; a kernel that needs one is refused at its launch.
 *
 * Returns malloc'd text for the caller to free. NULL on an error: LOG has a line for each error in
 * the device linker's words (a name defined twice, not at all, or with different sizes or spaces),
 * or is empty if memory is exhausted. Handles any input without crashing. */
char *ptx_link(const ptx_link_text *texts, size_t count, bool (*provided)(const char *name),
               char *log, size_t log_size);

#endif
