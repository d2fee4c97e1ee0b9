/* State and helpers shared by the files of the parser. Every function returns only on success:
 * an error jumps to ptx_parse with longjmp. */
#pragma once

#include "../arena.h"
#include "../names.h"
#include "../ptx.h"
#include "../sheet.h"
#include "lexer.h"
#include "symbols.h"

#include <setjmp.h>

/* A growing array, allocated outside the arena. */
typedef struct ptx_list {
    void *items;    /* [count] the items, one after another */
    uint32_t count; /* number of items */
} ptx_list;

/* A mnemonic, parsed once for all instructions that have it. */
typedef struct ptx_mnemonic {
    uint32_t hash, len;           /* hash and length of the mnemonic's text */
    const char *text;             /* the mnemonic with its modifiers */
    ptx_op op;                    /* the operation that the mnemonic begins with */
    uint8_t type_count, vec;      /* number of types; vector width */
    ptx_type type[PTX_MAX_TYPES]; /* types in the mnemonic */
    ptx_space space, space2;      /* first and second state space */
    uint64_t mods[4];             /* bit set over ptx_mod */
} ptx_mnemonic;

/* A use of a label, resolved when the scope that may declare the label ends. */
typedef struct ptx_fixup {
    ptx_token name; /* the label as written at its use */
    uint32_t hash;  /* hash of the label */
    uint32_t depth; /* depth of the scope that contains the label's use; lowered as scopes close */
    uint32_t *target; /* receives the instruction index of the label */
} ptx_fixup;

typedef struct ptx_parser {
    ptx_lexer lex;    /* the scanner of the text */
    ptx_module *m;    /* the module being parsed */
    ptx_arena *arena; /* memory of the module */
    ptx_error *err;   /* receives the description of an error */
    jmp_buf failed;   /* ptx_fail jumps here */

    ptx_symbols symbols; /* symbols declared so far */
    uint32_t depth;      /* 0 module, 1 a function's body, more: braces in a function */

    ptx_list vars, funcs, files, locs; /* lists of the module being parsed */
    ptx_list regs, locals, fixups;     /* lists of the function being parsed */
    ptx_insn *insn; /* array of instructions of the function being parsed; in the arena */
    uint32_t insn_count, insn_cap;     /* number of instructions used; number allocated */
    ptx_list values;                   /* values of the operand being parsed */
    ptx_list relocs;                   /* addresses in the initialiser being parsed */
    ptx_mnemonic **known;              /* hash table of parsed mnemonics, in the arena */
    uint32_t known_count, known_slots; /* number of parsed mnemonics; size of their hash table */
    uint32_t *loc_slot; /* hash table: for a source position, the latest index in locs, plus 1 */
    uint32_t loc_slots; /* size of the hash table loc_slot */
    bool moved;         /* the last .loc gave line 0 */
    uint32_t loc;       /* current source position, given to instructions */
    uint32_t nesting;   /* nesting depth of expressions and initialisers */
    ptx_func *func;     /* the function being parsed, or NULL */
} ptx_parser;

enum {
    PTX_LIMIT_NESTING = 200,    /* maximum nesting of parentheses or braces */
    PTX_LIMIT_REGS = 1 << 18,   /* maximum number of registers of a function */
    PTX_LIMIT_VALUES = 1 << 12, /* maximum number of values of an operand */
    PTX_LIMIT_DEPTH = 64        /* maximum nesting of braces in a function */
};

/* --- parser.c: errors, memory, tokens --- */

