/* Instructions that lanes of one warp execute together: shfl, vote, match, redux, elect and
 * bar.warp.sync (PTX ISA 9.7.9.6, 9.7.13).
 *
 * A lane waits until every lane of its member mask that has not exited has arrived with the same
 * mask. Usually the fragment contains the whole mask and executes immediately. */
#include "../../sm/sync.h"
#include "../../compile/compile.h"
#include "../../observe/observe.h"
#include "../../ptx/traits.h"
#include "../../sm/fault.h"
#include "../lanes.h"

static const sm_insn *stop_nonmember(sm_warp *w, const sm_insn *i, uint32_t lane, uint32_t member)
{
    return sm_stop_launch(w, i, SM_FAULT_SYNC, 1u << lane, 0, 0, PTX_SPACE_NONE,
                          "%s: lane %u executes it but is not in its member mask 0x%08x",
                          ((const sm_sync_form *)i->extra)->name, lane, member);
}

/* Wait for an instruction's member lanes, then execute it. Operand e: the lanes' member masks. */
static const sm_insn *run_sync_instruction(sm_warp *w, const sm_insn *i)
{
    const sm_sync_form *form = i->extra;
    const uint32_t *member = SM_R(uint32_t, w, i->e);
    const uint32_t mask = w->mask, live = sm_live_lanes(w);
    const uint32_t m = member[__builtin_ctz(mask)];
    uint32_t differ = 0;
    if (mask == SM_FULL)
        for (uint32_t l = 0; l < SM_LANES; l++)
            differ |= member[l] ^ m;
    else
        for (uint32_t l = 0; l < SM_LANES; l++)
            differ |= (member[l] ^ m) & (uint32_t)w->lane_on[l];
    if (differ == 0) {
        if ((m & live) == mask)
            return form->compute(w, i, member) ? i + 1 : NULL;
        if (mask & ~m)
            return stop_nonmember(w, i, (uint32_t)__builtin_ctz(mask & ~m), m);
        return sm_wait_for_members(w, i, member);
    }
    bool whole = true;
    EXEC_EACH_LANE(mask) {
        if (!(member[l] >> l & 1))
            return stop_nonmember(w, i, l, member[l]);
        for (uint32_t o = member[l] & live; o && whole; o &= o - 1) {
            const uint32_t n = (uint32_t)__builtin_ctz(o);
            whole = (mask >> n & 1) && member[n] == member[l];
        }
    }
    if (!whole)
        return sm_wait_for_members(w, i, member);
    return form->compute(w, i, member) ? i + 1 : NULL;
}

/* --- shfl, PTX ISA 9.7.9.6 --- */

enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX }; /* i->mode of shfl: .up .down .bfly .idx */

/* Are all 32 lanes active with a full member mask? Then no lane reads from a missing lane. */
static bool all_lanes_present(const sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    if (w->mask != SM_FULL || !i->vec)
        return w->mask == SM_FULL;
    uint32_t named = SM_FULL;
    for (uint32_t l = 0; l < SM_LANES; l++)
        named &= member[l];
    return named == SM_FULL;
}

/* VALUE[l] = A[SOURCE[l]] for all 32 lanes. */
static inline void permute_lanes(uint32_t *value, const uint32_t *a, const uint32_t *source)
{
#ifdef __AVX512F__
    const __m512i low = _mm512_load_si512(a), high = _mm512_load_si512(a + 16);
    for (uint32_t half = 0; half < SM_LANES; half += 16) {
        const __m512i from = _mm512_load_si512(source + half);
        _mm512_store_si512(value + half, _mm512_permutex2var_epi32(low, from, high));
    }
#else
    for (uint32_t l = 0; l < SM_LANES; l++)
        value[l] = a[source[l]];
#endif
}

/* Some lanes of W read from SOURCE[l], a lane that has exited or is past the end of the block.
 * False: a lane that its member mask names has exited, which stops the launch. */
static bool handle_absent_sources(sm_warp *w, const sm_insn *i, const uint32_t *member,
                                  const uint32_t *source)
{
    EXEC_EACH_LANE(w->mask) {
        if (w->exited & member[l] & 1u << source[l]) {
            sm_stop_launch(
                w, i, SM_FAULT_SYNC, 1u << l, 0, 0, PTX_SPACE_NONE,
                "%s: lane %u reads from lane %u, which has exited: the value is undefined",
                ((const sm_sync_form *)i->extra)->name, l, source[l]);
            return false;
        }
        if (w->block->observed && !(sm_live_lanes(w) >> source[l] & 1))
            observe_absent_lane(w, i, l, source[l]);
    }
    return true;
}

