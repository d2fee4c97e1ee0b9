/* Waiting for the other lanes of a member mask: __syncwarp, shuffles, votes. */
#ifndef WARPBOOK_SYNC_H
#define WARPBOOK_SYNC_H

#include "../core/sched.h"

/* The kind of an operand of an instruction that synchronizes lanes. Fragments that execute the
 * instruction together copy their operands into one another's registers. */
typedef enum {
    SM_NO_OPERAND,       /* there is no operand */
    SM_PREDICATE,        /* a predicate: one bit for each lane */
    SM_LANE_4_BYTES = 4, /* a register of 4 bytes for each lane */
    SM_LANE_8_BYTES = 8  /* a register of 8 bytes for each lane */
} sm_operand_form;       /* kind of an operand: its layout in the registers */

/* What field `extra` of an instruction that synchronizes under a member mask points to. */
typedef struct sm_sync_form {
    /* Execute for the lanes of w->mask; member[l] is lane l's member mask. Returns false if the
     * launch has been stopped. */
    bool (*compute)(sm_warp *w, const sm_insn *i, const uint32_t *member);
    uint8_t d, q, a, b, c; /* kind of each operand (sm_operand_form) */
    const char *name;      /* name of the instruction in messages */
    bool aligned; /* all lanes must execute the very same instruction, so operands are not copied */
} sm_sync_form;

/* Lanes of the member mask have not arrived yet: let the running lanes wait, grouped by mask
 * (member[l] for lane l). Returns the next instruction. */
const sm_insn *sm_wait_for_members(sm_warp *w, const sm_insn *i, const uint32_t *member);
/* Call after lanes have arrived or exited: wakes waiting lanes whose operation is complete. */
void sm_sync_wake_complete(sm_warp *w);
/* Write MASK as text such as "0-15, 31". */
void sm_lanes_text(uint32_t mask, char *buf, size_t size);

/* The plural ending of "lane" for the lanes of MASK: "s", or "" for a single lane. */
static inline const char *sm_lane_plural(uint32_t mask)
{
    return mask & (mask - 1) ? "s" : "";
}

/* The lanes of W that have a thread which has not exited. */
static inline uint32_t sm_live_lanes(const sm_warp *w)
{
    return w->lanes & ~w->exited;
}

#endif