/* Stop parsing with a syntax error that points to token AT. */
void ptx_fail(ptx_parser *p, const ptx_token *at, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
void ptx_fail_out_of_memory(ptx_parser *p) __attribute__((noreturn));
/* Stop parsing because the emulator does not support the version, target or address size. */
void ptx_fail_with_version_error(ptx_parser *p, const ptx_token *at, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

void *ptx_alloc_array(ptx_parser *p, size_t count, size_t size);
char *ptx_copy_text(ptx_parser *p, const char *s, size_t len);

/* Append a zeroed item of SIZE bytes to LIST and return it. */
void *ptx_push_item(ptx_parser *p, ptx_list *list, size_t size);
/* Copy LIST's items into the arena. */
void *ptx_copy_list_to_arena(ptx_parser *p, const ptx_list *list, size_t size);

void ptx_next_token(ptx_parser *p);
bool ptx_is_token(const ptx_parser *p, int kind);
bool ptx_is_dot_word(const ptx_parser *p, const char *word); /* is the current token .WORD? */
bool ptx_accept_token(ptx_parser *p, int kind);
void ptx_expect_token(ptx_parser *p, int kind, const char *what);
bool ptx_accept_dot_word(ptx_parser *p, const char *word);
ptx_token ptx_expect_name(ptx_parser *p, const char *what);

/* Skip to the token after the next ';', or to a '}' that closes the current scope. */
void ptx_skip_statement(ptx_parser *p);

/* --- expression.c: constant expressions, PTX ISA 4.6 --- */

/* The value of a constant expression. */
typedef struct ptx_const {
    /* an integer; a float written 0f...; a double written 0d...; a decimal number such as 1.5 */
    enum { PTX_CONST_INT, PTX_CONST_F32, PTX_CONST_F64, PTX_CONST_DECIMAL } kind;
    bool is_unsigned; /* PTX_CONST_INT: type u64, not s64 */
    uint64_t bits;    /* bits of the integer, float or double */
} ptx_const;

ptx_const ptx_parse_constant(ptx_parser *p);
/* Parse one integer with its sign; an operator is accepted only inside parentheses. */
uint64_t ptx_parse_constant_int(ptx_parser *p);
/* Parse an offset "+4" or "-4" after a symbol or register; 0 if the text has no offset. */
int64_t ptx_parse_offset(ptx_parser *p);
/* Convert C to the bits of type T. AT: the token to which an error message points. */
uint64_t ptx_constant_bits(ptx_parser *p, const ptx_token *at, ptx_const c, ptx_type t);

/* --- declaration.c: variables, registers, functions --- */

/* Parse a declaration in module scope. The current token is a linking directive, a state space,
 * .func or .entry. */
void ptx_parse_declaration(ptx_parser *p);
/* Parse a declaration of .reg, .local, .shared or .param inside a function. False: the current
 * token begins no such declaration. */
bool ptx_parse_local(ptx_parser *p);
/* Parse a .callprototype after its label NAME. */
ptx_func *ptx_parse_prototype(ptx_parser *p, const ptx_token *name);
void ptx_parse_alias(ptx_parser *p);

/* --- registers.c: names and registers of a function --- */

/* Declare NAME in the current scope and return its symbol, to be filled in by the caller. It is
 * an error if NAME is already declared in this scope. */
ptx_symbol *ptx_declare_symbol(ptx_parser *p, const ptx_token *at, const char *name, size_t len,
                               ptx_symbol_kind kind);
/* ptx_add_reg adds the register NAME; ptx_add_numbered_regs adds COUNT registers NAME0, NAME1 ...;
 * ptx_add_vector_reg adds a vector of COUNT registers and returns the index of the first. */
void ptx_add_reg(ptx_parser *p, const ptx_token *at, const char *name, size_t len, ptx_type type);
void ptx_add_numbered_regs(ptx_parser *p, const ptx_token *name, ptx_type type, uint64_t count);
uint32_t ptx_add_vector_reg(ptx_parser *p, const ptx_token *at, const char *name, size_t len,
                            unsigned count, ptx_type type);
/* The name v$x, v$y ... given to element K of vector v. */
char *ptx_vector_element_name(ptx_parser *p, const char *name, size_t len, unsigned k);
/* Add a register that has no name in the text. */
uint32_t ptx_add_unnamed_reg(ptx_parser *p, const ptx_token *at, ptx_type type);

/* --- initializer.c --- */

/* Parse an initialiser such as "= {1, 2, generic(x)}" after variable V. DIMS: its dimensions;
 * the first may be 0 (open). */
void ptx_parse_initialiser(ptx_parser *p, ptx_var *v, const uint64_t *dims, unsigned dim_count,
                           unsigned vec);

/* --- instruction.c, operand.c: instructions and their operands -------------------------------- */

/* Parse the body of a function. The current token is the '{' of the body. */
void ptx_parse_body(ptx_parser *p);
void ptx_parse_operands(ptx_parser *p, ptx_insn *in);
/* Parse the name of a label. Its instruction index is stored in *target when the scope closes. */
void ptx_set_label_target(ptx_parser *p, uint32_t *target);

/* --- location.c --- */

void ptx_parse_file(ptx_parser *p);
void ptx_parse_loc(ptx_parser *p);
