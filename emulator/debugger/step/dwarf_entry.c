/* Reads the DWARF debug information in PTX: sections as bytes, and entries one by one. */
#include "dwarf_entry.h"

#include "../../base/list.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* --- reading the text: labels, and sections as bytes with symbols --- */

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.' || c == '%';
}

/* Append VALUE to section TO as BYTES bytes, the lowest first. */
static void append_section_bytes(dwarf_source *s, dwarf_section *to, uint64_t value, uint32_t bytes)
{
    for (uint32_t k = 0; k < bytes && !s->failed; k++) {
        uint8_t *byte = LIST_ADD(to->bytes, to->count);
        if (byte)
            *byte = (uint8_t)(value >> 8 * k);
        s->failed = !byte;
    }
}

/* Read the items of a data line such as ".b64 $L__tmp0" or ".b8 1,2,3". */
static void read_data_line(dwarf_source *s, dwarf_section *to, const char *line, const char *end)
{
    const uint32_t bytes = (uint32_t)strtoul(line + 2, NULL, 10) / 8;
    const char *at = line + 1 + strcspn(line + 1, " \t");
    while (at < end && bytes >= 1 && bytes <= 8) {
        at += strspn(at, " \t,");
        if (at >= end)
            return;
        if ((*at >= '0' && *at <= '9') || *at == '-') {
            char *stop;
            const uint64_t value =
                *at == '-' ? (uint64_t)strtoll(at, &stop, 0) : strtoull(at, &stop, 0);
            append_section_bytes(s, to, value, bytes);
            at = stop > at ? stop : end;
            continue;
        }
        size_t n = 0;
        while (at + n < end && is_name_character(at[n]))
            n++;
        if (n == 0)
            return;
        dwarf_symbol *symbol = LIST_ADD(to->list, to->symbols);
        if (symbol)
            *symbol = (dwarf_symbol){to->count, {at, n}};
        s->failed |= !symbol;
        const bool plus = at + n < end && at[n] == '+';
        append_section_bytes(s, to, plus ? strtoull(at + n + 1, NULL, 0) : 0, bytes);
        at += n;
        at += strcspn(at, ",\n");
    }
}

/* If LINE, with number NUMBER, begins with a label such as "$L__tmp0:", list it. */
static void read_label(dwarf_source *s, const char *line, const char *end, uint32_t number)
{
    const char *c = line;
    while (c < end && is_name_character(*c))
        c++;
    if (c == line || c == end || *c != ':')
        return;
    dwarf_label *label = LIST_ADD(s->label, s->labels);
    if (label)
        *label = (dwarf_label){{line, (size_t)(c - line)}, number};
    s->failed |= !label;
}

static int compare_labels(const void *a, const void *b)
{
    const dwarf_name *x = &((const dwarf_label *)a)->name, *y = &((const dwarf_label *)b)->name;
    const size_t n = x->length < y->length ? x->length : y->length;
    const int c = memcmp(x->at, y->at, n);
    return c ? c : (x->length > y->length) - (x->length < y->length);
}

void dwarf_read_text(dwarf_source *s, const char *text)
{
    static const char *const names[DWARF_SECTIONS] = {".debug_info", ".debug_abbrev", ".debug_loc"};
    dwarf_section *in = NULL;
    uint32_t number = 1;
    for (const char *line = text; *line; number++) {
        const char *end = line + strcspn(line, "\n");
        const char *at = line + strspn(line, " \t");
        if (strncmp(at, ".section", 8) == 0) {
            at += 8 + strspn(at + 8, " \t");
            in = NULL;
            for (uint32_t k = 0; k < DWARF_SECTIONS; k++) {
                const size_t n = strlen(names[k]);
                in = strncmp(at, names[k], n) == 0 && !is_name_character(at[n]) ? &s->of[k] : in;
            }
        } else if (in && strncmp(at, ".b", 2) == 0) {
            read_data_line(s, in, at, end);
        } else if (*at == '}') {
            in = NULL;
        } else if (!in) {
            read_label(s, at, end, number);
        }
        line = *end ? end + 1 : end;
    }
    if (s->labels)
        qsort(s->label, s->labels, sizeof *s->label, compare_labels);
}

uint32_t dwarf_line_at(const dwarf_source *s, const dwarf_section *x, uint32_t at, dwarf_name *name)
{
    uint32_t low = 0, high = x->symbols;
    while (low < high) {
        const uint32_t mid = (low + high) / 2;
        if (x->list[mid].at < at)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == x->symbols || x->list[low].at != at)
        return 0;
    const dwarf_label key = {.name = x->list[low].name};
    *name = key.name;
    const dwarf_label *l =
        s->labels ? bsearch(&key, s->label, s->labels, sizeof key, compare_labels) : NULL;
    return l ? l->line : 0;
}

/* --- bytes --- */

uint64_t dwarf_read_number(dwarf_reader *r, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t k = 0; k < bytes; k++) {
        value |= r->at < r->end ? (uint64_t)r->of->bytes[r->at] << 8 * (k % 8) : 0;
        r->at += r->at < r->end;
    }
    return value;
}

uint64_t dwarf_take_uleb(dwarf_reader *r)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; r->at < r->end; shift += 7) {
        const uint8_t b = r->of->bytes[r->at++];
        value |= shift < 64 ? (uint64_t)(b & 0x7f) << shift : 0;
        if (!(b & 0x80))
            break;
    }
    return value;
}

