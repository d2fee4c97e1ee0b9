/* For a library's table of names (names.txt): a name that has no function in the library's folder
 * gets a weak one, which returns LIBRARY_REPORT(its name, a flag). */
#include "../../cudart/entry/stub.h"

#define NAME(name)                        \
    __attribute__((weak)) int name(void); \
    STUB_CALL(name, LIBRARY_REPORT)
