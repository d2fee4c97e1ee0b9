/* Colours for CUDA C: the style of each byte of a line. */
#pragma once

#include "page.h"

/* Append the line CODE to T. *IN_COMMENT, false before the first line: the line begins inside a
 * comment; set for the next line. */
void syntax_add_line(styled *t, const char *code, bool *in_comment);

/* Append the number of a line of a lab, and a cross if the compiler refused the line, else a bar if
 * it is part of a TODO region. */
void syntax_add_margin(styled *t, int number, bool in_region, bool refused);
