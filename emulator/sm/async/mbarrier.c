/* The operations on mbarrier objects: init, arrive, expect bytes, complete, test. */
#include "mbarrier.h"

#include "../../core/code.h"
#include "../array_name.h"
#include "../fault.h"

#include <stdio.h>

/* Layout of the 64-bit word: arrivals still pending in this phase, arrivals expected in the next
 * phase, pending transaction bytes (signed), parity of the phase, and a mark: initialised. */
enum {
    COUNT_BITS = SM_MBARRIER_COUNT_BITS, /* width of a count of arrivals in bits */
    TX_BITS = SM_MBARRIER_TX_BITS,       /* width of the count of pending bytes in bits */
    EXPECTED_SHIFT = 20,                 /* lowest bit of the arrivals expected in the next phase */
    TX_SHIFT = 40,                       /* lowest bit of the pending transaction bytes */
    PHASE_SHIFT = 61,                    /* bit that holds the phase's parity */
    MARK_SHIFT = 62                      /* lowest bit of the mark that the object is initialised */
};
#define MAX_COUNT     SM_MBARRIER_MAX_COUNT /* most arrivals that a phase may expect */
#define MAX_TX        SM_MBARRIER_MAX_TX    /* most transaction bytes that may be pending */
#define MBARRIER_MARK UINT64_C(2)           /* the mark of an initialised mbarrier */

typedef struct mbarrier_state {
    uint32_t pending;  /* arrivals pending in this phase */
    uint32_t expected; /* arrivals expected in the next phase */
    int32_t tx;        /* pending transaction bytes */
    bool phase;        /* parity of the phase */
} mbarrier_state;

static bool unpack_mbarrier(uint64_t word, mbarrier_state *o)
{
    *o = (mbarrier_state){
        .pending = word & MAX_COUNT,
        .expected = word >> EXPECTED_SHIFT & MAX_COUNT,
        .tx = (int32_t)((int64_t)(word << (64 - TX_SHIFT - TX_BITS)) >> (64 - TX_BITS)),
        .phase = word >> PHASE_SHIFT & 1,
    };
    return word >> MARK_SHIFT == MBARRIER_MARK;
}

static uint64_t pack_mbarrier(const mbarrier_state *o)
{
    const uint64_t tx = (uint64_t)o->tx & ((UINT64_C(1) << TX_BITS) - 1);
    return MBARRIER_MARK << MARK_SHIFT | (uint64_t)o->phase << PHASE_SHIFT | tx << TX_SHIFT |
           (uint64_t)o->expected << EXPECTED_SHIFT | o->pending;
}

static bool read_mbarrier(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                          mbarrier_state *o)
{
    if (unpack_mbarrier(*sm_mbarrier_word(m), o))
        return true;
    char place[SM_ARRAY_NAME_BYTES];
    sm_shared_name(w->block->grid, m->offset, place, sizeof place);
    sm_stop_launch(w, i, SM_FAULT_SYNC, 1u << lane, m->offset, 8, PTX_SPACE_SHARED,
                   "%s: no mbarrier was initialised at %s", ptx_op_name(sm_site_insn(w, i)->op),
                   place);
    return false;
}

static bool stop_for_bad_count(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                               const char *what, long long count)
{
    sm_stop_launch(w, i, SM_FAULT_SYNC, 1u << lane, m->offset, 8, PTX_SPACE_SHARED, "%s: %s (%lld)",
                   ptx_op_name(sm_site_insn(w, i)->op), what, count);
    return false;
}

/* Complete the phase and begin the next one if no arrival and no byte is pending. OPEN: completing
 * the phase is an error. */
static bool complete_mbarrier_phase(sm_warp *w, const sm_insn *i, uint32_t lane,
                                    const sm_mbarrier *m, mbarrier_state *o, bool open)
{
    if (o->pending == 0 && o->tx == 0) {
        if (open) {
            return stop_for_bad_count(w, i, lane, m,
                                      "an arrival with .noComplete completes the phase", 0);
        }
        o->phase = !o->phase;
        o->pending = o->expected;
        /* Accesses before an arrival are ordered before accesses after a wait. Which threads wait
         * is not tracked; all threads of the cluster are treated as synchronized. */
        sm_cluster_note_barrier(m->block->cluster);
    }
    *sm_mbarrier_word(m) = pack_mbarrier(o);
    return true;
}

