/* mbarrier objects (PTX ISA 9.7.13.15): barriers that lie in shared memory, which threads arrive at
 * and wait for in separate steps, and which asynchronous copies tell of bytes. Inside the SM.
 *
 * An object is one 64-bit word, as is the state that an arrival gives: the word before it. A
 * cluster runs on one host thread, so no step needs to be atomic there. */
#ifndef WARPBOOK_MBARRIER_H
#define WARPBOOK_MBARRIER_H

#include "cluster.h"

enum { SM_MBARRIER_COUNT_BITS = 20, SM_MBARRIER_TX_BITS = 21 };
#define SM_MBARRIER_COUNT_MOST ((1u << SM_MBARRIER_COUNT_BITS) - 1)
#define SM_MBARRIER_TX_MOST    ((1 << (SM_MBARRIER_TX_BITS - 1)) - 1)

/* Where one lies: 8 bytes at OFFSET of BLOCK's shared memory, a multiple of 8. */
typedef struct sm_mbarrier {
    sm_block *block;
    uint64_t offset;
} sm_mbarrier;

static inline uint64_t *sm_mbarrier_word(const sm_mbarrier *m)
{
    return (uint64_t *)(void *)(m->block->shared + m->offset);
}

/* What follows is done by lane LANE of W with instruction I. False: the launch has been stopped,
 * as no barrier was initialised there or a count would leave its range. */

bool sm_mbarrier_init(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                      uint32_t count);
/* N arrivals; with DROP no later phase waits for them any more; with OPEN they must not complete
 * the phase. */
bool sm_mbarrier_arrive(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                        uint32_t n, bool drop, bool open);
/* The phase waits for BY bytes more, or for fewer where it is negative. */
bool sm_mbarrier_bytes(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                       int64_t by);
/* *over: is a phase of parity PARITY the last that was completed? */
bool sm_mbarrier_over(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                      bool parity, bool *over);

/* Is one there, initialised and not invalidated? */
bool sm_mbarrier_live(const sm_mbarrier *m);

/* Of a state: the parity of its phase, and the arrivals that it waited for. */
bool sm_mbarrier_parity(uint64_t state);
uint32_t sm_mbarrier_pending(uint64_t state);

/* "phase 1 of it waits for 3 arrivals and 256 bytes", of the word in BUF's object; for messages. */
const char *sm_mbarrier_text(uint64_t word, char *buf, size_t size);

#endif
