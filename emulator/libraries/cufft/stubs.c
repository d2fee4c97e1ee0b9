#include "../common/stubs.h"

int fft_report_unsupported(const char *name, atomic_flag *said);

#define LIBRARY_REPORT fft_report_unsupported
#include "cufft-names.def"