static bool shfl(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    const uint32_t *a = SM_R(uint32_t, w, i->a), *b = SM_R(uint32_t, w, i->b);
    const uint32_t *c = SM_R(uint32_t, w, i->c);
    uint32_t source[SM_LANES] __attribute__((aligned(64)));
    int32_t inside[SM_LANES] __attribute__((aligned(64)));
    uint32_t value[SM_LANES] __attribute__((aligned(64)));
    switch (i->mode) {
#define SHFL_LANES(choose, test)                              \
    for (uint32_t l = 0; l < SM_LANES; l++) {                 \
        const uint32_t by = b[l] & 31, seg = c[l] >> 8 & 31;  \
        const uint32_t last = (l & seg) | (c[l] & 31 & ~seg); \
        const uint32_t j = (choose);                          \
        const bool in = (test);                               \
        (void)last;                                           \
        source[l] = (in ? j : l) & 31;                        \
        inside[l] = -(int32_t)in;                             \
    }                                                         \
    break
    case SHFL_UP: SHFL_LANES(l - by, (int32_t)j >= (int32_t)last);
    case SHFL_DOWN: SHFL_LANES(l + by, j <= last);
    case SHFL_BFLY: SHFL_LANES(l ^ by, j <= last);
    default: SHFL_LANES((l & seg) | (by & ~seg), j <= last);
#undef SHFL_LANES
    }
    uint32_t from = 0;
    permute_lanes(value, a, source);
    const uint32_t mask = w->mask;
    if (!all_lanes_present(w, i, member)) {
        EXEC_EACH_LANE(mask) {
            from |= 1u << source[l];
            /* The ISA leaves the value undefined. On an H200, the value from a lane outside the
             * mask is zero, whether it has exited or not; the same holds for a lane that does
             * not exist because the last warp is not full. */
            if (!(member[l] >> source[l] & 1) || !(mask >> source[l] & 1))
                value[l] = 0;
        }
        if (from & ~sm_live_lanes(w) && !handle_absent_sources(w, i, member, source))
            return false;
    }
    EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), value[l]);
    if (i->q)
        exec_put_pred(w, i->q, exec_movemask(inside));
    return true;
}

/* shfl with a member mask known to be full: if all lanes are active, no lane needs to wait. */
static const sm_insn *shfl_full_warp(sm_warp *w, const sm_insn *i)
{
    if (w->mask != SM_FULL)
        return run_sync_instruction(w, i);
    return shfl(w, i, NULL) ? i + 1 : NULL;
}

static sm_fn select_sync_form(compile_translation *t, sm_insn *out, uint32_t member,
                              const sm_sync_form *form)
{
    out->e = member;
    out->extra = form;
    return t->failed ? NULL : run_sync_instruction;
}

/* Is the member mask known to be full, because it is an immediate or a register that only holds
 * all ones? Then it need not be checked in each lane. */
static bool has_full_mask(const compile_translation *t, const ptx_insn *in)
{
    const ptx_value *v = &in->opd[4].v[0];
    const ptx_insn *made = v->kind == PTX_VAL_REG ? compile_only_definition(t, v->reg) : NULL;
    if (made)
        v = ptx_traits_of(made)->means == PTX_MEANS_copy && made < in ? &made->opd[1].v[0] : v;
    return v->kind == PTX_VAL_IMM && (uint32_t)v->imm == SM_FULL;
}

EXEC_SELECT(shfl)
{
    static const sm_sync_form forms[] = {
        {shfl, SM_LANE_4_BYTES, SM_PREDICATE, SM_LANE_4_BYTES, SM_LANE_4_BYTES, SM_LANE_4_BYTES,
         "shfl.sync.up", false},
        {shfl, SM_LANE_4_BYTES, SM_PREDICATE, SM_LANE_4_BYTES, SM_LANE_4_BYTES, SM_LANE_4_BYTES,
         "shfl.sync.down", false},
        {shfl, SM_LANE_4_BYTES, SM_PREDICATE, SM_LANE_4_BYTES, SM_LANE_4_BYTES, SM_LANE_4_BYTES,
         "shfl.sync.bfly", false},
        {shfl, SM_LANE_4_BYTES, SM_PREDICATE, SM_LANE_4_BYTES, SM_LANE_4_BYTES, SM_LANE_4_BYTES,
         "shfl.sync.idx", false},
    };
    if (!ptx_has_modifier(in, PTX_MOD_sync)) {
        snprintf(t->error, sizeof t->error,
                 "shfl without .sync was removed in sm_70: use __shfl_sync and the like");
        return NULL;
    }
    out->mode = ptx_has_modifier(in, PTX_MOD_up)     ? SHFL_UP
                : ptx_has_modifier(in, PTX_MOD_down) ? SHFL_DOWN
                : ptx_has_modifier(in, PTX_MOD_bfly) ? SHFL_BFLY
                                                     : SHFL_IDX;
    out->vec = !has_full_mask(t, in);
    const sm_fn fn = select_sync_form(t, out, out->e, &forms[out->mode]);
    return fn && !out->vec && !t->program->plain ? shfl_full_warp : fn;
}

