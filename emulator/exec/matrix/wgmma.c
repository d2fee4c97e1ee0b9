/* wgmma (PTX ISA 9.7.15): products of matrices in shared memory, computed by a warpgroup of four
 * warps. Each warp computes its 16 of the 64 rows independently and immediately. A program that
 * waits as the ISA requires cannot tell the difference from asynchronous execution. */
#include "../../core/observer.h"
#include "../../observe/observe.h"
#include "../../sm/fault.h"
#include "../../sm/sync.h"
#include "tensor.h"

#include <stdio.h>

enum {
    ROWS = 16,            /* rows of the product that each warp computes */
    COLUMNS = 32,         /* columns of the product that are computed at a time */
    ROW_BYTES = 32,       /* bytes of one row of A or column of B: k elements of any type */
    CONTIGUOUS_BYTES = 16 /* number of bytes that are contiguous in every layout */
};

typedef struct warpgroup_product {
    sm_sync_form form; /* must be the first field: exec_run_aligned reads it through i->extra */
    exec_matrix_product tensor; /* tensor.n is set for each group of columns */
    exec_tile a, d; /* layout of a, if it is in registers; layout of eight columns of d */
    const uint32_t *slot_a, *slot_d; /* window slots of the registers */
    uint32_t desc_a, desc_b; /* window slots of the descriptors; desc_a 0: A is in registers */
    uint32_t add;            /* window slot of scale-d */
    uint32_t columns;        /* columns of the product (n) */
    uint32_t element;        /* bits per element of A and B; 32 for single bits */
    uint32_t negate;         /* the bits of an element of A to invert: its sign, or none */
    bool trans_a, trans_b;   /* A or B is stored transposed */
    /* computes the product of elements of this type */
    void (*multiply)(const exec_matrix_product *p, const uint32_t *a, const uint32_t *b,
                     const uint32_t *c, uint32_t *d);
} warpgroup_product;

/* --- matrices in shared memory (PTX ISA 9.7.15.5.1) --- */

/* A matrix in shared memory, decoded from its descriptor. */
typedef struct shared_matrix {
    uint32_t at;              /* offset of the matrix in shared memory, in bytes */
    uint32_t leading, stride; /* the two distances in the descriptor, in bytes */
    uint32_t span;            /* bytes of the swizzle pattern; 16: no swizzle */
    uint32_t base;            /* base offset of the swizzle pattern */
    bool trans;               /* stored transposed */
} shared_matrix;

static shared_matrix decode_descriptor(uint64_t descriptor, bool trans)
{
    static const uint32_t spans[] = {16, 128, 64, 32};
    return (shared_matrix){.at = (descriptor & 0x3fff) << 4,
                           .leading = (descriptor >> 16 & 0x3fff) << 4,
                           .stride = (descriptor >> 32 & 0x3fff) << 4,
                           .base = descriptor >> 49 & 7,
                           .span = spans[descriptor >> 62],
                           .trans = trans};
}

/* Offset of the 16 contiguous bytes that contain byte ALONG of line ACROSS. A line is a row of A
 * or a column of B; in a transposed matrix, all rows or columns at one k. */
static uint32_t core_matrix_offset(const shared_matrix *m, uint32_t across, uint32_t along)
{
    const uint32_t eights = across / 8, line = across % 8;
    uint32_t at = m->at;
    if (m->span == CONTIGUOUS_BYTES) {
        at += m->trans ? along / 16 * m->stride + eights * m->leading
                       : along / 16 * m->leading + eights * m->stride;
        at += line * 16;
    } else {
        at += eights * m->stride + line * m->span + along % m->span;
        at += m->trans ? along / m->span * m->leading : along / m->span * m->span;
    }
    const uint32_t bits = m->span / 16 - 1;
    return (at ^ (((at >> 7) - m->base) & bits) << 4) & 0x3ffff;
}

/* Host address of the 16 bytes at core_matrix_offset(). NULL: they are not all in the block's
 * shared memory, and the launch has been stopped. */
