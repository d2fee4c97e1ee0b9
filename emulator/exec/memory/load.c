/* ld and ldu (PTX ISA 9.7.9.8 and 9.7.9.10), from all state spaces. */
#include "reach_often.h"

#define EXEC_ACCESS_OP EXEC_LOAD /* fast_paths.h defines the fast paths of loads */
#include "fast_paths.h"

/* The kinds of loads: type in memory, type of a register's lane, and conversion. Values narrower
 * than a lane are zero-extended in 32-bit lanes; signed values are first sign-extended to the
 * register's declared width. */
#define KIND     u8w      /* name of the kind, a suffix of its handlers' names */
#define MEM      uint8_t  /* type in memory */
#define REG      uint32_t /* type of a register's lane */
#define VALUE(v) (v)      /* the value in the register */
#include "load_kind.h"
#define KIND     s8h
#define MEM      int8_t
#define REG      uint32_t
#define VALUE(v) (uint16_t)(v)
#include "load_kind.h"
#define KIND     s8w
#define MEM      int8_t
#define REG      uint32_t
#define VALUE(v) (uint32_t)(v)
#include "load_kind.h"
#define KIND     u8d
#define MEM      uint8_t
#define REG      uint64_t
#define VALUE(v) (v)
#include "load_kind.h"
#define KIND     s8d
#define MEM      int8_t
#define REG      uint64_t
#define VALUE(v) (uint64_t)(v)
#include "load_kind.h"
#define KIND     u16w
#define MEM      uint16_t
#define REG      uint32_t
#define VALUE(v) (v)
#include "load_kind.h"
#define KIND     s16w
#define MEM      int16_t
#define REG      uint32_t
#define VALUE(v) (uint32_t)(v)
#include "load_kind.h"
#define KIND     u16d
#define MEM      uint16_t
#define REG      uint64_t
#define VALUE(v) (v)
#include "load_kind.h"
#define KIND     s16d
#define MEM      int16_t
#define REG      uint64_t
#define VALUE(v) (uint64_t)(v)
#include "load_kind.h"
#define KIND     u32w
#define MEM      uint32_t
#define REG      uint32_t
#define VALUE(v) (v)
#include "load_kind.h"
#define KIND     u32d
#define MEM      uint32_t
#define REG      uint64_t
#define VALUE(v) (v)
#include "load_kind.h"
#define KIND     s32d
#define MEM      int32_t
#define REG      uint64_t
#define VALUE(v) (uint64_t)(v)
#include "load_kind.h"
#define KIND     u64d
#define MEM      uint64_t
#define REG      uint64_t
#define VALUE(v) (v)
#include "load_kind.h"

/* The host has no 128-bit atomic access: a strong load of 128 bits is two halves. */
#define WIDE     /* MEM is wider than any host access */
#define KIND     b128
#define MEM      bytes_16
#define REG      bytes_16
#define VALUE(v) (v)
#include "load_kind.h"

typedef struct load_row {
    uint8_t bytes, reg_bytes; /* size in memory; size of the register as declared: 2, 4, 8, 16 */
    bool sign;                /* the value is sign-extended to the size of the register */
    exec_by_space in;         /* handlers by state space */
} load_row;

#define ROW(bytes, reg, sign, name)                                                     \
    {                                                                                   \
        bytes, reg, sign,                                                               \
        {                                                                               \
            global_##name, shared_##name, local_##name, constant_##name, generic_##name \
        }                                                                               \
    }
static const load_row load_rows[] = {
    ROW(1, 2, false, u8w),    ROW(1, 4, false, u8w),  ROW(1, 8, false, u8d),
    ROW(1, 2, true, s8h),     ROW(1, 4, true, s8w),   ROW(1, 8, true, s8d),
    ROW(2, 2, false, u16w),   ROW(2, 4, false, u16w), ROW(2, 8, false, u16d),
    ROW(2, 2, true, u16w),    ROW(2, 4, true, s16w),  ROW(2, 8, true, s16d),
    ROW(4, 4, false, u32w),   ROW(4, 8, false, u32d), ROW(4, 4, true, u32w),
    ROW(4, 8, true, s32d),    ROW(8, 8, false, u64d), ROW(8, 8, true, u64d),
    ROW(16, 16, false, b128),
};

/* The selector of ld.param, for kernel and call parameters, is in param.c. */
sm_fn EXEC_FOR_ISA(exec_sel_ld_param)(compile_translation *t, const ptx_insn *in, sm_insn *out);

/* Declared size in bytes of the register that V names, at least 2. */
static uint32_t register_bytes(const compile_translation *t, const ptx_value *v)
{
    const uint32_t bytes = ptx_type_bytes(t->func->regs[v->reg].type);
    return bytes < 2 ? 2 : bytes;
}

EXEC_SELECT(ld)
{
    if (in->space == PTX_SPACE_PARAM)
        return EXEC_FOR_ISA(exec_sel_ld_param)(t, in, out);
    if (in->operand_count < 2 || in->type_count < 1 || in->opd[0].count < 1)
        return NULL;
    const ptx_type type = in->type[0];
    const uint32_t element = ptx_type_bytes(type);
    if (!EXEC_FOR_ISA(exec_set_access)(t, in, &in->opd[1], element, out))
        return NULL;
    /* One kind of load must fit all elements of a vector; `_` elements fit any kind. */
    uint32_t width;
    if (!EXEC_FOR_ISA(exec_common_lane_width)(t, &in->opd[0], register_bytes, &width))
        return NULL;
    width = width ? width : element < 2 ? 2 : element;
    if (out->vec > 1) {
        if (in->opd[0].count != out->vec)
            return NULL;
        out->extra = compile_slots_of_vector(t, &in->opd[0], width < 4 ? 4 : width);
    }
    const bool sign = ptx_type_class(type) == 'S';
    for (size_t k = 0; k < sizeof load_rows / sizeof load_rows[0]; k++) {
        const load_row *row = &load_rows[k];
        if (row->bytes == element && row->reg_bytes == width && row->sign == sign)
            return EXEC_FOR_ISA(exec_pick_space)(&row->in, in->space);
    }
    return NULL;
}