/* --- vote, PTX ISA 9.7.13.9 --- */

enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT }; /* i->mode of vote: .all .any .uni .ballot */

static bool vote(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    const uint32_t mask = w->mask;
    const uint32_t yes = (SM_P(w, i->a) ^ (uint32_t)i->imm) & mask;
    if (i->mode == VOTE_BALLOT) {
        EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), yes & member[l]);
        return true;
    }
    uint32_t result = 0;
    EXEC_EACH_LANE(mask) {
        const uint32_t here = member[l] & mask, y = yes & member[l];
        const bool is = i->mode == VOTE_ALL   ? y == here
                        : i->mode == VOTE_ANY ? y != 0
                                              : y == here || y == 0;
        result |= (uint32_t)is << l;
    }
    SM_P(w, i->d) = (SM_P(w, i->d) & ~mask) | result;
    return true;
}

EXEC_SELECT(vote)
{
    static const sm_sync_form predicate = {vote, SM_PREDICATE, 0,    SM_PREDICATE, 0,
                                           0,    "vote.sync",  false};
    static const sm_sync_form ballot = {vote, SM_LANE_4_BYTES,    0,    SM_PREDICATE, 0,
                                        0,    "vote.sync.ballot", false};
    if (!ptx_has_modifier(in, PTX_MOD_sync)) {
        snprintf(t->error, sizeof t->error,
                 "vote without .sync was removed in sm_70: use __ballot_sync and the like");
        return NULL;
    }
    out->mode = ptx_has_modifier(in, PTX_MOD_all)   ? VOTE_ALL
                : ptx_has_modifier(in, PTX_MOD_any) ? VOTE_ANY
                : ptx_has_modifier(in, PTX_MOD_uni) ? VOTE_UNI
                                                    : VOTE_BALLOT;
    out->imm = in->opd[1].v[0].negate ? SM_FULL : 0;
    return select_sync_form(t, out, out->b, out->mode == VOTE_BALLOT ? &ballot : &predicate);
}

/* --- match, PTX ISA 9.7.13.10 --- */

static bool match(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    const uint32_t mask = w->mask;
    const bool wide = i->mode & 1, all = i->mode & 2;
    uint32_t result[SM_LANES] = {0}, agree = 0;
    EXEC_EACH_LANE(mask) {
        const uint32_t group = member[l] & mask;
        SM_EACH_LANE(n, group) {
            const bool equal = wide ? SM_R(uint64_t, w, i->a)[n] == SM_R(uint64_t, w, i->a)[l]
                                    : SM_R(uint32_t, w, i->a)[n] == SM_R(uint32_t, w, i->a)[l];
            result[l] |= (uint32_t)equal << n;
        }
        if (all) {
            const bool every = result[l] == group;
            result[l] = every ? group : 0;
            agree |= (uint32_t)every << l;
        }
    }
    EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), result[l]);
    if (all && i->q)
        SM_P(w, i->q) = (SM_P(w, i->q) & ~mask) | agree;
    return true;
}

EXEC_SELECT(match)
{
    static const sm_sync_form forms[] = {
        {match, SM_LANE_4_BYTES, 0, SM_LANE_4_BYTES, 0, 0, "match.any.sync", false},
        {match, SM_LANE_4_BYTES, 0, SM_LANE_8_BYTES, 0, 0, "match.any.sync", false},
        {match, SM_LANE_4_BYTES, SM_PREDICATE, SM_LANE_4_BYTES, 0, 0, "match.all.sync", false},
        {match, SM_LANE_4_BYTES, SM_PREDICATE, SM_LANE_8_BYTES, 0, 0, "match.all.sync", false},
    };
    out->mode = (uint16_t)((in->type[0] == PTX_b64) | ptx_has_modifier(in, PTX_MOD_all) << 1);
    return select_sync_form(t, out, out->b, &forms[out->mode]);
}

