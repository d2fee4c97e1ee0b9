/* The device linker, on PTX: what nvcc -rdc=true compiled file by file becomes one module again
 * (PTX ISA 11.6, "Linking Directives"; CUDA Compiler Driver NVCC, "Using Separate Compilation in
 * CUDA"). Text goes in and text comes out. */
#ifndef WARPBOOK_PTX_LINK_H
#define WARPBOOK_PTX_LINK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ptx_link_text {
    const char *text; /* NUL-terminated PTX */
    const char *name; /* what messages call it: "main.o" */
} ptx_link_text;

/* Join COUNT texts into one module: one header, of the highest version and target; of a function or
 * variable that several define weakly, the first, or the one that is not weak; names that a text
 * keeps to itself and another has too get a suffix; numbers of source files follow one another.
 *
 * PROVIDED says of a name that nobody defines whether the device has it (printf's, malloc); NULL:
 * do not ask, a kernel that needs what is missing is refused at its launch.
 *
 * Malloc'ed, the caller frees it. NULL: LOG has a line for each thing that is wrong, in the device
 * linker's words (a name defined twice, or by nobody, or with another size or in another space), or
 * is empty when memory is out. Never crashes on any text. */
char *ptx_link(const ptx_link_text *texts, size_t count, bool (*provided)(const char *name),
               char *log, size_t log_size);

#endif
