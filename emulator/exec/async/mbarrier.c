/* The mbarrier instructions (PTX ISA 9.7.13.15). sm/async/mbarrier.h describes the barrier objects.
 * Asynchronous copies are executed when a thread waits for them: see sm/async/flight.h for bulk
 * copies and sm/async/copies.h for cp.async. */
#include "../../sm/async/mbarrier.h"

#include "../../compile/compile.h"
#include "../../core/observer.h"
#include "../../observe/observe.h"
#include "../../sm/async/copies.h"
#include "../../sm/async/flight.h"
#include "../../sm/fault.h"
#include "../../sm/sched.h"
#include "../lanes.h"
#include "../memory/reach.h"

/* Flags in field `mode` of an mbarrier instruction, in addition to SM_M_ADDR32 and SM_M_GENERIC. A
 * barrier object always has 8 bytes. */
enum {
    WITH_COUNT = 0x400,   /* the instruction has an operand with the number of arrivals */
    EXPECT = 0x800,       /* .expect_tx: the arrival also expects bytes */
    DROP = 0x1000,        /* .arrive_drop: the thread takes part in no later phase */
    NO_COMPLETE = 0x2000, /* .noComplete: the arrival must not complete the phase */
    PARITY = 0x4000,      /* .parity: waits for a phase by its parity */
    REMOTE = 0x8000       /* .shared::cluster: the object may be in another block */
};

/* Find the mbarrier object of each active lane. False: the launch has been stopped. */
static bool find_mbarriers(sm_warp *w, const sm_insn *i, exec_access_op how,
                           sm_mbarrier m[SM_LANES])
{
    EXEC_EACH_LANE(w->mask) {
        uint64_t at = i->mode & SM_M_ADDR32
                          ? (uint32_t)(SM_R(const uint32_t, w, i->a)[l] + (uint32_t)i->imm)
                          : SM_R(const uint64_t, w, i->a)[l] + i->imm;
        if (i->mode & SM_M_GENERIC) {
            if ((at & SM_WINDOW_MASK) != SM_SHARED_WINDOW) {
                sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << l, at, 8, PTX_SPACE_NONE,
                               "an mbarrier must lie in shared memory, and 0x%llx does not",
                               (unsigned long long)at);
                return false;
            }
            at -= SM_SHARED_WINDOW;
        }
        if (at % 8 || !(m[l].block = sm_cluster_find_block(w->block, at, 8, &m[l].offset)))
            return exec_stop_bad_shared_access(w, i, l, at, how);
        if (m[l].block != w->block && !(i->mode & REMOTE)) {
            sm_stop_launch(
                w, i, SM_FAULT_ADDRESS, 1u << l, at, 8, PTX_SPACE_SHARED,
                "%s: the barrier lies in the shared memory of the block with rank %u in the "
                "cluster, and only .shared::cluster instructions can access it",
                ptx_op_name(sm_site_insn(w, i)->op), m[l].block->rank);
            return false;
        }
        if (m[l].block->observed) {
            observe_lane_access(m[l].block, w, i, l, m[l].offset, 8,
                                how == EXEC_STORE ? SM_WRITES : SM_UPDATES);
        }
    }
    return true;
}

/* Do all active lanes name one mbarrier object, at a valid address that no observer watches? Then
 * find it. */
static bool find_common_mbarrier(const sm_warp *w, const sm_insn *i, sm_mbarrier *m)
{
    const uint32_t first = (uint32_t)__builtin_ctz(w->mask);
    uint64_t other = 0, at;
    if (i->mode & SM_M_ADDR32) {
        const uint32_t *a = SM_R(const uint32_t, w, i->a);
        at = (uint32_t)(a[first] + (uint32_t)i->imm);
        EXEC_EACH_LANE(w->mask)
            other |= a[l] ^ a[first];
    } else {
        const uint64_t *a = SM_R(const uint64_t, w, i->a);
        at = a[first] + i->imm;
        EXEC_EACH_LANE(w->mask)
            other |= a[l] ^ a[first];
    }
    at -= i->mode & SM_M_GENERIC ? SM_SHARED_WINDOW : 0;
    return !other && at % 8 == 0 &&
           (m->block = sm_cluster_find_block(w->block, at, 8, &m->offset)) &&
           (m->block == w->block || i->mode & REMOTE) && !m->block->observed;
}

