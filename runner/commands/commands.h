/* What one may type after `warpbook`: commands.def as a table. */
#ifndef WARPBOOK_COMMANDS_H
#define WARPBOOK_COMMANDS_H

#include "cli.h"
#include "options_table.h"

#include <stdio.h>

/* A row of commands.def; one of FORM has no name, and its words stand in ARGUMENTS. */
typedef struct command {
    const char *name, *arguments;
    unsigned takes;
    int (*handler)(desk *d);
    const char *help;
} command;

extern const command command_rows[];
extern const size_t command_row_count;

/* NULL: there is no such command. */
const command *command_find(const char *name);

/* What one types, as in the usage text: "grade LAB PATH...", "-j, --jobs N". */
void command_words(char *out, size_t size, const command *row);
void command_option_words(char *out, size_t size, const option_row *row);

/* The usage text. */
void command_usage(FILE *f);

#endif