bool sm_mbarrier_init(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                      uint32_t count)
{
    if (count == 0 || count > MAX_COUNT) {
        return stop_for_bad_count(w, i, lane, m, "a barrier can expect 1 to 1048575 arrivals",
                                  count);
    }
    const mbarrier_state o = {.pending = count, .expected = count};
    *sm_mbarrier_word(m) = pack_mbarrier(&o);
    return true;
}

bool sm_mbarrier_arrive(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                        uint32_t n, bool drop, bool open)
{
    mbarrier_state o;
    if (!read_mbarrier(w, i, lane, m, &o))
        return false;
    if (n > o.pending || n > o.expected) {
        return stop_for_bad_count(w, i, lane, m,
                                  "more arrivals than this phase of the barrier still expects", n);
    }
    o.pending -= n;
    o.expected -= drop ? n : 0;
    return complete_mbarrier_phase(w, i, lane, m, &o, open);
}

bool sm_mbarrier_expect_one(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m)
{
    mbarrier_state o;
    if (!read_mbarrier(w, i, lane, m, &o))
        return false;
    if (o.pending == MAX_COUNT) {
        return stop_for_bad_count(w, i, lane, m, "more arrivals than a barrier can expect",
                                  o.pending);
    }
    o.pending++;
    *sm_mbarrier_word(m) = pack_mbarrier(&o);
    return true;
}

bool sm_mbarrier_expect_bytes(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                              int64_t by)
{
    mbarrier_state o;
    if (!read_mbarrier(w, i, lane, m, &o))
        return false;
    const int64_t tx = o.tx + by;
    if (tx > MAX_TX || tx < -MAX_TX)
        return stop_for_bad_count(w, i, lane, m, "more bytes than a barrier can wait for", tx);
    o.tx = (int32_t)tx;
    if (by > 0) {
        *sm_mbarrier_word(m) = pack_mbarrier(&o);
        return true;
    }
    return complete_mbarrier_phase(w, i, lane, m, &o, false);
}

bool sm_mbarrier_test_parity(sm_warp *w, const sm_insn *i, uint32_t lane, const sm_mbarrier *m,
                             bool parity, bool *over)
{
    mbarrier_state o;
    if (!read_mbarrier(w, i, lane, m, &o))
        return false;
    *over = parity != o.phase;
    return true;
}

bool sm_mbarrier_expects(const sm_mbarrier *m, uint64_t n)
{
    mbarrier_state o;
    return unpack_mbarrier(*sm_mbarrier_word(m), &o) && n <= o.pending && n <= o.expected;
}

bool sm_mbarrier_is_valid(const sm_mbarrier *m)
{
    mbarrier_state o;
    return unpack_mbarrier(*sm_mbarrier_word(m), &o);
}

bool sm_mbarrier_parity(uint64_t state)
{
    return state >> PHASE_SHIFT & 1;
}

uint32_t sm_mbarrier_pending(uint64_t state)
{
    return (uint32_t)(state & MAX_COUNT);
}

const char *sm_mbarrier_text(uint64_t word, char *buf, size_t size)
{
    mbarrier_state o;
    if (!unpack_mbarrier(word, &o)) {
        snprintf(buf, size, "there is no mbarrier");
        return buf;
    }
    if (o.tx < 0) {
        snprintf(buf, size,
                 "its phase, of parity %d, received %d bytes more than expect_tx announced, and "
                 "waits for %u arrival%s",
                 o.phase, -o.tx, o.pending, o.pending == 1 ? "" : "s");
        return buf;
    }
    size_t used = (size_t)snprintf(buf, size, "its phase, of parity %d, still waits for ", o.phase);
    if (o.pending || !o.tx) {
        used += (size_t)snprintf(buf + used, size - used, "%u arrival%s%s", o.pending,
                                 o.pending == 1 ? "" : "s", o.tx ? " and " : "");
    }
    if (o.tx && used < size)
        snprintf(buf + used, size - used, "%d bytes", o.tx);
    return buf;
}