static const uint8_t *core_matrix_address(sm_warp *w, const sm_insn *i, const shared_matrix *m,
                                          uint32_t across, uint32_t along)
{
    const sm_block *b = w->block;
    const uint32_t at = core_matrix_offset(m, across, along);
    if (at + CONTIGUOUS_BYTES > b->shared_bytes) {
        sm_stop_launch(
            w, i, SM_FAULT_ADDRESS, 1, at, CONTIGUOUS_BYTES, PTX_SPACE_SHARED,
            "wgmma.mma_async: a matrix descriptor leads to 16 bytes at offset %u of the block's "
            "shared memory, which has %llu bytes: its fields for the address and for both "
            "distances are in units of 16 bytes",
            at, (unsigned long long)b->shared_bytes);
        return NULL;
    }
    if (b->observed)
        observe_lane_access(b, w, i, 0, at, CONTIGUOUS_BYTES, SM_READS);
    return b->shared + at;
}

/* Copy LINES rows of A or columns of B, beginning with FIRST, to DENSE: element (line, k) goes to
 * line * BY_LINE + k * BY_K. */
static bool gather_matrix(sm_warp *w, const sm_insn *i, const shared_matrix *m, uint32_t bits,
                          uint32_t first, uint32_t lines, uint32_t by_line, uint32_t by_k,
                          uint32_t *dense)
{
    const uint32_t size = bits / 8, per = CONTIGUOUS_BYTES / size, depth = ROW_BYTES / size;
    const uint32_t across = m->trans ? depth : lines, along = m->trans ? lines : depth;
    for (uint32_t x = 0; x < across; x++) {
        for (uint32_t y = 0; y < along; y += per) {
            const uint8_t *from = m->trans ? core_matrix_address(w, i, m, x, (first + y) * size)
                                           : core_matrix_address(w, i, m, first + x, y * size);
            if (!from)
                return false;
            uint32_t *to = dense + (m->trans ? y * by_line + x * by_k : x * by_line + y * by_k);
            for (uint32_t e = 0; e < per; e++, to += m->trans ? by_line : by_k) {
                *to = 0;
                memcpy(to, from + e * size, size);
            }
        }
    }
    return true;
}

/* --- computing the product -------------------------------------------------------------------- */

static bool is_whole_warpgroup(sm_warp *w, const sm_insn *i)
{
    if (w->block->warp_count / 4 > w->index / 4)
        return true;
    sm_stop_launch(
        w, i, SM_FAULT_SYNC, 1, 0, 0, PTX_SPACE_NONE,
        "wgmma.mma_async: a warpgroup is four warps, 128 threads beginning at a multiple of 128, "
        "and this block of %u threads has only part of this warpgroup",
        w->block->thread_count);
    return false;
}

/* Window slots of the accumulators of the eight columns from COLUMN on. */
static const uint32_t *accumulator_slots(const warpgroup_product *p, uint32_t column)
{
    return p->slot_d + column / 8 * p->d.regs;
}

