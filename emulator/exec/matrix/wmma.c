/* wmma.load and wmma.store (PTX ISA 9.7.14.4.3, 9.7.14.4.4): transfer a matrix between memory
 * and the registers of a warp. If the elements of a register are adjacent in memory, a lane
 * transfers the register with one access; it transfers two registers with one access if these
 * are adjacent too. A matrix of 16-bit elements in the other layout (row or column) is read
 * transposed, and lanes exchange elements; for other types each element is one access. An H200
 * does the same according to its counters (tests/hardware/counters/patterns/matrices.cu). */
#include "../../sm/fault.h"
#include "../../sm/sync.h"
#include "../memory/reach.h"
#include "fragment.h"

typedef struct matrix_transfer {
    sm_sync_form form;    /* must be the first field: exec_run_aligned reads it through i->extra */
    exec_tile tile;       /* layout of the fragment */
    const uint32_t *slot; /* window slots of the registers */
    bool by_rows;         /* the matrix is stored row by row */
    bool transposed; /* the matrix is read transposed; then lanes exchange elements (exchange_lanes)
                      */
    uint32_t registers_per_access; /* number of registers that one access transfers */
    uint32_t unit; /* number of the program's elements in one element of `tile`: 32 for single bits,
                      otherwise 1 */
    uint32_t stride; /* window slot of the leading dimension; 0: the leading dimension is the
                      * matrix width or height */
    uint32_t lead;   /* number of elements between two rows or columns, if no operand gives it */
    uint32_t piece;  /* number of bytes of an access */
    uint32_t pieces; /* number of accesses for each register */
} matrix_transfer;

/* Address of access N of register R of lane L, relative to the start of the matrix. */
static uint64_t access_offset(const matrix_transfer *f, uint32_t l, uint32_t r, uint32_t n,
                              uint64_t lead)
{
    const uint32_t per = exec_tile_elements_per_reg(&f->tile);
    uint32_t element = n * (per / f->pieces);
    if (f->transposed) {
        element = l / 4 % 2;
        l = 8 * (l % 4) + l / 8;
    }
    const uint32_t at = f->tile.at[(l * f->tile.regs + r) * per + element];
    const uint64_t row = at / f->tile.cols, col = at % f->tile.cols;
    /* `outer` and `inner` are numbers of elements of the tile */
    const uint64_t outer = f->by_rows ? row : col, inner = f->by_rows ? col : row;
    return (outer * lead * (f->tile.bits / f->unit) + inner * f->tile.bits) / 8;
}

static bool find_piece_addresses(sm_warp *w, const sm_insn *i, ptx_space space, uint64_t bias,
                                 const uint64_t base[SM_LANES], const uint64_t lead[SM_LANES],
                                 uint32_t r, uint32_t n, exec_access_op how, uint8_t *at[SM_LANES])
{
    const matrix_transfer *f = i->extra;
    /* The scratch register (slot 0) holds the addresses. */
    uint64_t *address = SM_R(uint64_t, w, 0);
    for (uint32_t l = 0; l < SM_LANES; l++)
        address[l] = base[l] + access_offset(f, l, r, n, lead[l]);
    sm_insn one = *i;
    one.a = 0;
    one.imm = 0;
    one.mode = (uint16_t)((i->mode & ~(SM_M_BYTES | SM_M_ADDR32)) | f->piece);
    exec_host_addresses reach;
    const exec_request_pattern shape =
        EXEC_FOR_ISA(exec_host_addresses)(w, &one, SM_FULL, bias, space, how, &reach);
    for (uint32_t l = 0; shape != EXEC_PATTERN_FAULT && l < SM_LANES; l++) {
        at[l] = shape == EXEC_PATTERN_SAME_ADDRESS ? reach.host
                : shape == EXEC_PATTERN_CONTIGUOUS ? reach.host + (size_t)l * f->piece
                                                   : (uint8_t *)(uintptr_t)reach.at[l];
    }
    return shape != EXEC_PATTERN_FAULT;
}

