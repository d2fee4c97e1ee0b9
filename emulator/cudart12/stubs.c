#include "stubs.h"

#include "../cudart/entry/stub.h"

#define STUB_VARIANT_no(name)   /* the call has no such variant */
#define STUB_VARIANT_ptsz(name) STUB_CALL(name##_ptsz, of_12_report_unsupported)

#define CALL(name, own)         /* no code for such a row */
#define OTHER(name, own)        /* no code for such a row */
#define SAME(name, own, next)   /* no code for such a row */
#define STUB(name, own)                       \
    STUB_CALL(name, of_12_report_unsupported) \
    STUB_VARIANT_##own(name)
#include "calls.def"
