/* Random kernels for fuzz_passes: registers that are set again and under guards, addresses in every
 * pattern that is recognised and beside it, loops, branches that part lanes, calls. Every kernel
 * ends, and nearly every access is within bounds. */
#ifndef PASSES_TEXT_H
#define PASSES_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* Bytes of the buffer that the first parameter points to. Accesses by %g registers are in the first
 * half; what the kernel worked out is written to the second. */
#define PASSES_BUFFER 65536
/* Bytes of the second one, behind the other parameter. */
#define PASSES_OTHER   8192
#define PASSES_DYNAMIC 4096 /* bytes of shared memory, given in the launch */

typedef struct passes_arguments {
    uint64_t buffer, other;
    uint32_t number[2];
} passes_arguments;

/* Writes a module with kernel k(buffer, other, eight bytes), drawn from fuzz.h. */
void passes_write(FILE *to);

#endif
