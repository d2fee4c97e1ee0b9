/* Layouts of matrix fragments (PTX ISA 9.7.14.4.1, 9.7.14.5), and what needs all 32 lanes. */
#include "fragment.h"

#include "../../sm/fault.h"
#include "../../sm/sync.h"

/* --- shapes --- */

bool EXEC_FOR_ISA(exec_matrix_shape)(const ptx_insn *in, exec_matrix_dims *shape)
{
    static const struct {
        ptx_mod mod;
        exec_matrix_dims shape;
    } shapes[] = {
        {PTX_MOD_m8n8k4, {8, 8, 4}},       {PTX_MOD_m8n8k16, {8, 8, 16}},
        {PTX_MOD_m8n8k32, {8, 8, 32}},     {PTX_MOD_m8n8k128, {8, 8, 128}},
        {PTX_MOD_m16n8k4, {16, 8, 4}},     {PTX_MOD_m16n8k8, {16, 8, 8}},
        {PTX_MOD_m16n8k16, {16, 8, 16}},   {PTX_MOD_m16n8k32, {16, 8, 32}},
        {PTX_MOD_m16n8k64, {16, 8, 64}},   {PTX_MOD_m16n8k128, {16, 8, 128}},
        {PTX_MOD_m16n8k256, {16, 8, 256}}, {PTX_MOD_m16n16k8, {16, 16, 8}},
        {PTX_MOD_m16n16k16, {16, 16, 16}}, {PTX_MOD_m8n32k16, {8, 32, 16}},
        {PTX_MOD_m32n8k16, {32, 8, 16}},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        if (ptx_has_modifier(in, shapes[k].mod)) {
            *shape = shapes[k].shape;
            return true;
        }
    }
    return false;
}

/* Bits per element of a matrix; for single-bit matrices 32, because 32 bits are one element. */
static uint32_t element_bits(ptx_type type)
{
    switch (type) {
    case PTX_u4:
    case PTX_s4: return 4;
    case PTX_u8:
    case PTX_s8:
    case PTX_e4m3:
    case PTX_e5m2: return 8;
    case PTX_f16:
    case PTX_bf16: return 16;
    case PTX_f64: return 64;
    default: return 32;
    }
}

/* --- layouts --- */

typedef struct element_position {
    uint32_t batch, row, col; /* number of the matrix in the batch; row and column of the element */
} element_position;

/* Position of element E of register R of LANE in matrix A. A register holds PER elements. The four
 * lanes of a group (index t) hold neighbours along k; its eight groups (g) lie along m or n. */
static element_position position_in_a(uint32_t lane, uint32_t r, uint32_t e, uint32_t per,
                                      uint32_t m)
{
    const uint32_t g = lane / 4, t = lane % 4, tall = m >= 16 ? 2 : 1;
    return (element_position){0, g + 8 * (r % tall), t * per + e + r / tall * 4 * per};
}

static element_position position_in_b(uint32_t lane, uint32_t r, uint32_t e, uint32_t per)
{
    const uint32_t g = lane / 4, t = lane % 4;
    return (element_position){0, t * per + e + r * 4 * per, g};
}

/* Position of element INDEX of LANE in an accumulator: pairs of neighbours along n. */
static element_position position_in_c(uint32_t lane, uint32_t index)
{
    const uint32_t g = lane / 4, t = lane % 4;
    return (element_position){0, g + 8 * (index / 2), 2 * t + index % 2};
}

/* Positions for mma.m8n8k4 with f16: four products, computed by lanes 0-3 and 16-19, lanes 4-7
 * and 20-23, and so on. */
static element_position position_m8n8k4(exec_matrix_role role, bool row_major, bool f32,
                                        uint32_t lane, uint32_t i)
{
    const uint32_t batch = lane % 16 / 4, own = lane % 4 + lane / 16 * 4;
    const uint32_t near = lane % 4, far = i + 4 * (lane / 16);
    switch (role) {
    case EXEC_MATRIX_A:
        return row_major ? (element_position){batch, own, i} : (element_position){batch, far, near};
    case EXEC_MATRIX_B:
        return row_major ? (element_position){batch, near, far} : (element_position){batch, i, own};
    default:
        if (f32) {
            return (element_position){batch, (lane & 1) + (i & 2) + lane / 16 * 4,
                                      (i & 4) + (lane & 2) + (i & 1)};
        }
        return (element_position){batch, own, i};
    }
}

