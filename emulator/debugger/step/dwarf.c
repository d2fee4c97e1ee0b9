#include "dwarf.h"
#include "../../base/list.h"
#include "dwarf_entry.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Find the entry of the type at OFFSET, skipping typedefs and qualifiers; *R points after it.
 * Returns false if the type is missing. */
static bool find_type(const dwarf_source *s, uint32_t offset, dwarf_reader *r, dwarf_entry *e)
{
    for (uint32_t depth = 0; offset && offset < s->of[DWARF_SECTION_INFO].count && depth < 16;
         depth++) {
        *r = (dwarf_reader){&s->of[DWARF_SECTION_INFO], offset, s->of[DWARF_SECTION_INFO].count};
        if (!dwarf_take_entry(s, r, e))
            return false;
        if (e->tag != DWARF_TAG_TYPEDEF && e->tag != DWARF_TAG_CONST &&
            e->tag != DWARF_TAG_VOLATILE)
            return true;
        offset = e->type;
    }
    return false;
}

/* Fill LOCATIONS with the location that the DWARF expression of SIZE bytes at R gives. */
static void read_variable_location(const dwarf_source *s, dwarf_reader *r, uint32_t size,
                                   dwarf_location *locations)
{
    const uint32_t end = r->at + size, op = (uint32_t)dwarf_read_number(r, 1);
    if (op == DW_OP_regx) { /* the characters of the register's name, the last in the lowest byte */
        uint64_t name = dwarf_take_uleb(r);
        char text[9] = "";
        uint32_t n = 0;
        for (; name && n < 8; name >>= 8) {
            memmove(text + 1, text, n++);
            text[0] = (char)name;
        }
        snprintf(locations->reg, sizeof locations->reg, "%s", r->at == end ? text : "");
    } else if (op == DW_OP_addr && (size == 9 || size > 10)) { /* an offset may follow */
        dwarf_name name = {NULL, 0};
        dwarf_line_at(s, r->of, r->at, &name);
        snprintf(locations->symbol, sizeof locations->symbol, "%.*s", (int)name.length,
                 name.at ? name.at : "");
        dwarf_read_number(r, 8);
        if (size > 9 && dwarf_read_number(r, 1) == DW_OP_plus_uconst)
            locations->offset = (uint32_t)dwarf_take_uleb(r);
    }
}

/* Add a location of V that holds from PTX line FROM to TO - 1. NULL: the host is out of memory. */
static dwarf_location *add_location(dwarf_variable *v, uint32_t from, uint32_t to)
{
    dwarf_location *l = LIST_ADD(v->locations, v->location_count);
    if (l)
        *l = (dwarf_location){.from = from, .to = to};
    return l;
}

/* Read the locations of variable V, which DWARF entry E describes: one expression, or a list. */
static void read_locations(const dwarf_source *s, const dwarf_entry *e, dwarf_variable *v)
{
    if (e->where) {
        dwarf_reader r = {&s->of[DWARF_SECTION_INFO], e->where, s->of[DWARF_SECTION_INFO].count};
        dwarf_location *locations = add_location(v, 0, UINT32_MAX);
        if (locations)
            read_variable_location(s, &r, e->where_size, locations);
    }
    const dwarf_section *loc = &s->of[DWARF_SECTION_LOC];
    dwarf_reader r = {loc, e->list < 0 ? loc->count : (uint32_t)e->list, loc->count};
    while (r.at + 18 <= r.end) {
        dwarf_name name;
        const uint32_t from = dwarf_line_at(s, loc, r.at, &name),
                       to = dwarf_line_at(s, loc, r.at + 8, &name);
        r.at += 16;
        if (!from || !to)
            return; /* a pair of zeros ends the list of locations */
        const uint32_t size = (uint32_t)dwarf_read_number(&r, 2), at = r.at;
        dwarf_location *locations = add_location(v, from, to);
        if (locations)
            read_variable_location(s, &r, size, locations);
        r.at = at + size;
    }
}

