/* The runtime's calls that are not there. */
#include "stub.h"

#define NOT_SUPPORTED 801 /* cudaErrorNotSupported */

int rt_error(int code);
void rt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void rt_say_missing(const char *name, atomic_flag *said);

void rt_say_missing(const char *name, atomic_flag *said)
{
    if (!atomic_flag_test_and_set(said)) {
        rt_say("%s is not supported", name);
    }
}

static int missing(const char *name, atomic_flag *said)
{
    rt_say_missing(name, said);
    return rt_error(NOT_SUPPORTED);
}

#define STUB(name) STUB_CALL(name, missing)
#include "stubs.def"
#undef STUB
