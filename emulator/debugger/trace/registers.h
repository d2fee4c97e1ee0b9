/* Registers of a function as text: what a virtual register holds in each lane, written as the type
 * that the function uses it with. PTX declares most registers as .b32 and .b64; the instructions
 * that use a register show whether it is a float, a signed number or an address. */
#ifndef WARPBOOK_DEBUGGER_REGISTERS_H
#define WARPBOOK_DEBUGGER_REGISTERS_H

#include "../../core/code.h"

#include <stdio.h>

typedef enum dbg_form {
    DBG_BITS, /* the type is unknown: hexadecimal */
    DBG_UNSIGNED,
    DBG_SIGNED,
    DBG_FLOAT,
    DBG_ADDRESS,
    DBG_PREDICATE
} dbg_form;

/* The form of each register of F, [reg_count], malloc'd. NULL: the host is out of memory. */
dbg_form *dbg_forms(const ptx_func *f);

/* Bytes of a register in one lane; a predicate takes none, its lanes are bits of one word. */
uint32_t dbg_register_bytes(const ptx_func *f, uint32_t reg);

/* The bits of register REG of C in lane LANE, from the register window WINDOW: at most 16 bytes,
 * zero-extended. False: the register has no slot, as nothing writes it. */
bool dbg_register_value(const sm_code *c, const uint8_t *window, uint32_t reg, uint32_t lane,
                        uint64_t value[2]);

/* Write a value of BYTES bytes as text, which holds no white space. Returns OUT. */
const char *dbg_value_text(dbg_form form, uint32_t bytes, const uint64_t value[2], char *out,
                           size_t size);

/* Write "%r5=7" where the lanes of MASK agree, else "%r5=0,1,2,_" with one value for each of the 32
 * lanes and _ for lanes that are not in MASK. Nothing after the last lane of MASK is written. */
void dbg_register_text(FILE *to, const sm_code *c, const dbg_form *forms, const uint8_t *window,
                       uint32_t reg, uint32_t mask);

/* The register called NAME, with or without its percent sign; PTX_NOREG: there is none. */
uint32_t dbg_register_find(const ptx_func *f, const char *name);

/* IN as one line of PTX, without a newline; malloc'd. Where products and sums have become one fma
 * (ptxas/contract.c) it says what the PTX says. NULL: out of memory. */
char *dbg_insn_text(const ptx_module *m, const ptx_func *f, const ptx_insn *in);

#endif
