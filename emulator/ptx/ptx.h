/* PTX text as data: what the parser makes and the streaming multiprocessor translates.
 *
 * A module owns everything that hangs from it; ptx_free releases it whole. Nothing in it changes
 * after ptx_parse returns, so threads may read it at once. References are to the "PTX ISA". */
#ifndef WARPBOOK_PTX_H
#define WARPBOOK_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum ptx_type {
    PTX_NOTYPE,
#define TYPE(name, bytes, cls) PTX_##name,
#include "types.def"
#undef TYPE
    PTX_TYPE_COUNT
} ptx_type;

/* Operations; PTX_ADD and so on come from the one sheet as PTX_OP_add, ... */
typedef enum ptx_op {
    PTX_OP_NONE,
#define OP(name, ...) PTX_OP_##name,
#include "ops.def"
#undef OP
    PTX_OP_COUNT
} ptx_op;

/* Modifiers: every dotted word after the operation that is neither a type nor a state space. */
typedef enum ptx_mod {
#define MOD(name, spelling) PTX_MOD_##name,
#include "mods.def"
#undef MOD
    PTX_MOD_COUNT
} ptx_mod;

/* State spaces, PTX ISA 5.1. */
typedef enum ptx_space {
    PTX_SPACE_NONE, /* not written: generic for memory operations */
    PTX_SPACE_REG,
    PTX_SPACE_CONST,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_SHARED,
    PTX_SPACE_TEX
} ptx_space;

/* Special registers, PTX ISA 10; .x .y .z are consecutive. */
typedef enum ptx_sreg {
    PTX_SREG_NONE,
#define SREG(name, spelling, type) PTX_SREG_##name,
#include "sregs.def"
#undef SREG
    PTX_SREG_COUNT
} ptx_sreg;

typedef struct ptx_var ptx_var;
typedef struct ptx_func ptx_func;

#define PTX_NOREG UINT32_MAX

/* b0 to b3 are 1 to 4, h0 and h1 5 and 6; any other part is refused by ptx_check. */
enum { PTX_SELECT_NONE, PTX_SELECT_B0, PTX_SELECT_H0 = 5, PTX_SELECT_OTHER = 7 };

/* One scalar operand value. */
typedef struct ptx_value {
    enum {
        PTX_VAL_NONE,
        PTX_VAL_REG,   /* reg: index in the function's table */
        PTX_VAL_IMM,   /* imm: bits, already of the type that the instruction wants there, the
                        * upper ones zero; an address or an operand without a type has 64 bits */
        PTX_VAL_SREG,  /* sreg */
        PTX_VAL_VAR,   /* address of var, plus offset */
        PTX_VAL_FUNC,  /* address of func */
        PTX_VAL_LABEL, /* target: an instruction index */
        PTX_VAL_PROTO, /* func: a .callprototype, as a function without a body, or the first
                        * function of a .calltargets list */
        PTX_VAL_SINK   /* _ */
    } kind;
    bool negate;  /* !%p; -%r in vmad */
    bool sum;     /* var+0: a number is added, which may be 0 */
    uint32_t reg; /* PTX_VAL_REG; for PTX_VAL_VAR PTX_NOREG, as [var+reg] does not exist */
    ptx_sreg sreg;
    uint32_t target; /* index of the first instruction after the label; insn_count at the end */
    uint8_t select;  /* video instructions: PTX_SELECT_* of %r.b0 ... %r.h1, 0: whole */
    uint64_t imm;    /* PTX_VAL_IMM: bits */
    int64_t offset;  /* PTX_VAL_VAR, and for memory operands [reg+offset] */
    const ptx_var *var;
    const ptx_func *func;
} ptx_value;

/* One written operand: a scalar, a vector {a,b,c,d}, a pair p|q or an address [a+offset].
 *
 * Textures and surfaces have [tex, sampler, {x, y}]: `lead` values (here 2) before the brace,
 * all of them in v. An offset in brackets is v[0].offset, of [%rd1+4] and of [var+4] alike; [16]
 * is a PTX_VAL_IMM.
 *
 * call always has four operands: results (a vector, of count 0 when there are none), the
 * function, arguments (likewise a vector), and the prototype of an indirect call or count 0. */
