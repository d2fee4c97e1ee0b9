#include "sheet.h"

#include "names.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *operands, *types, *mods, *handler, *isa; /* columns of ops.def */
} source[] = {
    [PTX_OP_NONE] = {"", "-", "", "none", ""},
#define OP(name, flow, sync, access, reach, unit, means, cost, handler, isa, operands, types, \
           mods)                                                                              \
    [PTX_OP_##name] = {operands, types, mods, #handler, isa},
#include "ops.def"
#undef OP
};

static const char *const mod_rows[] = {
#define MOD(name, spelling) [PTX_MOD_##name] = #name,
#include "mods.def"
#undef MOD
};

static const struct {
    const char *name, *words; /* name without the $; the words that $name stands for */
} sets[] = {
#define SET(name, words) {#name, words},
#include "sets.def"
#undef SET
};

static ptx_row row_table[PTX_OP_COUNT];
static ptx_modifier_permit permit_table[4096];
static unsigned permit_count;
static unsigned mistake_count;
_Static_assert(PTX_TYPE_COUNT <= 64, "sets of types are 64 bits wide");

typedef struct text_slice {
    const char *s; /* first character; not NUL-terminated */
    size_t len;    /* number of characters */
} text_slice;

static bool slice_equals(text_slice a, const char *b)
{
    return strlen(b) == a.len && memcmp(a.s, b, a.len) == 0;
}

/* Move the part of *rest before SEPARATOR to *out. False: *rest is empty. */
static bool next_column_part(text_slice *rest, char separator, text_slice *out)
{
    while (rest->len && *rest->s == ' ' && separator == ' ') {
        rest->s++;
        rest->len--;
    }
    if (!rest->len)
        return false;
    const char *at = memchr(rest->s, separator, rest->len);
    out->s = rest->s;
    out->len = at ? (size_t)(at - rest->s) : rest->len;
    size_t skip = out->len + (at != NULL);
    rest->s += skip;
    rest->len -= skip;
    return true;
}

static ptx_type type_by_name(text_slice word)
{
    unsigned value;
    if (slice_equals(word, "-"))
        return PTX_NOTYPE;
    if (ptx_word_find(word.s, word.len, &value) == PTX_WORD_TYPE)
        return (ptx_type)value;
    mistake_count++;
    return PTX_NOTYPE;
}

/* Parse a list of types such as "u32/s32" into a bit set over ptx_type. */
static uint64_t parse_type_set(text_slice list)
{
    uint64_t set = 0;
    for (text_slice word; next_column_part(&list, '/', &word);)
        set |= (uint64_t)1 << type_by_name(word);
    return set;
}

/* Find a modifier by its name in mods.def; most modifiers are spelled like their name. */
static unsigned mod_by_name(text_slice name)
{
    unsigned m;
    if (ptx_word_find(name.s, name.len, &m) == PTX_WORD_MOD && slice_equals(name, mod_rows[m]))
        return m;
    for (m = 0; m < PTX_MOD_COUNT && !slice_equals(name, mod_rows[m]); m++) {
    }
    return m;
}

/* The condition after an operand's `?`: "add|min|max", "+add|min", "u8/s8", "f16x2/bf16x2.f32". */
static void read_condition(ptx_operand_form *s, text_slice rest)
{
    text_slice word = rest;
    unsigned value;
    s->when = rest.len != 0;
    s->elsewhere = rest.len && *rest.s == '+';
    rest.s += s->elsewhere;
    rest.len -= s->elsewhere;
    word.len = strcspn(rest.s, "|/. ");
    word.len = word.len < rest.len ? word.len : rest.len;
    if (ptx_word_find(word.s, word.len, &value) == PTX_WORD_TYPE) {
        next_column_part(&rest, '.', &word);
        s->when_types = parse_type_set(word);
        s->when_second = parse_type_set(rest);
        return;
    }
    while (next_column_part(&rest, '|', &word)) {
        const unsigned m = mod_by_name(word);
        mistake_count += m == PTX_MOD_COUNT;
        s->when_mods[m / 64 % 4] |= (uint64_t)(m < PTX_MOD_COUNT) << (m % 64);
    }
}

