/* mbarrier (PTX ISA 9.7.13.15): barriers that are objects in shared memory, which threads arrive at
 * and wait for in separate steps.
 *
 * An object is one 64-bit word, as is the state that an arrival gives: the word before it. A block
 * runs on one host thread, so no step needs to be atomic there. Copies (cp.async) are complete when
 * they have been issued, so cp.async.mbarrier.arrive is an arrival at once, or none at all. */
#include "../sanitizer/race.h"
#include "exec_lanes.h"
#include "reach.h"
#include "sched.h"

/* The word: arrivals that the phase still waits for, arrivals that the next one will wait for,
 * bytes that it still waits for (signed), parity of the phase, and a mark that it has been
 * initialised. */
enum { COUNT_BITS = 20, TX_BITS = 21, EXPECTED_AT = 20, TX_AT = 40, PHASE_AT = 61, MARK_AT = 62 };
#define COUNT_MOST ((1u << COUNT_BITS) - 1)
#define TX_MOST    ((1 << (TX_BITS - 1)) - 1)
#define MARK       UINT64_C(2)

typedef struct object {
    uint32_t pending, expected;
    int32_t tx;
    bool phase;
} object;

static bool unpack(uint64_t word, object *o)
{
    *o = (object){
        .pending = word & COUNT_MOST,
        .expected = word >> EXPECTED_AT & COUNT_MOST,
        .tx = (int32_t)((int64_t)(word << (64 - TX_AT - TX_BITS)) >> (64 - TX_BITS)),
        .phase = word >> PHASE_AT & 1,
    };
    return word >> MARK_AT == MARK;
}

static uint64_t pack(const object *o)
{
    const uint64_t tx = (uint64_t)o->tx & ((UINT64_C(1) << TX_BITS) - 1);
    return MARK << MARK_AT | (uint64_t)o->phase << PHASE_AT | tx << TX_AT |
           (uint64_t)o->expected << EXPECTED_AT | o->pending;
}

/* sm_insn.mode beside SM_M_ADDR32 and SM_M_GENERIC; its bytes are 8. */
enum { WITH_COUNT = 0x400, EXPECT = 0x800, DROP = 0x1000, NO_COMPLETE = 0x2000, PARITY = 0x4000 };

/* Offset in shared memory for each active lane. False: the launch has been stopped. */
static bool find(sm_warp *w, const sm_insn *i, sm_how how, uint64_t at[SM_LANES])
{
    bool good = true;
    SM_EACH_LANE(w->mask)
    {
        at[l] = i->mode & SM_M_ADDR32
                    ? (uint32_t)(SM_R(const uint32_t, w, i->a)[l] + (uint32_t)i->imm)
                    : SM_R(const uint64_t, w, i->a)[l] + i->imm;
        if (i->mode & SM_M_GENERIC) {
            if ((at[l] & SM_WINDOW_MASK) != SM_SHARED_WINDOW) {
                sm_stop(w, i, SM_FAULT_ADDRESS, 1u << l, at[l], 8, PTX_SPACE_NONE,
                        "an mbarrier lies in shared memory, which 0x%llx is not",
                        (unsigned long long)at[l]);
                return false;
            }
            at[l] -= SM_SHARED_WINDOW;
        }
        good = good && at[l] % 8 == 0 && at[l] + 8 <= w->block->shared_bytes;
    }
    if (!good) {
        sm_access_fault(w, i, w->mask, at, PTX_SPACE_SHARED, how);
        return false;
    }
    if (w->block->race) {
        san_race_access(w->block->race, w, w->worker->grid->unit->module, sm_site_insn(w, i),
                        w->mask, at, 8, how == SM_STORE ? SAN_WRITE : SAN_ATOMIC);
    }
    return true;
}

static uint64_t *word_at(const sm_warp *w, uint64_t offset)
{
    return (uint64_t *)(void *)(w->block->shared + offset);
}

static bool open_object(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t offset, object *o)
{
    if (unpack(*word_at(w, offset), o)) {
        return true;
    }
    sm_stop(w, i, SM_FAULT_SYNC, 1u << lane, offset, 8, PTX_SPACE_SHARED,
            "%s: no mbarrier was initialised at offset %llu of shared memory",
            ptx_op_name(sm_site_insn(w, i)->op), (unsigned long long)offset);
    return false;
}

static bool bad_count(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t offset,
                      const char *what, long long count)
{
    sm_stop(w, i, SM_FAULT_SYNC, 1u << lane, offset, 8, PTX_SPACE_SHARED, "%s: %s (%lld)",
            ptx_op_name(sm_site_insn(w, i)->op), what, count);
    return false;
}

