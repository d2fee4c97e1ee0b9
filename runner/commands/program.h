/* What the programs have in common: the workbook, and those that it starts. */
#pragma once

#include "../judge/desk.h"
#include "commands.h"

/* A command of commands.def that a program has itself. */
typedef struct command_handler {
    const char *name;
    int (*handler)(session *d); /* returns an exit code */
} command_handler;

typedef struct program {
    const char *name;                   /* as in commands.def: "study", "grade" */
    const command_handler *handlers;    /* its commands; ends with a NULL name */
    int (*without_command)(session *d); /* called if the command line has no command; or NULL */
    /* Only of the workbook, which starts the other programs: the one that it starts if the command
     * line has no command, or NULL. */
    const char *(*starts)(void);
} program;

/* The function of the command NAME in a list that ends with a NULL name; NULL: none. */
int (*command_handler_find(const command_handler *list, const char *name))(session *d);

/* Path of the program NAME ("grade"), in the arena of H. */
const char *program_path(installation *h, const char *name);

/* Run the command line: by P, or by the program that has the command. Returns an exit code. */
int program_main(const program *p, int argc, char **argv);
