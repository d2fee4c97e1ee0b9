/* The device linker: it joins the PTX texts that nvcc -rdc=true compiles file by file into one
 * module (PTX ISA 11.6, "Linking Directives"; CUDA Compiler Driver NVCC, "Using Separate
 * Compilation in CUDA"). Input and output are PTX text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct ptx_link_text {
    const char *text; /* NUL-terminated PTX */
    const char *name; /* name of the text in messages, for instance "main.o" */
} ptx_link_text;

/* Join COUNT texts into one module, with one header that has the highest version and target. If
 * several texts define a function or variable, the definition that is not weak is used, or else
 * the first. Local names that collide get a suffix, and file numbers are renumbered.
 *
 * PROVIDED returns whether the device provides an undefined name (vprintf, malloc). If PROVIDED
 * is NULL, undefined names are not reported; the launch of a kernel that needs one fails.
 *
 * Returns malloc'd text for the caller to free. NULL on an error: LOG has a line for each error
 * in the words of NVIDIA's device linker (a name defined twice, not at all, or with different
 * sizes or spaces), or is empty if memory is exhausted. Handles any input without crashing. */
char *ptx_link_texts(const ptx_link_text *texts, size_t count, bool (*provided)(const char *name),
                     char *log, size_t log_size);