/* --- redux, PTX ISA 9.7.13.12 --- */

/* i->mode of redux: the operation, plus REDUX_SIGNED for .s32. */
enum { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR };
#define REDUX_SIGNED 16 /* the values are signed integers */

static uint32_t combine_redux_values(uint32_t mode, uint32_t x, uint32_t y)
{
    const bool less = mode & REDUX_SIGNED ? (int32_t)y < (int32_t)x : y < x;
    switch (mode & 15) {
    case REDUX_ADD: return x + y;
    case REDUX_MIN: return less ? y : x;
    case REDUX_MAX: return less ? x : y;
    case REDUX_AND: return x & y;
    case REDUX_OR: return x | y;
    default: return x ^ y;
    }
}

static bool redux(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    const uint32_t *a = SM_R(uint32_t, w, i->a);
    const uint32_t mask = w->mask;
    uint32_t result[SM_LANES];
    for (uint32_t rest = mask; rest;) {
        const uint32_t first = (uint32_t)__builtin_ctz(rest), group = member[first] & mask;
        uint32_t v = a[first];
        for (uint32_t r = group & ~(1u << first); r; r &= r - 1)
            v = combine_redux_values(i->mode, v, a[__builtin_ctz(r)]);
        for (uint32_t r = group; r; r &= r - 1)
            result[__builtin_ctz(r)] = v;
        rest &= ~group;
    }
    EXEC_EACH_LANE(mask) {
        /* cppcheck-suppress uninitvar ; every lane of the mask is in a group */
        SM_R(uint32_t, w, i->d)[l] = result[l];
    }
    return true;
}

EXEC_SELECT(redux)
{
    static const sm_sync_form form = {redux, SM_LANE_4_BYTES, 0,    SM_LANE_4_BYTES, 0,
                                      0,     "redux.sync",    false};
    static const struct {
        ptx_mod mod;
        uint16_t mode;
    } modes[] = {{PTX_MOD_add, REDUX_ADD}, {PTX_MOD_min, REDUX_MIN}, {PTX_MOD_max, REDUX_MAX},
                 {PTX_MOD_and, REDUX_AND}, {PTX_MOD_or, REDUX_OR},   {PTX_MOD_xor, REDUX_XOR}};
    if (in->type[0] == PTX_f32)
        return NULL;
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (ptx_has_modifier(in, modes[k].mod))
            out->mode = modes[k].mode;
    out->mode |= in->type[0] == PTX_s32 ? REDUX_SIGNED : 0;
    return select_sync_form(t, out, out->b, &form);
}

/* --- elect, PTX ISA 9.7.13.15 --- */

static bool elect(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    const uint32_t mask = w->mask;
    uint32_t leaders = 0;
    EXEC_EACH_LANE(mask) {
        const uint32_t leader = (uint32_t)__builtin_ctz(member[l] & mask);
        leaders |= 1u << leader;
        if (i->d)
            SM_R(uint32_t, w, i->d)[l] = leader;
    }
    SM_P(w, i->q) = (SM_P(w, i->q) & ~mask) | leaders;
    return true;
}

EXEC_SELECT(elect)
{
    static const sm_sync_form form = {elect, SM_LANE_4_BYTES, SM_PREDICATE, 0, 0,
                                      0,     "elect.sync",    false};
    return select_sync_form(t, out, out->a, &form);
}

/* --- bar.warp.sync, PTX ISA 9.7.13.2 --- */

static bool warp_sync(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)i;
    for (uint32_t rest = w->block->observed ? w->mask : 0, group; rest; rest &= ~group) {
        group = member[__builtin_ctz(rest)] & rest;
        observe_warp_barrier(w, group);
    }
    return true;
}

EXEC_SELECT(bar_warp)
{
    static const sm_sync_form form = {warp_sync, 0, 0, 0, 0, 0, "bar.warp.sync", false};
    return select_sync_form(t, out, compile_slot_of_value(t, &in->opd[0].v[0], 4), &form);
}

/* --- activemask, PTX ISA 9.7.13.11 --- */

static const sm_insn *activemask(sm_warp *w, const sm_insn *i)
{
    EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), w->mask);
    return i + 1;
}

EXEC_SELECT(activemask)
{
    return activemask;
}
