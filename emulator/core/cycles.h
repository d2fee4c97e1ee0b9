/* The figures of timing/cycles.def for one device profile, in cycles: latencies and issue intervals
 * from which the clocks of warps are computed. */
#ifndef WARPBOOK_CYCLES_H
#define WARPBOOK_CYCLES_H

#include "../timing/timing.h"

#include <stdint.h>

typedef enum sm_class {
#define CLASS(name, meaning) SM_CLASS_##name,
#include "../timing/cycles.def"
#undef CLASS
    SM_CLASSES
} sm_class;

typedef struct sm_cycles {
    union {
        struct {
#define CLASS(name, meaning) uint32_t latency_##name, pace_##name;
#include "../timing/cycles.def"
#undef CLASS
        };
        struct {
            uint32_t latency, pace;
        } of[SM_CLASSES];
    };
#define CLASS(name, meaning)
#define CYCLES(name, least, most, meaning) uint32_t name;
#include "../timing/cycles.def"
#undef CLASS
#undef CYCLES
} sm_cycles;

static inline sm_cycles sm_cycles_of(const device_profile *p)
{
    return (sm_cycles){
#define CYCLES(name, least, most, meaning) .name = (uint32_t)p->name,
#include "../timing/cycles.def"
#undef CYCLES
    };
}

/* For a program that no device is named for. */
static inline sm_cycles sm_cycles_one_each(void)
{
    return (sm_cycles){
#define CYCLES(name, least, most, meaning) .name = 1,
#include "../timing/cycles.def"
#undef CYCLES
    };
}

#endif
