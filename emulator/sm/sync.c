/* Instructions that synchronize lanes under a member mask (PTX ISA 9.7.13). Lanes wait until all
 * lanes of the mask have arrived; a wait without an end is reported. */
#include "sync.h"
#include "../observe/observe.h"
#include "../ptx/traits.h"
#include "fault.h"
#include "sched.h"

#include <string.h>

/* --- waiting for the member mask -------------------------------------------------------------- */

void sm_lanes_text(uint32_t mask, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = 0;
    for (uint32_t l = 0; l < SM_LANES && used < size; l++) {
        if (!(mask >> l & 1))
            continue;
        uint32_t last = l;
        while (last + 1 < SM_LANES && mask >> (last + 1) & 1)
            last++;
        const char *comma = used ? ", " : "";
        used += (size_t)(last > l ? snprintf(buf + used, size - used, "%s%u-%u", comma, l, last)
                                  : snprintf(buf + used, size - used, "%s%u", comma, l));
        l = last;
    }
}

static bool is_same_operation(const sm_insn *a, const sm_insn *b)
{
    return a == b ||
           (a->fn == b->fn && a->mode == b->mode && a->extra && b->extra &&
            !((const sm_sync_form *)a->extra)->aligned &&
            ((const sm_sync_form *)a->extra)->compute == ((const sm_sync_form *)b->extra)->compute);
}

/* Report two sets of lanes that wait for each other by other masks: they would wait for ever. */
static const sm_insn *stop_for_mask_conflict(sm_warp *w, const sm_insn *i, uint32_t lanes,
                                             uint32_t member)
{
    struct sm_sched *s = w->sched;
    for (uint32_t k = 0; k < s->count; k++) {
        const sm_fragment *f = &s->frag[k];
        if (f->wait_state != SM_AT_SYNC || !(f->mask & member) || !(f->member & lanes) ||
            (f->member == member && is_same_operation(f->pc, i)))
            continue;
        char here[100], there[100], where[160];
        sm_lanes_text(lanes, here, sizeof here);
        sm_lanes_text(f->mask, there, sizeof there);
        ptx_source_position(w->block->grid->unit->module, sm_site_insn(w, f->pc), where,
                            sizeof where);
        return sm_stop_launch(
            w, i, SM_FAULT_SYNC, lanes, 0, 0, PTX_SPACE_NONE,
            "%s: lane%s %s of a warp came here with member mask 0x%08x, but lane%s %s to %s at %s "
            "with "
            "mask 0x%08x: all lanes of a mask must execute the same instruction with the same mask",
            ((const sm_sync_form *)i->extra)->name, sm_lane_plural(lanes), here, member,
            sm_lane_plural(f->mask), there, ((const sm_sync_form *)f->pc->extra)->name, where,
            f->member);
    }
    return i;
}

/* Copy the operand of the lanes in MASK from their register window to the window of the executing
 * lanes, or a result back. */
static void swap_register_values(uint8_t *mine, uint32_t my_slot, uint8_t *theirs,
                                 uint32_t their_slot, uint32_t mask, sm_operand_form form)
{
    if (form == SM_PREDICATE) {
        uint32_t *a = (uint32_t *)(mine + my_slot);
        const uint32_t *b = (const uint32_t *)(theirs + their_slot);
        *a = (*a & ~mask) | (*b & mask);
        return;
    }
    for (uint32_t m = mask; form && m; m &= m - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(m);
        memcpy(mine + my_slot + l * form, theirs + their_slot + l * form, form);
    }
}

/* Execute an operation whose lanes arrived at different instructions. Their operands are copied
 * into the registers of the first instruction; these registers are restored afterwards. */
