/* Variables of the source, from the debug information that nvcc -G writes into PTX: sections
 * .debug_info, .debug_abbrev and .debug_loc as lists of numbers and labels (PTX ISA 11.5.2), in the
 * form of DWARF 2. A register is named by the characters of its PTX name. Addresses of code are
 * labels of the PTX text; here they are lines of it. */
#ifndef WARPBOOK_STEP_DWARF_H
#define WARPBOOK_STEP_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a variable is in lines FROM to TO - 1 of the PTX text. */
typedef struct dwarf_spot {
    uint32_t from, to;
    char reg[24];     /* name of the register; "": the variable is not in one */
    char symbol[160]; /* name of a parameter or variable of the PTX; "": none */
    uint32_t offset;  /* bytes from the beginning of that symbol */
} dwarf_spot;

/* A scalar: a variable, or an element or field of one, "q.x" or "tile[3]"; of each at most 64. */
typedef struct dwarf_variable {
    char name[64], type[64];
    char function[256]; /* name of the function as the PTX has it */
    uint32_t from, to;  /* lines of the block that declares it */
    uint32_t offset;   /* byte offset in the source variable of which this is an element or field */
    uint32_t encoding; /* DW_ATE_*; 0: a pointer */
    uint32_t bytes;    /* size in bytes; 0: not a scalar */
    dwarf_spot *spot;
    uint32_t spots;
} dwarf_variable;

enum { DWARF_BOOLEAN = 2, DWARF_FLOAT = 4, DWARF_SIGNED = 5, DWARF_SIGNED_CHAR = 6 };

typedef struct dwarf_table {
    dwarf_variable *list;
    uint32_t count;
} dwarf_table;

/* The variables that TEXT, a whole PTX module, describes. Any text is safe; what cannot be
 * understood is left out. Release with dwarf_free. NULL: none, or out of memory. */
dwarf_table *dwarf_read(const char *text);
void dwarf_free(dwarf_table *t);

#endif