/* --- handlers --- */

/* On a GPU all waiting threads see the end of a phase within a few cycles, before the first of
 * them can initialise or invalidate the object. Here a thread tests the object when its warp
 * runs. Therefore all other warps run once before an instruction that reinitialises or
 * invalidates an object. True: execute I again afterwards. */
static bool let_other_warps_run_first(sm_warp *w, const sm_insn *i, const sm_mbarrier *m)
{
    struct sm_sched *s = w->sched;
    bool live = false;
    EXEC_EACH_LANE(w->mask)
        live = live || sm_mbarrier_is_valid(&m[l]);
    if (!live || s->yielded_at == i) {
        s->yielded_at = NULL;
        return false;
    }
    s->yielded_at = i;
    sm_make_fragment_wait(w, i, SM_READY)->order = 0;
    return true;
}

/* Complete the copies that arrive at M. False: the launch has been stopped. */
static bool complete_copies_arriving_at(const sm_mbarrier *m)
{
    return sm_copies_complete_for_mbarrier(m) && sm_bulk_copies_complete_for_mbarrier(m);
}

EXEC_FN(init)
{
    sm_mbarrier m[SM_LANES];
    const uint32_t *count = SM_R(const uint32_t, w, i->b);
    if (!find_mbarriers(w, i, EXEC_STORE, m) || let_other_warps_run_first(w, i, m))
        return NULL;
    EXEC_EACH_LANE(w->mask)
        if (!complete_copies_arriving_at(&m[l]) || !sm_mbarrier_init(w, i, l, &m[l], count[l]))
            return NULL;
    return i + 1;
}

EXEC_FN(inval)
{
    sm_mbarrier m[SM_LANES];
    if (!find_mbarriers(w, i, EXEC_STORE, m) || let_other_warps_run_first(w, i, m))
        return NULL;
    EXEC_EACH_LANE(w->mask) {
        if (!complete_copies_arriving_at(&m[l]))
            return NULL;
        *sm_mbarrier_word(&m[l]) = 0;
    }
    return i + 1;
}

static const sm_insn *stop_bad_count(sm_warp *w, const sm_insn *i, uint32_t l, uint32_t n)
{
    return sm_stop_launch(w, i, SM_FAULT_SYNC, 1u << l, 0, 8, PTX_SPACE_SHARED,
                          "%s: the count %u is out of range", ptx_op_name(sm_site_insn(w, i)->op),
                          n);
}

/* All active lanes arrive at M at once. False: it does not expect them all, or a lane does not
 * arrive; then each lane has to arrive by itself. */
static bool arrive_together(sm_warp *w, const sm_insn *i, const sm_mbarrier *m)
{
    const uint32_t *n = SM_R(const uint32_t, w, i->b);
    const bool counted = i->mode & WITH_COUNT;
    uint64_t *d = SM_R(uint64_t, w, i->d), all = 0, least = 1;
    EXEC_EACH_LANE(w->mask) {
        const uint32_t own = counted ? n[l] : 1;
        least = own < least ? own : least;
        all += own;
    }
    if (!least || !sm_mbarrier_expects(m, all))
        return false;
    /* its lowest bits are the number of arrivals that it waits for */
    uint64_t state = *sm_mbarrier_word(m);
    EXEC_EACH_LANE(w->mask) {
        d[l] = state;
        state -= counted ? n[l] : 1;
    }
    return sm_mbarrier_arrive(w, i, (uint32_t)__builtin_ctz(w->mask), m, (uint32_t)all, false,
                              false);
}

/* mbarrier.arrive. Operand b: the number of arrivals or, with EXPECT, the expected bytes. */
EXEC_FN(arrive)
{
    sm_mbarrier m[SM_LANES];
    const uint32_t *n = SM_R(const uint32_t, w, i->b);
    if (!(i->mode & (EXPECT | DROP | NO_COMPLETE)) && find_common_mbarrier(w, i, m) &&
        arrive_together(w, i, m))
        return i + 1;
    if (!find_mbarriers(w, i, EXEC_ATOM, m))
        return NULL;
    EXEC_EACH_LANE(w->mask) {
        const uint32_t operand = n[l];
        const uint32_t count = i->mode & EXPECT ? 1 : i->mode & WITH_COUNT ? operand : 1;
        const uint64_t before = *sm_mbarrier_word(&m[l]);
        if (count == 0 || (i->mode & EXPECT && operand > (uint32_t)SM_MBARRIER_MAX_TX))
            return stop_bad_count(w, i, l, operand);
        if (i->mode & EXPECT && operand && !sm_mbarrier_expect_bytes(w, i, l, &m[l], operand))
            return NULL;
        if (!sm_mbarrier_arrive(w, i, l, &m[l], count, i->mode & DROP, i->mode & NO_COMPLETE))
            return NULL;
        SM_R(uint64_t, w, i->d)[l] = before;
    }
    return i + 1;
}

