/* Macros for the files that implement instructions. Each file is compiled once for each level of
 * x86-64 vector instructions: with EXEC_ISA defined as the level's suffix (v1, v3, v4), and with
 * every external name wrapped in EXEC_FOR_ISA(). Loops over lanes are written so that the compiler
 * vectorises them: one loop for a full mask, and one that selects by lane_on otherwise. */
#ifndef WARPBOOK_EXEC_H
#define WARPBOOK_EXEC_H

#include "../compile/compile.h"
#include "../core/code.h"
#include "../core/warp.h"

#include <math.h>
#include <string.h>

#define EXEC_PASTE2(a, b) a##_##b
#define EXEC_PASTE(a, b)  EXEC_PASTE2(a, b)
/* The function NAME of the host's instruction set for which this file is compiled. */
#define EXEC_FOR_ISA(name) EXEC_PASTE(name, EXEC_ISA)

/* Define the selector that a row of ops.def names. */
#define EXEC_SELECT(handler)                                                                \
    sm_fn EXEC_FOR_ISA(exec_sel_##handler)(compile_translation * t, const ptx_insn *in,     \
                                           sm_insn *out);                                   \
    sm_fn EXEC_FOR_ISA(exec_sel_##handler)(__attribute__((unused)) compile_translation * t, \
                                           __attribute__((unused)) const ptx_insn *in,      \
                                           __attribute__((unused)) sm_insn *out)

/* EXEC_IVDEP before a loop tells the compiler that its iterations (the lanes) are independent. */
#ifdef __clang__
/* no warning about loops that clang cannot vectorise: they are slow but correct */
#pragma clang diagnostic ignored "-Wpass-failed"
#define EXEC_IVDEP           _Pragma("clang loop vectorize(assume_safety)")
#define EXEC_IVDEP_NO_UNROLL EXEC_IVDEP
#else
#define EXEC_IVDEP           _Pragma("GCC ivdep")
/* Like EXEC_IVDEP, also for loops of few iterations, which gcc would otherwise unroll instead of
 * vectorising them. */
#define EXEC_IVDEP_NO_UNROLL EXEC_IVDEP _Pragma("GCC unroll 1")
#endif

/* For every active lane l: d[l] = EXPRESSION of l. D may be a source register, too. */
#define EXEC_LANES_DO(w, dtype, d, expression)                                         \
    do {                                                                               \
        dtype *sm_d = (d);                                                             \
        if ((w)->mask == SM_FULL) {                                                    \
            EXEC_IVDEP for (uint32_t l = 0; l < SM_LANES; l++) sm_d[l] = (expression); \
        } else {                                                                       \
            const int32_t *sm_on = (w)->lane_on;                                       \
            EXEC_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                         \
            {                                                                          \
                dtype sm_v = (expression);                                             \
                sm_d[l] = sm_on[l] ? sm_v : sm_d[l];                                   \
            }                                                                          \
        }                                                                              \
    } while (0)

/* For each ptx_op, the function that selects the handler of an instruction, compiled for this level
 * of vector instructions. */
extern const sm_selector EXEC_FOR_ISA(exec_select_table)[PTX_OP_COUNT];

#endif
