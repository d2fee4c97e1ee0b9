/* What print.c and print_insn.c share. */
#ifndef WARPBOOK_PTX_PRINT_H
#define WARPBOOK_PTX_PRINT_H

#include "ptx.h"

typedef struct ptx_printer {
    FILE *to;
    const ptx_module *m;
    const ptx_func *f;
    /* What registers and variables are called; NULL: as declared. */
    uint32_t *reg_suffix, *var_suffix; /* 0: none; var_suffix by place in f->vars */
    uint32_t *label;                   /* bit set of instruction indices with a label */
} ptx_printer;

void ptx_print_reg(const ptx_printer *p, uint32_t reg);
void ptx_print_var(const ptx_printer *p, const ptx_var *v);
/* A literal with these bits of type T. */
void ptx_print_bits(const ptx_printer *p, uint64_t bits, ptx_type t);
/* "+4", or nothing. */
void ptx_print_offset(const ptx_printer *p, int64_t offset);
/* INDEX of the instruction names the lists and prototypes that stand before it. */
void ptx_print_at(const ptx_printer *p, const ptx_insn *in, uint32_t index);

#endif
