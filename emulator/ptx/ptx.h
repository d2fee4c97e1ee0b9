/* Data structures for PTX: the module that the parser builds from PTX text. The translator
 * generates code from it.
 *
 * A module owns all memory that it refers to; ptx_free releases it. compile_contract_to_fma is the
 * last step that changes a module; afterwards any number of threads may read it. Section numbers
 * refer to the PTX ISA. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Types: PTX_u32 and so on, one for each row of types.def. */
typedef enum ptx_type {
    PTX_NOTYPE, /* the instruction or operand has no type */
#define TYPE(name, bytes, cls) PTX_##name,
#include "types.def"
#undef TYPE
    PTX_TYPE_COUNT
} ptx_type;

/* Operations: PTX_OP_add and so on, one for each row of ops.def. */
typedef enum ptx_op {
    PTX_OP_NONE, /* an unknown operation */
#define OP(name, ...) PTX_OP_##name,
#include "ops.def"
#undef OP
    PTX_OP_COUNT
} ptx_op;

/* Modifiers: the dotted words of a mnemonic that are neither types nor state spaces. */
typedef enum ptx_mod {
#define MOD(name, spelling) PTX_MOD_##name,
#include "mods.def"
#undef MOD
    PTX_MOD_COUNT
} ptx_mod;

/* State spaces, PTX ISA 5.1. */
typedef enum ptx_space {
    PTX_SPACE_NONE,  /* the instruction names no space; for memory operations: generic addressing */
    PTX_SPACE_REG,   /* registers */
    PTX_SPACE_CONST, /* constant memory */
    PTX_SPACE_GLOBAL, /* global memory */
    PTX_SPACE_LOCAL,  /* local memory */
    PTX_SPACE_PARAM,  /* parameters */
    PTX_SPACE_SHARED, /* shared memory */
    PTX_SPACE_TEX     /* textures (deprecated) */
} ptx_space;

/* Special registers, PTX ISA 10. The .x, .y and .z of one special register are consecutive. */
typedef enum ptx_sreg {
    PTX_SREG_NONE, /* not a special register */
#define SREG(name, spelling, type) PTX_SREG_##name,
#include "sregs.def"
#undef SREG
    PTX_SREG_COUNT
} ptx_sreg;

typedef struct ptx_var ptx_var;
typedef struct ptx_func ptx_func;

#define PTX_NO_REGISTER UINT32_MAX /* stands for the index of a register where there is none */

/* Values of ptx_value.select: the part of a register that a video instruction uses. */
enum {
    PTX_SELECT_NONE,     /* the whole register */
    PTX_SELECT_B0,       /* byte 0; bytes 1 to 3 are the next three values */
    PTX_SELECT_H0 = 5,   /* lower half; the upper half is the next value */
    PTX_SELECT_OTHER = 7 /* several bytes, such as .b3210: ptx_check rejects it */
};

/* One scalar value of an operand. */
typedef struct ptx_value {
    enum {
        PTX_VAL_NONE,  /* no value */
        PTX_VAL_REG,   /* a register: `reg` is its index in ptx_func.regs */
        PTX_VAL_IMM,   /* imm: bits of the type that the instruction expects, zero-extended; 64 bits
                        * for addresses and operands without a type */
        PTX_VAL_SREG,  /* a special register: `sreg` */
        PTX_VAL_VAR,   /* the address of `var` plus `offset` */
        PTX_VAL_FUNC,  /* the address of `func` */
        PTX_VAL_LABEL, /* a label: `target` is an instruction index */
        PTX_VAL_PROTO, /* func: a .callprototype, as a function without a body, or the first
                        * function of a .calltargets list */
        PTX_VAL_SINK   /* `_`: the destination discards the result */
    } kind;
    bool negate;          /* written as !%p, or as -%r in vmad */
    bool sum;             /* var+N was written, where N may be 0 */
    uint32_t reg;         /* PTX_VAL_REG: register index; PTX_NO_REGISTER for PTX_VAL_VAR */
    ptx_sreg sreg;        /* PTX_VAL_SREG: the special register */
    uint32_t target;      /* PTX_VAL_LABEL: index of the instruction after the label; insn_count if
                           * the label is at the end of the body */
    uint8_t select;       /* video instructions: PTX_SELECT_* for %r.b0 ... %r.h1 */
    uint64_t imm;         /* PTX_VAL_IMM: the bits of the immediate */
    int64_t offset;       /* PTX_VAL_VAR and memory operands: N of [reg+N] */
    const ptx_var *var;   /* PTX_VAL_VAR: the variable */
    const ptx_func *func; /* PTX_VAL_FUNC, PTX_VAL_PROTO: the function or prototype */
} ptx_value;

