/* Exported names without anything behind them, so that programs that never reach these calls run
 * all the same. Parameters are not looked at: the C calling convention lets them be left out. */
#include <stdatomic.h>
#include <stdio.h>

#define NOT_SUPPORTED                                                          \
    801 /* cudaErrorNotSupported; the header would declare the true parameters \
         */

int rt_error(int code);
void rt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int missing(const char *name, atomic_flag *said)
{
    if (!atomic_flag_test_and_set(said)) {
        rt_say("%s is not supported", name);
    }
    return rt_error(NOT_SUPPORTED);
}

#define STUB(name)                                         \
    __attribute__((visibility("default"))) int name(void); \
    int name(void)                                         \
    {                                                      \
        static atomic_flag said = ATOMIC_FLAG_INIT;        \
        return missing(#name, &said);                      \
    }
#include "stubs.def"
#undef STUB
