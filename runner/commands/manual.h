/* The manual page and the completions of shells, from the tables of commands and options. */
#ifndef WARPBOOK_MANUAL_H
#define WARPBOOK_MANUAL_H

#include <stdio.h>

/* warpbook(1) as roff (man 7). ENVIRONMENT: the file that lists the emulator's variables, which is
 * left out where it cannot be read. */
void manual_page(FILE *f, const char *environment);

void completion_bash(FILE *f);
void completion_zsh(FILE *f);

#endif
