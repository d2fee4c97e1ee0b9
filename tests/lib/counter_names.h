/* The names of counters, for messages of tests. */
#ifndef WARPBOOK_TEST_COUNTER_NAMES_H
#define WARPBOOK_TEST_COUNTER_NAMES_H

#include "emulator/counters/counters.h"

static const char *const counter_names[CTR_COUNT] = {
#define COUNTER(field, name, ...) name,
#include "emulator/counters/counters.def"
#undef COUNTER
};

#endif
