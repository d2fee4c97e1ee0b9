/* options.def as a table, for the parser, the usage text, the manual page and the completions. */
#ifndef WARPBOOK_OPTIONS_TABLE_H
#define WARPBOOK_OPTIONS_TABLE_H

#include "takes.h"

#include <stddef.h>

enum { OPTIONS_MOST = 64 };

typedef enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_VALUE, OPTION_MAYBE } option_kind;

typedef struct option_row {
    const char *name; /* without its dashes */
    char letter;      /* of the short form; 0: there is none */
    option_kind kind;
    const char *words; /* the value; NULL: there is none */
    unsigned takes;    /* TAKES_* */
    const char *help;
    const char *refusal; /* NULL: no value is wrong */
} option_row;

extern const option_row option_rows[];
extern const size_t option_count;

#endif
