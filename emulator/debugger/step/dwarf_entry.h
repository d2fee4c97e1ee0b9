/* The debug information of PTX as bytes and entries: what dwarf_entry.c reads and dwarf.c makes
 * variables of. */
#ifndef WARPBOOK_STEP_DWARF_ENTRY_H
#define WARPBOOK_STEP_DWARF_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dwarf_word {
    const char *at;
    size_t length;
} dwarf_word;

typedef struct dwarf_label {
    dwarf_word name;
    uint32_t line;
} dwarf_label;

typedef struct dwarf_symbol {
    uint32_t at; /* offset of the symbol in the section */
    dwarf_word name;
} dwarf_symbol;

typedef struct dwarf_section {
    uint8_t *bytes;
    uint32_t count, room;
    dwarf_symbol *list; /* symbols, sorted by offset */
    uint32_t symbols, symbol_room;
} dwarf_section;

enum { DWARF_INFO, DWARF_ABBREV, DWARF_LOC, DWARF_SECTIONS };

typedef struct dwarf_source {
    dwarf_section of[DWARF_SECTIONS];
    dwarf_label *label;
    uint32_t labels, label_room;
    bool failed;
} dwarf_source;

typedef struct dwarf_reader {
    const dwarf_section *of;
    uint32_t at, end;
} dwarf_reader;

enum {
    TAG_ARRAY = 0x01,
    TAG_CLASS = 0x02,
    TAG_PARAMETER = 0x05,
    TAG_BLOCK = 0x0b,
    TAG_MEMBER = 0x0d,
    TAG_POINTER = 0x0f,
    TAG_REFERENCE = 0x10,
    TAG_STRUCT = 0x13,
    TAG_TYPEDEF = 0x16,
    TAG_UNION = 0x17,
    TAG_RANGE = 0x21,
    TAG_BASE = 0x24,
    TAG_CONST = 0x26,
    TAG_FUNCTION = 0x2e,
    TAG_VARIABLE = 0x34,
    TAG_VOLATILE = 0x35
};

/* What is wanted of an entry. */
typedef struct dwarf_entry {
    uint32_t tag;
    bool children;
    const char *name, *linkage;
    uint32_t low, high; /* first and last line; 0: not given */
    uint32_t type;      /* offset of the entry that describes the type; 0: none */
    uint32_t bytes, encoding;
    uint32_t elements;          /* number of elements of an array */
    uint32_t place;             /* offset of a structure's member in bytes */
    uint32_t where, where_size; /* offset of an expression in .debug_info; 0: none */
    int64_t list;               /* offset in .debug_loc; -1: none */
} dwarf_entry;

/* Read the labels and sections of TEXT, a PTX module; s->failed: the host is out of memory. */
void dwarf_read_text(dwarf_source *s, const char *text);
/* Release what dwarf_read_text made. */
void dwarf_source_free(dwarf_source *s);

/* The line of the label that section X names at offset AT; 0: none. *NAME is its name. */
uint32_t dwarf_line_at(const dwarf_source *s, const dwarf_section *x, uint32_t at,
                       dwarf_word *name);

/* The next BYTES bytes of R as a number; a number of seven bits a byte. 0 beyond the end. */
uint64_t dwarf_take(dwarf_reader *r, uint32_t bytes);
uint64_t dwarf_take_uleb(dwarf_reader *r);
/* The entry at R. False: it is the end of a list of children, or cannot be read. */
bool dwarf_take_entry(const dwarf_source *s, dwarf_reader *r, dwarf_entry *e);

#endif
