#include "names.h"

#include <pthread.h>
#include <string.h>

static const char *const op_operand_columns[] = {
    [PTX_OP_NONE] = "",
#define OP(name, ...) [PTX_OP_##name] = #name,
#include "ops.def"
#undef OP
};

static const struct {
    const char *name; /* name of the type, without the dot: "s32" */
    unsigned bytes;   /* bytes of a value of the type */
    char cls;         /* class: B bits, U unsigned, S signed, F floating point, P predicate */
} types[] = {
    [PTX_NOTYPE] = {"", 0, '?'},
#define TYPE(name, bytes, cls) [PTX_##name] = {#name, bytes, #cls[0]},
#include "types.def"
#undef TYPE
};

static const char *const mod_spellings[] = {
#define MOD(name, spelling) [PTX_MOD_##name] = spelling,
#include "mods.def"
#undef MOD
};
_Static_assert(PTX_MOD_COUNT <= 256, "ptx_insn.mods has 256 bits");

static const struct {
    const char *name; /* spelling of the special register: "%tid.x" */
    ptx_type type;    /* type of the special register */
} sregs[] = {
    [PTX_SREG_NONE] = {"", PTX_NOTYPE},
#define SREG(name, spelling, type) [PTX_SREG_##name] = {spelling, PTX_##type},
#include "sregs.def"
#undef SREG
};

static const char *const space_names[] = {
    [PTX_SPACE_NONE] = "",         [PTX_SPACE_REG] = "reg",     [PTX_SPACE_CONST] = "const",
    [PTX_SPACE_GLOBAL] = "global", [PTX_SPACE_LOCAL] = "local", [PTX_SPACE_PARAM] = "param",
    [PTX_SPACE_SHARED] = "shared", [PTX_SPACE_TEX] = "tex",
};

/* Additional spellings of state spaces, PTX ISA 5.1. shared::cluster is not only a space but
 * also a modifier, because it addresses the memory of other blocks. */
static const struct {
    const char *name; /* the additional spelling, without the dot */
    ptx_space space;  /* the state space that it stands for */
} more_spaces[] = {
    {"shared::cta", PTX_SPACE_SHARED},
    {"param::entry", PTX_SPACE_PARAM},
    {"param::func", PTX_SPACE_PARAM},
};

/* Kinds of keywords, in addition to those of ptx_word_kind. */
enum { KEYWORD_OPERATION = 100, KEYWORD_SPECIAL_REG };

typedef struct keyword {
    const char *s;       /* spelling of the keyword */
    uint32_t hash;       /* hash value of the spelling */
    uint16_t len, value; /* length of the spelling; value of the keyword */
    uint8_t kind;        /* ptx_word_kind, KEYWORD_OPERATION or KEYWORD_SPECIAL_REG */
    bool longer;         /* the spelling is also the beginning of a longer operation name */
} keyword;

enum { KEYWORD_TABLE_SIZE = 2048 };
static keyword keyword_table[KEYWORD_TABLE_SIZE];
_Static_assert((int)PTX_OP_COUNT + (int)PTX_MOD_COUNT + (int)PTX_SREG_COUNT + (int)PTX_TYPE_COUNT <
                   KEYWORD_TABLE_SIZE / 2,
               "the keyword table must stay half empty");
static char op_spelling[PTX_OP_COUNT][40];
#define OP(name, ...) \
    _Static_assert(sizeof #name <= sizeof op_spelling[0], "no room to spell " #name);
#include "ops.def"
#undef OP

/* The name space of a keyword: types, spaces and modifiers share one; operations and special
 * registers have their own. */
static unsigned keyword_name_space(unsigned kind)
{
    return kind < KEYWORD_OPERATION ? 0 : kind;
}

static keyword *find_keyword(unsigned kind, const char *s, size_t len)
{
    uint32_t h = ptx_hash(s, len);
    for (uint32_t i = h % KEYWORD_TABLE_SIZE; keyword_table[i].s;
         i = (i + 1) % KEYWORD_TABLE_SIZE) {
        keyword *k = &keyword_table[i];
        if (k->hash == h && k->len == len &&
            keyword_name_space(k->kind) == keyword_name_space(kind) && memcmp(k->s, s, len) == 0)
            return k;
    }
    return NULL;
}

static void add_keyword(unsigned kind, const char *s, unsigned value)
{
    size_t len = strlen(s);
    if (!len || find_keyword(kind, s, len))
        return;
    uint32_t h = ptx_hash(s, len), i = h % KEYWORD_TABLE_SIZE;
    while (keyword_table[i].s)
        i = (i + 1) % KEYWORD_TABLE_SIZE;
    keyword_table[i] = (keyword){
        .s = s, .hash = h, .len = (uint16_t)len, .value = (uint16_t)value, .kind = (uint8_t)kind};
}

/* The spelling of a row's name in ops.def: "mbarrier_test__wait" becomes mbarrier.test_wait. */
static void spell_operation(char *to, const char *row)
{
    for (; *row; row++) {
        if (row[0] == '_' && row[1] == '_') {
            *to++ = '_';
            row++;
        } else {
            *to++ = *row == '_' ? '.' : *row;
        }
    }
    *to = 0;
}

static void build_tables(void)
{
    for (unsigned i = 1; i < PTX_TYPE_COUNT; i++)
        add_keyword(PTX_WORD_TYPE, types[i].name, i);
    for (unsigned i = 1; i < sizeof space_names / sizeof *space_names; i++)
        add_keyword(PTX_WORD_SPACE, space_names[i], i);
    for (unsigned i = 0; i < sizeof more_spaces / sizeof *more_spaces; i++)
        add_keyword(PTX_WORD_SPACE, more_spaces[i].name, more_spaces[i].space);
    add_keyword(PTX_WORD_VEC, "v2", 2);
    add_keyword(PTX_WORD_VEC, "v4", 4);
    add_keyword(PTX_WORD_VEC, "v8", 8);
    for (unsigned i = 0; i < PTX_MOD_COUNT; i++)
        add_keyword(PTX_WORD_MOD, mod_spellings[i], i);
    for (unsigned i = 1; i < PTX_SREG_COUNT; i++)
        add_keyword(KEYWORD_SPECIAL_REG, sregs[i].name, i);
    for (unsigned i = 1; i < PTX_OP_COUNT; i++) {
        spell_operation(op_spelling[i], op_operand_columns[i]);
        add_keyword(KEYWORD_OPERATION, op_spelling[i], i);
    }
    for (unsigned i = 1; i < PTX_OP_COUNT; i++) {
        for (const char *dot = op_spelling[i]; (dot = strchr(dot, '.')); dot++) {
            size_t len = (size_t)(dot - op_spelling[i]);
            keyword *k = find_keyword(KEYWORD_OPERATION, op_spelling[i], len);
            if (!k) { /* "mbarrier" is no instruction, but the beginning of several */
                static char prefix[PTX_OP_COUNT][sizeof op_spelling[0]];
                memcpy(prefix[i], op_spelling[i], len);
                add_keyword(KEYWORD_OPERATION, prefix[i], PTX_OP_NONE);
                k = find_keyword(KEYWORD_OPERATION, op_spelling[i], len);
            }
            k->longer = true;
        }
    }
}

static void ensure_tables(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build_tables);
}

