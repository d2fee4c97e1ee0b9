/* Coverage of device code as lcov's tracefile (exec --coverage FILE). */
#pragma once

#include <stdbool.h>

/* Turn the table COVERAGE (WARPBOOK_COVERAGE) into FILE; "-": standard output. False: a message was
 * printed. */
bool lcov_write(const char *coverage, const char *file);
