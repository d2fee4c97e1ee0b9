/* mbarrier objects (PTX ISA 9.7.13.15): barriers in shared memory with separate arrive and wait
 * operations. Asynchronous copies report their transferred bytes to them.
 *
 * An object is one 64-bit word. The state that an arrival returns is the word before the arrival. A
 * cluster runs on one host thread, so operations need not be atomic. */
#ifndef WARPBOOK_MBARRIER_H
#define WARPBOOK_MBARRIER_H

#include "cluster.h"

enum { SM_MBARRIER_COUNT_BITS = 20, SM_MBARRIER_TX_BITS = 21 };
#define SM_MBARRIER_COUNT_MOST ((1u << SM_MBARRIER_COUNT_BITS) - 1)
#define SM_MBARRIER_TX_MOST    ((1 << (SM_MBARRIER_TX_BITS - 1)) - 1)

/* The place of an mbarrier: 8 bytes at OFFSET, a multiple of 8, in BLOCK's shared memory. */
typedef struct sm_mbarrier {
    sm_block *block;
    uint64_t offset;
} sm_mbarrier;

static inline uint64_t *sm_mbarrier_word(const sm_mbarrier *m)
{
    return (uint64_t *)(void *)(m->block->shared + m->offset);
}

/* The operations below are executed by lane LANE of W with instruction I. False: the launch has
 * been stopped, because there is no initialised barrier or a count would leave its range. */

bool sm_mbarrier_init(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                      uint32_t count);
/* N arrivals. DROP: later phases expect N arrivals fewer. OPEN: the arrivals must not complete the
 * phase. */
bool sm_mbarrier_arrive(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                        uint32_t n, bool drop_flight, bool open);
/* One more arrival in this phase. */
bool sm_mbarrier_await(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m);
/* Add BY bytes, which may be negative, to those that the phase waits for. */
bool sm_mbarrier_bytes(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                       int64_t by);
/* *over: is PARITY the parity of the phase completed last? */
bool sm_mbarrier_over(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                      bool parity, bool *over);

/* Does an initialised, not invalidated mbarrier lie there? */
bool sm_mbarrier_live(const sm_mbarrier *m);

/* The parity of the phase in STATE, and its pending arrivals. */
bool sm_mbarrier_parity(uint64_t state);
uint32_t sm_mbarrier_pending(uint64_t state);

/* Describe the object whose word is WORD in BUF, for messages: "its phase, of parity 1, still waits
 * for 3 arrivals". */
const char *sm_mbarrier_text(uint64_t word, char *buf, size_t size);

#endif