/* One operand as written: a scalar, a vector {a,b,c,d}, a pair p|q or an address [a+offset].
 *
 * Textures and surfaces have operands like [tex, sampler, {x, y}]: `lead` counts the values before
 * the brace (here 2), and v holds all values. An offset in brackets is v[0].offset, for [%rd1+4] as
 * for [var+4]; [16] is a PTX_VAL_IMM.
 *
 * A call always has four operands: results (a vector, count 0 if there are none), the function,
 * arguments (a vector, count 0 if there are none), and the prototype of an indirect call (otherwise
 * count 0). */
typedef struct ptx_operand {
    bool memory;      /* written in brackets: a memory operand */
    bool vector;      /* written in braces: a vector operand */
    uint8_t lead;     /* with braces inside brackets: number of values before the braces */
    uint16_t count;   /* 1 for a scalar, 2 to 8 for a vector, 0 for an omitted operand */
    ptx_value *v;     /* [count] the values of the operand */
    ptx_value second; /* q of the pair p|q; PTX_VAL_NONE if the operand is no pair. The p may be
                       * PTX_VAL_SINK */
} ptx_operand;

#define PTX_MAX_OPERANDS 8 /* most operands of an instruction */
#define PTX_MAX_TYPES    4 /* most types of an instruction */

typedef struct ptx_insn {
    ptx_op op;                    /* the operation; PTX_OP_NONE: unknown */
    const char *text;             /* mnemonic as written, without white space: "ld.global.f32" */
    uint32_t guard;               /* register of the guard predicate @p; PTX_NO_REGISTER: none */
    bool guard_negate;            /* the guard is @!p */
    bool moved;                   /* .loc gives it line 0: the compiler has moved or merged it */
    uint8_t type_count;           /* entries used in `type` */
    ptx_type type[PTX_MAX_TYPES]; /* types in the order written: cvt.f32.s32 has f32, s32 */
    ptx_space space;              /* first state space in the mnemonic */
    ptx_space space2; /* second space, as in cp.async.shared.global; cvta.to.SPACE has it in both */
    uint8_t vec;      /* vector width: 1, or 2, 4 or 8 with .v2, .v4 or .v8 */
    uint64_t mods[4]; /* modifiers: a bit for each ptx_mod */
    uint8_t operand_count;             /* entries used in `operand` */
    ptx_operand opd[PTX_MAX_OPERANDS]; /* operands in the order written, destination first */
    uint32_t line;                     /* line of the PTX text, counted from 1 */
    uint32_t loc;                      /* index into ptx_module.locs; 0: unknown */
    uint32_t *targets;                 /* brx.idx: instruction indices of the branch targets */
    uint32_t target_count;             /* number of branch targets */
} ptx_insn;

static inline bool ptx_has_modifier(const ptx_insn *in, ptx_mod m)
{
    return in->mods[m / 64] >> (m % 64) & 1;
}

/* A virtual register. `.reg .b32 %r<4>` declares four of them. */
typedef struct ptx_reg {
    const char *name; /* name of the register with its %; unique only in its scope */
    ptx_type type;    /* type given in its declaration */
} ptx_reg;

/* An address in a variable's initialiser. It is filled in when the symbol has an address. */
typedef struct ptx_reloc {
    uint64_t at;   /* byte offset of the address in the variable */
    uint8_t bytes; /* number of bytes to fill: 4 or 8; 1 with an address mask: 0xFF00(symbol) */
    bool generic;  /* written as generic(symbol): a generic address */
    uint32_t mask_shift;  /* number of bits to shift the address right before it is stored */
    const ptx_var *var;   /* the variable whose address is stored; NULL: a function's */
    const ptx_func *func; /* the function whose address is stored; NULL: a variable's */
    int64_t offset;       /* bytes added to the address */
} ptx_reloc;