static bool multiply_warp_rows(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)member;
    const warpgroup_product *p = i->extra;
    uint32_t a[EXEC_MAX_TILE_ELEMENTS] = {0}, b[EXEC_MAX_TILE_ELEMENTS], c[ROWS * COLUMNS],
             d[ROWS * COLUMNS];
    uint32_t eight[ROWS * 8];
    const shared_matrix mb = decode_descriptor(SM_R(const uint64_t, w, p->desc_b)[0], p->trans_b);
    const uint32_t depth = p->tensor.k;
    if (!is_whole_warpgroup(w, i))
        return false;
    if (p->desc_a) {
        const shared_matrix ma =
            decode_descriptor(SM_R(const uint64_t, w, p->desc_a)[0], p->trans_a);
        if (!gather_matrix(w, i, &ma, p->element, w->index % 4 * ROWS, ROWS, depth, 1, a))
            return false;
    } else {
        EXEC_FOR_ISA(exec_tile_gather)(w, &p->a, p->slot_a, a);
    }
    for (uint32_t k = 0; k < ROWS * depth; k++)
        a[k] ^= p->negate;
    const bool add = SM_P(w, p->add) & 1;
    exec_matrix_product tensor = p->tensor;
    for (uint32_t n = 0; n < p->columns; n += COLUMNS) {
        const uint32_t wide = p->columns - n < COLUMNS ? p->columns - n : COLUMNS;
        if (!gather_matrix(w, i, &mb, p->element, n, wide, 1, wide, b))
            return false;
        memset(c, 0, sizeof c);
        for (uint32_t j = 0; j < wide && add; j += 8) {
            EXEC_FOR_ISA(exec_tile_gather)(w, &p->d, accumulator_slots(p, n + j), eight);
            for (uint32_t k = 0; k < ROWS * 8; k++)
                c[k / 8 * wide + j + k % 8] = eight[k];
        }
        tensor.n = (uint16_t)wide;
        p->multiply(&tensor, a, b, c, d);
        for (uint32_t j = 0; j < wide; j += 8) {
            for (uint32_t k = 0; k < ROWS * 8; k++)
                eight[k] = d[k / 8 * wide + j + k % 8];
            EXEC_FOR_ISA(exec_tile_scatter)(w, &p->d, accumulator_slots(p, n + j), eight);
        }
    }
    return true;
}

/* --- selection --- */

static bool choose_shape(warpgroup_product *p, const ptx_insn *in)
{
    exec_matrix_product *t = &p->tensor;
    const ptx_type type = in->type[1];
    switch (type) {
    case PTX_u8:
    case PTX_s8:
        p->multiply = EXEC_FOR_ISA(exec_tensor_int);
        p->element = t->bits = 8;
        t->signed_a = ptx_type_class(type) == 'S';
        t->signed_b = ptx_type_class(in->type[2]) == 'S';
        t->saturate = ptx_has_modifier(in, PTX_MOD_satfinite);
        return true;
    case PTX_b1:
        p->multiply = EXEC_FOR_ISA(exec_tensor_bits);
        p->element = 32;
        t->is_and = true;
        return ptx_has_modifier(in, PTX_MOD_and) && ptx_has_modifier(in, PTX_MOD_popc);
    default: break;
    }
    const exec_element *a = EXEC_FOR_ISA(exec_tensor_element)(type);
    const exec_element *b = EXEC_FOR_ISA(exec_tensor_element)(in->type[2]);
    const exec_element *d = EXEC_FOR_ISA(exec_tensor_element)(in->type[0]);
    if (!a || !b || !d)
        return false;
    p->multiply = EXEC_FOR_ISA(exec_tensor_float);
    p->element = ptx_type_bytes(type) * 8;
    t->a = a->format;
    t->b = b->format;
    t->c = t->d = d->format;
    t->drop_a = a->drop;
    t->drop_b = b->drop;
    t->step = (uint8_t)t->k;
    t->fraction = a->fraction_wgmma;
    t->keep = in->type[0] == PTX_f32 ? a->keep_wgmma : 0;
    return true;
}

/* Read operand K, an immediate with the value ONE or OTHER. False: operand K is neither. */
static bool read_sign_immediate(const ptx_insn *in, unsigned k, int64_t one, int64_t other,
                                int64_t *value)
{
    if (k >= in->operand_count)
        return true;
    const ptx_value *v = in->opd[k].v;
    *value = (int64_t)v->imm;
    return v->kind == PTX_VAL_IMM && (*value == one || *value == other);
}

/* Parse the operands after the descriptors: scale-d, imm-scale-a, imm-scale-b, imm-trans-a,
 * imm-trans-b, as far as the types have them. */