typedef struct ptx_operand {
    bool memory;      /* in brackets */
    bool vector;      /* in braces */
    uint8_t lead;     /* memory with braces: values before them */
    uint16_t count;   /* values: 1 for a scalar, 2..8 for a vector; 0: operand left out */
    ptx_value *v;     /* [count] */
    ptx_value second; /* the q of p|q; PTX_VAL_NONE when not written. v[0] may be PTX_VAL_SINK */
} ptx_operand;

#define PTX_MAX_OPERANDS 8
#define PTX_MAX_TYPES    4

typedef struct ptx_insn {
    ptx_op op;
    const char *text;  /* the mnemonic as written, without white space: "ld.global.f32" */
    uint32_t guard;    /* predicate register of @p, PTX_NOREG without one */
    bool guard_negate; /* @!p */
    uint8_t type_count;
    ptx_type type[PTX_MAX_TYPES]; /* in written order: cvt.f32.s32 has f32, s32 */
    ptx_space space;
    ptx_space space2; /* the second one: cp.async.shared.global; cvta.to.SPACE has it in both */
    uint8_t vec;      /* 1, 2, 4 or 8: .v2 .v4 .v8 */
    uint64_t mods[4]; /* bit set over ptx_mod */
    uint8_t operand_count;
    ptx_operand opd[PTX_MAX_OPERANDS]; /* in written order, destination first */
    uint32_t line;                     /* line of the PTX text, from 1 */
    uint32_t loc;                      /* index into ptx_module.locs; 0 is "unknown" */
    uint32_t *targets;                 /* brx.idx: instruction indices of the .branchtargets list */
    uint32_t target_count;
} ptx_insn;

static inline bool ptx_has(const ptx_insn *in, ptx_mod m)
{
    return in->mods[m / 64] >> (m % 64) & 1;
}

/* A virtual register. .reg .b32 %r<4> makes four rows. */
typedef struct ptx_reg {
    const char *name;
    ptx_type type;
} ptx_reg;

/* A word of a variable's initialiser that is an address. */
typedef struct ptx_reloc {
    uint64_t at;         /* byte offset in the variable */
    uint8_t bytes;       /* that it fills: 4 or 8; 1 with the mask operator 0xFF00(sym) */
    bool generic;        /* written generic(symbol) */
    uint32_t mask_shift; /* bits by which the address is shifted right before it is stored */
    const ptx_var *var;
    const ptx_func *func;
    int64_t offset;
} ptx_reloc;

/* A variable of module or function scope (PTX ISA 5.4). */
struct ptx_var {
    const char *name;
    ptx_space space;
    ptx_type type;
    uint32_t align; /* bytes */
    uint64_t size;  /* bytes, whole array; 0 for `.extern .shared x[]` */
    bool is_extern, is_visible, is_weak, is_managed, is_array;
    uint32_t index; /* unique in the module: 0 .. var_count-1, function-scope ones included */
    const ptx_func *scope; /* NULL at module scope */
    uint8_t *init;         /* [init_size] bytes, the rest is zero; NULL without initialiser */
    uint64_t init_size;
    ptx_reloc *reloc;
    uint32_t reloc_count;
    uint32_t line;
};

typedef struct ptx_param {
    const char *name;
    ptx_type type;
    uint32_t align;     /* bytes */
    uint64_t size;      /* bytes */
    uint64_t offset;    /* bytes from the start of the parameter block */
    const ptx_var *var; /* PTX_SPACE_PARAM variable that the body names; for .reg params NULL */
    uint32_t reg;       /* .func (.reg ...) form: register index, else PTX_NOREG */
    uint32_t parts;     /* registers of the vector that begins here; 1: a scalar, 0: inside one */
} ptx_param;

struct ptx_func {
    const char *name;
    bool is_entry, is_extern, is_visible, is_weak;
    bool is_proto; /* .callprototype */
    bool has_body, no_return;
    ptx_param *params;
    uint32_t param_count;
    uint64_t param_bytes;
    ptx_param *rets;
    uint32_t ret_count;
    uint64_t ret_bytes;
    ptx_reg *regs;
    uint32_t reg_count;
    ptx_var **vars; /* function-scope .local, .shared and .param variables */
    uint32_t var_count;
    ptx_insn *insns;
    uint32_t insn_count;
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* 0: not said */
    uint32_t cluster[3];                                    /* .reqnctapercluster; 0: not said */
    bool explicit_cluster;
    bool contracted; /* by ptx_contract: sources of fma may be negated */
    uint32_t index;  /* in ptx_module.funcs */
    uint32_t line;
};

