/* Read the debug information of PTX. */
#include "dwarf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the text: labels, and sections as bytes with symbols --- */

typedef struct word {
    const char *at;
    size_t length;
} word;

typedef struct label {
    word name;
    uint32_t line;
} label;

typedef struct symbol {
    uint32_t at; /* offset in the section */
    word name;
} symbol;

typedef struct section {
    uint8_t *bytes;
    uint32_t count, room;
    symbol *list; /* by offset */
    uint32_t symbols, symbol_room;
} section;

enum { INFO, ABBREV, LOC, SECTIONS };

typedef struct source {
    section of[SECTIONS];
    label *label;
    uint32_t labels, label_room;
    bool failed;
} source;

static bool grow(void **list, uint32_t *room, uint32_t count, size_t each)
{
    if (count < *room) {
        return true;
    }
    const uint32_t more = 2 * *room + 64;
    void *bigger = realloc(*list, more * each);
    if (!bigger) {
        return false;
    }
    *list = bigger;
    *room = more;
    return true;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.' || c == '%';
}

static void add_bytes(source *s, section *to, uint64_t value, uint32_t bytes)
{
    for (uint32_t k = 0; k < bytes && !s->failed; k++) {
        s->failed = !grow((void **)&to->bytes, &to->room, to->count, 1);
        if (!s->failed) {
            to->bytes[to->count++] = (uint8_t)(value >> 8 * k);
        }
    }
}

/* The items of a line such as ".b64 $L__tmp0" or ".b8 1,2,3". */
static void read_data(source *s, section *to, const char *line, const char *end)
{
    const uint32_t bytes = (uint32_t)strtoul(line + 2, NULL, 10) / 8;
    const char *at = line + 1 + strcspn(line + 1, " \t");
    while (at < end && bytes >= 1 && bytes <= 8) {
        at += strspn(at, " \t,");
        if (at >= end) {
            return;
        }
        if ((*at >= '0' && *at <= '9') || *at == '-') {
            char *stop;
            const uint64_t value =
                *at == '-' ? (uint64_t)strtoll(at, &stop, 0) : strtoull(at, &stop, 0);
            add_bytes(s, to, value, bytes);
            at = stop > at ? stop : end;
            continue;
        }
        size_t n = 0;
        while (at + n < end && is_name(at[n])) {
            n++;
        }
        if (n == 0) {
            return;
        }
        s->failed =
            s->failed || !grow((void **)&to->list, &to->symbol_room, to->symbols, sizeof *to->list);
        if (!s->failed) {
            to->list[to->symbols++] = (symbol){to->count, {at, n}};
        }
        const bool plus = at + n < end && at[n] == '+';
        add_bytes(s, to, plus ? strtoull(at + n + 1, NULL, 0) : 0, bytes);
        at += n;
        at += strcspn(at, ",\n");
    }
}

static void read_label(source *s, const char *line, const char *end, uint32_t number)
{
    const char *c = line;
    while (c < end && is_name(*c)) {
        c++;
    }
    if (c == line || c == end || *c != ':') {
        return;
    }
    s->failed = s->failed || !grow((void **)&s->label, &s->label_room, s->labels, sizeof *s->label);
    if (!s->failed) {
        s->label[s->labels++] = (label){{line, (size_t)(c - line)}, number};
    }
}

static void read_text(source *s, const char *text)
{
    static const char *const names[SECTIONS] = {".debug_info", ".debug_abbrev", ".debug_loc"};
    section *in = NULL;
    uint32_t number = 1;
    for (const char *line = text; *line; number++) {
        const char *end = line + strcspn(line, "\n");
        const char *at = line + strspn(line, " \t");
        if (strncmp(at, ".section", 8) == 0) {
            at += 8 + strspn(at + 8, " \t");
            in = NULL;
            for (uint32_t k = 0; k < SECTIONS; k++) {
                const size_t n = strlen(names[k]);
                in = strncmp(at, names[k], n) == 0 && !is_name(at[n]) ? &s->of[k] : in;
            }
        } else if (in && strncmp(at, ".b", 2) == 0) {
            read_data(s, in, at, end);
        } else if (*at == '}') {
            in = NULL;
        } else if (!in) {
            read_label(s, at, end, number);
        }
        line = *end ? end + 1 : end;
    }
}

