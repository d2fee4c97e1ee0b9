/* mbarrier objects (PTX ISA 9.7.13.15): barriers in shared memory with separate arrive and wait
 * operations. Asynchronous copies report their transferred bytes to them.
 *
 * An object is one 64-bit word. The state that an arrival returns is the word before the arrival. A
 * cluster runs on one host thread, so operations need not be atomic. */
#ifndef WARPBOOK_MBARRIER_H
#define WARPBOOK_MBARRIER_H

#include "../cluster.h"

enum {
    SM_MBARRIER_COUNT_BITS = 20, /* width in bits of a count of arrivals in an mbarrier */
    SM_MBARRIER_TX_BITS = 21     /* width in bits of the signed count of pending bytes */
};
#define SM_MBARRIER_MAX_COUNT ((1u << SM_MBARRIER_COUNT_BITS) - 1)   /* most arrivals of a phase */
#define SM_MBARRIER_MAX_TX    ((1 << (SM_MBARRIER_TX_BITS - 1)) - 1) /* most pending bytes */

/* The location of an mbarrier: 8 bytes at OFFSET, a multiple of 8, in BLOCK's shared memory. */
typedef struct sm_mbarrier {
    sm_block *block; /* the block whose shared memory holds the mbarrier */
    uint64_t offset; /* byte offset in the block's shared memory */
} sm_mbarrier;

static inline uint64_t *sm_mbarrier_word(const sm_mbarrier *m)
{
    return (uint64_t *)(void *)(m->block->shared + m->offset);
}

/* The following operations are executed by lane LANE of W with instruction I. They return false,
 * with the launch stopped, if the mbarrier is not initialised or a count would leave its range. */

bool sm_mbarrier_init(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                      uint32_t count);
/* N threads arrive at mbarrier M. DROP: later phases expect N fewer arrivals. OPEN: it is an error
 * if the arrivals complete the phase. */
bool sm_mbarrier_arrive(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                        uint32_t n, bool drop, bool open);
/* Expect one more arrival in the current phase. */
bool sm_mbarrier_expect_one(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m);
/* Add BY, which may be negative, to the bytes that the phase waits for. */
bool sm_mbarrier_expect_bytes(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                              int64_t by);
/* Stores in *OVER whether the phase that was completed last has parity PARITY. */
bool sm_mbarrier_test_parity(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                             bool parity, bool *over);

/* Whether M is an initialised mbarrier of which this phase and the next one expect N arrivals. */
bool sm_mbarrier_expects(const sm_mbarrier *m, uint64_t n);
/* Whether M is an initialised mbarrier that has not been invalidated. */
bool sm_mbarrier_is_valid(const sm_mbarrier *m);

/* sm_mbarrier_parity: of the phase in STATE. sm_mbarrier_pending: its missing arrivals. */
bool sm_mbarrier_parity(uint64_t state);
uint32_t sm_mbarrier_pending(uint64_t state);

/* Describe the mbarrier whose 64-bit word is WORD in BUF, for messages: "its phase, of parity 1,
 * still waits for 3 arrivals". */
const char *sm_mbarrier_text(uint64_t word, char *buf, size_t size);

#endif
