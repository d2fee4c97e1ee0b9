/* Instructions that exist for integers and floating point under the same name (PTX ISA 9.7.1,
 * 9.7.3, 9.7.4): choose the implementation by type. */
#include "../../compile/compile.h"
#include "../lanes.h"

#define SELECT_ARITH_BY_TYPE(op)                                                   \
    EXEC_SELECTOR(op##_int);                                                       \
    EXEC_SELECTOR(op##_wide);                                                      \
    EXEC_SELECTOR(op##_f32);                                                       \
    EXEC_SELECTOR(op##_f64);                                                       \
    EXEC_SELECTOR(op##_half);                                                      \
    EXEC_SELECT(op)                                                                \
    {                                                                              \
        static const selectors_by_type k = {                                       \
            EXEC_FOR_ISA(exec_sel_##op##_int), EXEC_FOR_ISA(exec_sel_##op##_wide), \
            EXEC_FOR_ISA(exec_sel_##op##_f32), EXEC_FOR_ISA(exec_sel_##op##_f64),  \
            EXEC_FOR_ISA(exec_sel_##op##_half)};                                   \
        return choose_by_type(&k, t, in, out);                                     \
    }

/* Operations without a half-precision form. */
#define SELECT_ARITH_WITHOUT_HALF(op)                                                    \
    EXEC_SELECTOR(op##_int);                                                             \
    EXEC_SELECTOR(op##_wide);                                                            \
    EXEC_SELECTOR(op##_f32);                                                             \
    EXEC_SELECTOR(op##_f64);                                                             \
    EXEC_SELECT(op)                                                                      \
    {                                                                                    \
        static const selectors_by_type k = {                                             \
            EXEC_FOR_ISA(exec_sel_##op##_int), EXEC_FOR_ISA(exec_sel_##op##_wide),       \
            EXEC_FOR_ISA(exec_sel_##op##_f32), EXEC_FOR_ISA(exec_sel_##op##_f64), NULL}; \
        return choose_by_type(&k, t, in, out);                                           \
    }

#define SELECT_ARITH_OF_FLOATS(op)                                                         \
    EXEC_SELECTOR(op##_f32);                                                               \
    EXEC_SELECTOR(op##_f64);                                                               \
    EXEC_SELECTOR(op##_half);                                                              \
    EXEC_SELECT(op)                                                                        \
    {                                                                                      \
        static const selectors_by_type k = {NULL, NULL, EXEC_FOR_ISA(exec_sel_##op##_f32), \
                                            EXEC_FOR_ISA(exec_sel_##op##_f64),             \
                                            EXEC_FOR_ISA(exec_sel_##op##_half)};           \
        return choose_by_type(&k, t, in, out);                                             \
    }

#define SELECT_ARITH_OF_INTEGERS(op)                                                               \
    EXEC_SELECTOR(op##_int);                                                                       \
    EXEC_SELECTOR(op##_wide);                                                                      \
    EXEC_SELECT(op)                                                                                \
    {                                                                                              \
        static const selectors_by_type k = {EXEC_FOR_ISA(exec_sel_##op##_int),                     \
                                            EXEC_FOR_ISA(exec_sel_##op##_wide), NULL, NULL, NULL}; \
        return choose_by_type(&k, t, in, out);                                                     \
    }

typedef struct selectors_by_type {
    sm_selector narrow, wide, f32, f64, half; /* implementations for integers up to 32 bits, 64-bit
                                                 integers, f32, f64, and 16-bit floats */
} selectors_by_type;

static sm_fn choose_by_type(const selectors_by_type *k, compile_translation *t, const ptx_insn *in,
                            sm_insn *out)
{
    sm_selector s;
    switch (in->type[0]) {
    case PTX_u16:
    case PTX_s16:
    case PTX_u32:
    case PTX_s32:
    case PTX_u16x2:
    case PTX_s16x2: s = k->narrow; break;
    case PTX_u64:
    case PTX_s64: s = k->wide; break;
    case PTX_f32: s = k->f32; break;
    case PTX_f64: s = k->f64; break;
    case PTX_f16:
    case PTX_f16x2:
    case PTX_bf16:
    case PTX_bf16x2: s = k->half; break;
    default: s = NULL;
    }
    return s ? s(t, in, out) : NULL;
}

SELECT_ARITH_BY_TYPE(add)
SELECT_ARITH_BY_TYPE(sub)
SELECT_ARITH_BY_TYPE(mul)
SELECT_ARITH_WITHOUT_HALF(mad)
SELECT_ARITH_WITHOUT_HALF(div)
SELECT_ARITH_OF_INTEGERS(rem)
SELECT_ARITH_OF_INTEGERS(sad)
SELECT_ARITH_BY_TYPE(abs)
SELECT_ARITH_BY_TYPE(neg)
SELECT_ARITH_BY_TYPE(min)
SELECT_ARITH_BY_TYPE(max)
SELECT_ARITH_OF_FLOATS(fma)
