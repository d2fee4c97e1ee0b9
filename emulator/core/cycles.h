/* Latencies and issue intervals of instructions for one device profile, in cycles
 * (timing/cycles.def). The modelled clocks of warps are computed from these values. */
#pragma once

#include "../timing/timing.h"

#include <math.h>
#include <stdint.h>

/* The classes of machine instructions that have a latency of their own. */
typedef enum sm_insn_class {
#define CLASS(name, meaning) SM_CLASS_##name,
#include "../timing/cycles.def"
#undef CLASS
    SM_CLASSES
} sm_insn_class;

typedef struct sm_cycles {
    union {
        struct {
#define CLASS(name, meaning) uint32_t latency_##name, pace_##name;
#include "../timing/cycles.def"
#undef CLASS
        };
        struct {
            uint32_t latency, pace; /* latency: cycles until the result can be read; pace: cycles
                                       that the unit is busy */
        } of[SM_CLASSES];
    };
#define CLASS(name, meaning)
#define CYCLES(name, least, most, meaning) uint32_t name;
#include "../timing/cycles.def"
#undef CLASS
#undef CYCLES
    /* Values of profile.def in whole cycles, which the modelled time of a launch uses as well. */
    struct {
        uint32_t next;    /* cycles between a warp's dependent instructions (chain_cycles) */
        uint32_t diverge; /* cycles lost at a divergent branch (diverge_cycles of the profile) */
        uint32_t release; /* cycles from the last arrival at a barrier until the warps continue
                             (barrier_cycles of the profile) */
        uint32_t
            matrix; /* latency of a matrix instruction that adds to the result of another one */
        uint32_t near_load; /* latency of shared memory: shared_latency_ns in cycles */
    } launch;               /* latencies for the modelled time of a launch */
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

/* Latencies for a program without a device profile: all are one cycle. */
static inline sm_cycles sm_cycles_one_each(void)
{
    return (sm_cycles){
#define CYCLES(name, least, most, meaning) .name = 1,
#include "../timing/cycles.def"
#undef CYCLES
        .launch = {1, 1, 1, 1, 1}};
}
