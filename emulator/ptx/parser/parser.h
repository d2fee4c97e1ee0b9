/* What the files of the parser share: state, symbols, helpers. Errors leave by longjmp to
 * ptx_parse, so that every function here returns only when it succeeded. */
#ifndef WARPBOOK_PTX_PARSER_H
#define WARPBOOK_PTX_PARSER_H

#include "../arena.h"
#include "../names.h"
#include "../ptx.h"
#include "../sheet.h"
#include "lexer.h"
#include "symbols.h"

#include <setjmp.h>

/* A growing array outside the arena. */
typedef struct ptx_list {
    void *items;
    uint32_t count, room;
} ptx_list;

/* The words of a mnemonic, taken apart once for all instructions that bear it. */
typedef struct ptx_mnemonic {
    uint32_t hash, len;
    const char *text;
    ptx_op op;
    uint8_t type_count, vec;
    ptx_type type[PTX_MAX_TYPES];
    ptx_space space, space2;
    uint64_t mods[4];
} ptx_mnemonic;

/* A name that is used before the scope that declares it closes: a label. */
typedef struct ptx_fixup {
    ptx_token name;
    uint32_t hash;
    uint32_t depth; /* of the scope that uses it; falls as scopes close */
    uint32_t *target;
} ptx_fixup;

typedef struct ptx_parser {
    ptx_lexer lex;
    ptx_module *m;
    ptx_arena *arena;
    ptx_error *err;
    jmp_buf failed;

    ptx_symbols symbols;
    uint32_t depth; /* 0 module, 1 a function's body, more in nested braces */

    ptx_list vars, funcs, files, locs; /* the module's */
    ptx_list regs, locals, fixups;     /* the function's that is being read */
    ptx_insn *insn;                    /* in the arena */
    uint32_t insn_count, insn_room;
    ptx_list values;      /* of the operand that is being read */
    ptx_list relocs;      /* of the initialiser that is being read */
    ptx_mnemonic **known; /* hash table of mnemonics, in the arena */
    uint32_t known_count, known_slots;
    uint32_t *loc_slot; /* hash table: the latest index in locs with a position, + 1 */
    uint32_t loc_slots;
    uint32_t loc;     /* the source position that instructions get */
    uint32_t nesting; /* of expressions and initialisers */
    ptx_func *func;   /* being read, or NULL */
} ptx_parser;

enum {
    PTX_LIMIT_NESTING = 200,
    PTX_LIMIT_REGS = 1 << 18,   /* of one function */
    PTX_LIMIT_VALUES = 1 << 12, /* of one operand */
    PTX_LIMIT_DEPTH = 64        /* of braces in a function */
};

/* --- parser.c: leaving, memory, tokens ---------------------------------------------------------
 */

/* Leave with a syntax error that points at token AT. */
void ptx_fail(ptx_parser *p, const ptx_token *at, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
void ptx_fail_memory(ptx_parser *p) __attribute__((noreturn));
void ptx_fail_version(ptx_parser *p, const ptx_token *at, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

void *ptx_alloc(ptx_parser *p, size_t count, size_t size);
char *ptx_copy(ptx_parser *p, const char *s, size_t len);

/* Room for one more item of SIZE bytes at the end of LIST; the item is zero. */
void *ptx_push(ptx_parser *p, ptx_list *list, size_t size);
/* LIST's items, copied into the arena. */
void *ptx_keep(ptx_parser *p, const ptx_list *list, size_t size);

void ptx_next(ptx_parser *p);
bool ptx_at(const ptx_parser *p, int kind);
bool ptx_at_dot(const ptx_parser *p, const char *word); /* the current token is that .word */
bool ptx_accept(ptx_parser *p, int kind);
void ptx_expect(ptx_parser *p, int kind, const char *what);
bool ptx_accept_dot(ptx_parser *p, const char *word);
ptx_token ptx_expect_name(ptx_parser *p, const char *what);

/* Skip to behind the next ';' (or '}' that closes what is open, which stays). */
void ptx_skip_statement(ptx_parser *p);

/* --- expression.c: constant expressions, PTX ISA 4.6 ------------------------------------------
 */

typedef struct ptx_const {
    enum { PTX_CONST_INT, PTX_CONST_F32, PTX_CONST_F64, PTX_CONST_DECIMAL } kind;
    bool is_unsigned;
    uint64_t bits; /* of the int64_t, float or double */
} ptx_const;

ptx_const ptx_constant(ptx_parser *p);
/* One number, sign and all; of an operator only what stands in brackets. */
uint64_t ptx_constant_int(ptx_parser *p);
/* "+4" or "-4" behind a symbol or register, else 0. */
int64_t ptx_offset(ptx_parser *p);
/* Bits of C as a value of type T; AT is where to point when it does not go. */
uint64_t ptx_constant_bits(ptx_parser *p, const ptx_token *at, ptx_const c, ptx_type t);
uint16_t ptx_half_bits(double value);
uint16_t ptx_bfloat_bits(double value);

/* --- declaration.c: variables, registers, functions --------------------------------------------
 */

/* The current token is a linking word, a state space or .func/.entry at module scope. */
void ptx_parse_declaration(ptx_parser *p);
/* .reg, .local, .shared, .param ... inside a function. */
bool ptx_parse_local(ptx_parser *p);
/* "L: .callprototype ..." */
ptx_func *ptx_parse_prototype(ptx_parser *p, const ptx_token *name);
void ptx_parse_alias(ptx_parser *p);

/* --- registers.c: names and registers of a function -----------------------------------------
 */

/* NAME now stands for what the caller makes of the symbol; leaves where it is taken at this depth.
 */
ptx_symbol *ptx_declare(ptx_parser *p, const ptx_token *at, const char *name, size_t len,
                        ptx_symbol_kind kind);
/* One register; NAME0 ... as many as COUNT; and a vector of COUNT, whose first is returned. */
void ptx_add_reg(ptx_parser *p, const ptx_token *at, const char *name, size_t len, ptx_type type);
void ptx_add_numbered(ptx_parser *p, const ptx_token *name, ptx_type type, uint64_t count);
uint32_t ptx_add_vector(ptx_parser *p, const ptx_token *at, const char *name, size_t len,
                        unsigned count, ptx_type type);
/* v$x, v$y, ...: the name here of element K of the vector v. */
char *ptx_part_name(ptx_parser *p, const char *name, size_t len, unsigned k);
/* A register that the text does not name. */
uint32_t ptx_add_unnamed(ptx_parser *p, const ptx_token *at, ptx_type type);

/* --- initializer.c -----------------------------------------------------------------------------
 */

/* "= {1, 2, generic(x)}" behind a variable. DIMS: its dimensions, the first may be 0 (open). */
void ptx_parse_initialiser(ptx_parser *p, ptx_var *v, const uint64_t *dims, unsigned dim_count,
                           unsigned vec);

/* --- instruction.c, operand.c -----------------------------------------------------------
 */

/* The braces of a function, '{' being the current token. */
void ptx_parse_body(ptx_parser *p);
void ptx_parse_operands(ptx_parser *p, ptx_insn *in);
/* A label whose instruction index goes to *target when the scope closes. */
void ptx_use_label(ptx_parser *p, uint32_t *target);

/* --- location.c ------------------------------------------------------------------------------
 */

void ptx_parse_file(ptx_parser *p);
void ptx_parse_loc(ptx_parser *p);

#endif
