/* Tells tests in which environment they run, because AddressSanitizer, ThreadSanitizer and an
 * emulated processor lack some features. Include after cmocka.h. */
#ifndef TEST_PLACES_H
#define TEST_PLACES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __SANITIZE_THREAD__
#define UNDER_TSAN true
#else
#define UNDER_TSAN false
#endif

#ifdef __SANITIZE_ADDRESS__
#define UNDER_ASAN true
#else
#define UNDER_ASAN false
#endif

/* Both sanitizers keep tables at addresses that a recording's device memory has. */
#define DEVICE_ADDRESSES_ARE_TAKEN (UNDER_ASAN || UNDER_TSAN)

/* True if tests/run starts the programs with an emulator such as qemu, which has no filters of
 * system calls and handles signals and limits differently. */
static inline bool under_emulated_processor(void)
{
    return getenv("WARPBOOK_TEST_UNDER") != NULL;
}

/* Print that no test of the program can run here, and why; return the exit status for main. */
static inline int skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    return 0;
}

static inline void skip_if(bool impossible)
{
    if (impossible)
        skip();
}

#endif
