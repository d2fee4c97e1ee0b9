/* Selects the compiler messages about a lab that does not compile: an unclosed bracket in a TODO
 * region, then the first error inside a region, then the number of further errors; else the first
 * error of the assembler, or that nvcc does not take the compiler for host code. */
#pragma once

#include "../base/text.h"

typedef struct compile_report {
    const char *reason; /* one sentence, such as "lab.cu:6: expected a \";\"" */
    const char *text;   /* lines to show: sentences at the margin, quoted code indented */
} compile_report;

/* A line "FILE(6): error: TEXT", "FILE:6:5: warning: TEXT", "ptxas error   : TEXT" or
 * "nvcc fatal   : TEXT" of a compiler. */
typedef struct compiler_line {
    bool is_warning;
    const char *file, *text; /* file: NULL if the line names no place */
    int line, column;        /* from 1; 0: not known */
} compiler_line;

/* Parse LINE to OUT, whose file is in A. False: it is no such line. */
bool read_compiler_line(const char *line, arena *a, compiler_line *out);

/* Read MESSAGE, the output of nvcc for the file NAME ("lab.cu") with the text SOURCE. KEPT is the
 * path, as shown to people, of the file that stores the whole output. OUT is in A. False: MESSAGE
 * names no error of NAME. */
bool read_compile_errors(const char *message, const char *source, const char *name,
                         const char *kept, arena *a, compile_report *out);

/* A copy of MESSAGE, malloc'd, in which a line of the assembler about too much memory is a sentence
 * with decimal numbers of bytes, the kernel's name in the source and the chapter. */
char *explain_assembler_lines(const char *message);

/* What to do where MESSAGE says that gcc or its headers are too new for nvcc, malloc'd; NULL: it
 * does not. */
char *explain_host_compiler(const char *message);
