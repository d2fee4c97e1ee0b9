/* Video instructions: arithmetic on bytes and half-words, scalar or as SIMD pairs and quads (PTX
 * ISA 9.7.18). They are rare, so each lane is computed separately in 64 bits. GPUs since sm_50
 * have no hardware for the scalar instructions; ptxas expands them. If the expanded code
 * deviates from the text of the ISA, this file follows the recorded results of the code. */
#include "../lanes.h"

typedef enum video_op { ADD, SUB, ABSDIFF, MIN, MAX, AVRG, SHL, SHR, MAD, SET } video_op;

typedef enum second_op {
    NO_SECOND_OP, /* the result is not combined with source c */
    SECOND_ADD,   /* add source c to the result */
    SECOND_MIN,   /* minimum of the result and source c */
    SECOND_MAX    /* maximum of the result and source c */
} second_op;      /* second operation of a scalar video instruction, on the result and source c */

typedef struct video_form {
    video_op op;                       /* operation on sources a and b */
    second_op second;                  /* operation that combines the result with source c */
    int comparison;                    /* for SET: 0 to 5 for eq, ne, lt, le, gt and ge */
    uint8_t select_d;                  /* byte or half-word of d that is written: PTX_SELECT_* */
    uint8_t select_a, select_b;        /* byte or half-word of a and b that is read: PTX_SELECT_* */
    bool signed_d, signed_a, signed_b; /* the operand is signed */
    bool sat, wrap, plus_one;          /* modifiers .sat, .wrap and .po */
    bool minus_product, minus_c;       /* for MAD: the product is negated; the addend is negated */
    uint8_t scale;                     /* for MAD: number of bits of the right shift */
    uint8_t elements;                  /* number of elements in a register: 1, 2 or 4 */
} video_form;

static int64_t clamp_to_bits(int64_t x, unsigned bits, bool sign)
{
    const int64_t high = sign ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    const int64_t low = sign ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}

/* BITS bits of X from AT on, sign- or zero-extended. */
static int64_t extract_field(uint32_t x, unsigned at, unsigned bits, bool sign)
{
    const unsigned spare = 64 - bits;
    const uint64_t top = (uint64_t)(x >> at) << spare;
    return sign ? (int64_t)top >> spare : (int64_t)(top >> spare);
}

static unsigned selected_bit_count(uint8_t select)
{
    return select == PTX_SELECT_NONE ? 32 : select >= PTX_SELECT_H0 ? 16 : 8;
}

static unsigned selected_bit_position(uint8_t select)
{
    return select == PTX_SELECT_NONE ? 0
           : select >= PTX_SELECT_H0 ? (select - PTX_SELECT_H0) * 16u
                                     : (select - PTX_SELECT_B0) * 8u;
}

static bool compare_operands(int comparison, int64_t a, int64_t b)
{
    switch (comparison) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    default: return a >= b;
    }
}

static int64_t apply_operation(const video_form *v, int64_t a, int64_t b)
{
    switch (v->op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case ABSDIFF: return a < b ? b - a : a - b;
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    case AVRG: /* the average: rounded up if it lies between two integers, also for negative sums */
        return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case SHL:
    case SHR: {
        const unsigned n = v->wrap ? b & 31 : b > 32 ? 32 : (unsigned)b;
        return v->op == SHL ? (int64_t)((uint64_t)a << n) : a >> n;
    }
    default: return compare_operands(v->comparison, a, b);
    }
}

/* vmad: a whole 32-bit operand counts as signed, whatever its type is. */
static uint32_t multiply_add(const video_form *v, int64_t a, int64_t b, uint32_t c)
{
    const bool sign = v->signed_a || v->signed_b || v->minus_product || v->minus_c;
    const int64_t product = a * b, addend = (int32_t)c;
    int64_t r =
        (v->minus_product ? -product : product) + (v->minus_c ? -addend : addend) + v->plus_one;
    if (v->sat) {
        /* shift an unsigned result logically */
        r = sign || v->scale == 0 ? r >> v->scale : (int64_t)((uint64_t)r >> v->scale);
        return (uint32_t)clamp_to_bits(r, 32, sign);
    }
    return (uint32_t)(r >> v->scale);
}

/* .sat for the destination. A narrow signed result is clamped to the highest value as if it were
 * unsigned; a 32-bit unsigned sum or difference is only clamped at zero; a left shift is first
 * truncated to 34 bits. */
