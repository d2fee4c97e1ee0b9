/* Declares the table of options, which options.def defines; used by the parser, the usage text, the
 * manual page and the shell completions. */
#pragma once

#include "takes.h"

#include <stddef.h>

enum { MAX_OPTIONS = 64 }; /* rows of options.def, at most */

typedef enum option_kind {
    OPTION_FLAG,  /* the option has no value */
    OPTION_TEXT,  /* the option needs a value, which may be any text */
    OPTION_VALUE, /* the option needs a value, which a function checks */
    OPTION_MAYBE  /* the option may have a value, which a function checks */
} option_kind;

typedef struct option_row {
    const char *name;    /* name of the option without its dashes */
    char letter;         /* letter of the short form; 0: there is none */
    option_kind kind;    /* whether the option has a value: never, always or sometimes */
    const char *words;   /* name of the value in help texts; NULL: the option takes none */
    unsigned takes;      /* bits TAKES_*: which commands accept the option */
    const char *help;    /* what the usage text says about the option */
    const char *refusal; /* sentence for a wrong value; NULL: any value is accepted */
} option_row;

extern const option_row option_rows[]; /* [option_count] the rows of options.def */
extern const size_t option_count;      /* number of options */
