/* Decides at which moments (instructions of a warp) a command such as `next` or `until` stops. */
#include "worker.h"

#include "../../core/sched.h"
#include "../../ptx/traits.h"

#include <inttypes.h>
#include <string.h>

const ptx_insn *step_insn_at(const step_block_slot *slot, uint32_t site, const sm_code **code,
                             uint32_t *pc)
{
    const sm_unit *u = slot->launch->grid->unit;
    *code = u->code[u->site_code[site]];
    *pc = site - (*code)->site_base;
    return &(*code)->func->insns[*pc];
}

bool step_is_path_of_file(const char *path, const char *file)
{
    const size_t n = path ? strlen(path) : 0, m = strlen(file);
    if (m == 0)
        return true;
    return n >= m && strcmp(path + n - m, file) == 0 && (n == m || path[n - m - 1] == '/');
}

/* --- values --- */

const char *step_value_text(step_type t, const void *bytes, char *out, size_t size)
{
    uint64_t value[2] = {0};
    const uint32_t n = step_type_bytes(t);
    memcpy(value, bytes, n);
    const dbg_form form = t == STEP_F32 || t == STEP_F64      ? DBG_FLOAT
                          : t >= STEP_U8 && (t - STEP_U8) % 2 ? DBG_SIGNED
                          : t == STEP_ANY_TYPE                ? DBG_BITS
                                                              : DBG_UNSIGNED;
    return dbg_value_text(form, n, value, out, size);
}

/* Compare the value BITS of type T with the goal's number: -1, 0 or 1 if it is smaller, equal or
 * greater; 2 for NaN. */
static int compare_with_goal(const step_goal *g, step_type t, uint64_t bits)
{
    const unsigned unused = 64 - 8 * step_type_bytes(t);
    if (t == STEP_F32 || t == STEP_F64) {
        float f;
        double d;
        memcpy(&f, &bits, sizeof f);
        memcpy(&d, &bits, sizeof d);
        d = t == STEP_F32 ? (double)f : d;
        return d < g->number ? -1 : d > g->number ? 1 : d == g->number ? 0 : 2;
    }
    const bool is_signed = t == STEP_S8 || t == STEP_S16 || t == STEP_S32 || t == STEP_S64;
    const int64_t s = (int64_t)(bits << unused) >> unused;
    if (!g->is_whole) {
        const double d = is_signed ? (double)s : (double)bits;
        return d < g->number ? -1 : d > g->number;
    }
    if (is_signed)
        return s < g->whole ? -1 : s > g->whole;
    const uint64_t to = (uint64_t)g->whole << unused >> unused;
    return bits < to ? -1 : bits > to;
}

/* Whether the value BITS of type T satisfies the condition of goal G. */
static bool is_condition_true_for(const step_goal *g, step_type t, uint64_t bits)
{
    const int c = compare_with_goal(g, t, bits);
    switch (g->relation) {
    case STEP_EQ: return c == 0;
    case STEP_NE: return c != 0;
    case STEP_LT: return c == -1;
    case STEP_LE: return c == -1 || c == 0;
    case STEP_GT: return c == 1;
    case STEP_GE: return c == 1 || c == 0;
    default: return false;
    }
}

/* The type with which a register of FORM and BYTES bytes is compared. */
static step_type type_of_register_form(dbg_form form, uint32_t bytes)
{
    if (form == DBG_FLOAT)
        return bytes == 8 ? STEP_F64 : STEP_F32;
    const bool is_signed = form == DBG_SIGNED;
    return bytes == 8   ? is_signed ? STEP_S64 : STEP_U64
           : bytes == 2 ? is_signed ? STEP_S16 : STEP_U16
           : bytes == 1 ? is_signed ? STEP_S8 : STEP_U8
           : is_signed  ? STEP_S32
                        : STEP_U32;
}

/* --- conditions --- */

/* Whether W is the warp that goal G is about. */
static bool is_warp_of_goal(const step_goal *g, const step_block_slot *slot, const sm_warp *w)
{
    return g->of.launch == step_worker_state.launch_order && g->of.block == slot->block->linear &&
           g->of.warp == w->index;
}

/* Hash the values of the goal's register in the lanes of MASK, and check whether the condition
 * holds in one of them. Returns false if the warp is outside the register's function. */
static bool evaluate_register_condition(const step_goal *g, const step_block_slot *slot,
                                        const sm_warp *w, uint32_t mask, uint64_t *value,
                                        bool *holds)
{
    if (!is_warp_of_goal(g, slot, w))
        return false;
    const sm_code *code = w->sched->frame->code;
    const uint32_t reg = dbg_register_find(code->func, g->place.name);
    if (reg == PTX_NO_REGISTER)
        return false;
    const step_type t = type_of_register_form(slot->launch->forms[code->index][reg],
                                              dbg_register_bytes(code->func, reg));
    *value = 0;
    *holds = false;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        uint64_t v[2];
        const bool one = g->place.lane >= 0;
        if ((one ? l != (uint32_t)g->place.lane : !(mask >> l & 1)) ||
            !dbg_register_value(code, w->r, reg, l, v))
            continue;
        *holds = *holds || is_condition_true_for(g, t, v[0]);
        *value = (*value ^ v[0]) * UINT64_C(0x9e3779b97f4a7c15) + l;
    }
    return true;
}

/* Read the memory that goal G is about, and check its condition. False: it cannot be read. */
static bool evaluate_memory_condition(const step_goal *g, const step_block_slot *slot,
                                      uint64_t *value, bool *holds)
{
    const uint32_t n = step_type_bytes(g->place.type);
    const void *at = NULL;
    if (g->place.kind == STEP_GLOBAL)
        at = mem_host_pointer(g->place.address, n);
    else if (g->of.launch == step_worker_state.launch_order && g->of.block == slot->block->linear &&
             g->place.address + n <= slot->block->shared_bytes)
        at = slot->block->shared + g->place.address;
    if (!at)
        return false;
    *value = 0;
    memcpy(value, at, n);
    *holds = is_condition_true_for(g, g->place.type, *value);
    return true;
}