static int64_t saturate_result(const video_form *v, int64_t r, unsigned bits)
{
    if (v->op == SHL) {
        r = (int64_t)((uint64_t)r << 30) >> 30;
        return clamp_to_bits(r, bits, v->signed_d);
    }
    if (bits < 32 && v->signed_d) {
        const uint32_t high = (1u << (bits - 1)) - 1;
        return (uint32_t)r < high ? (uint32_t)r : high;
    }
    if (bits == 32 && !v->signed_d)
        return r < 0 ? 0 : r;
    return clamp_to_bits(r, bits, v->signed_d);
}

/* Apply the second operation of the instruction to R, the 64-bit result of the first. */
static uint32_t apply_second_operation(const video_form *v, int64_t r, uint32_t c)
{
    const bool sign = v->op == SET ? v->signed_a : v->signed_d;
    bool less = r < (sign ? (int64_t)(int32_t)c : (int64_t)c);
    if (v->op == ADD && v->sat && !sign) {
        /* with .sat, the hardware sign-extends an unsigned sum */
        less = (uint64_t)(int32_t)(uint32_t)r < c;
    }
    switch (v->second) {
    case SECOND_ADD: return (uint32_t)r + c;
    case SECOND_MIN: return less ? (uint32_t)r : c;
    case SECOND_MAX: return less ? c : (uint32_t)r;
    default: return (uint32_t)r;
    }
}

/* Execute a scalar video instruction. */
static uint32_t scalar_result(const video_form *v, uint32_t a32, uint32_t b32, uint32_t c)
{
    const bool whole_a = v->op == MAD && v->select_a == PTX_SELECT_NONE;
    const bool whole_b = v->op == MAD && v->select_b == PTX_SELECT_NONE;
    const int64_t a = extract_field(a32, selected_bit_position(v->select_a),
                                    selected_bit_count(v->select_a), v->signed_a || whole_a);
    const int64_t b = extract_field(b32, selected_bit_position(v->select_b),
                                    selected_bit_count(v->select_b), v->signed_b || whole_b);
    if (v->op == MAD)
        return multiply_add(v, a, b, c);
    int64_t r = apply_operation(v, a, b);
    const unsigned bits = selected_bit_count(v->select_d), at = selected_bit_position(v->select_d);
    if (v->sat)
        r = saturate_result(v, r, bits);
    if (bits == 32)
        return apply_second_operation(v, r, c);
    /* Merge into c: the upper half receives the upper half of the result, a byte or the lower half
     * the lowest bits of the result. */
    const uint32_t ones = ((1u << bits) - 1) << at;
    const uint32_t moved = v->select_d == PTX_SELECT_H0 + 1 ? (uint32_t)r : (uint32_t)r << at;
    return (c & ~ones) | (moved & ones);
}

/* The SIMD instructions: pack the results of the elements, or add all of them to c. */
static uint32_t simd_result(const video_form *v, uint32_t a, uint32_t b, uint32_t c)
{
    const unsigned bits = v->elements == 4 ? 8 : 16;
    uint32_t gathered = 0, added = c;
    for (unsigned k = 0; k < v->elements; k++) {
        int64_t r = apply_operation(v, extract_field(a, k * bits, bits, v->signed_a),
                                    extract_field(b, k * bits, bits, v->signed_b));
        if (v->sat)
            r = clamp_to_bits(r, bits, v->signed_d);
        gathered |= ((uint32_t)r & ((1u << bits) - 1)) << (k * bits);
        added += (uint32_t)r;
    }
    return v->second == SECOND_ADD ? added : gathered;
}

EXEC_FN(video_one)
{
    const video_form *v = i->extra;
    EXEC_EACH_LANE(w->mask) {
        SM_R(uint32_t, w, i->d)
        [l] = scalar_result(v, SM_R(uint32_t, w, i->a)[l], SM_R(uint32_t, w, i->b)[l],
                            SM_R(uint32_t, w, i->c)[l]);
    }
    return i + 1;
}

EXEC_FN(video_several)
{
    const video_form *v = i->extra;
    EXEC_EACH_LANE(w->mask) {
        SM_R(uint32_t, w, i->d)
        [l] = simd_result(v, SM_R(uint32_t, w, i->a)[l], SM_R(uint32_t, w, i->b)[l],
                          SM_R(uint32_t, w, i->c)[l]);
    }
    return i + 1;
}