/* The phase is complete when nothing is waited for: the next one begins. */
static bool settle(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t offset, object *o)
{
    if (o->pending == 0 && o->tx == 0) {
        if (i->mode & NO_COMPLETE) {
            return bad_count(w, i, lane, offset, ".noComplete, but it completes the phase", 0);
        }
        o->phase = !o->phase;
        o->pending = o->expected;
        if (w->block->race) {
            /* Everything before the arrivals is ordered before what follows a wait. Who waits is
             * not followed: all the block is taken to. */
            san_race_block_sync(w->block->race);
        }
    }
    *word_at(w, offset) = pack(o);
    return true;
}

static bool arrive_count(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t offset, uint32_t n,
                         bool drop)
{
    object o;
    if (!open_object(w, i, lane, offset, &o)) {
        return false;
    }
    if (n > o.pending || n > o.expected) {
        return bad_count(w, i, lane, offset,
                         "more arrivals than this phase of the barrier still expects", n);
    }
    o.pending -= n;
    o.expected -= drop ? n : 0;
    return settle(w, i, lane, offset, &o);
}

static bool change_tx(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t offset, int64_t by)
{
    object o;
    if (!open_object(w, i, lane, offset, &o)) {
        return false;
    }
    const int64_t tx = o.tx + by;
    if (tx > TX_MOST || tx < -TX_MOST) {
        return bad_count(w, i, lane, offset, "more bytes than a barrier can wait for", tx);
    }
    o.tx = (int32_t)tx;
    if (by > 0) {
        *word_at(w, offset) = pack(&o);
        return true;
    }
    return settle(w, i, lane, offset, &o);
}

/* --- handlers ----------------------------------------------------------------------------------
 */

SM_FN(init)
{
    uint64_t at[SM_LANES];
    const uint32_t *count = SM_R(const uint32_t, w, i->b);
    if (!find(w, i, SM_STORE, at)) {
        return NULL;
    }
    SM_EACH_LANE(w->mask)
    {
        if (count[l] == 0 || count[l] > COUNT_MOST) {
            bad_count(w, i, l, at[l], "a barrier is for 1 to 1048575 arrivals", count[l]);
            return NULL;
        }
        const object o = {.pending = count[l], .expected = count[l]};
        *word_at(w, at[l]) = pack(&o);
    }
    return i + 1;
}

SM_FN(inval)
{
    uint64_t at[SM_LANES];
    if (!find(w, i, SM_STORE, at)) {
        return NULL;
    }
    SM_EACH_LANE(w->mask)
    {
        *word_at(w, at[l]) = 0;
    }
    return i + 1;
}

/* b: arrivals, or with EXPECT bytes. */
SM_FN(arrive)
{
    uint64_t at[SM_LANES];
    const uint32_t *n = SM_R(const uint32_t, w, i->b);
    if (!find(w, i, SM_ATOM, at)) {
        return NULL;
    }
    SM_EACH_LANE(w->mask)
    {
        const uint32_t operand = n[l];
        const uint32_t count = i->mode & EXPECT ? 1 : i->mode & WITH_COUNT ? operand : 1;
        const uint64_t before = *word_at(w, at[l]);
        if (count == 0 || (i->mode & EXPECT && operand > (uint32_t)TX_MOST)) {
            bad_count(w, i, l, at[l], "a count out of range", operand);
            return NULL;
        }
        if (i->mode & EXPECT && operand && !change_tx(w, i, l, at[l], operand)) {
            return NULL;
        }
        if (!arrive_count(w, i, l, at[l], count, i->mode & DROP)) {
            return NULL;
        }
        SM_R(uint64_t, w, i->d)[l] = before;
    }
    return i + 1;
}

SM_FN(expect_tx)
{
    uint64_t at[SM_LANES];
    if (!find(w, i, SM_ATOM, at)) {
        return NULL;
    }
    SM_EACH_LANE(w->mask)
    {
        const uint32_t n = SM_R(const uint32_t, w, i->b)[l];
        if (n && !change_tx(w, i, l, at[l], n)) {
            return NULL;
        }
    }
    return i + 1;
}

SM_FN(complete_tx)
{
    uint64_t at[SM_LANES];
    if (!find(w, i, SM_ATOM, at)) {
        return NULL;
    }
    SM_EACH_LANE(w->mask)
    {
        const uint32_t n = SM_R(const uint32_t, w, i->b)[l];
        if (n && !change_tx(w, i, l, at[l], -(int64_t)n)) {
            return NULL;
        }
    }
    return i + 1;
}

