/* Random kernels for fuzz_passes: registers that are set several times and under guard predicates,
 * addresses in all patterns with and without a fast path in the emulator, loops, divergent
 * branches, calls. Every kernel ends, and nearly every access is within bounds. */
#ifndef PASSES_TEXT_H
#define PASSES_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* Bytes of the buffer to which the first parameter points. Accesses by %g registers are in the
 * first half; the kernel's results are written to the second half. */
#define PASSES_BUFFER 65536
/* Bytes of the second buffer, to which the other parameter points. */
#define PASSES_OTHER   8192
#define PASSES_DYNAMIC 4096 /* dynamic shared memory of the launch, bytes */

typedef struct passes_arguments {
    uint64_t buffer, other; /* device addresses of the two buffers */
    uint32_t number[2];     /* two random numbers */
} passes_arguments;

/* Write a random module with kernel k(buffer, other, eight bytes), using fuzz.h. */
void passes_write(FILE *to);

#endif
