#include "../common/stubs.h"

int rand_report_unsupported(const char *name, atomic_flag *said);

#define LIBRARY_REPORT rand_report_unsupported
#include "curand-names.def"
