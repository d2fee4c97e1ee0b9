/* Finds the source variables of a kernel in the debug information that `nvcc -G` writes into PTX:
 * sections .debug_info, .debug_abbrev and .debug_loc as lists of numbers and labels (PTX ISA
 * 11.5.2), in the form of DWARF 2. A register is given by the characters of its PTX name. Code
 * addresses are labels of the PTX text; they are converted to line numbers. */
#pragma once

#include <stdint.h>

/* The location of a variable in the lines FROM to TO - 1 of the PTX text. */
typedef struct dwarf_location {
    uint32_t from, to; /* first PTX line, and the line after the last one */
    char reg[24];      /* the register that contains the variable; "": the variable is in memory */
    char symbol[160];  /* a parameter or variable of the PTX; "": the variable is in a register */
    uint32_t offset;   /* bytes from the beginning of the symbol */
} dwarf_location;

/* A scalar variable, or a scalar element or field of a variable, such as "q.x" or "tile[3]"; at
 * most 64 per variable. */
typedef struct dwarf_variable {
    char name[64], type[64];   /* name as in the source, such as "q.x"; name of its type */
    char function[256];        /* name of the function in the PTX */
    uint32_t from, to;         /* first and last PTX line of the block that declares the variable */
    uint32_t offset;           /* byte offset of this element or field in its source variable */
    uint32_t encoding;         /* kind of value: a DW_ATE_* constant of DWARF; 0: a pointer */
    uint32_t bytes;            /* size in bytes; 0: not a scalar */
    dwarf_location *locations; /* [location_count] locations of the variable */
    uint32_t location_count;   /* number of locations */
} dwarf_variable;

/* Kinds of values, as DWARF numbers them. */
enum {
    DWARF_BOOLEAN = 2,    /* DW_ATE_boolean */
    DWARF_FLOAT = 4,      /* DW_ATE_float */
    DWARF_SIGNED = 5,     /* DW_ATE_signed */
    DWARF_SIGNED_CHAR = 6 /* DW_ATE_signed_char */
};

typedef struct dwarf_table {
    dwarf_variable *list; /* [count] the variables */
    uint32_t count;       /* number of variables */
} dwarf_table;

/* Read the variables that TEXT, a whole PTX module, describes. TEXT may be malformed: entries that
 * cannot be understood are omitted. NULL: no variables, or the host is out of memory. dwarf_free
 * releases the result. */
dwarf_table *dwarf_read(const char *text);
void dwarf_free(dwarf_table *t);
