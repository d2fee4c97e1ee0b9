/* The positions and states of the lanes of a warp. */
#pragma once

#include "worker.h"

/* Lanes of a warp that stand at one instruction in one state. */
typedef struct step_lane_group {
    const char *state; /* name of the state as in PROTOCOL.md */
    uint32_t lanes;    /* mask of the lanes */
    const sm_insn
        *at; /* the instruction at which the lanes stand; NULL: they have left the kernel */
    const sm_code *code;   /* function of the instruction */
    const uint8_t *window; /* register window of the lanes */
} step_lane_group;

enum { STEP_MAX_LANE_GROUPS = SM_LANES + 4 }; /* most groups of a warp */

/* Store the groups of warp W, the ones that run next first; each of the 32 lanes is in one group.
 * Returns their number. */
uint32_t step_lane_groups(const sm_warp *w, step_lane_group group[STEP_MAX_LANE_GROUPS]);
/* The state of a warp: "running", "ready", "waits" or "done". */
const char *step_warp_state(const sm_warp *w);