/* b: the state of an arrival, or with PARITY a parity. Lanes whose phase is over; -1: stopped. */
static int64_t completed(sm_warp *w, const sm_insn *i)
{
    uint64_t at[SM_LANES];
    uint32_t yes = 0;
    if (!find(w, i, SM_ATOM, at)) {
        return -1;
    }
    SM_EACH_LANE(w->mask)
    {
        object o;
        if (!open_object(w, i, l, at[l], &o)) {
            return -1;
        }
        const bool of = i->mode & PARITY ? SM_R(const uint32_t, w, i->b)[l] & 1
                                         : SM_R(const uint64_t, w, i->b)[l] >> PHASE_AT & 1;
        yes |= (uint32_t)(of != o.phase) << l;
    }
    return yes;
}

SM_FN(test_wait)
{
    const int64_t yes = completed(w, i);
    if (yes < 0) {
        return NULL;
    }
    sm_put_pred(w, i->d, (uint32_t)yes);
    return i + 1;
}

/* A thread that could not go on may be suspended: others get their turn. */
SM_FN(try_wait)
{
    const int64_t yes = completed(w, i);
    if (yes < 0) {
        return NULL;
    }
    sm_put_pred(w, i->d, (uint32_t)yes);
    if ((uint32_t)yes == w->mask) {
        return i + 1;
    }
    return sm_sleep(w, i);
}

SM_FN(pending_count)
{
    SM_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d),
                (uint32_t)(SM_R(const uint64_t, w, i->a)[l] & COUNT_MOST));
    return i + 1;
}

/* With .noinc one of the expected arrivals is used up; else one is added for it and used up. */
SM_FN(copies_arrive)
{
    uint64_t at[SM_LANES];
    if (!find(w, i, SM_ATOM, at)) {
        return NULL;
    }
    SM_EACH_LANE(w->mask)
    {
        object o;
        if (i->mode & WITH_COUNT ? !arrive_count(w, i, l, at[l], 1, false)
                                 : !open_object(w, i, l, at[l], &o)) {
            return NULL;
        }
    }
    return i + 1;
}

/* --- selectors ---------------------------------------------------------------------------------
 */

static sm_fn with_address(sm_translation *t, const ptx_insn *in, unsigned k, sm_insn *out,
                          uint16_t flags, sm_fn fn)
{
    if (in->operand_count <= k || !SM_LEVEL(sm_set_access)(t, in, &in->opd[k], 8, out)) {
        return NULL;
    }
    out->mode = (uint16_t)((out->mode & (SM_M_BYTES | SM_M_ADDR32 | SM_M_GENERIC)) | flags);
    return fn;
}

SM_SELECT(mbarrier_init)
{
    return with_address(t, in, 0, out, 0, init);
}

SM_SELECT(mbarrier_inval)
{
    return with_address(t, in, 0, out, 0, inval);
}

SM_SELECT(mbarrier_expect_tx)
{
    return with_address(t, in, 0, out, 0, expect_tx);
}

SM_SELECT(mbarrier_complete_tx)
{
    return with_address(t, in, 0, out, 0, complete_tx);
}

SM_SELECT(mbarrier_arrive)
{
    uint16_t flags = in->operand_count > 2 && in->opd[2].count ? WITH_COUNT : 0;
    flags |= ptx_has(in, PTX_MOD_expect_tx) ? EXPECT : 0;
    flags |= ptx_has(in, PTX_MOD_noComplete) ? NO_COMPLETE : 0;
    flags |= in->op == PTX_OP_mbarrier_arrive__drop ? DROP : 0;
    if (flags & EXPECT && !(flags & WITH_COUNT)) {
        return NULL;
    }
    return with_address(t, in, 1, out, flags, arrive);
}

static sm_fn wait_form(sm_translation *t, const ptx_insn *in, sm_insn *out, sm_fn fn)
{
    const bool parity = ptx_has(in, PTX_MOD_parity);
    if (sm_reg_bits(t, in, 2, parity ? 32 : 64) != (parity ? 32 : 64)) {
        return NULL;
    }
    out->b = sm_sized(t, in, 2, parity ? 4 : 8, 0);
    return with_address(t, in, 1, out, parity ? PARITY : 0, fn);
}

SM_SELECT(mbarrier_test_wait)
{
    return wait_form(t, in, out, test_wait);
}

SM_SELECT(mbarrier_try_wait)
{
    return wait_form(t, in, out, try_wait);
}

SM_SELECT(mbarrier_pending_count)
{
    (void)t, (void)in, (void)out;
    return pending_count;
}

SM_SELECT(cp_async_mbarrier_arrive)
{
    return with_address(t, in, 0, out, ptx_has(in, PTX_MOD_noinc) ? WITH_COUNT : 0, copies_arrive);
}