typedef struct code_scope {
    uint32_t from, to;    /* first and last line of the scope in the PTX text */
    const char *function; /* name of the function in the PTX */
} code_scope;

/* A source variable that is being split: each scalar in it becomes a variable of the table. */
typedef struct variable_scalars {
    const dwarf_source *s; /* the debug information */
    dwarf_table *t;        /* the table that is being filled */
    const dwarf_entry *e;  /* entry of the source variable */
    const code_scope *in;  /* scope that declares the variable */
    uint32_t left;         /* number of scalars that may still be added */
} variable_scalars;

enum {
    MAX_SCALARS = 64,  /* most scalars of a variable that are listed */
    MAX_TYPE_DEPTH = 8 /* most types nested in each other */
};

/* Add a scalar of TYPE, at byte AT of its source variable, to the table. Returns false when the
 * host is out of memory. */
static bool add_scalar(variable_scalars *p, const dwarf_entry *type, const char *name, uint32_t at)
{
    dwarf_variable *v = p->left ? LIST_ADD(p->t->list, p->t->count) : NULL;
    if (!v)
        return !p->left;
    const bool base = type->tag == DWARF_TAG_BASE;
    p->left--;
    *v = (dwarf_variable){.from = p->in->from,
                          .to = p->in->to,
                          .offset = at,
                          .encoding = base ? type->encoding : 0,
                          .bytes = !base              ? 8
                                   : type->bytes <= 8 ? type->bytes
                                                      : 0};
    snprintf(v->type, sizeof v->type, "%s", !base ? "pointer" : type->name ? type->name : "?");
    snprintf(v->name, sizeof v->name, "%s", name);
    snprintf(v->function, sizeof v->function, "%s", p->in->function);
    read_locations(p->s, p->e, v);
    return true;
}

/* Size of a value of the type at offset TYPE; DEPTH: number of types around it. */
static uint32_t type_bytes(const dwarf_source *s, uint32_t type, uint32_t depth)
{
    dwarf_reader r;
    dwarf_entry e, range;
    if (depth == MAX_TYPE_DEPTH || !find_type(s, type, &r, &e))
        return 0;
    if (e.tag != DWARF_TAG_ARRAY)
        return e.tag == DWARF_TAG_POINTER || e.tag == DWARF_TAG_REFERENCE ? 8 : e.bytes;
    uint32_t size = type_bytes(s, e.type, depth + 1);
    while (e.children && dwarf_take_entry(s, &r, &range))
        size *= range.elements;
    return size;
}

static bool add_scalars(variable_scalars *p, uint32_t type, const char *name, uint32_t at,
                        uint32_t depth);

/* Add the elements of an array, whose ranges are read from R, in the order of memory. */
static bool add_elements(variable_scalars *p, dwarf_reader r, const dwarf_entry *array,
                         const char *name, uint32_t at, uint32_t depth)
{
    dwarf_entry range;
    dwarf_reader after = r;
    bool good = true;
    if (!array->children || !dwarf_take_entry(p->s, &after, &range) || range.tag != DWARF_TAG_RANGE)
        return add_scalars(p, array->type, name, at, depth + 1);
    uint32_t size = type_bytes(p->s, array->type, 0);
    dwarf_entry inner;
    for (dwarf_reader n = after; dwarf_take_entry(p->s, &n, &inner);)
        size *= inner.elements;
    for (uint32_t k = 0; good && k < range.elements && k < MAX_SCALARS && p->left; k++) {
        char element[64];
        snprintf(element, sizeof element, "%.48s[%u]", name, k);
        good = depth < MAX_TYPE_DEPTH &&
               add_elements(p, after, array, element, at + k * size, depth + 1);
    }
    return good;
}