static unsigned read_number(const char **s, const char *end)
{
    unsigned n = 0;
    for (; *s < end && **s >= '0' && **s <= '9' && n < 1000; (*s)++)
        n = n * 10 + (unsigned)(**s - '0');
    return n;
}

/* Is S a wgmma shape? The shapes m64n8k16 to m64n256k256 are one modifier, PTX ISA 9.7.15.2. */
static bool is_warpgroup_shape(const char *s, size_t len)
{
    const char *at = s + 4, *end = s + len;
    if (len < 7 || memcmp(s, "m64n", 4) != 0)
        return false;
    const unsigned n = read_number(&at, end);
    if (n < 8 || n > 256 || n % 8 || *at != 'k' || at + 1 >= end)
        return false;
    at++;
    return read_number(&at, end) && at == end;
}

ptx_word_kind ptx_word_find(const char *s, size_t len, unsigned *value)
{
    ensure_tables();
    const keyword *k = find_keyword(PTX_WORD_NONE, s, len);
    if (!k && is_warpgroup_shape(s, len)) {
        *value = PTX_MOD_m64;
        return PTX_WORD_MOD;
    }
    if (!k)
        return PTX_WORD_NONE;
    *value = k->value;
    return (ptx_word_kind)k->kind;
}

ptx_op ptx_op_find(const char *mnemonic, size_t len, size_t *used)
{
    ensure_tables();
    ptx_op best = PTX_OP_NONE;
    const char *end = mnemonic + len, *dot = memchr(mnemonic, '.', len);
    size_t part = dot ? (size_t)(dot - mnemonic) : len;
    *used = part;
    for (;;) {
        const keyword *k = find_keyword(KEYWORD_OPERATION, mnemonic, part);
        if (k && k->value) {
            best = (ptx_op)k->value;
            *used = part;
        }
        if (!k || !k->longer || part == len)
            return best;
        const char *from = mnemonic + part + 1;
        dot = from < end ? memchr(from, '.', (size_t)(end - from)) : NULL;
        part = dot ? (size_t)(dot - mnemonic) : len;
    }
}

ptx_sreg ptx_sreg_find(const char *s, size_t len)
{
    ensure_tables();
    const keyword *k = find_keyword(KEYWORD_SPECIAL_REG, s, len);
    return k ? (ptx_sreg)k->value : PTX_SREG_NONE;
}

const char *ptx_sreg_name(ptx_sreg r)
{
    return r < PTX_SREG_COUNT ? sregs[r].name : "";
}

const char *ptx_op_name(ptx_op op)
{
    ensure_tables();
    return op < PTX_OP_COUNT ? op_spelling[op] : "";
}

const char *ptx_mod_name(ptx_mod m)
{
    return m < PTX_MOD_COUNT ? mod_spellings[m] : "";
}

const char *ptx_space_name(ptx_space s)
{
    return s < sizeof space_names / sizeof *space_names ? space_names[s] : "";
}

const char *ptx_type_name(ptx_type t)
{
    return t < PTX_TYPE_COUNT ? types[t].name : "";
}

unsigned ptx_type_bytes(ptx_type t)
{
    return t < PTX_TYPE_COUNT ? types[t].bytes : 0;
}

char ptx_type_class(ptx_type t)
{
    return t < PTX_TYPE_COUNT ? types[t].cls : '?';
}