/* Positions for wmma, which multiplies 16 x 8 and 8 x 16 pieces like mma. */
static element_position position_wmma(exec_matrix_role role, exec_matrix_dims s, uint32_t lane,
                                      uint32_t r, uint32_t e, uint32_t per)
{
    if (s.m == 8 &&
        s.n == 32) { /* a product of shape m8n32 is computed as the transposed product */
        static const exec_matrix_role other[] = {[EXEC_MATRIX_A] = EXEC_MATRIX_B,
                                                 [EXEC_MATRIX_B] = EXEC_MATRIX_A,
                                                 [EXEC_MATRIX_C] = EXEC_MATRIX_C};
        const element_position p =
            position_wmma(other[role], (exec_matrix_dims){s.n, s.m, s.k}, lane, r, e, per);
        return (element_position){p.batch, p.col, p.row};
    }
    if (role == EXEC_MATRIX_C) {
        const uint32_t index = r * per + e; /* the elements of an accumulator are pairs; a pair
                                             * of f16 shares a register */
        element_position p = position_in_c(lane, index % 4);
        p.row += s.n == 8 ? 16 * (index / 4) : 0;
        p.col += s.n == 8 ? 0 : 8 * (index / 4);
        return p;
    }
    const uint32_t g = lane / 4, t = lane % 4;
    const uint32_t registers_along_k = s.k / (4 * per); /* number of registers along k */
    const uint32_t wide = role == EXEC_MATRIX_A ? s.m : s.n;
    const uint32_t along = role == EXEC_MATRIX_A && wide >= 16
                               ? r % 2 + r / (2 * registers_along_k) * 2
                               : r / registers_along_k;
    const uint32_t depth =
        role == EXEC_MATRIX_A && wide >= 16 ? r / 2 % registers_along_k : r % registers_along_k;
    const uint32_t outer = g + 8 * along, inner = t * per + e + 4 * per * depth;
    return role == EXEC_MATRIX_A ? (element_position){0, outer, inner}
                                 : (element_position){0, inner, outer};
}

bool EXEC_FOR_ISA(exec_tile_make)(compile_translation *t, exec_matrix_dims s, exec_matrix_role role,
                                  ptx_type type, bool wmma, bool row_major, exec_tile *tile)
{
    const uint32_t bits = element_bits(type), words = type == PTX_b1 ? 32 : 1;
    const uint32_t k = s.k / words;
    const bool volta = !wmma && s.m == 8 && s.k == 4 && bits <= 32;
    s.k = (uint16_t)k;
    *tile = (exec_tile){
        .rows = (uint16_t)(role == EXEC_MATRIX_B ? k : s.m),
        .cols = (uint16_t)(role == EXEC_MATRIX_A ? k : s.n),
        .batch = volta ? 4 : 1,
        .bits = (uint8_t)bits,
        .reg_bytes = bits == 64 ? 8 : 4,
    };
    const uint32_t per = exec_tile_elements_per_reg(tile),
                   all = tile->rows * tile->cols * tile->batch;
    /* Several lanes hold the same element only if a register would otherwise not be full. */
    tile->distinct = (uint8_t)(all / (per * SM_LANES));
    tile->regs = tile->distinct;
    if (wmma && type == PTX_f16 && role != EXEC_MATRIX_C)
        tile->regs = 8;
    uint16_t *at = compile_alloc_with_code(t, SM_LANES * tile->regs * per * sizeof *at);
    if (!at || all > EXEC_MAX_TILE_ELEMENTS || tile->distinct == 0)
        return false;
    tile->at = at;
    for (uint32_t r = 0; r < tile->regs; r++) {
        for (uint32_t e = 0; e < per; e++) {
            for (uint32_t l = 0; l < SM_LANES; l++) {
                const uint32_t own = r % tile->distinct;
                const element_position p =
                    volta  ? position_m8n8k4(role, row_major, type == PTX_f32, l, own * per + e)
                    : wmma ? position_wmma(role, s, l, own, e, per)
                    : role == EXEC_MATRIX_A ? position_in_a(l, own, e, per, s.m)
                    : role == EXEC_MATRIX_B ? position_in_b(l, own, e, per)
                                            : position_in_c(l, own * per + e);
                *at++ = (uint16_t)((p.batch * tile->rows + p.row) * tile->cols + p.col);
            }
        }
    }
    return true;
}