static int by_name(const void *a, const void *b)
{
    const word *x = &((const label *)a)->name, *y = &((const label *)b)->name;
    const size_t n = x->length < y->length ? x->length : y->length;
    const int c = memcmp(x->at, y->at, n);
    return c ? c : (x->length > y->length) - (x->length < y->length);
}

/* The line of the label that section X names at offset AT; 0: none. *NAME is its name. */
static uint32_t line_at(const source *s, const section *x, uint32_t at, word *name)
{
    uint32_t low = 0, high = x->symbols;
    while (low < high) {
        const uint32_t mid = (low + high) / 2;
        if (x->list[mid].at < at) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low == x->symbols || x->list[low].at != at) {
        return 0;
    }
    const label key = {.name = x->list[low].name};
    *name = key.name;
    const label *l = s->labels ? bsearch(&key, s->label, s->labels, sizeof key, by_name) : NULL;
    return l ? l->line : 0;
}

/* --- bytes --- */

typedef struct reader {
    const section *of;
    uint32_t at, end;
} reader;

static uint64_t take(reader *r, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t k = 0; k < bytes; k++) {
        value |= r->at < r->end ? (uint64_t)r->of->bytes[r->at] << 8 * (k % 8) : 0;
        r->at += r->at < r->end;
    }
    return value;
}

static uint64_t take_uleb(reader *r)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; r->at < r->end; shift += 7) {
        const uint8_t b = r->of->bytes[r->at++];
        value |= shift < 64 ? (uint64_t)(b & 0x7f) << shift : 0;
        if (!(b & 0x80)) {
            break;
        }
    }
    return value;
}

static const char *take_string(reader *r)
{
    const char *text = (const char *)r->of->bytes + r->at;
    const char *end = r->at < r->end ? memchr(text, 0, r->end - r->at) : NULL;
    r->at = end ? r->at + (uint32_t)(end - text) + 1 : r->end;
    return end ? text : "";
}

/* --- entries --- */

enum {
    TAG_PARAMETER = 0x05,
    TAG_BLOCK = 0x0b,
    TAG_POINTER = 0x0f,
    TAG_REFERENCE = 0x10,
    TAG_TYPEDEF = 0x16,
    TAG_BASE = 0x24,
    TAG_CONST = 0x26,
    TAG_FUNCTION = 0x2e,
    TAG_VARIABLE = 0x34,
    TAG_VOLATILE = 0x35
};

/* What is wanted of an entry. */
typedef struct entry {
    uint32_t tag;
    bool children;
    const char *name, *linkage;
    uint32_t low, high; /* lines; 0: not given */
    uint32_t type;      /* offset; 0: none */
    uint32_t bytes, encoding;
    uint32_t where, where_size; /* offset of an expression in .debug_info; 0: none */
    int64_t list;               /* offset in .debug_loc; -1: none */
} entry;

static uint32_t block_size(reader *r, uint32_t form)
{
    return form == 0x0a   ? (uint32_t)take(r, 1)
           : form == 0x03 ? (uint32_t)take(r, 2)
           : form == 0x04 ? (uint32_t)take(r, 4)
                          : (uint32_t)take_uleb(r);
}