static const char *read_string(dwarf_reader *r)
{
    const char *text = (const char *)r->of->bytes + r->at;
    const char *end = r->at < r->end ? memchr(text, 0, r->end - r->at) : NULL;
    r->at = end ? r->at + (uint32_t)(end - text) + 1 : r->end;
    return end ? text : "";
}

/* --- entries --- */

/* Read the length that precedes the bytes of an attribute of the block form FORM. */
static uint32_t dwarf_block_size(dwarf_reader *r, uint32_t form)
{
    return form == DW_FORM_block1   ? (uint32_t)dwarf_read_number(r, 1)
           : form == DW_FORM_block2 ? (uint32_t)dwarf_read_number(r, 2)
           : form == DW_FORM_block4 ? (uint32_t)dwarf_read_number(r, 4)
                                    : (uint32_t)dwarf_take_uleb(r);
}

/* Read a block of bytes, the value of ATTRIBUTE of entry E. */
static void read_block(dwarf_reader *r, uint32_t attribute, uint32_t form, dwarf_entry *e)
{
    const uint32_t size = dwarf_block_size(r, form);
    const uint32_t end = size < r->end - r->at ? r->at + size : r->end;
    if (attribute == DW_AT_location) {
        e->where = r->at;
        e->where_size = size;
    } else if (attribute == DW_AT_data_member_location &&
               dwarf_read_number(r, 1) == DW_OP_plus_uconst) {
        e->place = (uint32_t)dwarf_take_uleb(r); /* the offset of a member in its structure */
    }
    r->at = end;
}

/* Read a value in the form FORM, which is no block: a number to *VALUE, or a string to *TEXT.
 * Returns false for an unknown form. */
static bool read_form(dwarf_reader *r, uint32_t form, uint64_t *value, const char **text)
{
    switch (form) {
    case DW_FORM_addr:
    case DW_FORM_data8:
    case DW_FORM_ref8: *value = dwarf_read_number(r, 8); return true;
    case DW_FORM_data2:
    case DW_FORM_ref2: *value = dwarf_read_number(r, 2); return true;
    case DW_FORM_data4:
    case DW_FORM_strp:
    case DW_FORM_ref_addr:
    case DW_FORM_ref4:
    case DW_FORM_sec_offset: *value = dwarf_read_number(r, 4); return true;
    case DW_FORM_string: *text = read_string(r); return true;
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1: *value = dwarf_read_number(r, 1); return true;
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata: *value = dwarf_take_uleb(r); return true;
    case DW_FORM_flag_present: *value = 1; return true;
    default: return false;
    }
}

/* Read one attribute of entry E in the form FORM, and store it in E if E has a field for it. */
static void read_attribute(const dwarf_source *s, dwarf_reader *r, uint32_t attribute,
                           uint32_t form, dwarf_entry *e)
{
    const uint32_t at = r->at;
    uint64_t value = 0;
    const char *text = NULL;
    dwarf_name name;
    if (form == DW_FORM_block || form == DW_FORM_block1 || form == DW_FORM_block2 ||
        form == DW_FORM_block4 || form == DW_FORM_exprloc) {
        read_block(r, attribute, form, e);
        return;
    }
    if (!read_form(r, form, &value, &text)) {
        r->at = r->end; /* the size of the form is unknown, so skip the rest of the unit */
        return;
    }
    switch (attribute) {
    case DW_AT_location: e->list = (int64_t)value; break;
    case DW_AT_name: e->name = text; break;
    case DW_AT_byte_size: e->bytes = (uint32_t)value; break;
    case DW_AT_low_pc: e->low = dwarf_line_at(s, r->of, at, &name); break;
    case DW_AT_high_pc: e->high = dwarf_line_at(s, r->of, at, &name); break;
    case DW_AT_upper_bound: /* the last index of an array */
        e->elements = (uint32_t)value + 1;
        break;
    case DW_AT_count: e->elements = (uint32_t)value; break;
    case DW_AT_data_member_location: e->place = (uint32_t)value; break;
    case DW_AT_encoding: e->encoding = (uint32_t)value; break;
    case DW_AT_type: e->type = (uint32_t)value; break;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name: e->linkage = text; break;
    default: break;
    }
}

bool dwarf_take_entry(const dwarf_source *s, dwarf_reader *r, dwarf_entry *e)
{
    *e = (dwarf_entry){.list = -1};
    const uint64_t code = dwarf_take_uleb(r);
    dwarf_reader a = {&s->of[DWARF_SECTION_ABBREV], 0, s->of[DWARF_SECTION_ABBREV].count};
    if (code == 0)
        return false;
    while (a.at < a.end) {
        const uint64_t number = dwarf_take_uleb(&a);
        const uint32_t tag = (uint32_t)dwarf_take_uleb(&a);
        const bool children = dwarf_read_number(&a, 1);
        const bool is = number == code;
        e->tag = is ? tag : e->tag;
        e->children = is ? children : e->children;
        for (;;) {
            const uint32_t attribute = (uint32_t)dwarf_take_uleb(&a),
                           form = (uint32_t)dwarf_take_uleb(&a);
            if (attribute == 0 && form == 0)
                break;
            if (is)
                read_attribute(s, r, attribute, form, e);
            if (a.at >= a.end)
                break;
        }
        if (is)
            return true;
    }
    r->at = r->end;
    return false;
}

void dwarf_source_free(dwarf_source *s)
{
    for (uint32_t k = 0; k < DWARF_SECTIONS; k++) {
        free(s->of[k].bytes);
        free(s->of[k].list);
    }
    free(s->label);
}