/* A source position from .loc; inlined_at chains outwards. */
typedef struct ptx_loc {
    uint32_t file; /* index into files, 0 unknown */
    uint32_t line, column;
    uint32_t inlined_at; /* index into locs, 0: not inlined */
} ptx_loc;

typedef struct ptx_module {
    uint16_t version_major, version_minor;
    uint16_t target; /* 90 for sm_90 */
    bool debug;      /* .target says so (PTX ISA 11.1.2): the assembler does not optimise */
    uint8_t address_bytes;
    ptx_var **vars; /* every variable, by index */
    uint32_t var_count;
    ptx_func **funcs;
    uint32_t func_count;
    const char **files; /* by .file number, [0] = "?" */
    uint32_t file_count;
    ptx_loc *locs; /* [0] is unknown */
    uint32_t loc_count;
    const ptx_func **func_index; /* hash tables behind ptx_find_func and ptx_find_var */
    const ptx_var **var_index;
    uint32_t func_slots, var_slots; /* powers of two */
    struct ptx_arena *arena;        /* owns all of the above */
} ptx_module;

typedef struct ptx_error {
    uint32_t line, column; /* of the PTX text, from 1; 0 unknown */
    enum { PTX_ERR_SYNTAX = 1, PTX_ERR_UNSUPPORTED, PTX_ERR_MEMORY, PTX_ERR_VERSION } kind;
    char text[512]; /* a sentence and, for syntax, the line with a caret under it */
} ptx_error;

/* Parse LEN bytes of PTX (no NUL needed). Returns a module, or NULL with *err filled in.
 * An unknown instruction or modifier is no parse error: the function that has it is kept, with the
 * instruction as PTX_OP_NONE, and the launch reports it (see ptx_check). Never crashes on any
 * input. Thread-safe. */
ptx_module *ptx_parse(const char *text, size_t len, ptx_error *err);
void ptx_free(ptx_module *m);

/* Join products and sums to fma where the device's assembler does (contract.c). Once, before a
 * function is checked or translated. False: out of memory; then free the module. */
bool ptx_contract(ptx_module *m);

/* Where basic blocks begin: at the first instruction, where branches go to, and behind operations
 * for which ENDS says so. [insn_count + 1], malloc'd; NULL: out of memory. */
bool *ptx_leaders(const ptx_func *f, bool (*ends)(ptx_op op));

/* Check one function against the sheet: every instruction's operation is there and has a handler,
 * its types and modifiers are among those of its row, its operands have the row's shape and
 * registers of a width that fits. Returns true, or false with the first that is not in *err, as
 * "PTX line N (lab.cu:31): unsupported ...". Thread-safe. */
bool ptx_check(const ptx_module *m, const ptx_func *f, ptx_error *err);

/* Likewise, whether or not anything runs the instruction. */
bool ptx_legal(const ptx_module *m, const ptx_func *f, ptx_error *err);

const ptx_func *ptx_find_func(const ptx_module *m, const char *name);
const ptx_var *ptx_find_var(const ptx_module *m, const char *name); /* module scope */

/* "lab.cu:31", or "PTX line N" without -lineinfo. Where inlining happened it is the innermost
 * position in the kernel's own file: a device function of lab.cu is named, the inside of a toolkit
 * header is not. Writes at most SIZE bytes; returns BUF. */
const char *ptx_where(const ptx_module *m, const ptx_insn *in, char *buf, size_t size);
/* The same place's file as the compiler was given it, the module's, and its line in *LINE; NULL and
 * 0 where they are not known. */
const char *ptx_where_path(const ptx_module *m, const ptx_insn *in, uint32_t *line);

/* Print one instruction as PTX text; used by messages, tests (parse, print, parse is a fixed
 * point) and WARPBOOK_DUMP. */
void ptx_print_insn(FILE *to, const ptx_module *m, const ptx_func *f, const ptx_insn *in);
void ptx_print(FILE *to, const ptx_module *m);

const char *ptx_op_name(ptx_op op); /* "cp.async"; "" for PTX_OP_NONE */
const char *ptx_type_name(ptx_type t);
unsigned ptx_type_bytes(ptx_type t);
char ptx_type_class(ptx_type t); /* 'B' 'U' 'S' 'F' 'P' */

#endif