static void take_attribute(const source *s, reader *r, uint32_t attribute, uint32_t form, entry *e)
{
    const uint32_t at = r->at;
    uint64_t value = 0;
    const char *text = NULL;
    word name;
    switch (form) {
    case 0x01: /* addr */
    case 0x07:
    case 0x14:
        value = take(r, 8);
        break;
    case 0x03: /* blocks */
    case 0x04:
    case 0x09:
    case 0x0a:
    case 0x18: {
        const uint32_t size = block_size(r, form);
        if (attribute == 0x02) {
            e->where = r->at;
            e->where_size = size;
        }
        r->at = size < r->end - r->at ? r->at + size : r->end;
        return;
    }
    case 0x05:
    case 0x12:
        value = take(r, 2);
        break;
    case 0x06:
    case 0x0e:
    case 0x10:
    case 0x13:
    case 0x17:
        value = take(r, 4);
        break;
    case 0x08:
        text = take_string(r);
        break;
    case 0x0b:
    case 0x0c:
    case 0x11:
        value = take(r, 1);
        break;
    case 0x0d:
    case 0x0f:
    case 0x15:
        value = take_uleb(r);
        break;
    case 0x19:
        value = 1;
        break;
    default:
        r->at = r->end; /* an unknown form: nothing after it can be read */
        return;
    }
    switch (attribute) {
    case 0x02:
        e->list = (int64_t)value;
        break;
    case 0x03:
        e->name = text;
        break;
    case 0x0b:
        e->bytes = (uint32_t)value;
        break;
    case 0x11:
        e->low = line_at(s, r->of, at, &name);
        break;
    case 0x12:
        e->high = line_at(s, r->of, at, &name);
        break;
    case 0x3e:
        e->encoding = (uint32_t)value;
        break;
    case 0x49:
        e->type = (uint32_t)value;
        break;
    case 0x6e:
    case 0x2007:
        e->linkage = text;
        break;
    default:
        break;
    }
}

/* The entry at R. False: it is the end of a list of children, or cannot be read. */
static bool take_entry(const source *s, reader *r, entry *e)
{
    *e = (entry){.list = -1};
    const uint64_t code = take_uleb(r);
    reader a = {&s->of[ABBREV], 0, s->of[ABBREV].count};
    if (code == 0) {
        return false;
    }
    while (a.at < a.end) {
        const uint64_t number = take_uleb(&a);
        const uint32_t tag = (uint32_t)take_uleb(&a);
        const bool children = take(&a, 1);
        const bool is = number == code;
        e->tag = is ? tag : e->tag;
        e->children = is ? children : e->children;
        for (;;) {
            const uint32_t attribute = (uint32_t)take_uleb(&a), form = (uint32_t)take_uleb(&a);
            if (attribute == 0 && form == 0) {
                break;
            }
            if (is) {
                take_attribute(s, r, attribute, form, e);
            }
            if (a.at >= a.end) {
                break;
            }
        }
        if (is) {
            return true;
        }
    }
    r->at = r->end;
    return false;
}

/* --- variables --- */

static void fill_type(const source *s, uint32_t offset, dwarf_variable *v)
{
    snprintf(v->type, sizeof v->type, "?");
    for (uint32_t depth = 0; offset && depth < 16; depth++) {
        reader r = {&s->of[INFO], offset, s->of[INFO].count};
        entry e;
        if (offset >= s->of[INFO].count || !take_entry(s, &r, &e)) {
            return;
        }
        if (e.tag == TAG_BASE || e.tag == TAG_POINTER || e.tag == TAG_REFERENCE) {
            v->encoding = e.tag == TAG_BASE ? e.encoding : 0;
            v->bytes = e.tag == TAG_BASE ? e.bytes : 8;
            v->bytes = v->bytes <= 8 ? v->bytes : 0;
            snprintf(v->type, sizeof v->type, "%s",
                     e.tag == TAG_BASE && e.name ? e.name : "pointer");
            return;
        }
        offset = e.tag == TAG_TYPEDEF || e.tag == TAG_CONST || e.tag == TAG_VOLATILE ? e.type : 0;
    }
}

/* Where the expression of SIZE bytes at R says that the variable is. */
static void fill_spot(const source *s, reader *r, uint32_t size, dwarf_spot *spot)
{
    const uint32_t end = r->at + size, op = (uint32_t)take(r, 1);
    if (op == 0x90) { /* DW_OP_regx: the characters of the name, the last one lowest */
        uint64_t name = take_uleb(r);
        char text[9] = "";
        uint32_t n = 0;
        for (; name && n < 8; name >>= 8) {
            memmove(text + 1, text, n++);
            text[0] = (char)name;
        }
        snprintf(spot->reg, sizeof spot->reg, "%s", r->at == end ? text : "");
    } else if (op == 0x03 && size == 9) { /* DW_OP_addr */
        word name = {NULL, 0};
        line_at(s, r->of, r->at, &name);
        snprintf(spot->symbol, sizeof spot->symbol, "%.*s", (int)name.length,
                 name.at ? name.at : "");
    }
}

