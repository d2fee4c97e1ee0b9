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

/* Where the lanes' elements of one access lie, in bits: lane l's are ROW[l] times the leading
 * dimension, and IN_ROW[l], after the start of the matrix. A row is a column if the matrix is
 * stored column by column. */
typedef struct access_places {
    uint32_t row[SM_LANES], in_row[SM_LANES];
} access_places;

typedef struct matrix_transfer {
    sm_sync_form form;    /* must be the first field: exec_run_aligned reads it through i->extra */
    exec_tile tile;       /* layout of the fragment */
    const uint32_t *slot; /* window slots of the registers */
    bool by_rows;         /* the matrix is stored row by row */
    bool transposed;      /* the matrix is read transposed; then exec_transpose() follows
                           */
    uint32_t registers_per_access; /* number of registers that one access transfers */
    uint32_t unit; /* number of the program's elements in one element of `tile`: 32 for single bits,
                      otherwise 1 */
    uint32_t stride; /* window slot of the leading dimension; 0: the leading dimension is the
                      * matrix width or height */
    uint32_t lead;   /* number of elements between two rows or columns, if no operand gives it */
    uint32_t piece;  /* number of bytes of an access: 1, 2, 4 or 8 */
    uint32_t pieces; /* number of accesses for each register */
    access_places *places; /* [accesses of the distinct registers] */
    bool in_rows;          /* each four lanes of an access read 16 adjacent bytes */
} matrix_transfer;

/* The place of access N of register R of lane L. */
static void set_place(const matrix_transfer *f, uint32_t l, uint32_t r, uint32_t n,
                      access_places *to)
{
    const uint32_t per = exec_tile_elements_per_reg(&f->tile), lane = l;
    uint32_t element = n * (per / f->pieces);
    if (f->transposed) {
        element = l / 4 % 2;
        l = 8 * (l % 4) + l / 8;
    }
    const uint32_t at = exec_tile_at(&f->tile, r, element)[l];
    const uint32_t row = at / f->tile.cols, col = at % f->tile.cols;
    to->row[lane] = (f->by_rows ? row : col) * (f->tile.bits / f->unit);
    to->in_row[lane] = (f->by_rows ? col : row) * f->tile.bits;
}

static bool set_places(compile_translation *t, matrix_transfer *f)
{
    const uint32_t per = f->registers_per_access, count = f->tile.distinct / per * f->pieces;
    f->places = compile_alloc_with_code(t, count * sizeof *f->places);
    f->in_rows = f->piece == 4;
    for (uint32_t x = 0; f->places && x < count; x++) {
        access_places *p = &f->places[x];
        for (uint32_t l = 0; l < SM_LANES; l++) {
            set_place(f, l, x / f->pieces * per, x % f->pieces, p);
            const uint32_t first = l - l % 4;
            f->in_rows = f->in_rows && p->row[l] == p->row[first] &&
                         p->in_row[l] == p->in_row[first] + l % 4 * 32;
        }
    }
    return f->places != NULL;
}

/* A matrix in memory. */
typedef struct stored_matrix {
    uint64_t base[SM_LANES]; /* its address, in each lane */
    uint32_t lead[SM_LANES]; /* its leading dimension */
    bool uniform;            /* both are the same in all lanes */
    ptx_space space;
    uint64_t bias; /* from the address to the offset in SPACE */
} stored_matrix;

static inline uint64_t place_in_matrix(const stored_matrix *m, const access_places *p, uint32_t l)
{
    return m->base[l] + ((uint64_t)p->row[l] * m->lead[l] + p->in_row[l]) / 8;
}

/* Find the host addresses of the access at PLACE. */
static bool find_piece_addresses(sm_warp *w, const sm_insn *i, const stored_matrix *m,
                                 const access_places *place, exec_access_op how,
                                 exec_host_addresses *reach)
{
    const matrix_transfer *f = i->extra;
    /* The scratch register (slot 0) holds the addresses. */
    uint64_t *address = SM_R(uint64_t, w, 0);
    for (uint32_t l = 0; l < SM_LANES; l++)
        address[l] = place_in_matrix(m, place, l);
    sm_insn one = *i;
    one.a = 0;
    one.imm = 0;
    one.mode = (uint16_t)((i->mode & ~(SM_M_BYTES | SM_M_ADDR32)) | f->piece);
    const exec_request_pattern shape =
        EXEC_FOR_ISA(exec_host_addresses)(w, &one, SM_FULL, m->bias, m->space, how, reach);
    for (uint32_t l = 0; shape != EXEC_PATTERN_EACH_LANE && l < SM_LANES; l++)
        reach->at[l] = (uintptr_t)exec_lane_host_address(shape, reach, l, f->piece);
    return shape != EXEC_PATTERN_FAULT;
}

/* Read the matrix's address and leading dimension in each lane, and the state space. */
static bool read_base_addresses(sm_warp *w, const sm_insn *i, stored_matrix *m)
{
    const matrix_transfer *f = i->extra;
    uint64_t differ = 0;
    if (i->mode & SM_M_ADDR32)
        for (uint32_t l = 0; l < SM_LANES; l++)
            m->base[l] = SM_R(const uint32_t, w, i->a)[l] + (uint32_t)i->imm;
    else
        for (uint32_t l = 0; l < SM_LANES; l++)
            m->base[l] = SM_R(const uint64_t, w, i->a)[l] + i->imm;
    if (f->stride)
        memcpy(m->lead, SM_R(const uint32_t, w, f->stride), sizeof m->lead);
    else
        for (uint32_t l = 0; l < SM_LANES; l++)
            m->lead[l] = f->lead;
    for (uint32_t l = 0; l < SM_LANES; l++)
        differ |= (m->base[l] ^ m->base[0]) | (m->lead[l] ^ m->lead[0]);
    m->uniform = !differ;
    m->bias = 0;
    m->space = sm_site_insn(w, i)->space;
    if (m->space != PTX_SPACE_NONE)
        return true;
    const exec_lanes_by_space s = EXEC_FOR_ISA(exec_split_generic)(w, i);
    if (s.global == SM_FULL || s.shared == SM_FULL) {
        m->space = s.global ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED;
        m->bias = s.global ? 0 : -SM_SHARED_WINDOW;
        return true;
    }
    sm_stop_launch(w, i, SM_FAULT_SYNC, SM_FULL, m->base[0], 0, PTX_SPACE_NONE,
                   "%s: the matrix must be in global or in shared memory, the same for all lanes",
                   f->form.name);
    return false;
}

