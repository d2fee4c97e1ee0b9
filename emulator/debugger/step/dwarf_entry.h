/* The DWARF debug information of PTX as bytes and entries. dwarf_entry.c reads it; dwarf.c finds
 * the variables in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name in the PTX text. */
typedef struct dwarf_name {
    const char *at; /* the characters, not NUL-terminated */
    size_t length;  /* number of characters */
} dwarf_name;

typedef struct dwarf_label {
    dwarf_name name; /* name of the label */
    uint32_t line;   /* line of the label in the PTX text */
} dwarf_label;

typedef struct dwarf_symbol {
    uint32_t at;     /* offset of the symbol in the section */
    dwarf_name name; /* name of the symbol */
} dwarf_symbol;

typedef struct dwarf_section {
    uint8_t *bytes;     /* [count] the contents, without the values of symbols */
    dwarf_symbol *list; /* [symbols] sorted by offset */
    uint32_t count, symbols;
} dwarf_section;

/* Sections of the DWARF debug information that are read. */
enum {
    DWARF_SECTION_INFO,   /* .debug_info */
    DWARF_SECTION_ABBREV, /* .debug_abbrev */
    DWARF_SECTION_LOC,    /* .debug_loc */
    DWARF_SECTIONS        /* number of these sections */
};

typedef struct dwarf_source {
    dwarf_section of[DWARF_SECTIONS]; /* the sections, by DWARF_SECTION_* */
    dwarf_label *label;               /* [labels] the labels of the PTX text, sorted by name */
    uint32_t labels;
    bool failed; /* the host is out of memory */
} dwarf_source;

typedef struct dwarf_reader {
    const dwarf_section *of; /* section that is read */
    uint32_t at, end;        /* current offset in the section; end offset */
} dwarf_reader;

/* Kinds of DWARF entries: constants DW_TAG_* of DWARF. */
enum {
    DWARF_TAG_ARRAY = 0x01,     /* DW_TAG_array_type */
    DWARF_TAG_CLASS = 0x02,     /* DW_TAG_class_type */
    DWARF_TAG_PARAMETER = 0x05, /* DW_TAG_formal_parameter */
    DWARF_TAG_BLOCK = 0x0b,     /* DW_TAG_lexical_block */
    DWARF_TAG_MEMBER = 0x0d,    /* DW_TAG_member */
    DWARF_TAG_POINTER = 0x0f,   /* DW_TAG_pointer_type */
    DWARF_TAG_REFERENCE = 0x10, /* DW_TAG_reference_type */
    DWARF_TAG_STRUCT = 0x13,    /* DW_TAG_structure_type */
    DWARF_TAG_TYPEDEF = 0x16,   /* DW_TAG_typedef */
    DWARF_TAG_UNION = 0x17,     /* DW_TAG_union_type */
    DWARF_TAG_RANGE = 0x21,     /* DW_TAG_subrange_type */
    DWARF_TAG_BASE = 0x24,      /* DW_TAG_base_type */
    DWARF_TAG_CONST = 0x26,     /* DW_TAG_const_type */
    DWARF_TAG_FUNCTION = 0x2e,  /* DW_TAG_subprogram */
    DWARF_TAG_VARIABLE = 0x34,  /* DW_TAG_variable */
    DWARF_TAG_VOLATILE = 0x35   /* DW_TAG_volatile_type */
};

/* The attributes of a DWARF entry that dwarf.c uses. */
typedef struct dwarf_entry {
    uint32_t tag;               /* kind of the entry, one of DWARF_TAG_* */
    bool children;              /* entries of the children follow this entry */
    const char *name, *linkage; /* name in the source; linker name */
    uint32_t low, high;         /* first and last PTX line of the block or function; 0: not given */
    uint32_t type;              /* offset of the entry that describes the type; 0: no type */
    uint32_t bytes, encoding;   /* size in bytes; DW_AT_encoding */
    uint32_t elements;          /* number of elements of an array */
    uint32_t place;             /* offset of a structure's member in bytes */
    uint32_t where;      /* offset of a location expression in .debug_info; 0: no expression */
    uint32_t where_size; /* bytes of the location expression */
    int64_t list;        /* offset of a location list in .debug_loc; -1: no list */
} dwarf_entry;

/* Read the labels and sections of TEXT, a PTX module; s->failed: the host is out of memory. */
void dwarf_read_text(dwarf_source *s, const char *text);
/* Release the memory of dwarf_read_text. */
void dwarf_source_free(dwarf_source *s);

/* The line of the label whose name is at offset AT of section X; 0: no label is there. *NAME
 * becomes the label's name. */
uint32_t dwarf_line_at(const dwarf_source *s, const dwarf_section *x, uint32_t at,
                       dwarf_name *name);

/* dwarf_read_number reads BYTES bytes of R as a little-endian number; dwarf_take_uleb reads a
 * ULEB128 number. Both return 0 past the end. */
uint64_t dwarf_read_number(dwarf_reader *r, uint32_t bytes);
uint64_t dwarf_take_uleb(dwarf_reader *r);
/* Read the entry at R. False: a list of children ends, or the entry cannot be read. */
bool dwarf_take_entry(const dwarf_source *s, dwarf_reader *r, dwarf_entry *e);