static bool read_scales(compile_translation *t, const ptx_insn *in, const sm_insn *out,
                        warpgroup_product *p)
{
    const ptx_type type = in->type[1];
    const bool floats = ptx_type_class(type) == 'F', halves = type == PTX_f16 || type == PTX_bf16;
    const unsigned all = !floats ? 4 : !halves ? 6 : p->desc_a ? 8 : 7;
    int64_t scale_a = 1, scale_b = 1, trans_a = 0, trans_b = 0;
    const ptx_value *add = exec_operand_value(in, 3);
    if (in->operand_count != all || !add ||
        (add->kind == PTX_VAL_REG && t->func->regs[add->reg].type != PTX_pred) ||
        !read_sign_immediate(in, 4, 1, -1, &scale_a) ||
        !read_sign_immediate(in, 5, 1, -1, &scale_b) ||
        (all == 8 && !read_sign_immediate(in, 6, 0, 1, &trans_a)) ||
        (halves && !read_sign_immediate(in, all - 1, 0, 1, &trans_b))) {
        snprintf(
            t->error, sizeof t->error,
            "the matrices must be followed by %s, all but the first as immediates",
            !floats ? "scale-d"
            : halves
                ? "scale-d, -1 or 1 for each of the two matrices, and 0 or 1 for each descriptor"
                : "scale-d and -1 or 1 for each of the two matrices");
        return false;
    }
    p->add = out->c;
    p->trans_a = trans_a == 1;
    p->trans_b = trans_b == 1;
    if (floats && scale_a * scale_b < 0)
        p->negate = type == PTX_tf32 ? 1u << 31 : 1u << (p->element - 1);
    return true;
}

EXEC_SELECT(wgmma_mma_async)
{
    warpgroup_product *p = compile_alloc_with_code(t, sizeof *p);
    unsigned n = 0, k = 0;
    const char *shape = strstr(in->text, ".m64n");
    if (!p || in->operand_count < 4 || in->type_count != 3 || !shape ||
        sscanf(shape, ".m64n%uk%u", &n, &k) != 2)
        return NULL;
    *p = (warpgroup_product){.columns = n};
    p->form =
        (sm_sync_form){.compute = multiply_warp_rows, .name = "wgmma.mma_async", .aligned = true};
    const ptx_type type = in->type[1];
    const uint32_t size = type == PTX_b1 ? 1 : ptx_type_bytes(type) * 8;
    if (k * size != ROW_BYTES * 8) {
        snprintf(t->error, sizeof t->error, "for this type k must be %u", ROW_BYTES * 8 / size);
        return NULL;
    }
    p->tensor =
        (exec_matrix_product){.m = ROWS, .k = (uint16_t)(type == PTX_b1 ? k / 32 : k), .batch = 1};
    const ptx_operand *d = &in->opd[0], *a = &in->opd[1], *b = &in->opd[2];
    const exec_matrix_dims part = {ROWS, 8, (uint16_t)k};
    if (!choose_shape(p, in) ||
        !EXEC_FOR_ISA(exec_tile_make)(t, part, EXEC_MATRIX_C, in->type[0], false, true, &p->d))
        return NULL;
    if (d->count != n / 8 * p->d.regs) {
        snprintf(t->error, sizeof t->error, "operand 1 has %u registers, not %u", d->count,
                 n / 8 * p->d.regs);
        return NULL;
    }
    p->slot_d = compile_slots_of_vector(t, d, 4);
    if (a->vector) {
        if (!EXEC_FOR_ISA(exec_tile_make)(t, part, EXEC_MATRIX_A, type, false, true, &p->a) ||
            a->count != p->a.regs)
            return NULL;
        p->slot_a = compile_slots_of_vector(t, a, 4);
    } else {
        p->desc_a = compile_slot_of_value(t, a->v, 8);
    }
    p->desc_b = compile_slot_of_value(t, b->v, 8);
    if (b->vector || !read_scales(t, in, out, p))
        return NULL;
    out->extra = p;
    return EXEC_FOR_ISA(exec_run_aligned);
}
