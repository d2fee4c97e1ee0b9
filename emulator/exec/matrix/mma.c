/* mma (PTX ISA 9.7.14.5.14) and wmma.mma (9.7.14.4.5): products of matrices held by a warp. */
#include "../../sm/sync.h"
#include "tensor.h"

#include <fenv.h>

typedef struct matrix_product_op {
    sm_sync_form form; /* must be the first field: exec_run_aligned reads it through i->extra */
    exec_matrix_product tensor; /* shape and rounding of the product */
    exec_tile a, b, c, d;       /* layouts of the four matrices in registers */
    const uint32_t *slot_a, *slot_b, *slot_c, *slot_d; /* window slots of the registers */
    /* computes the product of elements of this type */
    void (*multiply)(const exec_matrix_product *p, const uint32_t *a, const uint32_t *b,
                     const uint32_t *c, uint32_t *d);
} matrix_product_op;

static bool multiply_matrices(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)member;
    const matrix_product_op *p = i->extra;
    uint32_t a[EXEC_MAX_TILE_ELEMENTS], b[EXEC_MAX_TILE_ELEMENTS], c[EXEC_MAX_TILE_ELEMENTS],
        d[EXEC_MAX_TILE_ELEMENTS];
    EXEC_FOR_ISA(exec_tile_gather)(w, &p->a, p->slot_a, a);
    EXEC_FOR_ISA(exec_tile_gather)(w, &p->b, p->slot_b, b);
    EXEC_FOR_ISA(exec_tile_gather)(w, &p->c, p->slot_c, c);
    p->multiply(&p->tensor, a, b, c, d);
    EXEC_FOR_ISA(exec_tile_scatter)(w, &p->d, p->slot_d, d);
    return true;
}

static bool multiply_double(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)member;
    const matrix_product_op *p = i->extra;
    double a[EXEC_MAX_TILE_ELEMENTS], b[EXEC_MAX_TILE_ELEMENTS], c[EXEC_MAX_TILE_ELEMENTS],
        d[EXEC_MAX_TILE_ELEMENTS];
    EXEC_FOR_ISA(exec_tile_gather_wide)(w, &p->a, p->slot_a, a);
    EXEC_FOR_ISA(exec_tile_gather_wide)(w, &p->b, p->slot_b, b);
    EXEC_FOR_ISA(exec_tile_gather_wide)(w, &p->c, p->slot_c, c);
    EXEC_FOR_ISA(exec_tensor_double)(&p->tensor, a, b, c, d);
    EXEC_FOR_ISA(exec_tile_scatter_wide)(w, &p->d, p->slot_d, d);
    return true;
}

/* Order the four matrices by lanes, so that registers are copied four lanes at a time. The order of
 * columns, and of the products within a step, changes no result. */
static void order_by_lanes(matrix_product_op *p)
{
    const uint32_t run = exec_tile_elements_per_reg(&p->a), k = p->a.cols, n = p->c.cols;
    /* a lane's pairs of 8-bit floats are summed first */
    const uint32_t parts = p->tensor.c_last ? 2 : 1;
    EXEC_FOR_ISA(exec_tile_reorder)(&p->a, 1, k, run, parts);
    EXEC_FOR_ISA(exec_tile_reorder)(&p->b, n, k, run, parts);
    EXEC_FOR_ISA(exec_tile_reorder)(&p->b, 1, n, 2, 1);
    EXEC_FOR_ISA(exec_tile_reorder)(&p->c, 1, n, 2, 1);
    EXEC_FOR_ISA(exec_tile_reorder)(&p->d, 1, n, 2, 1);
}

