/* mov: registers, packing vectors into scalars and unpacking (PTX ISA 9.7.9.3). Special registers
 * and addresses are in the register window like registers. */
#include "../../compile/compile.h"
#include "../lanes.h"

typedef struct u128 {
    uint64_t lo, hi; /* lower and upper half of a 128-bit register */
} u128;

EXEC_FN1(mov_32, uint32_t, uint32_t, a)
EXEC_FN1(mov_64, uint64_t, uint64_t, a)

EXEC_FN(mov_128)
{
    EXEC_EACH_LANE(w->mask)
        SM_R(u128, w, i->d)[l] = SM_R(u128, w, i->a)[l];
    return i + 1;
}

EXEC_FN(mov_pred)
{
    exec_put_pred(w, i->d, SM_P(w, i->a) ^ (i->mode ? UINT32_MAX : 0));
    return i + 1;
}

/* --- vectors -----------------------------------------------------------------------------------*/
/* Stands for the slot of an element `_`, which an instruction that packs or unpacks a vector does
 * not write. The vector has i->vec elements of i->mode bits; i->extra holds their slots. */
#define ELEMENT_NOT_WRITTEN UINT32_MAX /* instead of the slot of an element `_` */

static inline uint64_t read_element(const sm_warp *w, uint32_t slot, uint32_t bytes, uint32_t l)
{
    return bytes == 8 ? SM_R(uint64_t, w, slot)[l] : SM_R(uint32_t, w, slot)[l];
}

static inline void write_element(sm_warp *w, uint32_t slot, uint32_t bytes, uint32_t l, uint64_t x)
{
    if (bytes == 8)
        SM_R(uint64_t, w, slot)[l] = x;
    else
        SM_R(uint32_t, w, slot)[l] = (uint32_t)x;
}

EXEC_FN(pack)
{
    const uint32_t *slot = i->extra, bytes = (uint32_t)i->imm;
    const uint64_t ones = UINT64_MAX >> (64 - i->mode);
    EXEC_EACH_LANE(w->mask) {
        uint64_t x = 0;
        for (uint32_t k = 0; k < i->vec; k++)
            x |= (read_element(w, slot[k], 4, l) & ones) << (k * i->mode);
        write_element(w, i->d, bytes, l, x);
    }
    return i + 1;
}

EXEC_FN(unpack)
{
    const uint32_t *slot = i->extra, bytes = (uint32_t)i->imm;
    const uint64_t ones = UINT64_MAX >> (64 - i->mode);
    EXEC_EACH_LANE(w->mask) {
        const uint64_t x = read_element(w, i->a, bytes, l);
        for (uint32_t k = 0; k < i->vec; k++)
            if (slot[k] != ELEMENT_NOT_WRITTEN)
                write_element(w, slot[k], 4, l, x >> (k * i->mode) & ones);
    }
    return i + 1;
}

/* The most common pack and unpack: a 64-bit register and two 32-bit ones. */
EXEC_FN(pack_2x32)
{
    const uint32_t *slot = i->extra;
    const uint32_t *lo = SM_R(uint32_t, w, slot[0]), *hi = SM_R(uint32_t, w, slot[1]);
    EXEC_LANES_DO(w, uint64_t, SM_R(uint64_t, w, i->d), lo[l] | (uint64_t)hi[l] << 32);
    return i + 1;
}

EXEC_FN(unpack_2x32)
{
    const uint32_t *slot = i->extra;
    const uint64_t *a = SM_R(uint64_t, w, i->a);
    if (slot[0] != ELEMENT_NOT_WRITTEN)
        EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, slot[0]), (uint32_t)a[l]);
    if (slot[1] != ELEMENT_NOT_WRITTEN)
        EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, slot[1]), (uint32_t)(a[l] >> 32));
    return i + 1;
}

EXEC_FN(pack_2x64)
{
    const uint32_t *slot = i->extra;
    EXEC_EACH_LANE(w->mask) {
        SM_R(u128, w, i->d)
        [l] = (u128){read_element(w, slot[0], 8, l), read_element(w, slot[1], 8, l)};
    }
    return i + 1;
}

