/* Matrices spread over the lanes of a warp (PTX ISA 9.7.14): where their elements lie, and the
 * instructions that all 32 lanes execute together (.aligned).
 *
 * The ISA calls the part of a matrix that a lane holds a fragment: registers, each full of elements
 * of 4 to 64 bits. Of single bits 32 count as one element, a word. */
#ifndef WARPBOOK_EXEC_MATRIX_H
#define WARPBOOK_EXEC_MATRIX_H

#include "../../sm/sched.h"
#include "../lanes.h"

enum { SM_TILE_MOST = 1024 }; /* elements of the largest matrix, 16 x 64 of 4 bits */

/* A matrix, or BATCH of them side by side, in registers. */
typedef struct sm_tile {
    uint16_t rows, cols, batch;
    uint8_t bits;      /* of an element */
    uint8_t reg_bytes; /* of a lane's register: 4 or 8 */
    uint8_t regs;      /* registers of a lane */
    uint8_t distinct;  /* of them the first that hold the whole matrix; the rest repeat them */
    uint16_t *at;      /* [lane][register][element]: ((batch * rows) + row) * cols + col */
} sm_tile;

static inline uint32_t sm_tile_per_reg(const sm_tile *t)
{
    return t->reg_bytes * 8u / t->bits;
}

typedef enum { SM_MATRIX_A, SM_MATRIX_B, SM_MATRIX_C } sm_matrix_role; /* D is as C */

/* m, n, k of a shape's modifier among those of IN; false when it has none. */
typedef struct sm_mnk {
    uint16_t m, n, k;
} sm_mnk;
bool SM_LEVEL(sm_matrix_shape)(const ptx_insn *in, sm_mnk *shape);

/* The fragment of a matrix of mma (9.7.14.5) or, with WMMA, of wmma (9.7.14.4), whose layout the
 * ISA leaves open: the one of the recorded H200 (tests/hardware/values, family wmma). ROW_MAJOR
 * matters to mma.m8n8k4 of f16. False when there is no such form. */
bool SM_LEVEL(sm_tile_make)(sm_translation *t, sm_mnk shape, sm_matrix_role role, ptx_type type,
                            bool wmma, bool row_major, sm_tile *tile);

/* Elements of the fragments at SLOT[0 .. tile->distinct), as bits, to DENSE and back (to all
 * registers). wide: of 64 bits. */
void SM_LEVEL(sm_tile_gather)(const sm_warp *w, const sm_tile *t, const uint32_t *slot,
                              uint32_t *dense);
void SM_LEVEL(sm_tile_scatter)(const sm_warp *w, const sm_tile *t, const uint32_t *slot,
                               const uint32_t *dense);
void SM_LEVEL(sm_tile_gather_wide)(const sm_warp *w, const sm_tile *t, const uint32_t *slot,
                                   double *dense);
void SM_LEVEL(sm_tile_scatter_wide)(const sm_warp *w, const sm_tile *t, const uint32_t *slot,
                                    const double *dense);

/* The handler of an instruction of the whole warp: waits for all lanes, then calls
 * ((sm_sync_form *)i->extra)->compute. i->extra begins with a form that is `aligned`. */
const sm_insn *SM_LEVEL(sm_run_aligned)(sm_warp *w, const sm_insn *i);

#endif