/* mbarrier.expect_tx and complete_tx: change the expected bytes of the object by SIGN * b. */
static const sm_insn *change_expected_bytes(sm_warp *w, const sm_insn *i, int sign)
{
    sm_mbarrier m[SM_LANES];
    if (!find_mbarriers(w, i, EXEC_ATOM, m))
        return NULL;
    EXEC_EACH_LANE(w->mask) {
        const uint32_t n = SM_R(const uint32_t, w, i->b)[l];
        if (n > (uint32_t)SM_MBARRIER_MAX_TX)
            return stop_bad_count(w, i, l, n);
        if (n && !sm_mbarrier_expect_bytes(w, i, l, &m[l], sign * (int64_t)n))
            return NULL;
    }
    return i + 1;
}

EXEC_FN(expect_tx)
{
    return change_expected_bytes(w, i, 1);
}

EXEC_FN(complete_tx)
{
    return change_expected_bytes(w, i, -1);
}

/* The parity of the phase for which lane L waits. */
static inline bool awaited_parity(const sm_warp *w, const sm_insn *i, uint32_t l)
{
    return i->mode & PARITY ? SM_R(const uint32_t, w, i->b)[l] & 1
                            : sm_mbarrier_parity(SM_R(const uint64_t, w, i->b)[l]);
}

/* lanes_completed() if all lanes wait for M. */
static int64_t lanes_completed_together(sm_warp *w, const sm_insn *i, const sm_mbarrier *m)
{
    const uint32_t first = (uint32_t)__builtin_ctz(w->mask);
    uint32_t odd = 0;
    bool even_over;
    if (!complete_copies_arriving_at(m) ||
        !sm_mbarrier_test_parity(w, i, first, m, false, &even_over))
        return -1;
    EXEC_EACH_LANE(w->mask)
        odd |= (uint32_t)awaited_parity(w, i, l) << l;
    const uint32_t yes = w->mask & (even_over ? ~odd : odd);
    if (yes)
        sm_bulk_copies_note_wait(w, m);
    return yes;
}

/* mbarrier.test_wait and try_wait. Operand b: the state from an arrival or, with PARITY, a
 * parity. Returns the lanes whose phase is complete; -1: the launch was stopped. */
static int64_t lanes_completed(sm_warp *w, const sm_insn *i)
{
    sm_mbarrier m[SM_LANES];
    uint32_t yes = 0;
    if (find_common_mbarrier(w, i, m))
        return lanes_completed_together(w, i, m);
    if (!find_mbarriers(w, i, EXEC_ATOM, m))
        return -1;
    EXEC_EACH_LANE(w->mask) {
        const bool of = awaited_parity(w, i, l);
        bool over;
        if (!complete_copies_arriving_at(&m[l]) ||
            !sm_mbarrier_test_parity(w, i, l, &m[l], of, &over))
            return -1;
        if (over)
            sm_bulk_copies_note_wait(w, &m[l]);
        yes |= (uint32_t)over << l;
    }
    return yes;
}

EXEC_FN(test_wait)
{
    const int64_t yes = lanes_completed(w, i);
    if (yes < 0)
        return NULL;
    exec_put_pred(w, i->d, (uint32_t)yes);
    return i + 1;
}

/* mbarrier.try_wait suspends a thread whose phase is not complete; on an H200 for 4 us, whatever
 * time limit the instruction gives. Other threads run meanwhile. */
#define TRY_WAIT_SUSPENDED_NS 4000

