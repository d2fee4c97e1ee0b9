/* The manual page and the shell completions, made from the tables of commands and options. */
#pragma once

#include <stdio.h>

/* Print the manual page warpbook(1) as roff (man 7). ENVIRONMENT: path of the list of the
 * emulator's variables; if it cannot be read, the list is omitted. */
void print_manual_page(FILE *f, const char *environment);

void print_bash_completion(FILE *f);
void print_zsh_completion(FILE *f);
