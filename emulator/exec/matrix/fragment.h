/* Matrices distributed over the lanes of a warp (PTX ISA 9.7.14): positions of their elements, and
 * instructions that all 32 lanes execute together (.aligned).
 *
 * The ISA calls the part of a matrix that a lane holds a fragment: registers filled with elements
 * of 4 to 64 bits. For matrices of single bits, a word of 32 bits counts as one element. */
#ifndef WARPBOOK_EXEC_MATRIX_H
#define WARPBOOK_EXEC_MATRIX_H

#include "../lanes.h"

enum {
    EXEC_MAX_TILE_ELEMENTS = 1024 /* elements of the largest matrix: 16 x 64 elements of 4 bits */
};

/* Layout of a matrix, or of BATCH matrices, in the registers of a warp. */
typedef struct exec_tile {
    uint16_t rows, cols, batch; /* size of a matrix; number of matrices */
    uint8_t bits;               /* bits per element */
    uint8_t reg_bytes;          /* bytes per lane of a register: 4 or 8 */
    uint8_t regs;               /* registers per lane */
    uint8_t distinct; /* the first `distinct` registers hold the matrix; the others repeat it */
    uint8_t apart;    /* elements at one place of the registers of four lanes follow one another in
                       * the matrix: 1 of lanes 4 g to 4 g + 3, 8 of g, g + 8, g + 16, g + 24, for
                       * all g below 8; 0 of no such lanes */
    uint16_t *at;     /* [register][element][lane]: ((batch * rows) + row) * cols + col of each
                         element */
} exec_tile;

/* Words of four lanes. */
typedef uint32_t exec_quad __attribute__((vector_size(16), aligned(4), may_alias));

/* Transpose a matrix of 8 x 8 elements of 16 bits, of which lane 4 r + c holds elements 2 c and 2 c
 * + 1 of row r. */
static inline void exec_transpose(uint32_t word[SM_LANES])
{
    uint32_t in[SM_LANES];
    memcpy(in, word, sizeof in);
    for (uint32_t h = 0; h < 4; h++) {
        const exec_quad first = {in[h], in[h + 8], in[h + 16], in[h + 24]};
        const exec_quad second = {in[h + 4], in[h + 12], in[h + 20], in[h + 28]};
        *(exec_quad *)(word + 8 * h) = (first & 0xffff) | second << 16;
        *(exec_quad *)(word + 8 * h + 4) = first >> 16 | (second & 0xffff0000);
    }
}

static inline uint32_t exec_tile_elements_per_reg(const exec_tile *t)
{
    return t->reg_bytes * 8u / t->bits;
}

/* The indices of the lanes' elements E of register R. */
static inline uint16_t *exec_tile_at(const exec_tile *t, uint32_t r, uint32_t e)
{
    return t->at + (r * exec_tile_elements_per_reg(t) + e) * SM_LANES;
}

/* Matrix operands of mma: the result D has the layout of C. */
typedef enum { EXEC_MATRIX_A, EXEC_MATRIX_B, EXEC_MATRIX_C } exec_matrix_role;

/* The dimensions m, n, k from a shape modifier. */
typedef struct exec_matrix_dims {
    uint16_t m, n, k; /* matrix A is m x k, B is k x n, C is m x n */
} exec_matrix_dims;
bool EXEC_FOR_ISA(exec_matrix_shape)(const ptx_insn *in, exec_matrix_dims *shape);

/* The fragment layout of a matrix of mma (9.7.14.5) or, with WMMA, of wmma (9.7.14.4). The ISA
 * does not specify the wmma layout; it is taken from an H200 (tests/hardware/values, family
 * wmma). ROW_MAJOR is used by mma.m8n8k4 with f16. False: no instruction has this form. */
bool EXEC_FOR_ISA(exec_tile_make)(compile_translation *t, exec_matrix_dims shape,
                                  exec_matrix_role role, ptx_type type, bool wmma, bool row_major,
                                  exec_tile *tile);

/* Renumber the rows or columns, COUNT of them, STEP elements apart, that lanes hold in runs of RUN:
 * the first elements of four lanes' runs come first, then the second ones and so on. If PARTS is 2,
 * all first halves of the runs come before all second halves. */
void EXEC_FOR_ISA(exec_tile_reorder)(exec_tile *t, uint32_t step, uint32_t count, uint32_t run,
                                     uint32_t parts);

/* exec_tile_gather copies the elements, as bits, from the registers at SLOT[0 .. tile->distinct) to
 * the matrix DENSE, exec_tile_scatter DENSE to all registers. wide: elements of 64 bits. */
void EXEC_FOR_ISA(exec_tile_gather)(const sm_warp *w, const exec_tile *t, const uint32_t *slot,
                                    uint32_t *dense);
void EXEC_FOR_ISA(exec_tile_scatter)(const sm_warp *w, const exec_tile *t, const uint32_t *slot,
                                     const uint32_t *dense);
void EXEC_FOR_ISA(exec_tile_gather_wide)(const sm_warp *w, const exec_tile *t, const uint32_t *slot,
                                         double *dense);
void EXEC_FOR_ISA(exec_tile_scatter_wide)(const sm_warp *w, const exec_tile *t,
                                          const uint32_t *slot, const double *dense);

/* The handler of an instruction of the whole warp: waits for all lanes and calls ((sm_sync_form
 * *)i->extra)->compute. i->extra begins with a sm_sync_form that is `aligned`. */
const sm_insn *EXEC_FOR_ISA(exec_run_aligned)(sm_warp *w, const sm_insn *i);

#endif
