/* Exported functions without an implementation, so that programs that never call them can be
 * loaded. They have no parameters, which the C calling convention permits; therefore the header
 * with their true declarations must not be included. */
#ifndef WARPBOOK_STUB_H
#define WARPBOOK_STUB_H

#include <stdatomic.h>

/* Define NAME; it returns HOW(its name, a flag that is set once the call has been reported). */
#define STUB_CALL(name, how)                               \
    __attribute__((visibility("default"))) int name(void); \
    int name(void)                                         \
    {                                                      \
        static atomic_flag said = ATOMIC_FLAG_INIT;        \
        return how(#name, &said);                          \
    }

#endif
