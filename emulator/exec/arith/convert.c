/* cvt (PTX ISA 9.7.9.21): select the handler of a conversion. Handlers for the common
 * conversions are vector loops; convert_any.c has all other forms. */
#include "../../compile/compile.h"
#include "half.h"

/* --- integers to integers ----------------------------------------------------------------------*/
/* A value is sign- or zero-extended by a left and a right shift. i->imm holds three 8-bit numbers:
 * the unused bits of the source type, of the destination type, and of the destination register. */
#define SOURCE_SPARE_BITS(i)   ((i)->imm & 0xff)
#define DEST_SPARE_BITS(i)     ((i)->imm >> 8 & 0xff)
#define REGISTER_SPARE_BITS(i) ((i)->imm >> 16 & 0xff)

#define DEFINE_EXTENSION(name, D, T, A, SX, DX)                                \
    EXEC_FN(name)                                                              \
    {                                                                          \
        const A *pa = SM_R(A, w, i->a);                                        \
        const unsigned s = SOURCE_SPARE_BITS(i), d = DEST_SPARE_BITS(i),       \
                       r = REGISTER_SPARE_BITS(i);                             \
        EXEC_LANES_DO(w, D, SM_R(D, w, i->d), ({                               \
                          const T x = (T)((T)((SX)((T)pa[l] << s) >> s) << d); \
                          (D)((T)((T)((DX)x >> d) << r) >> r);                 \
                      }));                                                     \
        return i + 1;                                                          \
    }

/* DEFINE_EXTENSION(name_XY): X is the source, Y the destination; u is unsigned, s is signed. */
DEFINE_EXTENSION(narrow_uu, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t)
DEFINE_EXTENSION(narrow_us, uint32_t, uint32_t, uint32_t, uint32_t, int32_t)
DEFINE_EXTENSION(narrow_su, uint32_t, uint32_t, uint32_t, int32_t, uint32_t)
DEFINE_EXTENSION(narrow_ss, uint32_t, uint32_t, uint32_t, int32_t, int32_t)
DEFINE_EXTENSION(up_uu, uint64_t, uint64_t, uint32_t, uint64_t, uint64_t)
DEFINE_EXTENSION(up_us, uint64_t, uint64_t, uint32_t, uint64_t, int64_t)
DEFINE_EXTENSION(up_su, uint64_t, uint64_t, uint32_t, int64_t, uint64_t)
DEFINE_EXTENSION(up_ss, uint64_t, uint64_t, uint32_t, int64_t, int64_t)
DEFINE_EXTENSION(down_uu, uint32_t, uint64_t, uint64_t, uint64_t, uint64_t)
DEFINE_EXTENSION(down_us, uint32_t, uint64_t, uint64_t, uint64_t, int64_t)
DEFINE_EXTENSION(down_su, uint32_t, uint64_t, uint64_t, int64_t, uint64_t)
DEFINE_EXTENSION(down_ss, uint32_t, uint64_t, uint64_t, int64_t, int64_t)
DEFINE_EXTENSION(wide_uu, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t)
DEFINE_EXTENSION(wide_us, uint64_t, uint64_t, uint64_t, uint64_t, int64_t)
DEFINE_EXTENSION(wide_su, uint64_t, uint64_t, uint64_t, int64_t, uint64_t)
DEFINE_EXTENSION(wide_ss, uint64_t, uint64_t, uint64_t, int64_t, int64_t)

/* The most common integer conversions need no shifts. */
EXEC_FN1(u32_to_64, uint64_t, uint32_t, a)
EXEC_FN1(s32_to_64, int64_t, int32_t, a)
EXEC_FN1(low_32_of_64, uint32_t, uint64_t, (uint32_t)a)
EXEC_FN1(low_16_of_32, uint32_t, uint32_t, (uint16_t)a)
EXEC_FN1(copy_32, uint32_t, uint32_t, a)
EXEC_FN1(copy_64, uint64_t, uint64_t, a)

static bool is_signed(ptx_type type)
{
    return ptx_type_class(type) == 'S';
}