/* A variable in module scope or in a function (PTX ISA 5.4). */
struct ptx_var {
    const char *name; /* name as declared */
    ptx_space space;  /* state space of the variable */
    ptx_type type;    /* type of an element */
    uint32_t align;   /* alignment in bytes */
    uint64_t size;    /* bytes of the whole array; 0 for `.extern .shared x[]` */
    bool is_extern, is_visible, is_weak, is_managed; /* directives of the declaration */
    bool is_array;                                   /* declared with dimensions, such as x[4] */
    uint32_t index;        /* number of the variable in the module: 0 to var_count - 1, including
                            * variables of functions */
    const ptx_func *scope; /* the function that declares the variable; NULL at module scope */
    uint8_t *init;         /* [init_size] bytes, followed by zeros; NULL: no initialiser */
    uint64_t init_size;    /* bytes of initialised data */
    ptx_reloc *reloc;      /* addresses in the initialiser */
    uint32_t reloc_count;  /* number of elements of `reloc` */
    uint32_t line;         /* line of the declaration in the PTX text */
};

/* A parameter of a function, or one of its results. */
typedef struct ptx_param {
    const char *name;   /* name as declared */
    ptx_type type;      /* type of an element */
    uint32_t align;     /* alignment in bytes */
    uint64_t size;      /* size in bytes, of the whole array if it is one */
    uint64_t offset;    /* bytes from the start of the first parameter */
    const ptx_var *var; /* variable by which the body accesses it; NULL for .reg parameters */
    uint32_t reg;   /* parameters written (.reg ...): register index; otherwise PTX_NO_REGISTER */
    uint32_t parts; /* registers of the vector that begins here; 1: a scalar, 0: inside a vector */
    bool is_array;  /* declared as an array */
} ptx_param;

/* A kernel, a device function or a prototype. */
struct ptx_func {
    const char *name;                              /* name as declared */
    bool is_entry, is_extern, is_visible, is_weak; /* directives of the declaration */
    bool is_proto;                                 /* a .callprototype */
    bool has_body, no_return; /* the module defines it; .noreturn: it never returns */
    ptx_param *params;        /* [param_count] parameters */
    uint32_t param_count;     /* number of parameters */
    uint64_t param_bytes;     /* size of all parameters */
    ptx_param *rets;          /* result parameters */
    uint32_t ret_count;       /* number of result parameters */
    uint64_t ret_bytes;       /* size of all results */
    ptx_reg *regs;            /* [reg_count] virtual registers */
    uint32_t reg_count;       /* number of registers */
    ptx_var **vars;           /* .local, .shared and .param variables declared in the function */
    uint32_t var_count;       /* number of variables */
    ptx_insn *insns;          /* [insn_count] instructions of the body */
    uint32_t insn_count;      /* number of instructions */
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* directives; 0: not given */
    uint32_t cluster[3];   /* blocks per cluster in x, y, z (.reqnctapercluster); 0: not given */
    bool explicit_cluster; /* .explicitcluster is given */
    bool contracted;       /* compile_contract_to_fma has run: sources of fma may be negated */
    uint32_t index;        /* index in ptx_module.funcs */
    uint32_t line;         /* line of the declaration in the PTX text */
};

/* A source position from .loc. For inlined code, inlined_at is the position of the call. */
typedef struct ptx_loc {
    uint32_t file;         /* index into ptx_module.files; 0: unknown */
    uint32_t line, column; /* line and column in that file, counted from 1 */
    uint32_t inlined_at;   /* index into ptx_module.locs; 0: not inlined */
} ptx_loc;

typedef struct ptx_module {
    uint16_t version_major, version_minor; /* PTX ISA version */
    uint16_t target;                       /* number of the target architecture: 90 for sm_90 */
    bool debug;            /* for debugging (.target debug, PTX ISA 11.1.2): not optimised */
    uint8_t address_bytes; /* bytes of an address: 4 or 8 */
    ptx_var **vars;        /* all variables, also those of functions; position: ptx_var.index */
    uint32_t var_count;    /* number of variables */
    ptx_func **funcs;      /* the functions of the module */
    uint32_t func_count;   /* number of functions */
    const char **files;    /* source file names by .file number; [0] is "?" */
    uint32_t file_count;   /* number of source files */
    ptx_loc *locs;         /* source positions; [0] is the unknown position */
    uint32_t loc_count;    /* number of source positions */
    const ptx_func **func_index;    /* hash table of the functions, by name */
    const ptx_var **var_index;      /* hash table of the variables of module scope, by name */
    uint32_t func_slots, var_slots; /* sizes of func_index and var_index: powers of two */
    struct ptx_arena *arena;        /* owns all memory that the module refers to */
} ptx_module;

