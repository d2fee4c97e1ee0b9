/* Matrices of 8 x 8 elements of 16 bits: ldmatrix, stmatrix and movmatrix (PTX ISA 9.7.14.5.15 to
 * 9.7.14.5.17). Each row is 16 bytes of shared memory at an address given by a lane: lanes 0-7 for
 * the first matrix, lanes 8-15 for the second and so on. Lane 4 r + c holds elements 2 c and 2 c +
 * 1 of row r (transposed: of column r). */
#include "../../sm/sync.h"
#include "../memory/reach.h"
#include "fragment.h"

enum { ROW_BYTES = 16, MATRIX_EDGE = 8 }; /* bytes of a row; rows, and columns, of a matrix */

typedef struct row_access {
    sm_sync_form form;    /* must be the first field: exec_run_aligned reads it through i->extra */
    uint32_t count;       /* number of matrices: 1, 2 or 4 */
    bool transposed;      /* .trans modifier */
    const uint32_t *slot; /* [count] window slots of the registers */
} row_access;

/* Find the host addresses of the rows. False: the launch has been stopped. */
static bool find_row_addresses(sm_warp *w, const sm_insn *i, const row_access *a,
                               exec_access_op how, uint8_t *row[SM_LANES])
{
    const uint32_t lanes = a->count * MATRIX_EDGE;
    const uint32_t mask = lanes == SM_LANES ? SM_FULL : (1u << lanes) - 1;
    uint64_t bias = 0;
    sm_insn view = *i;
    if (view.mode & SM_M_GENERIC) {
        /* A generic address must be in shared memory; the statistics of this instruction count a
         * shared access. */
        const exec_lanes_by_space parts = EXEC_FOR_ISA(exec_split_generic)(w, i);
        if (parts.shared & mask)
            bias = -SM_SHARED_WINDOW;
    }
    exec_host_addresses r;
    const exec_request_pattern shape =
        EXEC_FOR_ISA(exec_host_addresses)(w, &view, mask, bias, PTX_SPACE_SHARED, how, &r);
    for (uint32_t l = 0; shape != EXEC_PATTERN_FAULT && l < lanes; l++) {
        row[l] = shape == EXEC_PATTERN_SAME_ADDRESS ? r.host
                 : shape == EXEC_PATTERN_CONTIGUOUS ? r.host + (size_t)l * ROW_BYTES
                                                    : (uint8_t *)(uintptr_t)r.at[l];
    }
    return shape != EXEC_PATTERN_FAULT;
}

static bool load_matrices(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)member;
    const row_access *a = i->extra;
    uint8_t *row[SM_LANES];
    if (!find_row_addresses(w, i, a, EXEC_LOAD, row))
        return false;
    for (uint32_t n = 0; n < a->count; n++) {
        uint32_t *to = SM_R(uint32_t, w, a->slot[n]);
        for (uint32_t k = 0; k < MATRIX_EDGE; k++)
            memcpy(to + 4 * k, row[n * MATRIX_EDGE + k], ROW_BYTES);
        if (a->transposed)
            exec_transpose(to);
    }
    return true;
}

static bool store_matrices(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)member;
    const row_access *a = i->extra;
    uint8_t *row[SM_LANES];
    if (!find_row_addresses(w, i, a, EXEC_STORE, row))
        return false;
    for (uint32_t n = 0; n < a->count; n++) {
        uint32_t word[SM_LANES];
        memcpy(word, SM_R(const uint32_t, w, a->slot[n]), sizeof word);
        if (a->transposed)
            exec_transpose(word);
        for (uint32_t k = 0; k < MATRIX_EDGE; k++)
            memcpy(row[n * MATRIX_EDGE + k], word + 4 * k, ROW_BYTES); /* NOLINT: all found */
    }
    return true;
}

static sm_fn select_row_access(compile_translation *t, const ptx_insn *in, sm_insn *out,
                               bool is_load)
{
    row_access *a = compile_alloc_with_code(t, sizeof *a);
    const ptx_operand *address = &in->opd[is_load ? 1 : 0], *data = &in->opd[is_load ? 0 : 1];
    if (!a || in->operand_count != 2 || !ptx_has_modifier(in, PTX_MOD_m8n8))
        return NULL;
    *a = (row_access){
        .form = {.compute = is_load ? load_matrices : store_matrices,
                 .name = is_load ? "ldmatrix.sync" : "stmatrix.sync",
                 .aligned = true},
        .count = ptx_has_modifier(in, PTX_MOD_x4)   ? 4
                 : ptx_has_modifier(in, PTX_MOD_x2) ? 2
                                                    : 1,
        .transposed = ptx_has_modifier(in, PTX_MOD_trans),
    };
    if (data->count != a->count) {
        snprintf(t->error, sizeof t->error, "it has %u registers for %u matrices", data->count,
                 a->count);
        return NULL;
    }
    a->slot = compile_slots_of_vector(t, data, 4);
    if (!EXEC_FOR_ISA(exec_set_access)(t, in, address, ROW_BYTES, out))
        return NULL;
    out->extra = a;
    return EXEC_FOR_ISA(exec_run_aligned);
}

EXEC_SELECT(ldmatrix)
{
    return select_row_access(t, in, out, true);
}

EXEC_SELECT(stmatrix)
{
    return select_row_access(t, in, out, false);
}

static bool move_matrices(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)member;
    uint32_t word[SM_LANES];
    memcpy(word, SM_R(const uint32_t, w, i->a), sizeof word);
    exec_transpose(word);
    memcpy(SM_R(uint32_t, w, i->d), word, sizeof word);
    return true;
}

EXEC_SELECT(movmatrix)
{
    static const sm_sync_form form = {
        .compute = move_matrices, .name = "movmatrix.sync", .aligned = true};
    if (!ptx_has_modifier(in, PTX_MOD_trans))
        return NULL;
    out->extra = &form;
    return EXEC_FOR_ISA(exec_run_aligned);
}
