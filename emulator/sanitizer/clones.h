/* Macros for functions with loops over the lanes of a warp: such functions are compiled for wide
 * vector registers (AVX2, AVX-512) too. */
#pragma once

/* A function with SAN_CLONES is compiled for several instruction sets; the loader chooses the
 * version that fits the CPU. */
#if defined __x86_64__ && defined __gnu_linux__ && __has_attribute(target_clones) &&            \
    !defined __SANITIZE_THREAD__ /* ThreadSanitizer does not work yet when the loader selects a \
                                    clone */
#define SAN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SAN_CLONES
#endif
/* For functions that a function with SAN_CLONES calls: they are inlined into each version of it. */
#define SAN_INLINE static inline __attribute__((always_inline))