void EXEC_FOR_ISA(exec_tile_reorder)(exec_tile *t, uint32_t step, uint32_t count, uint32_t run,
                                     uint32_t parts)
{
    const uint32_t all = SM_LANES * t->regs * exec_tile_elements_per_reg(t), part = run / parts;
    bool adjacent = true, striped = true;
    for (uint32_t x = 0; x < all; x++) {
        const uint32_t was = t->at[x] / step % count, e = was % run;
        const uint32_t now = e / part * (count / parts) + was / (4 * run) * (4 * part) +
                             e % part * 4 + was / run % 4;
        t->at[x] = (uint16_t)(t->at[x] + now * step - was * step);
        adjacent = adjacent && t->at[x] == t->at[x - x % 4] + x % 4;
        striped = striped && t->at[x] == t->at[x - x % 32 / 8 * 8] + x % 32 / 8;
    }
    t->apart = adjacent ? 1 : striped ? 8 : 0;
}

/* --- registers --- */

void EXEC_FOR_ISA(exec_tile_gather)(const sm_warp *w, const exec_tile *t, const uint32_t *slot,
                                    uint32_t *dense)
{
    const uint32_t per = exec_tile_elements_per_reg(t), bits = t->bits, apart = t->apart;
    const uint32_t ones = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (uint32_t x = 0; x < t->distinct * per; x++) {
        const uint32_t *word = SM_R(const uint32_t, w, slot[x / per]), down = x % per * bits;
        const uint16_t *at = t->at + x * SM_LANES;
        for (uint32_t l = 0; apart == 1 && l < SM_LANES; l += 4)
            *(exec_quad *)(dense + at[l]) = *(const exec_quad *)(word + l) >> down & ones;
        for (uint32_t l = 0; apart == 8 && l < 8; l++) {
            const exec_quad four = {word[l], word[l + 8], word[l + 16], word[l + 24]};
            *(exec_quad *)(dense + at[l]) = four >> down & ones;
        }
        for (uint32_t l = 0; apart == 0 && l < SM_LANES; l++)
            dense[at[l]] = word[l] >> down & ones;
    }
}

void EXEC_FOR_ISA(exec_tile_scatter)(const sm_warp *w, const exec_tile *t, const uint32_t *slot,
                                     const uint32_t *dense)
{
    const uint32_t per = exec_tile_elements_per_reg(t), bits = t->bits;
    const bool adjacent = t->apart == 1;
    for (uint32_t x = 0; x < t->regs * per; x++) {
        uint32_t *word = SM_R(uint32_t, w, slot[x / per]);
        const uint32_t up = x % per * bits, kept = (1u << up) - 1;
        const uint16_t *at = t->at + x * SM_LANES;
        for (uint32_t l = 0; adjacent && l < SM_LANES; l += 4) {
            exec_quad *four = (exec_quad *)(word + l);
            *four = (*four & kept) | *(const exec_quad *)(dense + at[l]) << up;
        }
        for (uint32_t l = 0; !adjacent && l < SM_LANES; l++)
            word[l] = (word[l] & kept) | dense[at[l]] << up;
    }
}

void EXEC_FOR_ISA(exec_tile_gather_wide)(const sm_warp *w, const exec_tile *t, const uint32_t *slot,
                                         double *dense)
{
    for (uint32_t r = 0; r < t->distinct; r++)
        for (uint32_t l = 0; l < SM_LANES; l++)
            dense[exec_tile_at(t, r, 0)[l]] = SM_R(const double, w, slot[r])[l];
}

void EXEC_FOR_ISA(exec_tile_scatter_wide)(const sm_warp *w, const exec_tile *t,
                                          const uint32_t *slot, const double *dense)
{
    for (uint32_t r = 0; r < t->regs; r++)
        for (uint32_t l = 0; l < SM_LANES; l++)
            SM_R(double, w, slot[r])[l] = dense[exec_tile_at(t, r, 0)[l]];
}

/* --- checks that the whole warp takes part ---------------------------------------------------- */

const sm_insn *EXEC_FOR_ISA(exec_run_aligned)(sm_warp *w, const sm_insn *i)
{
    const sm_sync_form *form = i->extra;
    static const uint32_t member[SM_LANES] = {[0 ... SM_LANES - 1] = SM_FULL};
    if (w->mask == SM_FULL)
        return form->compute(w, i, member) ? i + 1 : NULL;
    if (sm_live_lanes(w) != SM_FULL) {
        char gone[100];
        sm_lanes_text(~sm_live_lanes(w), gone, sizeof gone);
        return sm_stop_launch(w, i, SM_FAULT_SYNC, w->mask, 0, 0, PTX_SPACE_NONE,
                              "%s: all 32 lanes of a warp execute it together, but lanes %s %s",
                              form->name, gone,
                              w->lanes == SM_FULL ? "have exited" : "do not exist or have exited");
    }
    return sm_wait_for_members(w, i, member);
}
