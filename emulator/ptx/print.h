/* State and helpers shared by print_insn.c and by what prints modules (tests/lib/ptx_print.h). */
#pragma once

#include "ptx.h"

typedef struct ptx_printer {
    FILE *to;            /* the text is written to this file */
    const ptx_module *m; /* the module that is printed */
    const ptx_func *f;   /* the function that is printed; NULL: none */
    /* Suffixes that make names of registers and variables unique; NULL: no name needs a suffix. */
    uint32_t *reg_suffix, *var_suffix; /* suffix of each register and variable; 0: no suffix;
                                        * var_suffix by position in f->vars */
    uint32_t *label;                   /* a bit for each instruction: the instruction has a label */
} ptx_printer;

void ptx_print_reg(const ptx_printer *p, uint32_t reg);
void ptx_print_var(const ptx_printer *p, const ptx_var *v);
/* Print BITS as a literal of type T. */
void ptx_print_bits(const ptx_printer *p, uint64_t bits, ptx_type t);
/* Print an offset as "+4" or "-4"; nothing for 0. */
void ptx_print_offset(const ptx_printer *p, int64_t offset);
/* Print IN, instruction INDEX of its function. The names of lists and prototypes that are
 * declared before IN contain INDEX. */
void ptx_print_indexed_insn(const ptx_printer *p, const ptx_insn *in, uint32_t index);