typedef struct ptx_error {
    uint32_t line, column; /* position in the PTX text, counted from 1; 0: unknown */
    /* what is wrong: the syntax; an unsupported feature; out of memory; the version or target */
    enum { PTX_ERR_SYNTAX = 1, PTX_ERR_UNSUPPORTED, PTX_ERR_MEMORY, PTX_ERR_VERSION } kind;
    char text[512]; /* a sentence; for syntax errors also the PTX line, with a caret */
} ptx_error;

/* Parse LEN bytes of PTX text, which need not end with NUL. Returns a module, to be released with
 * ptx_free, or NULL with *err filled in. An unknown instruction or modifier is not a parse error:
 * it is kept as PTX_OP_NONE and reported when a function that contains it is launched (ptx_check).
 * Handles any input without crashing. Thread-safe. */
ptx_module *ptx_parse(const char *text, size_t len, ptx_error *err);
void ptx_free(ptx_module *m);

/* Find the starts of basic blocks: the first instruction, branch targets, and instructions after an
 * operation for which ENDS is true. Returns [insn_count + 1], malloc'd; NULL: out of memory. */
bool *ptx_find_block_starts(const ptx_func *f, bool (*ends)(ptx_op op));

/* Check a function against ops.def: each instruction's operation exists and has a handler; its
 * types and modifiers are allowed; its operands have the right form and width. False: *err
 * describes the first violation as "PTX line N (lab.cu:31): unsupported ...". Thread-safe. */
bool ptx_check(const ptx_module *m, const ptx_func *f, ptx_error *err);

/* Check a function like ptx_check, but accept instructions without a handler. */
bool ptx_is_legal(const ptx_module *m, const ptx_func *f, ptx_error *err);

const ptx_func *ptx_find_func(const ptx_module *m, const char *name);
/* Find a variable of module scope by its name; NULL: none. */
const ptx_var *ptx_find_var(const ptx_module *m, const char *name);

/* Write the source position of IN to BUF as "lab.cu:31", or as "PTX line N" without -lineinfo. For
 * inlined code it is the innermost position in the kernel's own file: a line of a device function
 * of lab.cu, not one in a toolkit header. Writes at most SIZE bytes; returns BUF. */
const char *ptx_source_position(const ptx_module *m, const ptx_insn *in, char *buf, size_t size);
/* The source position of IN as a file name and *line. For inlined code it is the innermost
 * position in the kernel's own file. The name is the one given to the compiler and belongs to
 * the module. NULL, with *line 0: unknown. */
const char *ptx_source_file(const ptx_module *m, const ptx_insn *in, uint32_t *line);

/* Whether the file at PATH belongs to a library rather than to the program. */
bool ptx_is_library_path(const char *path);

/* The name that ends the mangled name of LENGTH bytes at MANGLED, of a function's own variable:
 * "part" of "_ZZ3sumPiE4part". NULL: it is another name. */
const char *ptx_own_name(const char *mangled, size_t length, size_t *name_length);

/* The last part of the name that a function has in its source: down for _ZN1q4downILi4EEii. Writes
 * at most SIZE bytes to BUF; returns BUF. */
const char *ptx_source_name(const char *name, char *buf, size_t size);

/* Print one instruction as PTX text, for messages, tests and WARPBOOK_DUMP. Parsing the printed
 * text and printing it again gives the same text. */
void ptx_print_insn(FILE *to, const ptx_module *m, const ptx_func *f, const ptx_insn *in);

const char *ptx_op_name(ptx_op op); /* "cp.async"; "" for PTX_OP_NONE */
const char *ptx_type_name(ptx_type t);
unsigned ptx_type_bytes(ptx_type t);
char ptx_type_class(ptx_type t); /* 'B' bits, 'U' unsigned, 'S' signed, 'F' float, 'P' predicate */
