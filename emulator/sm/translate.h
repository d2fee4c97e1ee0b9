/* From a parsed function to code: registers get slots, immediates become constant registers,
 * labels become instruction pointers, each instruction gets its handler. */
#ifndef WARPBOOK_TRANSLATE_H
#define WARPBOOK_TRANSLATE_H

#include "warp.h"

/* Code of one function. */
typedef struct sm_code {
    const ptx_func *func;
    sm_program *program;
    sm_insn *insn;        /* [insn_count], block-entry instructions included */
    uint32_t insn_count;
    uint32_t window_bytes; /* register window */
    uint32_t const_offset; /* where constant registers begin in it */
    const uint8_t *consts; /* [window_bytes - const_offset], copied into a fresh window */
    uint32_t block_count;  /* basic blocks */
    uint32_t *block_insts; /* [block_count]: PTX instructions in each */
    uint64_t local_bytes, static_shared;
    uint32_t registers;
} sm_code;

/* While translating; selectors call these. */
struct sm_translation {
    const ptx_module *module;
    const ptx_func *func;
    sm_code *code;
    sm_program *program;
    bool failed;     /* out of memory, or an error written to `error` */
    char error[256]; /* why a form is refused, when "unsupported" is not enough */
};

/* Slot of a value (register, immediate, variable's address), an immediate widened to BYTES (4, 8
 * or 16) a lane. */
uint32_t sm_slot(sm_translation *t, const ptx_value *v, uint32_t bytes);

/* Bytes a lane of a register operand as declared: 4 for predicates, 8-, 16- and 32-bit ones. */
uint32_t sm_width(const sm_translation *t, const ptx_value *v);

/* Slots of a vector operand's elements, owned by the code: extra of vector loads and stores. */
const uint32_t *sm_slots(sm_translation *t, const ptx_operand *o, uint32_t bytes);

/* Memory owned by the code. NULL sets t->failed. */
void *sm_code_alloc(sm_translation *t, size_t bytes);

#endif
