/* Functions with loops over the lanes of a warp are compiled for wider vectors too. */
#ifndef WARPBOOK_SANITIZER_CLONES_H
#define WARPBOOK_SANITIZER_CLONES_H

/* The loader chooses the version for the CPU. */
#if defined __x86_64__ && defined __gnu_linux__ && __has_attribute(target_clones) &&            \
    !defined __SANITIZE_THREAD__ /* ThreadSanitizer does not work yet when the loader selects a \
                                    clone */
#define SAN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SAN_CLONES
#endif
/* What such a function calls becomes part of each of its versions. */
#define SAN_INLINE static inline __attribute__((always_inline))

#endif
