/* The figures of timing/cycles.def for one device profile, in cycles: latencies and issue intervals
 * from which the clocks of warps are computed. */
#ifndef WARPBOOK_CYCLES_H
#define WARPBOOK_CYCLES_H

#include "../timing/timing.h"

#include <math.h>
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
    /* Figures of profile.def that the modelled time of a launch uses too, in whole cycles. */
    struct {
        uint32_t next;    /* the profile's chain_cycles */
        uint32_t diverge; /* the profile's diverge_cycles */
        uint32_t release; /* the profile's barrier_cycles */
        uint32_t
            matrix; /* latency of a matrix instruction that adds to the result of another one */
        uint32_t near_load; /* the profile's shared_latency_ns in cycles */
    } launch;
} sm_cycles;

static inline sm_cycles sm_cycles_of(const device_profile *p)
{
    return (sm_cycles){
#define CYCLES(name, least, most, meaning) .name = (uint32_t)p->name,
#include "../timing/cycles.def"
#undef CYCLES
        .launch = {.next = (uint32_t)lround(p->chain_cycles),
                   .diverge = (uint32_t)lround(p->diverge_cycles),
                   .release = (uint32_t)lround(p->barrier_cycles),
                   .matrix = (uint32_t)ceil(p->tensor_latency_cycles + p->tensor_least_cycles),
                   .near_load = (uint32_t)lround(p->shared_latency_ns * p->clock_mhz / 1000)}};
}

/* For a program that no device is named for. */
static inline sm_cycles sm_cycles_one_each(void)
{
    return (sm_cycles){
#define CYCLES(name, least, most, meaning) .name = 1,
#include "../timing/cycles.def"
#undef CYCLES
        .launch = {1, 1, 1, 1, 1}};
}

#endif