static bool choose_summation_steps(matrix_product_op *p, const ptx_insn *in, const ptx_type type[4],
                                   bool wmma)
{
    exec_matrix_product *t = &p->tensor;
    p->form.compute = multiply_matrices;
    switch (type[1]) {
    case PTX_f64:
        p->form.compute = multiply_double;
        t->rounding = ptx_has_modifier(in, PTX_MOD_rz)   ? FE_TOWARDZERO
                      : ptx_has_modifier(in, PTX_MOD_rm) ? FE_DOWNWARD
                      : ptx_has_modifier(in, PTX_MOD_rp) ? FE_UPWARD
                                                         : FE_TONEAREST;
        return true;
    case PTX_u8:
    case PTX_s8:
    case PTX_u4:
    case PTX_s4:
        p->multiply = EXEC_FOR_ISA(exec_tensor_int);
        t->bits = type[1] == PTX_u4 || type[1] == PTX_s4 ? 4 : 8;
        t->signed_a = ptx_type_class(type[1]) == 'S';
        t->signed_b = ptx_type_class(type[2]) == 'S';
        t->saturate = ptx_has_modifier(in, PTX_MOD_satfinite);
        return true;
    case PTX_b1:
        p->multiply = EXEC_FOR_ISA(exec_tensor_bits);
        t->is_and = ptx_has_modifier(in, PTX_MOD_and);
        return ptx_has_modifier(in, PTX_MOD_popc) && t->is_and != ptx_has_modifier(in, PTX_MOD_xor);
    default: break;
    }
    const exec_element *a = EXEC_FOR_ISA(exec_tensor_element)(type[1]);
    const exec_element *b = EXEC_FOR_ISA(exec_tensor_element)(type[2]);
    const exec_element *c = EXEC_FOR_ISA(exec_tensor_element)(type[3]);
    const exec_element *d = EXEC_FOR_ISA(exec_tensor_element)(type[0]);
    if (!a || !b || !c || !d)
        return false;
    p->multiply = EXEC_FOR_ISA(exec_tensor_float);
    t->a = a->format;
    t->b = b->format;
    t->c = c->format;
    t->d = d->format;
    t->drop_a = a->drop;
    t->drop_b = b->drop;
    t->step = p->a.batch > 1 ? 0 : wmma ? a->step_wmma : a->step_mma;
    t->fraction = EXEC_TENSOR_FRACTION;
    if (a->format->exponent + a->format->fraction == 7) {
        /* the H200 has no unit for 8-bit floats in mma: they are converted to f16, a lane's
         * pairs are summed, and c is added last */
        t->c_last = true;
        t->step = (uint8_t)(p->a.cols / 2);
    }
    return true;
}

static sm_fn select_matrix_product(compile_translation *t, const ptx_insn *in, sm_insn *out,
                                   bool wmma, const char *name)
{
    matrix_product_op *p = compile_alloc_with_code(t, sizeof *p);
    exec_matrix_dims s;
    if (!p || in->operand_count != 4 || !EXEC_FOR_ISA(exec_matrix_shape)(in, &s))
        return NULL;
    /* wmma.mma with f16 states only the types of d and c */
    const bool two = in->type_count == 2;
    const ptx_type type[4] = {in->type[0], two ? PTX_f16 : in->type[1], two ? PTX_f16 : in->type[2],
                              two ? in->type[1] : in->type[3]};
    const bool row_a = ptx_has_modifier(in, PTX_MOD_row);
    const bool row_b = ptx_has_modifier(in, PTX_MOD_row_b);
    const bool any_layout = wmma || (s.m == 8 && s.k == 4 && type[1] == PTX_f16);
    if (!any_layout && (!row_a || row_b)) {
        snprintf(t->error, sizeof t->error, "for this shape a must be .row and b .col");
        return NULL;
    }
    const struct {
        exec_matrix_role role;
        ptx_type type;
        bool row;
        exec_tile *tile;
        const uint32_t **slot;
    } parts[4] = {
        {EXEC_MATRIX_C, type[0], true, &p->d, &p->slot_d},
        {EXEC_MATRIX_A, type[1], row_a, &p->a, &p->slot_a},
        {EXEC_MATRIX_B, type[2], row_b, &p->b, &p->slot_b},
        {EXEC_MATRIX_C, type[3], true, &p->c, &p->slot_c},
    };
    for (int k = 0; k < 4; k++) {
        if (!EXEC_FOR_ISA(exec_tile_make)(t, s, parts[k].role, parts[k].type, wmma, parts[k].row,
                                          parts[k].tile))
            return NULL;
        const uint32_t regs = parts[k].tile->regs;
        if (in->opd[k].count != regs) {
            snprintf(t->error, sizeof t->error, "operand %d has %u registers, not %u", k + 1,
                     in->opd[k].count, regs);
            return NULL;
        }
        *parts[k].slot = compile_slots_of_vector(t, &in->opd[k], parts[k].tile->reg_bytes);
    }
    p->tensor = (exec_matrix_product){.m = s.m, .n = s.n, .k = p->a.cols, .batch = p->a.batch};
    if (!choose_summation_steps(p, in, type, wmma))
        return NULL;
    if (type[1] != PTX_f64 && p->a.batch == 1)
        order_by_lanes(p);
    p->form.name = name;
    p->form.aligned = true;
    out->extra = p;
    return EXEC_FOR_ISA(exec_run_aligned);
}

EXEC_SELECT(mma)
{
    return select_matrix_product(t, in, out, false, "mma.sync");
}

EXEC_SELECT(wmma_mma)
{
    return select_matrix_product(t, in, out, true, "wmma.mma.sync");
}