static sm_fn select_integer_conversion(compile_translation *t, const ptx_insn *in, sm_insn *out,
                                       ptx_type to, ptx_type from)
{
    const uint32_t to_bits = ptx_type_bytes(to) * 8, from_bits = ptx_type_bytes(from) * 8;
    const uint32_t d_bits = exec_operand_reg_bits(t, in, 0, to_bits);
    const uint32_t a_bits = exec_operand_reg_bits(t, in, 1, from_bits);
    const bool d64 = d_bits == 64, a64 = a_bits == 64;
    const uint32_t lane = d64 || a64 ? 64 : 32; /* bits of a lane in the wider register */
    if (to_bits > d_bits || from_bits > a_bits || d_bits > 64 || a_bits > 64)
        return NULL;
    out->imm = (lane - from_bits) | (lane - to_bits) << 8 | (lane - d_bits) << 16;
    if (to_bits == d_bits && (from_bits == a_bits || to_bits <= from_bits)) {
        if (to_bits == 64 && from_bits == 64)
            return copy_64;
        if (to_bits == 32 && a64 && from_bits >= 32)
            return low_32_of_64;
        if (to_bits == 64 && from_bits == 32)
            return is_signed(from) ? s32_to_64 : u32_to_64;
        if (to_bits == 32 && from_bits == 32)
            return copy_32;
        if (to_bits == 16 && !a64)
            return low_16_of_32;
    }
    static const sm_fn shifted[2][2][4] = {
        {{narrow_uu, narrow_us, narrow_su, narrow_ss}, {down_uu, down_us, down_su, down_ss}},
        {{up_uu, up_us, up_su, up_ss}, {wide_uu, wide_us, wide_su, wide_ss}},
    };
    return shifted[d64][a64][is_signed(from) * 2 + is_signed(to)];
}

/* --- floating point to integers ----------------------------------------------------------------*/
/* A value out of range becomes the nearest of the type, a NaN zero (PTX ISA 9.7.9.21). */
static inline int32_t f32_to_s32(float x)
{
    const float low = x >= -0x1p31f ? x : -0x1p31f;
    const int32_t r = (int32_t)(low < 0x1p31f ? low : 0.0f);
    return x != x ? 0 : x >= 0x1p31f ? INT32_MAX : r;
}

static inline uint32_t f32_to_u32(float x)
{
    const float positive = x > 0.0f ? x : 0.0f;
    /* values from 2^31 on are reduced, to use the signed conversion, which all hosts vectorise */
    const bool high = positive >= 0x1p31f;
    const float part = high ? positive - 0x1p31f : positive;
    const uint32_t r = (uint32_t)(int32_t)(part < 0x1p31f ? part : 0.0f) + (high ? 1u << 31 : 0);
    return positive >= 0x1p32f ? UINT32_MAX : r;
}

EXEC_FN1(f32_rzi_s32, int32_t, float, f32_to_s32(a))
EXEC_FN1(f32_rzi_u32, uint32_t, float, f32_to_u32(a))
EXEC_FN1(f32_rni_s32, int32_t, float, f32_to_s32(__builtin_rintf(a)))
EXEC_FN1(f32_rmi_s32, int32_t, float, f32_to_s32(__builtin_floorf(a)))
EXEC_FN1(f32_rpi_s32, int32_t, float, f32_to_s32(__builtin_ceilf(a)))
EXEC_FN1(f32_rni_u32, uint32_t, float, f32_to_u32(__builtin_rintf(a)))
EXEC_FN1(f32_rmi_u32, uint32_t, float, f32_to_u32(__builtin_floorf(a)))
EXEC_FN1(f32_rpi_u32, uint32_t, float, f32_to_u32(__builtin_ceilf(a)))

/* --- integers to floating point, and between floating-point formats -------------------------- */
EXEC_FN1(s32_f32, float, int32_t, a)
EXEC_FN1(u32_f32, float, uint32_t, a)
EXEC_FN1(s32_f64, double, int32_t, a)
EXEC_FN1(u32_f64, double, uint32_t, a)
EXEC_FN1(s64_f32, float, int64_t, a)
EXEC_FN1(u64_f32, float, uint64_t, a)
EXEC_FN1(s64_f64, double, int64_t, a)
EXEC_FN1(u64_f64, double, uint64_t, a)
EXEC_FN1(f32_f64, double, float, a)
EXEC_FN1(f64_f32, float, double, a) /* as on the device, a NaN keeps its upper bits and is quiet */
EXEC_FN1(f32_f32, uint32_t, uint32_t, a)
EXEC_FN1(f32_f32_ftz, float, float, exec_flush_subnormal(exec_canonical_nan(a)))
EXEC_FN1(f32_rni_f32, float, float, exec_canonical_nan(__builtin_rintf(a)))
EXEC_FN1(f32_rzi_f32, float, float, exec_canonical_nan(__builtin_truncf(a)))
EXEC_FN1(f32_rmi_f32, float, float, exec_canonical_nan(__builtin_floorf(a)))
EXEC_FN1(f32_rpi_f32, float, float, exec_canonical_nan(__builtin_ceilf(a)))
EXEC_FN1(f16_f32, float, uint32_t, exec_from_f16(a & 0xffff))
EXEC_FN1(bf16_f32, uint32_t, uint32_t, a << 16) /* a NaN is kept unchanged */
EXEC_FN1(f32_f16, uint32_t, float, exec_to_f16(a))
EXEC_FN1(f32_bf16, uint32_t, float, exec_to_bf16(a))
EXEC_FN2(f32_f16x2, uint32_t, float, float, exec_to_f16(a) << 16 | exec_to_f16(b))
EXEC_FN2(f32_bf16x2, uint32_t, float, float, exec_to_bf16(a) << 16 | exec_to_bf16(b))