EXEC_FN(try_wait)
{
    const int64_t yes = lanes_completed(w, i);
    if (yes < 0)
        return NULL;
    exec_put_pred(w, i->d, (uint32_t)yes);
    if ((uint32_t)yes == w->mask)
        return i + 1;
    w->sched->slept += TRY_WAIT_SUSPENDED_NS;
    return sm_nanosleep(w, i);
}

EXEC_FN(pending_count)
{
    EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d),
                  sm_mbarrier_pending(SM_R(const uint64_t, w, i->a)[l]));
    return i + 1;
}

/* cp.async.mbarrier.arrive: the arrival happens when the thread's copies are complete. With
 * .noinc (WITH_COUNT) it is one of the expected arrivals; otherwise the expected number is first
 * increased by one. */
EXEC_FN(arrive_after_copies)
{
    sm_mbarrier m[SM_LANES];
    if (!find_mbarriers(w, i, EXEC_ATOM, m))
        return NULL;
    sm_copy *c = sm_copies_add(w, i, 0);
    EXEC_EACH_LANE(c ? w->mask : 0) {
        bool over;
        if (i->mode & WITH_COUNT ? !sm_mbarrier_test_parity(w, i, l, &m[l], false, &over)
                                 : !sm_mbarrier_expect_one(w, i, l, &m[l]))
            return NULL;
        c->offset[l] = m[l].offset;
    }
    if (!c)
        return NULL;
    c->lanes = w->mask;
    return i + 1;
}

/* --- selectors --- */

static sm_fn select_with_address(compile_translation *t, const ptx_insn *in, unsigned k,
                                 sm_insn *out, uint16_t flags, sm_fn fn)
{
    if (in->operand_count <= k || !EXEC_FOR_ISA(exec_set_access)(t, in, &in->opd[k], 8, out))
        return NULL;
    const bool remote = ptx_has_modifier(in, PTX_MOD_shared_cluster) || in->space == PTX_SPACE_NONE;
    out->mode = (uint16_t)((out->mode & (SM_M_BYTES | SM_M_ADDR32 | SM_M_GENERIC)) | flags |
                           (remote ? REMOTE : 0));
    return fn;
}

EXEC_SELECT(mbarrier_init)
{
    return select_with_address(t, in, 0, out, 0, init);
}

EXEC_SELECT(mbarrier_inval)
{
    return select_with_address(t, in, 0, out, 0, inval);
}

EXEC_SELECT(mbarrier_expect_tx)
{
    return select_with_address(t, in, 0, out, 0, expect_tx);
}

EXEC_SELECT(mbarrier_complete_tx)
{
    return select_with_address(t, in, 0, out, 0, complete_tx);
}

EXEC_SELECT(mbarrier_arrive)
{
    uint16_t flags = in->operand_count > 2 && in->opd[2].count ? WITH_COUNT : 0;
    flags |= ptx_has_modifier(in, PTX_MOD_expect_tx) ? EXPECT : 0;
    flags |= ptx_has_modifier(in, PTX_MOD_noComplete) ? NO_COMPLETE : 0;
    flags |= in->op == PTX_OP_mbarrier_arrive__drop ? DROP : 0;
    if (flags & EXPECT && !(flags & WITH_COUNT))
        return NULL;
    return select_with_address(t, in, 1, out, flags, arrive);
}

static sm_fn select_mbarrier_wait(compile_translation *t, const ptx_insn *in, sm_insn *out,
                                  sm_fn fn)
{
    const bool parity = ptx_has_modifier(in, PTX_MOD_parity);
    if (exec_operand_reg_bits(t, in, 2, parity ? 32 : 64) != (parity ? 32 : 64))
        return NULL;
    out->b = exec_operand_slot(t, in, 2, parity ? 4 : 8, 0);
    return select_with_address(t, in, 1, out, parity ? PARITY : 0, fn);
}

EXEC_SELECT(mbarrier_test_wait)
{
    return select_mbarrier_wait(t, in, out, test_wait);
}

EXEC_SELECT(mbarrier_try_wait)
{
    return select_mbarrier_wait(t, in, out, try_wait);
}

EXEC_SELECT(mbarrier_pending_count)
{
    return pending_count;
}

EXEC_SELECT(cp_async_mbarrier_arrive)
{
    return select_with_address(t, in, 0, out, ptx_has_modifier(in, PTX_MOD_noinc) ? WITH_COUNT : 0,
                               arrive_after_copies);
}