static void complete_sync_across_insns(sm_warp *w, uint32_t member, const sm_insn *like)
{
    struct sm_sched *s = w->sched;
    enum { OPERANDS = 5 };
    const sm_sync_form *form = like->extra;
    const sm_operand_form shape[OPERANDS] = {form->d, form->q, form->a, form->b, form->c};
    const uint32_t slot[OPERANDS] = {like->d, like->q, like->a, like->b, like->c};
    uint8_t keep[OPERANDS][8 * SM_LANES];
    uint32_t all = 0;
    uint8_t *home = w->r;
    bool found = false;
    for (uint32_t k = 0; k < s->count; k++) {
        const sm_fragment *f = &s->frag[k];
        if (f->wait_state == SM_AT_SYNC && f->member == member && is_same_operation(f->pc, like)) {
            all |= f->mask;
            if (f->pc == like && !found) {
                home = f->frame->window;
                found = true;
            }
        }
    }
    for (uint32_t n = 0; n < OPERANDS; n++)
        memcpy(keep[n], home + slot[n], shape[n] == SM_PREDICATE ? 4 : (size_t)shape[n] * SM_LANES);
    for (uint32_t k = 0; k < s->count; k++) {
        const sm_fragment *f = &s->frag[k];
        if (f->wait_state != SM_AT_SYNC || f->member != member || !is_same_operation(f->pc, like))
            continue;
        const uint32_t from[OPERANDS] = {f->pc->d, f->pc->q, f->pc->a, f->pc->b, f->pc->c};
        for (uint32_t n = 2; n < OPERANDS; n++)
            swap_register_values(home, slot[n], f->frame->window, from[n], f->mask, shape[n]);
    }
    uint32_t members[SM_LANES];
    for (uint32_t l = 0; l < SM_LANES; l++)
        members[l] = member;
    uint8_t *const window = w->r;
    const uint32_t mask = w->mask;
    w->r = home;
    sm_set_mask(w, all);
    const bool good = form->compute(w, like, members);
    w->r = window;
    sm_set_mask(w, mask);
    uint8_t result[2][8 * SM_LANES];
    for (uint32_t n = 0; n < 2; n++) {
        memcpy(result[n], home + slot[n],
               shape[n] == SM_PREDICATE ? 4 : (size_t)shape[n] * SM_LANES);
    }
    for (uint32_t n = OPERANDS; n-- > 0;)
        memcpy(home + slot[n], keep[n], shape[n] == SM_PREDICATE ? 4 : (size_t)shape[n] * SM_LANES);
    for (uint32_t k = 0; k < s->count; k++) {
        sm_fragment *f = &s->frag[k];
        if (f->wait_state != SM_AT_SYNC || f->member != member || !is_same_operation(f->pc, like))
            continue;
        if (good) {
            swap_register_values(f->frame->window, f->pc->d, result[0], 0, f->mask, shape[0]);
            swap_register_values(f->frame->window, f->pc->q, result[1], 0, f->mask, shape[1]);
        }
        f->wait_state = SM_READY;
        f->pc++;
    }
}

/* If every lane of the member mask of fragment INDEX has arrived, wake all of these lanes. */
static bool complete_sync(sm_warp *w, uint32_t index)
{
    struct sm_sched *s = w->sched;
    const sm_fragment f = s->frag[index];
    uint32_t there = 0;
    bool together = true;
    for (uint32_t k = 0; k < s->count; k++) {
        const sm_fragment *g = &s->frag[k];
        if (g->wait_state == SM_AT_SYNC && g->member == f.member &&
            is_same_operation(g->pc, f.pc)) {
            there |= g->mask;
            together = together && g->pc == f.pc && g->frame == f.frame;
        }
    }
    if (there != (f.member & sm_live_lanes(w)))
        return false;
    if (w->block->observed)
        observe_lanes_reconverge(w, f.member);
    if (!together) {
        complete_sync_across_insns(w, f.member, f.pc);
        return true;
    }
    /* All lanes wait at the same instruction: merge them into one fragment, which executes it. */
    for (uint32_t k = 0; k < s->count;) {
        const sm_fragment *g = &s->frag[k];
        if (g->wait_state == SM_AT_SYNC && g->member == f.member && g->pc == f.pc)
            s->frag[k] = s->frag[--s->count];
        else
            k++;
    }
    sm_add_fragment(w, there, f.frame, f.pc);
    return true;
}

/* Whether fragment F is at the end of the kernel, with nothing left to do. */
static bool is_about_to_exit(const sm_warp *w, const sm_fragment *f)
{
    const ptx_flow flow = ptx_traits_of(sm_site_insn(w, f->pc))->flow;
    return f->wait_state == SM_READY && !f->frame->caller &&
           (flow == PTX_FLOW_ret || flow == PTX_FLOW_exit);
}

/* Lanes of mask MEMBER that have yet to arrive: they neither run here, nor wait for the rest of the
 * mask, nor are about to exit. */
static uint32_t missing_lanes_of_mask(const sm_warp *w, uint32_t member)
{
    const struct sm_sched *s = w->sched;
    uint32_t missing = member & sm_live_lanes(w) & ~w->mask;
    for (uint32_t k = 0; k < s->count; k++) {
        const sm_fragment *f = &s->frag[k];
        if (is_about_to_exit(w, f) || (f->wait_state == SM_AT_SYNC && f->member == member))
            missing &= ~f->mask;
    }
    return missing;
}

const sm_insn *sm_wait_for_members(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    for (uint32_t rest = w->mask; rest;) {
        const uint32_t m = member[__builtin_ctz(rest)];
        uint32_t same = 0;
        SM_EACH_LANE(l, rest)
            same |= (uint32_t)(member[l] == m) << l;
        if (!stop_for_mask_conflict(w, i, same, m))
            return NULL;
        w->mask = same;
        if (w->block->observed)
            observe_lanes_wait(w, i, m, missing_lanes_of_mask(w, m));
        sm_make_fragment_wait(w, i, SM_AT_SYNC)->member = m;
        rest &= ~same;
        w->mask = rest;
    }
    sm_sync_wake_complete(w);
    return sm_next_fragment(w);
}

void sm_sync_wake_complete(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    for (uint32_t k = 0; k < s->count;)
        if (s->frag[k].wait_state == SM_AT_SYNC && complete_sync(w, k))
            k = 0;
        else
            k++;
}