/* Read the matrix's address and leading dimension in each lane, and the state space. */
static bool read_base_addresses(sm_warp *w, const sm_insn *i, uint64_t base[SM_LANES],
                                uint64_t lead[SM_LANES], ptx_space *space, uint64_t *bias)
{
    const matrix_transfer *f = i->extra;
    const bool narrow = i->mode & SM_M_ADDR32;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        base[l] = narrow ? (uint32_t)(SM_R(const uint32_t, w, i->a)[l] + (uint32_t)i->imm)
                         : SM_R(const uint64_t, w, i->a)[l] + i->imm;
        lead[l] = f->stride ? SM_R(const uint32_t, w, f->stride)[l] : f->lead;
    }
    *bias = 0;
    *space = sm_site_insn(w, i)->space;
    if (*space != PTX_SPACE_NONE)
        return true;
    const exec_lanes_by_space s = EXEC_FOR_ISA(exec_split_generic)(w, i);
    if (s.global == SM_FULL || s.shared == SM_FULL) {
        *space = s.global ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED;
        *bias = s.global ? 0 : -SM_SHARED_WINDOW;
        return true;
    }
    sm_stop_launch(w, i, SM_FAULT_SYNC, SM_FULL, base[0], 0, PTX_SPACE_NONE,
                   "%s: the matrix must be in global or in shared memory, the same for all lanes",
                   f->form.name);
    return false;
}

/* Exchange elements between lanes: in each 8 x 8 block, lane 4 g + t has read the elements with the
 * roles of g and of 2 t, 2 t + 1 exchanged. */
static void exchange_lanes(uint8_t word[SM_LANES][16])
{
    uint8_t out[SM_LANES][4];
    for (uint32_t l = 0; l < SM_LANES; l++) {
        for (uint32_t e = 0; e < 2; e++) {
            const uint32_t to = 8 * (l % 4) + 4 * e + l / 8;
            memcpy(out[to] + 2 * (l / 4 % 2), word[l] + 2 * e, 2);
        }
    }
    for (uint32_t l = 0; l < SM_LANES; l++)
        memcpy(word[l], out[l], 4);
}

static bool load_fragment(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)member;
    const matrix_transfer *f = i->extra;
    uint64_t base[SM_LANES], lead[SM_LANES], bias;
    ptx_space space;
    if (!read_base_addresses(w, i, base, lead, &space, &bias))
        return false;
    const uint32_t bytes = f->tile.reg_bytes, piece = f->piece;
    for (uint32_t r = 0; r < f->tile.distinct; r += f->registers_per_access) {
        uint8_t word[SM_LANES][16] = {{0}};
        for (uint32_t n = 0; n < f->pieces; n++) {
            uint8_t *at[SM_LANES];
            if (!find_piece_addresses(w, i, space, bias, base, lead, r, n, EXEC_LOAD, at))
                return false;
            for (uint32_t l = 0; l < SM_LANES; l++)
                memcpy(word[l] + n * piece, at[l], piece);
        }
        if (f->transposed)
            exchange_lanes(word);
        for (uint32_t j = 0; j < f->registers_per_access; j++) {
            for (uint32_t to = r + j; to < f->tile.regs; to += f->tile.distinct)
                for (uint32_t l = 0; l < SM_LANES; l++)
                    memcpy(w->r + f->slot[to] + (size_t)l * bytes, word[l] + j * bytes, bytes);
        }
    }
    return true;
}

