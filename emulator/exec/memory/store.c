/* st (PTX ISA 9.7.9.11), to all spaces except constant memory and parameters. If several lanes
 * write to one address, the ISA does not specify which value remains. The emulator does what an
 * H200 does: 32 lanes store at a time, 16 lanes if each stores 8 bytes, or 8 lanes if each
 * stores 16 bytes; the last group wins, and within the group the lowest lane. Therefore each
 * group is written from its highest lane to its lowest. */
#include "reach_often.h"

/* The number of lanes that store at the same time when each stores BYTES bytes. */
static inline uint32_t lanes_at_a_time(uint32_t bytes)
{
    return bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
}

/* The lanes of MASK in the same store group as the lowest lane of MASK. */
static inline uint32_t first_store_group(uint32_t mask, uint32_t lanes)
{
    const uint32_t first = (uint32_t)__builtin_ctz(mask) / lanes * lanes;
    return mask & (lanes == 32 ? SM_FULL : ((1u << lanes) - 1) << first);
}

#define EXEC_ACCESS_OP EXEC_STORE /* fast_paths.h defines the fast paths of stores */
#include "fast_paths.h"

/* The kinds of stores: type in memory, type of a register's lane. */
#define KIND w8       /* name of the kind, a suffix of its handlers' names */
#define MEM  uint8_t  /* type in memory */
#define REG  uint32_t /* type of a register's lane */
#include "store_kind.h"
#define KIND d8
#define MEM  uint8_t
#define REG  uint64_t
#include "store_kind.h"
#define KIND w16
#define MEM  uint16_t
#define REG  uint32_t
#include "store_kind.h"
#define KIND d16
#define MEM  uint16_t
#define REG  uint64_t
#include "store_kind.h"
#define KIND w32
#define MEM  uint32_t
#define REG  uint32_t
#include "store_kind.h"
#define KIND d32
#define MEM  uint32_t
#define REG  uint64_t
#include "store_kind.h"
#define KIND d64
#define MEM  uint64_t
#define REG  uint64_t
#include "store_kind.h"

/* The host has no 128-bit atomic access: a strong store of 128 bits is two halves. */
#define WIDE /* MEM is wider than any host access */
#define KIND b128
#define MEM  bytes_16
#define REG  bytes_16
#include "store_kind.h"

typedef struct store_row {
    uint8_t bytes, lane; /* size in memory; bytes of a register's lane */
    exec_by_space in;    /* handlers by state space */
} store_row;

#define ROW(bytes, lane, name)                                                       \
    {                                                                                \
        bytes, lane,                                                                 \
        {                                                                            \
            .global = global_##name, .shared = shared_##name, .local = local_##name, \
            .generic = generic_##name                                                \
        }                                                                            \
    }
static const store_row store_rows[] = {
    ROW(1, 4, w8),  ROW(1, 8, d8),  ROW(2, 4, w16), ROW(2, 8, d16),
    ROW(4, 4, w32), ROW(4, 8, d32), ROW(8, 8, d64), ROW(16, 16, b128),
};

/* The selector of st.param, for kernel and call parameters, is in param.c. */
sm_fn EXEC_FOR_ISA(exec_sel_st_param)(compile_translation *t, const ptx_insn *in, sm_insn *out);

EXEC_SELECT(st)
{
    if (in->space == PTX_SPACE_PARAM)
        return EXEC_FOR_ISA(exec_sel_st_param)(t, in, out);
    if (in->operand_count < 2 || in->type_count < 1 || in->opd[1].count < 1)
        return NULL;
    const uint32_t element = ptx_type_bytes(in->type[0]);
    if (!EXEC_FOR_ISA(exec_set_access)(t, in, &in->opd[0], element, out))
        return NULL;
    /* One kind of store must fit all elements of a vector; immediates get the others' width. */
    uint32_t lane;
    if (!EXEC_FOR_ISA(exec_common_lane_width)(t, &in->opd[1], compile_register_bytes, &lane))
        return NULL;
    if (lane == 0)
        lane = element < 4 ? 4 : element;
    if (out->vec > 1) {
        if (in->opd[1].count != out->vec)
            return NULL;
        out->extra = compile_slots_of_vector(t, &in->opd[1], lane);
    } else {
        out->b = compile_slot_of_value(t, &in->opd[1].v[0], lane);
    }
    out->mode |= lane == 8 && element < 8 ? SM_M_STORE | SM_M_LANE8 : SM_M_STORE;
    for (size_t k = 0; k < sizeof store_rows / sizeof store_rows[0]; k++) {
        const store_row *row = &store_rows[k];
        if (row->bytes == element && row->lane == lane)
            return EXEC_FOR_ISA(exec_pick_space)(&row->in, in->space);
    }
    return NULL;
}