/* Parse the marks before and after an operand's name: "+d", "-a", "a=red". */
static void read_operand_marks(ptx_operand_form *s, text_slice *name)
{
    const char mark = name->len ? *name->s : '\0';
    s->updated = mark == '+';
    s->minus = mark == '-';
    if (s->updated || s->minus) {
        name->s++;
        name->len--;
    }
    text_slice with = *name;
    if (memchr(name->s, '=', name->len)) {
        next_column_part(&with, '=', name);
        s->result = true;
        s->result_with = (ptx_mod)mod_by_name(with);
        mistake_count += s->result_with == PTX_MOD_COUNT;
    }
}

static void read_operand_form(ptx_operand_form *s, text_slice word)
{
    *s = (ptx_operand_form){
        .role = PTX_ROLE_VALUE, .want = PTX_WANT_NTH, .result_with = PTX_MOD_COUNT};
    const char *mark = memchr(word.s, '?', word.len);
    if (mark) {
        s->optional = true;
        read_condition(s, (text_slice){mark + 1, (size_t)(word.s + word.len - mark - 1)});
        word.len = (size_t)(mark - word.s);
    }
    text_slice rest = word, name = {"", 0}, want = {NULL, 0};
    next_column_part(&rest, ':', &name);
    next_column_part(&rest, ':', &want);
    read_operand_marks(s, &name);
    if (slice_equals(name, "label")) {
        s->role = PTX_ROLE_LABEL;
    } else if (slice_equals(name, "list")) {
        s->role = PTX_ROLE_LIST;
    } else if (slice_equals(name, "(d)") || slice_equals(name, "f") || slice_equals(name, "(a)") ||
               slice_equals(name, "proto")) {
        s->role = PTX_ROLE_CALL;
        s->result = slice_equals(name, "(d)");
    } else if (name.len && name.s[0] == '[') {
        s->role = PTX_ROLE_MEMORY;
        s->want = PTX_WANT_ANY;
    } else if (name.len == 3 && name.s[1] == '|') {
        s->pair = true;
    } else if (name.len != 1) {
        mistake_count++;
    }
    s->result |= s->role == PTX_ROLE_VALUE && name.len && *name.s == 'd';
    if (want.len == 1 && want.s[0] >= '1' && want.s[0] <= '0' + PTX_MAX_TYPES) {
        s->nth = (uint8_t)(want.s[0] - '1');
    } else if (slice_equals(want, "w")) {
        s->want = PTX_WANT_WIDE;
    } else if (slice_equals(want, "*")) {
        s->want = PTX_WANT_ANY;
    } else if (want.len) {
        s->want = PTX_WANT_TYPE;
        s->type = type_by_name(want);
    }
}

/* Allow modifier M in row R for first types in TYPES and second types in SECOND; 0: any. */
static void allow_modifier(ptx_row *r, unsigned m, uint64_t types, uint64_t second)
{
    if (permit_count == sizeof permit_table / sizeof *permit_table ||
        r->permit_count == PTX_MAX_MODIFIER_PERMITS) {
        mistake_count++;
        return;
    }
    permit_table[permit_count++] = (ptx_modifier_permit){(ptx_mod)m, types, second};
    r->permit_count++;
}

/* Parse one word of the modifier column: "a", "a|b", "!a|b", "~a|b", "a&b", each optionally
 * followed by ":types" or ":types.types". */
static void read_modifiers(ptx_row *r, text_slice word)
{
    text_slice names = word;
    next_column_part(&word, ':', &names);
    text_slice first = {word.s, 0};
    next_column_part(&word, '.', &first);
    ptx_modifier_rule g = {.kind = PTX_GROUP_AT_MOST_ONE,
                           .types = parse_type_set(first),
                           .second = parse_type_set(word)};
    const bool excludes = names.len && names.s[0] == '~';
    if (excludes || (names.len && names.s[0] == '!')) {
        g.kind = excludes ? PTX_GROUP_AT_MOST_ONE : PTX_GROUP_ONE;
        names.s++;
        names.len--;
    }
    const bool all = memchr(names.s, '&', names.len) != NULL;
    unsigned count = 0;
    for (text_slice name; next_column_part(&names, all ? '&' : '|', &name); count++) {
        const unsigned m = mod_by_name(name);
        if (m == PTX_MOD_COUNT) {
            mistake_count++;
            continue;
        }
        if (!excludes)
            allow_modifier(r, m, g.types, g.second);
        g.mods[m / 64] |= (uint64_t)1 << (m % 64);
    }
    if (all)
        g.kind = PTX_GROUP_ALL_OR_NONE;
    if (count > 1 || g.kind == PTX_GROUP_ONE) {
        if (r->group_count == PTX_MAX_MODIFIER_RULES) {
            mistake_count++;
            return;
        }
        r->group[r->group_count++] = g;
    }
}

