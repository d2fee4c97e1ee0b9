/* Symbol table with nested scopes. Entries form a stack; leaving a scope removes its entries. */
#pragma once

#include "../ptx.h"

typedef enum ptx_symbol_kind {
    PTX_SYM_REG,    /* a register: index `reg` */
    PTX_SYM_VECTOR, /* a vector register: `reg` is the first of `count` registers v.x, v.y ... */
    PTX_SYM_VAR,    /* a variable: `var` */
    PTX_SYM_FUNC,   /* a function: `func` */
    PTX_SYM_PROTO,  /* a .callprototype: `func` */
    PTX_SYM_LABEL,  /* a label: instruction index `target` */
    PTX_SYM_TARGETS /* a .branchtargets list: `list` with `count` entries */
} ptx_symbol_kind;

typedef struct ptx_symbol {
    const char *name;          /* points into the PTX text */
    uint32_t len, hash, depth; /* length and hash of the name; depth of the scope */
    uint32_t next;             /* next symbol of the hash bucket: index + 1; 0: none */
    ptx_symbol_kind kind;      /* what the name stands for */
    uint32_t count; /* number of elements of a vector register or of a .branchtargets list */
    union {
        uint32_t reg, target; /* index of the (first) register; instruction index of the label */
        ptx_var *var;         /* PTX_SYM_VAR: the variable */
        ptx_func *func;       /* PTX_SYM_FUNC, PTX_SYM_PROTO: the function */
        uint32_t *list;       /* PTX_SYM_TARGETS: instruction indices of the labels */
    };
} ptx_symbol;

typedef struct ptx_symbols {
    ptx_symbol *entry;   /* the symbols as a stack, innermost scope last */
    uint32_t count, cap; /* number of symbols; number of symbols that `entry` has room for */
    uint32_t *bucket;    /* hash table: index + 1 of the newest entry of a bucket; 0: empty */
    uint32_t buckets;    /* number of buckets, a power of two */
} ptx_symbols;

/* The innermost entry with the name NAME, or NULL. Valid until the next call. */
ptx_symbol *ptx_symbol_find(const ptx_symbols *s, const char *name, size_t len, uint32_t hash);

/* Add NAME to the table; it hides equal names in outer scopes. NULL: out of memory. */
ptx_symbol *ptx_symbol_add(ptx_symbols *s, const char *name, size_t len, uint32_t hash,
                           uint32_t depth, ptx_symbol_kind kind);

/* Remove the entries of scopes deeper than DEPTH. */
void ptx_symbols_leave_scope(ptx_symbols *s, uint32_t depth);
void ptx_symbols_clear(ptx_symbols *s);