/* What the lanes have read for one access: words, or the lower and upper words of 8 bytes. */
typedef uint32_t lane_words[2][SM_LANES];

static bool load_rows(sm_warp *w, const sm_insn *i, const stored_matrix *m,
                      const access_places *place, lane_words word)
{
    uint64_t row[EXEC_ROWS];
    for (uint32_t x = 0; x < EXEC_ROWS; x++)
        row[x] = place_in_matrix(m, place, 4 * x);
    return EXEC_FOR_ISA(exec_load_rows)(w, i, row, word[0]);
}

/* Set bits SHIFT and up of each lane's WORD, with lower bits set, to the BYTES bytes at AT[l]. */
static inline void read_pieces(const uint64_t at[SM_LANES], uint32_t bytes, uint32_t shift,
                               lane_words word)
{
    for (uint32_t l = 0; l < SM_LANES; l++) {
        const uint8_t *from = (const uint8_t *)(uintptr_t)at[l];
        uint32_t four = 0;
        uint16_t two = 0;
        if (bytes == 8)
            memcpy(&word[1][l], from + 4, 4);
        if (bytes >= 4)
            memcpy(&four, from, 4);
        else
            memcpy(&two, from, bytes == 2 ? 2 : 1);
        word[0][l] = (shift ? word[0][l] : 0) | (four | two) << shift;
    }
}

/* Write part J of what the lanes have read to the register in SLOT. */
static inline void fill_register(sm_warp *w, uint32_t slot, uint32_t bytes, const lane_words word,
                                 uint32_t j)
{
    if (bytes == 4)
        memcpy(w->r + slot, word[j], sizeof word[j]);
    else
        for (uint32_t l = 0; l < SM_LANES; l++)
            SM_R(uint64_t, w, slot)[l] = word[0][l] | (uint64_t)word[1][l] << 32;
}

static bool load_fragment(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)member;
    const matrix_transfer *f = i->extra;
    const access_places *place = f->places;
    stored_matrix m;
    if (!read_base_addresses(w, i, &m))
        return false;
    const bool in_rows = f->in_rows && m.uniform && m.space == PTX_SPACE_GLOBAL;
    for (uint32_t r = 0; r < f->tile.distinct; r += f->registers_per_access) {
        lane_words word = {{0}};
        if (in_rows && load_rows(w, i, &m, place, word)) {
            place++;
        } else {
            for (uint32_t n = 0; n < f->pieces; n++) {
                exec_host_addresses from;
                if (!find_piece_addresses(w, i, &m, place++, EXEC_LOAD, &from))
                    return false;
                read_pieces(from.at, f->piece, 8 * n * f->piece, word);
            }
        }
        if (f->transposed)
            exec_transpose(word[0]);
        for (uint32_t j = 0; j < f->registers_per_access; j++)
            for (uint32_t to = r + j; to < f->tile.regs; to += f->tile.distinct)
                fill_register(w, f->slot[to], f->tile.reg_bytes, word, j);
    }
    return true;
}

static bool store_fragment(sm_warp *w, const sm_insn *i, const uint32_t *member)
{
    (void)member;
    const matrix_transfer *f = i->extra;
    const access_places *place = f->places;
    stored_matrix m;
    if (!read_base_addresses(w, i, &m))
        return false;
    const uint32_t bytes = f->tile.reg_bytes, part = f->piece / f->registers_per_access;
    for (uint32_t r = 0; r < f->tile.regs; r += f->registers_per_access) {
        for (uint32_t n = 0; n < f->pieces; n++) {
            exec_host_addresses to;
            if (!find_piece_addresses(w, i, &m, place++, EXEC_STORE, &to))
                return false;
            for (uint32_t j = 0; j < f->registers_per_access; j++) {
                const uint8_t *word = w->r + f->slot[r + j] + n * part;
                for (uint32_t l = 0; l < SM_LANES; l++)
                    memcpy((uint8_t *)(uintptr_t)to.at[l] + j * part, word + (size_t)l * bytes,
                           part);
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
    const bool whole = per == 1 || exec_tile_at(tile, 0, 1)[0] == tile->at[0] + step;
    if (!whole && tile->bits < 8) {
        snprintf(t->error, sizeof t->error, "a must be .row and b .col");
        return NULL;
    }
    f->transposed = !whole && is_load && role != EXEC_MATRIX_C && tile->bits == 16;
    f->registers_per_access = per == 1 && role == EXEC_MATRIX_C && tile->reg_bytes == 4 &&
                                      exec_tile_at(tile, 1, 0)[0] == tile->at[0] + step
                                  ? 2
                                  : 1;
    f->pieces = whole || f->transposed ? 1 : per;
    f->piece = f->registers_per_access * tile->reg_bytes / f->pieces;
    if (!set_places(t, f) || !EXEC_FOR_ISA(exec_set_access)(t, in, address, f->piece, out))
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
