#include "options_table.h"

enum {
    ANY = TAKES_ANY,
    ALL = TAKES_ALL,
    SOLUTION = TAKES_SOLUTION,
    JSON = TAKES_JSON,
    SANDBOX = TAKES_SANDBOX,
    PICTURE = TAKES_PICTURE,
    RESULTS = TAKES_RESULTS,
    CLASS = TAKES_CLASS,
    ROSTER = TAKES_ROSTER,
    SIMILAR = TAKES_SIMILAR,
    FULL = TAKES_FULL,
    EXPORT = TAKES_EXPORT
};

/* clang-format off */
const option_row option_rows[] = {
#define FLAG(name, letter, field, takes, help)                {#name, letter, OPTION_FLAG, NULL, takes, help, NULL},
#define TEXT(name, letter, words, field, takes, help, lacks)  {#name, letter, OPTION_TEXT, words, takes, help, lacks},
#define VALUE(name, letter, words, set, takes, help, refusal) {#name, letter, OPTION_VALUE, words, takes, help, refusal},
#define MAYBE(name, letter, words, set, takes, help)          {#name, letter, OPTION_MAYBE, words, takes, help, NULL},
#include "options.def"
#undef FLAG
#undef TEXT
#undef VALUE
#undef MAYBE
};
/* clang-format on */
const size_t option_count = sizeof option_rows / sizeof *option_rows;
_Static_assert(sizeof option_rows / sizeof *option_rows <= OPTIONS_MOST,
               "OPTIONS_MOST is too small");