/* Forms of cvt that have a vector handler: the types, and the one modifier of the instruction
 * (PTX_MOD_COUNT: none). */
static const struct {
    ptx_type to, from; /* types of the destination and of the source */
    ptx_mod mod;       /* the one modifier; PTX_MOD_COUNT: none */
    sm_fn fn;          /* the handler */
} common[] = {
    {PTX_s32, PTX_f32, PTX_MOD_rzi, f32_rzi_s32}, {PTX_u32, PTX_f32, PTX_MOD_rzi, f32_rzi_u32},
    {PTX_s32, PTX_f32, PTX_MOD_rni, f32_rni_s32}, {PTX_u32, PTX_f32, PTX_MOD_rni, f32_rni_u32},
    {PTX_s32, PTX_f32, PTX_MOD_rmi, f32_rmi_s32}, {PTX_u32, PTX_f32, PTX_MOD_rmi, f32_rmi_u32},
    {PTX_s32, PTX_f32, PTX_MOD_rpi, f32_rpi_s32}, {PTX_u32, PTX_f32, PTX_MOD_rpi, f32_rpi_u32},
    {PTX_f32, PTX_s32, PTX_MOD_rn, s32_f32},      {PTX_f32, PTX_u32, PTX_MOD_rn, u32_f32},
    {PTX_f64, PTX_s32, PTX_MOD_rn, s32_f64},      {PTX_f64, PTX_u32, PTX_MOD_rn, u32_f64},
    {PTX_f32, PTX_s64, PTX_MOD_rn, s64_f32},      {PTX_f32, PTX_u64, PTX_MOD_rn, u64_f32},
    {PTX_f64, PTX_s64, PTX_MOD_rn, s64_f64},      {PTX_f64, PTX_u64, PTX_MOD_rn, u64_f64},
    {PTX_f64, PTX_f32, PTX_MOD_COUNT, f32_f64},   {PTX_f32, PTX_f64, PTX_MOD_rn, f64_f32},
    {PTX_f32, PTX_f32, PTX_MOD_COUNT, f32_f32},   {PTX_f32, PTX_f32, PTX_MOD_ftz, f32_f32_ftz},
    {PTX_f32, PTX_f32, PTX_MOD_rni, f32_rni_f32}, {PTX_f32, PTX_f32, PTX_MOD_rzi, f32_rzi_f32},
    {PTX_f32, PTX_f32, PTX_MOD_rmi, f32_rmi_f32}, {PTX_f32, PTX_f32, PTX_MOD_rpi, f32_rpi_f32},
    {PTX_f32, PTX_f16, PTX_MOD_COUNT, f16_f32},   {PTX_f32, PTX_bf16, PTX_MOD_COUNT, bf16_f32},
    {PTX_f16, PTX_f32, PTX_MOD_rn, f32_f16},      {PTX_bf16, PTX_f32, PTX_MOD_rn, f32_bf16},
    {PTX_f16x2, PTX_f32, PTX_MOD_rn, f32_f16x2},  {PTX_bf16x2, PTX_f32, PTX_MOD_rn, f32_bf16x2},
};

static bool has_only_modifier(const ptx_insn *in, ptx_mod m)
{
    uint64_t want[4] = {0};
    if (m != PTX_MOD_COUNT)
        want[m / 64] = UINT64_C(1) << (m % 64);
    return memcmp(want, in->mods, sizeof want) == 0;
}

EXEC_SELECTOR(cvt_any);

static bool is_float(ptx_type type)
{
    return ptx_type_class(type) == 'F';
}

EXEC_SELECT(cvt)
{
    if (in->type_count < 2 || in->operand_count < 2)
        return NULL;
    const ptx_type to = in->type[0], from = in->type[1];
    const uint32_t bytes = ptx_type_bytes(from) == 8 ? 8 : 4;
    out->a = exec_operand_slot(t, in, 1, bytes, out->a);
    out->b = exec_operand_slot(t, in, 2, bytes, out->b);
    if (!is_float(to) && !is_float(from) && has_only_modifier(in, PTX_MOD_COUNT))
        return select_integer_conversion(t, in, out, to, from);
    /* Only for registers as wide as their types; wider ones need extension or truncation. */
    const bool exact =
        exec_operand_reg_bits(t, in, 0, ptx_type_bytes(to) * 8) == ptx_type_bytes(to) * 8 &&
        exec_operand_reg_bits(t, in, 1, ptx_type_bytes(from) * 8) == ptx_type_bytes(from) * 8;
    for (size_t k = 0; exact && k < sizeof common / sizeof common[0]; k++)
        if (common[k].to == to && common[k].from == from && has_only_modifier(in, common[k].mod))
            return common[k].fn;
    return EXEC_FOR_ISA(exec_sel_cvt_any)(t, in, out);
}