/* Whether the condition has become true, or the value has changed, since the last moment. */
static bool is_condition_met(const step_goal *g, const step_block_slot *slot, const sm_warp *w,
                             uint32_t mask)
{
    uint64_t value;
    bool holds = false;
    if (!(g->place.kind == STEP_REGISTER
              ? evaluate_register_condition(g, slot, w, mask, &value, &holds)
              : evaluate_memory_condition(g, slot, &value, &holds)))
        return false;
    step_state *s = &step_worker_state;
    const bool met =
        s->is_if_value_known &&
        (g->relation == STEP_CHANGES ? value != s->if_value : holds && !s->was_condition_true);
    s->is_if_value_known = true;
    s->was_condition_true = holds;
    s->if_value = value;
    return met;
}

/* --- conditions about the position in the code --- */

static bool enters_new_line(const step_block_slot *slot, const sm_warp *w, const sm_insn *i)
{
    const step_warp_track *t = &slot->warp[w->index];
    const step_line *now = &slot->launch->line[i->site], *was = &slot->launch->line[t->site];
    return !t->ran || now->line != was->line || now->path != was->path;
}

/* Whether the warp's last instruction jumped back to I. */
static bool begins_iteration(const step_block_slot *slot, const sm_warp *w, const sm_insn *i)
{
    const step_warp_track *t = &slot->warp[w->index];
    const sm_code *was, *is;
    uint32_t from, to;
    if (!t->ran)
        return false;
    const ptx_insn *jump = step_insn_at(slot, t->site, &was, &from);
    step_insn_at(slot, i->site, &is, &to);
    return was == is && ptx_branch_target(jump) == to && to <= from;
}

/* Whether SLOT runs another block than the one that goal G is about. */
static bool is_in_other_block(const step_goal *g, const step_block_slot *slot)
{
    return g->of.launch != step_worker_state.launch_order || g->of.block != slot->block->linear;
}

/* Whether the goal's warp does not run: going forward it has ended; going back it has not begun, so
 * the search stops there. */
static bool is_warp_not_running(const step_goal *g, const step_block_slot *slot)
{
    return is_in_other_block(g, slot) ||
           (step_worker_state.order.last ? !slot->warp[g->of.warp].ran
                                         : slot->block->warp[g->of.warp].sched->done);
}

static bool is_at_block_start(const step_block_slot *slot)
{
    const step_warp_id *b = &step_worker_state.before;
    return !step_worker_state.any_before || b->launch != step_worker_state.launch_order ||
           b->block != slot->block->linear;
}

bool step_is_goal_met(const step_goal *g, const step_block_slot *slot, const sm_warp *w,
                      const sm_insn *i, uint32_t mask)
{
    const step_state *s = &step_worker_state;
    const step_warp_id *b = &s->before;
    const step_line *at = &slot->launch->line[i->site];
    switch (g->kind) {
    case STEP_INSN: return true;
    case STEP_LINE:
        return is_warp_of_goal(g, slot, w) ? enters_new_line(slot, w, i)
                                           : is_warp_not_running(g, slot);
    case STEP_ITERATION:
        return is_warp_of_goal(g, slot, w)
                   ? begins_iteration(slot, w, i) || (s->order.last && !slot->warp[w->index].ran)
                   : is_warp_not_running(g, slot);
    case STEP_BARRIER:
        return is_in_other_block(g, slot) || slot->passed ||
               (s->order.last && is_at_block_start(slot));
    case STEP_WARP: return is_at_block_start(slot) || b->warp != w->index;
    case STEP_BLOCK: return is_at_block_start(slot);
    case STEP_LAUNCH: return s->insn_count == 0;
    case STEP_TO:
        return at->line == g->line && step_is_path_of_file(at->path, g->file) &&
               (enters_new_line(slot, w, i) || begins_iteration(slot, w, i));
    case STEP_THREAD:
        return g->of.block == slot->block->linear && g->thread / SM_LANES == w->index &&
               mask >> g->thread % SM_LANES & 1 && enters_new_line(slot, w, i);
    case STEP_IF: return is_condition_met(g, slot, w, mask);
    default: return false;
    }
}

/* --- accesses --- */

uint32_t step_lanes_meeting_goal(const step_goal *g, const step_block_slot *slot,
                                 const sm_access *a)
{
    const bool shared = g->place.kind == STEP_SHARED;
    if (g->place.kind == STEP_REGISTER ||
        a->space != (shared ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL) ||
        (shared && is_in_other_block(g, slot)) || (g->kind == STEP_WRITES && a->effect == SM_READS))
        return 0;
    if (g->kind == STEP_ACCESSES) {
        const step_line *at = &slot->launch->line[a->site];
        if (at->line != g->line || !step_is_path_of_file(at->path, g->file))
            return 0;
    }
    const uint64_t from = g->place.address, to = from + step_type_bytes(g->place.type);
    uint32_t lanes = 0;
    SM_EACH_LANE(l, a->mask)
        lanes |= (uint32_t)(a->address[l] < to && a->address[l] + a->bytes > from) << l;
    return lanes;
}

bool step_register_meets_goal(const step_goal *g, const step_block_slot *slot, const sm_warp *w,
                              const sm_code *code, uint32_t reg, uint32_t mask)
{
    return is_warp_of_goal(g, slot, w) &&
           (g->place.lane < 0 ? mask != 0 : mask >> g->place.lane & 1) &&
           strcmp(code->func->regs[reg].name, g->place.name) == 0;
}