static dwarf_spot *add_spot(dwarf_variable *v, uint32_t from, uint32_t to)
{
    dwarf_spot *more = realloc(v->spot, (v->spots + 1) * sizeof *more);
    if (!more) {
        return NULL;
    }
    v->spot = more;
    v->spot[v->spots] = (dwarf_spot){.from = from, .to = to};
    return &v->spot[v->spots++];
}

static void fill_spots(const source *s, const entry *e, dwarf_variable *v)
{
    if (e->where) {
        reader r = {&s->of[INFO], e->where, s->of[INFO].count};
        dwarf_spot *spot = add_spot(v, 0, UINT32_MAX);
        if (spot) {
            fill_spot(s, &r, e->where_size, spot);
        }
    }
    const section *loc = &s->of[LOC];
    reader r = {loc, e->list < 0 ? loc->count : (uint32_t)e->list, loc->count};
    while (r.at + 18 <= r.end) {
        word name;
        const uint32_t from = line_at(s, loc, r.at, &name), to = line_at(s, loc, r.at + 8, &name);
        r.at += 16;
        if (!from || !to) {
            return; /* the end of the list */
        }
        const uint32_t size = (uint32_t)take(&r, 2), at = r.at;
        dwarf_spot *spot = add_spot(v, from, to);
        if (spot) {
            fill_spot(s, &r, size, spot);
        }
        r.at = at + size;
    }
}

typedef struct scope {
    uint32_t from, to;
    const char *function;
} scope;

static bool add_variable(const source *s, dwarf_table *t, const entry *e, const scope *in)
{
    dwarf_variable *more = realloc(t->list, (t->count + 1) * sizeof *more);
    if (!more) {
        return false;
    }
    t->list = more;
    dwarf_variable *v = &t->list[t->count++];
    *v = (dwarf_variable){.from = in->from, .to = in->to};
    snprintf(v->name, sizeof v->name, "%s", e->name);
    snprintf(v->function, sizeof v->function, "%s", in->function);
    fill_type(s, e->type, v);
    fill_spots(s, e, v);
    return true;
}

/* All entries of one unit. */
static void read_unit(const source *s, reader *r, dwarf_table *t)
{
    enum { DEEP = 64 };
    scope stack[DEEP] = {{0, UINT32_MAX, NULL}};
    uint32_t depth = 0;
    while (r->at < r->end) {
        entry e;
        if (!take_entry(s, r, &e)) {
            if (depth == 0) {
                return;
            }
            depth--;
            continue;
        }
        const scope *in = &stack[depth];
        if ((e.tag == TAG_VARIABLE || e.tag == TAG_PARAMETER) && e.name && in->function &&
            !add_variable(s, t, &e, in)) {
            return;
        }
        if (e.children && depth + 1 < DEEP) {
            stack[depth + 1] = *in;
            depth++;
            if ((e.tag == TAG_FUNCTION || e.tag == TAG_BLOCK) && e.low && e.high) {
                stack[depth].from = e.low;
                stack[depth].to = e.high;
            }
            if (e.tag == TAG_FUNCTION) {
                stack[depth].function = e.linkage ? e.linkage : e.name;
            }
        } else if (e.children) {
            return;
        }
    }
}

dwarf_table *dwarf_read(const char *text)
{
    source s = {0};
    dwarf_table *t = calloc(1, sizeof *t);
    read_text(&s, text);
    if (t && !s.failed && s.of[INFO].count > 11) {
        if (s.labels) {
            qsort(s.label, s.labels, sizeof *s.label, by_name);
        }
        /* length, version, offset of the abbreviations, size of an address */
        reader r = {&s.of[INFO], 11, s.of[INFO].count};
        read_unit(&s, &r, t);
    }
    for (uint32_t k = 0; k < SECTIONS; k++) {
        free(s.of[k].bytes);
        free(s.of[k].list);
    }
    free(s.label);
    if (t && t->count == 0) {
        dwarf_free(t);
        t = NULL;
    }
    return t;
}

void dwarf_free(dwarf_table *t)
{
    for (uint32_t k = 0; t && k < t->count; k++) {
        free(t->list[k].spot);
    }
    if (t) {
        free(t->list);
        free(t);
    }
}
