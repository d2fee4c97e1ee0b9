/* Lookup of PTX keywords: operations, types, state spaces, modifiers, special registers. The tables
 * are built at first use. All functions are thread-safe. */
#pragma once

#include "ptx.h"

typedef enum ptx_word_kind {
    PTX_WORD_NONE,  /* not a keyword */
    PTX_WORD_TYPE,  /* a type, such as .s32; its number: a ptx_type */
    PTX_WORD_SPACE, /* a state space, such as .global; its number: a ptx_space */
    PTX_WORD_VEC,   /* .v2, .v4 or .v8; its number: 2, 4 or 8 */
    PTX_WORD_MOD,   /* another modifier, such as .rn; its number: a ptx_mod */
} ptx_word_kind;

/* Classify one dotted word of a mnemonic: S of length LEN, without the dot. *value: the
 * keyword's number, with the meaning given at ptx_word_kind. */
ptx_word_kind ptx_word_find(const char *s, size_t len, unsigned *value);

/* The operation that a mnemonic begins with: the longest row name of ops.def that matches its
 * first words. *used: number of characters matched. PTX_OP_NONE: no row matches; *used is then
 * the length of the first word. */
ptx_op ptx_op_find(const char *mnemonic, size_t len, size_t *used);

ptx_sreg ptx_sreg_find(const char *s, size_t len);
const char *ptx_sreg_name(ptx_sreg r);

const char *ptx_mod_name(ptx_mod m);
const char *ptx_space_name(ptx_space s);

/* Hash of a name for the hash tables of ptx/. */
static inline uint32_t ptx_hash(const char *s, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}
