/* Prints the values of a function's registers in each lane, in the type in which the function uses
 * them. PTX declares most registers as .b32 and .b64; the instructions that use a register show
 * whether it is a float, a signed number or an address. */
#pragma once

#include "../../core/code.h"

#include <stdio.h>

/* The form in which values of a register are printed. */
typedef enum dbg_form {
    DBG_BITS,     /* the type is unknown: hexadecimal */
    DBG_UNSIGNED, /* an unsigned integer */
    DBG_SIGNED,   /* a signed integer */
    DBG_FLOAT,    /* a floating-point number */
    DBG_ADDRESS,  /* a memory address */
    DBG_PREDICATE /* a predicate */
} dbg_form;

/* The form of each register of F: [reg_count], malloc'ed; NULL: the host is out of memory. */
dbg_form *dbg_find_register_forms(const ptx_func *f);

/* Bytes of a register in one lane; 0 for a predicate, whose lanes are bits of one word. */
uint32_t dbg_register_bytes(const ptx_func *f, uint32_t reg);

/* Read register REG of C in lane LANE from the register window WINDOW: at most 16 bytes,
 * zero-extended. Returns false if the register has no storage because no instruction writes it. */
bool dbg_register_value(const sm_code *c, const uint8_t *window, uint32_t reg, uint32_t lane,
                        uint64_t value[2]);

/* Print a value of BYTES bytes as text without white space. Returns OUT. */
const char *dbg_value_text(dbg_form form, uint32_t bytes, const uint64_t value[2], char *out,
                           size_t size);

/* Print "%r5=7" if the lanes of MASK agree, else "%r5=0,1,2,_" with a value for each lane and _ for
 * lanes outside MASK. The list ends with the last lane of MASK. */
void dbg_register_text(FILE *to, const sm_code *c, const dbg_form *forms, const uint8_t *window,
                       uint32_t reg, uint32_t mask);

/* The register called NAME, with or without its percent sign; PTX_NO_REGISTER: there is none. */
uint32_t dbg_register_find(const ptx_func *f, const char *name);

/* Instruction IN as one line of PTX, without a newline; malloc'ed; NULL: the host is out of memory.
 * An fma fused from a product and a sum (compile/ptxas/contract.c) is printed as in the PTX. */
char *dbg_insn_text(const ptx_module *m, const ptx_func *f, const ptx_insn *in);
