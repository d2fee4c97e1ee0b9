#include "../common/stubs.h"

int blas_report_unsupported(const char *name, atomic_flag *said);

#define LIBRARY_REPORT blas_report_unsupported
#include "cublas-names.def"
