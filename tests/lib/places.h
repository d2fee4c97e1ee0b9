/* Where a test can run: a program that ASan or TSan watches, or that an emulated processor runs,
 * has not all that the test wants. After cmocka.h. */
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

/* tests/run starts the programs with qemu, say, which has no system call filters, and signals and
 * limits of its own. */
static inline bool under_emulated_processor(void)
{
    return getenv("WARPBOOK_TEST_UNDER") != NULL;
}

/* The exit status of a test program of which no test can run here. */
static inline int skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    return 0;
}

static inline void skip_if(bool impossible)
{
    if (impossible) {
        skip();
    }
}

#endif
