/* Declares the table of commands, which commands.def defines. */
#pragma once

#include "options_table.h"

#include <stdio.h>

/* A row of commands.def. A row made by FORM has no name, only a form in ARGUMENTS. */
typedef struct command {
    const char *name;      /* name of the command; NULL: another form of the row above */
    const char *arguments; /* arguments, as the usage text shows them */
    unsigned takes;        /* bits TAKES_*: the options that the command takes */
    const char *program;   /* the program warpbook-PROGRAM has it */
    const char *help;      /* what the usage text says about the command */
} command;

extern const command command_rows[];   /* the commands, in the order of the help */
extern const size_t command_row_count; /* number of rows */

/* Find a command by its name. NULL: there is no such command. */
const command *command_find(const char *name);

/* The command or the option as shown in the usage text: "grade LAB PATH...", "-j, --jobs N". */
void command_format(char *out, size_t size, const command *row);
void command_format_option(char *out, size_t size, const option_row *row);

/* Print the usage text. */
void command_print_usage(FILE *f);
