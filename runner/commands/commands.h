/* What one may type after `warpbook`: commands.def as a table. */
#ifndef WARPBOOK_COMMANDS_H
#define WARPBOOK_COMMANDS_H

#include "cli.h"

#include <stdio.h>

/* Options that not every command takes. */
enum {
    TAKES_ALL = 1,
    TAKES_SOLUTION = 2,
    TAKES_JSON = 4,
    TAKES_OWN = 8,
    TAKES_SANDBOX = 16,
    TAKES_PICTURE = 32,
    TAKES_RESULTS = 64,
    TAKES_CLASS = 128, /* what a class hands in */
    TAKES_EXPORT = 256
};

typedef struct command {
    const char *name;
    unsigned takes;
    int (*handler)(desk *d);
} command;

/* NULL: there is no such command. */
const command *command_find(const char *name);

/* The usage text. */
void command_usage(FILE *f);

#endif