EXEC_FN(unpack_2x64)
{
    const uint32_t *slot = i->extra;
    EXEC_EACH_LANE(w->mask) {
        const u128 x = SM_R(u128, w, i->a)[l];
        if (slot[0] != ELEMENT_NOT_WRITTEN)
            write_element(w, slot[0], 8, l, x.lo);
        if (slot[1] != ELEMENT_NOT_WRITTEN)
            write_element(w, slot[1], 8, l, x.hi);
    }
    return i + 1;
}

/* mov.v2 and mov.v4: read all elements before writing the first. i->extra: i->vec slots to
 * write, then i->vec slots to read; i->imm: bytes per element. */
EXEC_FN(move_elements)
{
    const uint32_t *to = i->extra, *from = to + i->vec, bytes = (uint32_t)i->imm;
    EXEC_EACH_LANE(w->mask) {
        uint64_t x[4];
        for (uint32_t k = 0; k < i->vec; k++)
            x[k] = read_element(w, from[k], bytes, l);
        for (uint32_t k = 0; k < i->vec; k++)
            if (to[k] != ELEMENT_NOT_WRITTEN)
                write_element(w, to[k], bytes, l, x[k]);
    }
    return i + 1;
}

static sm_fn select_vector_move(compile_translation *t, const ptx_insn *in, sm_insn *out)
{
    const uint32_t count = in->vec, bytes = ptx_type_bytes(in->type[0]) == 8 ? 8 : 4;
    uint32_t *slot = compile_alloc_with_code(t, 2 * count * sizeof *slot);
    if (!slot || count > 4)
        return NULL;
    for (uint32_t k = 0; k < count; k++) {
        const ptx_value *to = &in->opd[0].v[k], *from = &in->opd[1].v[k];
        if (from->kind == PTX_VAL_SREG && compile_register_bytes(t, from) != bytes)
            return NULL;
        slot[k] =
            to->kind == PTX_VAL_SINK ? ELEMENT_NOT_WRITTEN : compile_slot_of_value(t, to, bytes);
        slot[count + k] = compile_slot_of_value(t, from, bytes);
    }
    out->extra = slot;
    out->vec = (uint8_t)count;
    out->imm = bytes;
    return move_elements;
}

static sm_fn select_pack_or_unpack(compile_translation *t, const ptx_insn *in, sm_insn *out,
                                   const ptx_operand *o, bool packing)
{
    const uint32_t bytes = ptx_type_bytes(in->type[0]);
    if ((o->count != 2 && o->count != 4) || bytes < 2 || bytes / o->count * o->count != bytes)
        return NULL;
    const uint32_t element = bytes / o->count;
    uint32_t *slot = compile_alloc_with_code(t, o->count * sizeof *slot);
    if (!slot)
        return NULL;
    for (uint32_t k = 0; k < o->count; k++) {
        if (o->v[k].kind == PTX_VAL_SINK) {
            if (packing)
                return NULL;
            slot[k] = ELEMENT_NOT_WRITTEN;
        } else {
            slot[k] = compile_slot_of_value(t, &o->v[k], element == 8 ? 8 : 4);
        }
    }
    out->extra = slot;
    out->vec = (uint8_t)o->count;
    out->mode = (uint16_t)(element * 8);
    out->imm = bytes == 8 ? 8 : 4;
    if (bytes == 16)
        return o->count != 2 ? NULL : packing ? pack_2x64 : unpack_2x64;
    if (bytes == 8 && o->count == 2)
        return packing ? pack_2x32 : unpack_2x32;
    return packing ? pack : unpack;
}

/* --- choice ------------------------------------------------------------------------------------*/
EXEC_SELECT(mov)
{
    const ptx_operand *d = &in->opd[0], *a = &in->opd[1];
    if (in->operand_count < 2 || !a->count || !d->count)
        return NULL;
    if (in->vec > 1)
        return select_vector_move(t, in, out);
    if (a->vector)
        return select_pack_or_unpack(t, in, out, a, true);
    if (d->vector)
        return select_pack_or_unpack(t, in, out, d, false);
    if (in->type[0] == PTX_pred) {
        out->a = exec_pred_slot(t, in, 1, out->a);
        out->mode = a->v[0].negate;
        return mov_pred;
    }
    const uint32_t bytes = ptx_type_bytes(in->type[0]);
    if (a->v[0].kind == PTX_VAL_SREG && compile_register_bytes(t, &a->v[0]) != (bytes == 8 ? 8 : 4))
        return NULL;
    return bytes == 16 ? mov_128 : bytes == 8 ? mov_64 : mov_32;
}
