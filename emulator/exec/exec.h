/* For files exec_*.c: handlers, compiled once for every level of the host's vector instructions.
 *
 * Each such file is compiled with SM_ISA defined as the level's suffix (v1, v3, v4); every name
 * with external linkage goes through SM_LEVEL(). Lane loops are written so that the compiler
 * vectorises them: one loop for a full mask, one that blends by lane_on otherwise. */
#ifndef WARPBOOK_EXEC_H
#define WARPBOOK_EXEC_H

#include "../core/code.h"
#include "../core/warp.h"

#include <math.h>
#include <string.h>

#define SM_PASTE2(a, b) a##_##b
#define SM_PASTE(a, b)  SM_PASTE2(a, b)
#define SM_LEVEL(name)  SM_PASTE(name, SM_ISA)

/* Define the selector of a row of ops.def. */
#define SM_SELECT(handler)                                                                  \
    sm_fn SM_LEVEL(sm_sel_##handler)(sm_translation * t, const ptx_insn *in, sm_insn *out); \
    sm_fn SM_LEVEL(sm_sel_##handler)(sm_translation * t, const ptx_insn *in, sm_insn *out)

/* Lanes of a register. */
#define SM_R(type, w, slot) ((type *)__builtin_assume_aligned((w)->r + (slot), 64))
/* A predicate register. */
#define SM_P(w, slot) (*(uint32_t *)((w)->r + (slot)))

/* The lanes of a register do not depend on one another. */
#ifdef __clang__
/* A loop that clang leaves scalar is slow, not wrong. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define SM_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define SM_IVDEP _Pragma("GCC ivdep")
#endif

/* for every lane: d[l] = expression of l. D may be the same register as a source. */
#define SM_LANES_DO(w, dtype, d, expression)                                         \
    do {                                                                             \
        dtype *sm_d = (d);                                                           \
        if ((w)->mask == SM_FULL) {                                                  \
            SM_IVDEP for (uint32_t l = 0; l < SM_LANES; l++) sm_d[l] = (expression); \
        } else {                                                                     \
            const int32_t *sm_on = (w)->lane_on;                                     \
            SM_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                         \
            {                                                                        \
                dtype sm_v = (expression);                                           \
                sm_d[l] = sm_on[l] ? sm_v : sm_d[l];                                 \
            }                                                                        \
        }                                                                            \
    } while (0)

/* The selector table of this level, by ptx_op. */
extern const sm_selector SM_LEVEL(sm_select_table)[PTX_OP_COUNT];

#endif
