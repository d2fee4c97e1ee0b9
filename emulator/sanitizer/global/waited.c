/* Volatile accesses of a lane that has waited for the word, and loads from L2 after it has waited:
 * other threads may have stored to the word, and yet there is no race. */
#include "../intent.h"
#include "actor.h"

bool san_has_lane_tested_cell(const san_checked_insn *a, uint32_t lane, const san_page *p,
                              uint32_t cell)
{
    for (san_cell kind = SAN_LAST_READ; kind <= SAN_OTHER_READ; kind++) {
        const san_ref ref = san_shadow_cell(p, kind, cell);
        const san_record *r = san_shadow_record(a->at->launch->shadow, ref / SM_LANES);
        if (ref && ref % SM_LANES == lane && r->block == a->record.block &&
            r->warp == a->record.warp && r->strong && r->intent == SAN_SYNCHRONISES)
            return true;
    }
    return false;
}

bool san_is_handover_store(const san_checked_insn *a, uint32_t lane, const san_page *p,
                           uint32_t cell, san_ref was)
{
    const san_shadow *shadow = a->at->launch->shadow;
    const san_ref ref = san_shadow_cell(p, SAN_LAST_READ, cell);
    if (!was || !ref || a->record.effect != SM_WRITES || a->record.intent != SAN_VOLATILE_ON_DATA)
        return false;
    const san_record *read = san_shadow_record(shadow, ref / SM_LANES);
    return ref % SM_LANES == lane && read->block == a->record.block &&
           read->warp == a->record.warp && read->intent == SAN_SYNCHRONISES && read->strong &&
           read->time > san_shadow_record(shadow, was / SM_LANES)->time &&
           san_awaits_own_value(a->at->launch->grid->unit, read->insn);
}

bool san_is_l2_load_after(san_checked_insn *a, uint32_t lane, san_ref ref)
{
    const san_record *r = san_shadow_record(a->at->launch->shadow, ref / SM_LANES);
    return a->record.effect == SM_READS &&
           (ptx_has_modifier(a->access->insn, PTX_MOD_cg) ||
            ptx_has_modifier(a->access->insn, PTX_MOD_cv)) &&
           san_order_is_access_before(a->at->block, a->record.warp, lane, true, r->block,
                                      r->warp * SM_LANES + ref % SM_LANES, r->time, false);
}