static bool store_fragment(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)member;
    const matrix_transfer *f = i->extra;
    uint64_t base[SM_LANES], lead[SM_LANES], bias;
    ptx_space space;
    if (!read_base_addresses(w, i, base, lead, &space, &bias))
        return false;
    const uint32_t bytes = f->tile.reg_bytes, part = f->piece / f->registers_per_access;
    for (uint32_t r = 0; r < f->tile.regs; r += f->registers_per_access) {
        for (uint32_t n = 0; n < f->pieces; n++) {
            uint8_t *at[SM_LANES];
            if (!find_piece_addresses(w, i, space, bias, base, lead, r, n, EXEC_STORE, at))
                return false;
            for (uint32_t j = 0; j < f->registers_per_access; j++) {
                const uint8_t *word = w->r + f->slot[r + j] + n * part;
                for (uint32_t l = 0; l < SM_LANES; l++)
                    memcpy(at[l] + j * part, word + (size_t)l * bytes, part);
            }
        }
    }
    return true;
}

static sm_fn select_transfer(compile_translation *t, const ptx_insn *in, sm_insn *out,
                             exec_matrix_role role, bool is_load, const char *name)
{
    matrix_transfer *f = compile_alloc_with_code(t, sizeof *f);
    const ptx_operand *address = &in->opd[is_load ? 1 : 0], *data = &in->opd[is_load ? 0 : 1];
    exec_matrix_dims s;
    if (!f || in->operand_count < 2 || !EXEC_FOR_ISA(exec_matrix_shape)(in, &s) ||
        !EXEC_FOR_ISA(exec_tile_make)(t, s, role, in->type[0], true, true, &f->tile))
        return NULL;
    const exec_tile *tile = &f->tile;
    if (data->count != tile->regs) {
        snprintf(t->error, sizeof t->error, "the fragment has %u registers, not %u", tile->regs,
                 data->count);
        return NULL;
    }
    f->form = (sm_sync_form){
        .compute = is_load ? load_fragment : store_fragment, .name = name, .aligned = true};
    f->by_rows = ptx_has_modifier(in, PTX_MOD_row);
    f->unit = in->type[0] == PTX_b1 ? 32 : 1;
    f->lead = (f->by_rows ? tile->cols : tile->rows) * f->unit;
    f->slot = compile_slots_of_vector(t, data, tile->reg_bytes);
    if (in->operand_count > 2)
        f->stride = exec_operand_slot(t, in, 2, 4, 0);
    /* Check whether the elements of a register are adjacent in memory. */
    const uint32_t per = exec_tile_elements_per_reg(tile);
    const uint32_t step = f->by_rows ? 1 : tile->cols;
    const bool whole = per == 1 || tile->at[1] == tile->at[0] + step;
    if (!whole && tile->bits < 8) {
        snprintf(t->error, sizeof t->error, "a must be .row and b .col");
        return NULL;
    }
    f->transposed = !whole && is_load && role != EXEC_MATRIX_C && tile->bits == 16;
    f->registers_per_access = per == 1 && role == EXEC_MATRIX_C && tile->reg_bytes == 4 &&
                                      tile->at[1] == tile->at[0] + step
                                  ? 2
                                  : 1;
    f->pieces = whole || f->transposed ? 1 : per;
    f->piece = f->registers_per_access * tile->reg_bytes / f->pieces;
    if (!EXEC_FOR_ISA(exec_set_access)(t, in, address, f->piece, out))
        return NULL;
    out->extra = f;
    return EXEC_FOR_ISA(exec_run_aligned);
}

EXEC_SELECT(wmma_load_a)
{
    return select_transfer(t, in, out, EXEC_MATRIX_A, true, "wmma.load.a.sync");
}

EXEC_SELECT(wmma_load_b)
{
    return select_transfer(t, in, out, EXEC_MATRIX_B, true, "wmma.load.b.sync");
}

EXEC_SELECT(wmma_load_c)
{
    return select_transfer(t, in, out, EXEC_MATRIX_C, true, "wmma.load.c.sync");
}

EXEC_SELECT(wmma_store_d)
{
    return select_transfer(t, in, out, EXEC_MATRIX_C, false, "wmma.store.d.sync");
}
