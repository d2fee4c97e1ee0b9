/* Frames of function calls and their register windows. */
#ifndef WARPBOOK_WINDOWS_H
#define WARPBOOK_WINDOWS_H

#include "../core/sched.h"

/* A new frame with its register window, for a call of CODE. NULL: the host is out of memory. */
sm_frame *sm_new_frame(sm_warp *w, const sm_code *code, uint64_t local_base);
void sm_recycle_frame(sm_warp *w, sm_frame *f);

/* The first offset of local memory free for all lanes of MASK in frame F; a multiple of 16. */
static inline uint64_t sm_end_of_frame_locals(const sm_frame *f, uint32_t mask)
{
    uint64_t most = 0;
    for (; f->allocates && mask; mask &= mask - 1) {
        const uint64_t taken = f->taken[__builtin_ctz(mask)];
        most = taken > most ? taken : most;
    }
    return (f->local_base + f->code->local_bytes + most + 15) / 16 * 16;
}

/* Bytes of the stack of each thread of G, which recurses: the device's limit, or what the largest
 * function needs. */
uint64_t sm_stack_limit(const sm_grid *g);

/* Fill in the register slots of a window that depend on thread, block or frame. FRESH: all slots;
 * otherwise only those that change from block to block. */
void sm_fill_window(sm_warp *w, sm_frame *f, bool fresh);

/* Release all call frames that host thread K has allocated. */
void sm_frames_free(sm_worker *k);

#endif
