/* Where the lanes of a warp are. */
#ifndef WARPBOOK_STEP_VIEW_H
#define WARPBOOK_STEP_VIEW_H

#include "worker.h"

/* Lanes of a warp that are at one place in one state. */
typedef struct step_group {
    const char *state; /* name of the state as in PROTOCOL.md */
    uint32_t lanes;
    const sm_insn *at; /* the instruction at which the lanes stand; NULL: none */
    const sm_code *code;
    const uint8_t *window; /* register window of the lanes */
} step_group;

enum { STEP_GROUPS = SM_LANES + 4 };

/* The groups of W, those that run next first; every lane of 32 is in one. Returns how many. */
uint32_t step_groups(const sm_warp *w, step_group group[STEP_GROUPS]);
/* The state of a warp: "running", "ready", "waits" or "done". */
const char *step_warp_state(const sm_warp *w);

#endif
