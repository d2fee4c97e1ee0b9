/* Stubs for the calls of the runtime that are not supported. */
#include "stub.h"

#define NOT_SUPPORTED 801 /* cudaErrorNotSupported */

int rt_set_last_error(int code);
void rt_print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void rt_report_unsupported(const char *name, atomic_flag *said);

void rt_report_unsupported(const char *name, atomic_flag *said)
{
    if (!atomic_flag_test_and_set(said))
        rt_print_message("%s is not supported", name);
}

static int report_unsupported_call(const char *name, atomic_flag *said)
{
    rt_report_unsupported(name, said);
    return rt_set_last_error(NOT_SUPPORTED);
}

#define STUB_VARIANT_no(name)   /* the call has no such variant */
#define STUB_VARIANT_ptsz(name) STUB_CALL(name##_ptsz, report_unsupported_call)
#define STUB_VARIANT_ptds(name) STUB_CALL(name##_ptds, report_unsupported_call)

#define CALL(name, own, ...)    /* no code for such a row */
#define LINK(name)              /* no code for such a row */
#define STUB(name, own)                      \
    STUB_CALL(name, report_unsupported_call) \
    STUB_VARIANT_##own(name)
#include "calls.def"
