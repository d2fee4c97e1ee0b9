/* Exported names without anything behind them, so that programs that never reach these calls run
 * all the same. Parameters are not looked at: the C calling convention lets them be left out; nor
 * is the header included that would declare the true ones. */
#ifndef WARPBOOK_STUB_H
#define WARPBOOK_STUB_H

#include <stdatomic.h>

/* Define NAME as HOW(its name, whether that was said before). */
#define STUB_CALL(name, how)                               \
    __attribute__((visibility("default"))) int name(void); \
    int name(void)                                         \
    {                                                      \
        static atomic_flag said = ATOMIC_FLAG_INIT;        \
        return how(#name, &said);                          \
    }

#endif
