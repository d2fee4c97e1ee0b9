/* Computes the cost of matrix instructions on the tensor cores: multiply-adds by type, and chains
 * of dependent instructions. */
#include "../build.h"

#include "../../ptx/names.h"
#include "../../ptx/traits.h"

#include <stdio.h>
#include <string.h>

/* The number of multiply-adds of instruction IN of a warp, from its shape, such as m16n8k16; 0: IN
 * has no shape. */
static uint32_t count_multiply_adds(const ptx_insn *in)
{
    unsigned rows, columns, depth;
    for (unsigned m = 0; m < PTX_MOD_COUNT; m++)
        if (ptx_has_modifier(in, (ptx_mod)m) &&
            sscanf(ptx_mod_name((ptx_mod)m), "m%un%uk%u", &rows, &columns, &depth) == 3)
            return rows * columns * depth;
    /* a warp computes 16 of the 64 rows of a warpgroup */
    const char *shape = strstr(in->text, ".m64n");
    return shape && sscanf(shape, ".m64n%uk%u", &columns, &depth) == 2 ? 16 * columns * depth : 0;
}

/* The counter in INFO for multiply-adds on type T. */
static uint32_t *multiply_add_counter(struct sm_block_info *info, ptx_type t)
{
    switch (t) {
    case PTX_e4m3:
    case PTX_e5m2: return &info->tensor_f8;
    case PTX_tf32: return &info->tensor_tf32;
    case PTX_f64: return &info->tensor_f64;
    case PTX_u8:
    case PTX_s8: return &info->tensor_i8;
    case PTX_u4:
    case PTX_s4: return &info->tensor_i4;
    case PTX_b1: return &info->tensor_b1;
    default: return &info->tensor_f16;
    }
}

/* Add the cost of IN to INFO, the data of IN's basic block, if IN is a matrix instruction. A chain
 * of dependent matrix instructions ends at branches and labels, but not at other ends of
 * emulator basic blocks, such as matrix instructions themselves. An instruction that lengthens the
 * longest chain adds the difference to its own basic block. */
bool compile_tensor_cost(compile_translation *t, const ptx_insn *in, struct sm_block_info *info)
{
    compile_build *b = t->build;
    if (ptx_is_branch(in)) {
        b->tensor_region++;
        b->tensor_longest = 0;
    }
    if (ptx_traits_of(in)->unit != PTX_UNIT_tensor)
        return true;
    if (!b->tensor_depth) {
        b->tensor_depth =
            compile_alloc_with_code(t, (t->func->reg_count + 1u) * sizeof *b->tensor_depth);
        if (!b->tensor_depth)
            return false;
    }
    const uint64_t region = (b->tensor_region + UINT64_C(1)) << 32;
    uint64_t depth = 0;
    const uint32_t sum = ptx_reads_its_result(in) ? 0 : in->operand_count - 1u;
    const ptx_operand *to = &in->opd[0], *from = &in->opd[sum];
    for (uint32_t e = 0; e < from->count; e++) {
        if (from->v[e].kind == PTX_VAL_REG) {
            const uint64_t d = b->tensor_depth[from->v[e].reg];
            depth = d > region && d - region > depth ? d - region : depth;
        }
    }
    depth++;
    for (uint32_t e = 0; e < to->count; e++)
        if (to->v[e].kind == PTX_VAL_REG)
            b->tensor_depth[to->v[e].reg] = region + depth;
    if (depth > b->tensor_longest) {
        b->tensor_longest = depth;
        info->tensor_chain++;
    }
    /* wmma with f16 names only the types of d and c */
    const ptx_type type = in->type_count > 2 ? in->type[1] : PTX_f16;
    const bool half = type == PTX_f64 && ptx_has_modifier(in, PTX_MOD_m8n8k4);
    *multiply_add_counter(info, type) += count_multiply_adds(in) * (half ? 2 : 1);
    info->tensor_inst++;
    return true;
}
