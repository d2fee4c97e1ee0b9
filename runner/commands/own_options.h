/* The options of a command that reads its words itself (TAKES_OWN in commands.def): exec, page,
 * step. */
#ifndef WARPBOOK_OWN_OPTIONS_H
#define WARPBOOK_OWN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct own_option {
    const char *name; /* without its dashes; one letter: -LETTER */
    enum {
        OWN_FLAG,  /* no value: true in the bool at OFFSET */
        OWN_TEXT,  /* a value: in the text at OFFSET */
        OWN_VALUE, /* a value, for SET */
        OWN_MAYBE, /* perhaps a value, --NAME=VALUE, for SET; else SET gets NULL */
        OWN_FILE   /* a value and then a file, --NAME=VALUE FILE, for SET; one that lacks is NULL */
    } takes;
    size_t offset; /* in the struct of the command's options */
    /* Store VALUE in the struct INTO. False: a message was printed. */
    bool (*set)(void *into, const char *value, const char *file);
} own_option;

/* Read the options before the first other word of WORDS (NULL at its end) into INTO, and stop at
 * --help, which sets *HELP. ROWS ends with a row without a name. Returns the words that follow;
 * NULL: a message was printed. */
char **own_options_read(const char *command, const own_option *rows, char **words, void *into,
                        bool *help);

#endif