/* Add the members of a struct, whose entries are read from R. */
static bool add_members(variable_scalars *p, dwarf_reader r, const char *name, uint32_t at,
                        uint32_t depth)
{
    dwarf_entry e;
    bool good = true;
    for (uint32_t inside = 0; good && p->left && r.at < r.end;) {
        if (!dwarf_take_entry(p->s, &r, &e)) {
            if (!inside)
                return true;
            inside--;
        } else if (!inside && e.tag == DWARF_TAG_MEMBER && e.name) {
            char member[64];
            snprintf(member, sizeof member, "%.40s.%.20s", name, e.name);
            good = add_scalars(p, e.type, member, at + e.place, depth + 1);
        } else {
            inside += e.children;
        }
    }
    return good;
}

/* Add the scalars of a value of TYPE at byte AT of the variable. False: out of memory. */
static bool add_scalars(variable_scalars *p, uint32_t type, const char *name, uint32_t at,
                        uint32_t depth)
{
    dwarf_reader r;
    dwarf_entry e;
    if (depth >= MAX_TYPE_DEPTH || !find_type(p->s, type, &r, &e))
        return true;
    switch (e.tag) {
    case DWARF_TAG_BASE:
    case DWARF_TAG_POINTER:
    case DWARF_TAG_REFERENCE: return add_scalar(p, &e, name, at);
    case DWARF_TAG_ARRAY: return add_elements(p, r, &e, name, at, depth);
    case DWARF_TAG_STRUCT:
    case DWARF_TAG_CLASS:
    case DWARF_TAG_UNION: return !e.children || add_members(p, r, name, at, depth);
    default: return true;
    }
}

/* Add the scalars of the source variable of entry E, which scope IN declares. */
static bool add_variable(const dwarf_source *s, dwarf_table *t, const dwarf_entry *e,
                         const code_scope *in)
{
    variable_scalars p = {s, t, e, in, MAX_SCALARS};
    return add_scalars(&p, e->type, e->name, 0, 0);
}

/* Read all entries of one compilation unit into table T. */
static void read_compilation_unit(const dwarf_source *s, dwarf_reader *r, dwarf_table *t)
{
    enum { MAX_SCOPE_DEPTH = 64 };
    code_scope stack[MAX_SCOPE_DEPTH] = {{0, UINT32_MAX, NULL}};
    uint32_t depth = 0;
    while (r->at < r->end) {
        dwarf_entry e;
        if (!dwarf_take_entry(s, r, &e)) {
            if (depth == 0)
                return;
            depth--;
            continue;
        }
        const code_scope *in = &stack[depth];
        if ((e.tag == DWARF_TAG_VARIABLE || e.tag == DWARF_TAG_PARAMETER) && e.name &&
            in->function && !add_variable(s, t, &e, in))
            return;
        if (e.children && depth + 1 < MAX_SCOPE_DEPTH) {
            stack[depth + 1] = *in;
            depth++;
            if ((e.tag == DWARF_TAG_FUNCTION || e.tag == DWARF_TAG_BLOCK) && e.low && e.high) {
                stack[depth].from = e.low;
                stack[depth].to = e.high;
            }
            if (e.tag == DWARF_TAG_FUNCTION)
                stack[depth].function = e.linkage ? e.linkage : e.name;
        } else if (e.children) {
            return;
        }
    }
}

dwarf_table *dwarf_read(const char *text)
{
    dwarf_source s = {0};
    dwarf_table *t = calloc(1, sizeof *t);
    dwarf_read_text(&s, text);
    if (t && !s.failed && s.of[DWARF_SECTION_INFO].count > 11) {
        /* a unit's header: length, version, offset of the abbreviations, size of an address */
        dwarf_reader r = {&s.of[DWARF_SECTION_INFO], 11, s.of[DWARF_SECTION_INFO].count};
        read_compilation_unit(&s, &r, t);
    }
    dwarf_source_free(&s);
    if (t && t->count == 0) {
        dwarf_free(t);
        t = NULL;
    }
    return t;
}

void dwarf_free(dwarf_table *t)
{
    for (uint32_t k = 0; t && k < t->count; k++)
        free(t->list[k].locations);
    if (t) {
        free(t->list);
        free(t);
    }
}
