/* Defines exported functions without an implementation, so that a program that contains them but
 * never calls them can be loaded. They are declared without parameters, which the C calling
 * convention permits; so do not include the header that has their true declarations. */
#pragma once

#include <stdatomic.h>

/* Defines the function NAME, which returns HOW(its name, a flag: it has been reported). */
#define STUB_CALL(name, how)                               \
    __attribute__((visibility("default"))) int name(void); \
    int name(void)                                         \
    {                                                      \
        static atomic_flag said = ATOMIC_FLAG_INIT;        \
        return how(#name, &said);                          \
    }