static const struct {
    ptx_op code;      /* the PTX instruction */
    video_op op;      /* operation on sources a and b */
    uint8_t elements; /* number of elements in a register: 1, 2 or 4 */
} operations[] = {
    {PTX_OP_vadd, ADD, 1},          {PTX_OP_vsub, SUB, 1},  {PTX_OP_vabsdiff, ABSDIFF, 1},
    {PTX_OP_vmin, MIN, 1},          {PTX_OP_vmax, MAX, 1},  {PTX_OP_vshl, SHL, 1},
    {PTX_OP_vshr, SHR, 1},          {PTX_OP_vmad, MAD, 1},  {PTX_OP_vset, SET, 1},
    {PTX_OP_vadd2, ADD, 2},         {PTX_OP_vsub2, SUB, 2}, {PTX_OP_vabsdiff2, ABSDIFF, 2},
    {PTX_OP_vmin2, MIN, 2},         {PTX_OP_vmax2, MAX, 2}, {PTX_OP_vavrg2, AVRG, 2},
    {PTX_OP_vset2, SET, 2},         {PTX_OP_vadd4, ADD, 4}, {PTX_OP_vsub4, SUB, 4},
    {PTX_OP_vabsdiff4, ABSDIFF, 4}, {PTX_OP_vmin4, MIN, 4}, {PTX_OP_vmax4, MAX, 4},
    {PTX_OP_vavrg4, AVRG, 4},       {PTX_OP_vset4, SET, 4},
};

static int read_comparison(const ptx_insn *in)
{
    static const ptx_mod word[] = {PTX_MOD_eq, PTX_MOD_ne, PTX_MOD_lt,
                                   PTX_MOD_le, PTX_MOD_gt, PTX_MOD_ge};
    for (int k = 0; k < 6; k++)
        if (ptx_has_modifier(in, word[k]))
            return k;
    return -1;
}

static uint8_t selector_of_operand(const ptx_insn *in, unsigned k)
{
    const ptx_value *v = exec_operand_value(in, k);
    return v ? v->select : PTX_SELECT_NONE;
}

EXEC_SELECT(video)
{
    video_form v = {.elements = 0};
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++) {
        if (operations[k].code == in->op) {
            v.op = operations[k].op;
            v.elements = operations[k].elements;
        }
    }
    const bool set = v.op == SET;
    v.comparison = set ? read_comparison(in) : 0;
    v.signed_d = !set && in->type[0] == PTX_s32;
    v.signed_a = in->type[!set] == PTX_s32;
    v.signed_b = in->type[1 + !set] == PTX_s32;
    v.sat = ptx_has_modifier(in, PTX_MOD_sat);
    v.wrap = ptx_has_modifier(in, PTX_MOD_wrap);
    v.plus_one = ptx_has_modifier(in, PTX_MOD_po);
    v.scale = ptx_has_modifier(in, PTX_MOD_shr7) ? 7 : ptx_has_modifier(in, PTX_MOD_shr15) ? 15 : 0;
    v.minus_product = v.op == MAD && exec_is_negated(in, 1) != exec_is_negated(in, 2);
    v.minus_c = v.op == MAD && exec_is_negated(in, 3);
    v.second = ptx_has_modifier(in, PTX_MOD_add)   ? SECOND_ADD
               : ptx_has_modifier(in, PTX_MOD_min) ? SECOND_MIN
               : ptx_has_modifier(in, PTX_MOD_max) ? SECOND_MAX
                                                   : NO_SECOND_OP;
    v.select_d = selector_of_operand(in, 0);
    v.select_a = selector_of_operand(in, 1);
    v.select_b = selector_of_operand(in, 2);
    if (v.elements == 0 || v.comparison < 0 ||
        (v.elements > 1 && (v.select_d || v.select_a || v.select_b)))
        return NULL;
    out->a = exec_operand_slot(t, in, 1, 4, out->a);
    out->b = exec_operand_slot(t, in, 2, 4, out->b);
    out->c = exec_operand_slot(t, in, 3, 4, out->c);
    return exec_fn_with_form(t, out, v.elements == 1 ? video_one : video_several, &v, sizeof v);
}