/* The words of the list in sets.def that the $name at FROM stands for; *len: length of the name. */
static const char *words_of_set(const char *from, size_t *len)
{
    *len = strspn(from, "abcdefghijklmnopqrstuvwxyz_0123456789L");
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        if (slice_equals((text_slice){from, *len}, sets[k].name))
            return sets[k].words;
    mistake_count++;
    return "";
}

/* Replace each $name in a column by the words of its list. Valid until the next call. */
static text_slice expand_sets(const char *column)
{
    static char text[4096];
    size_t n = 0;
    for (const char *c = column; *c; c++) {
        size_t len = 0;
        char one[2] = {*c, 0};
        const char *words = *c == '$' ? words_of_set(c + 1, &len) : one;
        const size_t more = strlen(words);
        if (n + more >= sizeof text) {
            mistake_count++;
            break;
        }
        memcpy(text + n, words, more);
        n += more;
        c += len;
    }
    return (text_slice){text, n};
}

static void read_row(unsigned op)
{
    ptx_row *r = &row_table[op];
    text_slice word, rest = {source[op].operands, strlen(source[op].operands)};
    while (next_column_part(&rest, ' ', &word)) {
        if (r->shape_count == PTX_MAX_OPERANDS) {
            mistake_count++;
            break;
        }
        read_operand_form(&r->shape[r->shape_count++], word);
    }
    for (unsigned i = 0; i < r->shape_count; i++)
        r->required += !r->shape[i].optional;

    rest = expand_sets(source[op].types);
    if (!rest.len)
        r->alternative_count = 1; /* an instruction without types has one alternative */
    while (next_column_part(&rest, ' ', &word)) {
        if (r->alternative_count == PTX_MAX_ALTERNATIVES) {
            mistake_count++;
            break;
        }
        ptx_alternative *a = &r->alternative[r->alternative_count++];
        if (slice_equals(word, "-"))
            continue;
        for (text_slice position; next_column_part(&word, '.', &position);) {
            if (a->count == PTX_MAX_TYPES) {
                mistake_count++;
                break;
            }
            a->set[a->count++] = parse_type_set(position);
        }
    }

    rest = expand_sets(source[op].mods);
    while (next_column_part(&rest, ' ', &word)) {
        const text_slice whole = word;
        text_slice name = word;
        next_column_part(&word, ':', &name);
        unsigned value;
        switch (ptx_word_find(name.s, name.len, &value)) {
        case PTX_WORD_VEC: r->vecs |= 1u << value; continue;
        case PTX_WORD_SPACE: r->spaces |= 1u << value; continue;
        default: break;
        }
        read_modifiers(r, whole);
    }
    r->permit = permit_table + permit_count - r->permit_count;
    r->implemented = strcmp(source[op].handler, "none") != 0;
    r->isa = source[op].isa;
}

static void read_all_rows(void)
{
    for (unsigned op = 0; op < PTX_OP_COUNT; op++)
        read_row(op);
    if (mistake_count) { /* never in a table that any test has read */
        fprintf(stderr, "warpbook: %u words of ops.def cannot be read\n", mistake_count);
        abort();
    }
}

const ptx_row *ptx_row_of_op(ptx_op op)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_all_rows);
    return &row_table[op < PTX_OP_COUNT ? op : PTX_OP_NONE];
}

static ptx_type double_width_type(ptx_type t)
{
    switch (t) {
    case PTX_u16: return PTX_u32;
    case PTX_s16: return PTX_s32;
    case PTX_u32: return PTX_u64;
    case PTX_s32: return PTX_s64;
    default: return t;
    }
}

ptx_type ptx_operand_type(const ptx_insn *in, unsigned i)
{
    const ptx_row *r = ptx_row_of_op(in->op);
    if (i >= r->shape_count)
        return PTX_NOTYPE;
    const ptx_operand_form *s = &r->shape[i];
    switch (s->want) {
    case PTX_WANT_NTH: return s->nth < in->type_count ? in->type[s->nth] : PTX_NOTYPE;
    case PTX_WANT_WIDE:
        return !in->type_count                      ? PTX_NOTYPE
               : ptx_has_modifier(in, PTX_MOD_wide) ? double_width_type(in->type[0])
                                                    : in->type[0];
    case PTX_WANT_TYPE: return s->type;
    default: return PTX_NOTYPE;
    }
}
