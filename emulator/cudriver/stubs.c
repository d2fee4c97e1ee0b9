/* Stubs for the calls of the driver API that are not supported. */
#include "../cudart/entry/stub.h"

int cu_report_unsupported(const char *name, atomic_flag *said);

#define STUB_VARIANT_no(symbol)              /* the call has no such variant */
#define STUB_VARIANT_ptsz(symbol)            STUB_CALL(symbol##_ptsz, cu_report_unsupported)
#define STUB_VARIANT_ptds(symbol)            STUB_CALL(symbol##_ptds, cu_report_unsupported)

#define CALL(name, version, since, own, ...) /* no code for such a row */
#define SAME(name, version, since, own, ...) /* no code for such a row */
#define STUB(name, version, since, own)             \
    STUB_CALL(name##version, cu_report_unsupported) \
    STUB_VARIANT_##own(name##version)
#include "calls.def"
