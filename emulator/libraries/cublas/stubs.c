/* Every name of names.txt that has no function in this folder: a weak one, which says its name once
 * on stderr. */
#include "../../cudart/entry/stub.h"

int blas_report_unsupported(const char *name, atomic_flag *said);

#define NAME(name)                        \
    __attribute__((weak)) int name(void); \
    STUB_CALL(name, blas_report_unsupported)
#include "cublas-names.def"
