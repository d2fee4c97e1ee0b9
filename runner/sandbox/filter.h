/* The filter of system calls (seccomp) that a program in the sandbox runs under. */
#ifndef WARPBOOK_FILTER_H
#define WARPBOOK_FILTER_H

#include <stddef.h>

/* SANDBOX_GPU: a lab that runs on a GPU, for which NVIDIA's driver needs more. */
typedef enum sandbox_use { SANDBOX_COMPILE, SANDBOX_RUN, SANDBOX_GPU } sandbox_use;

/* The filter as a program for the kernel, in a file without a name, at its start: an open file
 * (close-on-exec), the caller's. Negative with a sentence in ERR: it cannot be made. */
int filter_open(sandbox_use use, char *err, size_t err_size);

#endif
