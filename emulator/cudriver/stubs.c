/* The driver API's calls that are not there. */
#include "../cudart/entry/stub.h"

int cu_missing(const char *name, atomic_flag *said);

#define STUB(symbol, name, since) STUB_CALL(symbol, cu_missing)
#include "stubs.def"
#undef STUB
