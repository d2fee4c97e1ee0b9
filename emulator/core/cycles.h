/* The figures of timing/cycles.def for one device profile, in cycles: latencies and issue intervals
 * from which the clocks of warps are computed. */
#ifndef WARPBOOK_CYCLES_H
#define WARPBOOK_CYCLES_H

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

#endif
