/* A library's table of names (names.txt), as LIBRARY_NAMES: a name that has no function in the
 * library's folder gets a weak one, which says so. */
#include "../../cudart/entry/stub.h"

int library_report_missing(const char *name, atomic_flag *said);

#define NAME(name)                        \
    __attribute__((weak)) int name(void); \
    STUB_CALL(name, library_report_missing)
#include LIBRARY_NAMES
