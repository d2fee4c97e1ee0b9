/* Symbol table with nested scopes. Entries form a stack; leaving a scope removes its entries. */
#ifndef WARPBOOK_PTX_SYMBOLS_H
#define WARPBOOK_PTX_SYMBOLS_H

#include "../ptx.h"

typedef enum ptx_symbol_kind {
    PTX_SYM_REG,    /* reg */
    PTX_SYM_VECTOR, /* reg: the first of `count` registers v.x, v.y ... */
    PTX_SYM_VAR,    /* var */
    PTX_SYM_FUNC,   /* func */
    PTX_SYM_PROTO,  /* func */
    PTX_SYM_LABEL,  /* target */
    PTX_SYM_TARGETS /* list, count: .branchtargets */
} ptx_symbol_kind;

typedef struct ptx_symbol {
    const char *name; /* points into the text */
    uint32_t len, hash, depth;
    uint32_t next; /* next entry of the bucket: index + 1; 0: last */
    ptx_symbol_kind kind;
    uint32_t count;
    union {
        uint32_t reg, target;
        ptx_var *var;
        ptx_func *func;
        uint32_t *list;
    };
} ptx_symbol;

typedef struct ptx_symbols {
    ptx_symbol *entry;
    uint32_t count, room;
    uint32_t *bucket; /* index + 1 of the newest entry; 0: empty */
    uint32_t buckets; /* a power of two */
} ptx_symbols;

/* The innermost entry with this name, or NULL. Valid until the next call of a symbol function. */
ptx_symbol *ptx_symbol_find(const ptx_symbols *s, const char *name, size_t len, uint32_t hash);

/* Add a name, which hides outer ones. NULL: out of memory. */
ptx_symbol *ptx_symbol_add(ptx_symbols *s, const char *name, size_t len, uint32_t hash,
                           uint32_t depth, ptx_symbol_kind kind);

/* Remove the entries of scopes deeper than DEPTH. */
void ptx_symbols_leave(ptx_symbols *s, uint32_t depth);
void ptx_symbols_clear(ptx_symbols *s);

#endif
