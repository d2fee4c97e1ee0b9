/* Declares the table of options, which options.def defines; used by the parser, the usage text, the
 * manual page and the shell completions. */
#ifndef WARPBOOK_OPTIONS_TABLE_H
#define WARPBOOK_OPTIONS_TABLE_H

#include "takes.h"

#include <stddef.h>

enum { MAX_OPTIONS = 64 };

typedef enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_VALUE, OPTION_MAYBE } option_kind;

typedef struct option_row {
    const char *name; /* name of the option without its dashes */
    char letter;      /* letter of the short form; 0: there is none */
    option_kind kind;
    const char *words;   /* name of the value in help texts; NULL: the option takes none */
    unsigned takes;      /* TAKES_* */
    const char *help;    /* what the help says about it */
    const char *refusal; /* sentence for a wrong value; NULL: any value is accepted */
} option_row;

extern const option_row option_rows[];
extern const size_t option_count;

#endif
