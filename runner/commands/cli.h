/* What the commands of all programs share. */
#pragma once

#include "../judge/desk.h"

/* Parse a command line. Negative: continue; otherwise the exit code, after --help or a mistake. */
int options_parse(options *o, int argc, char **argv);

/* The chapters that the command's words (or --all) name, in A; NULL: a message was printed, and
 * *CODE is the exit code. */
chapter **chapters_named(session *d, arena *a, size_t *count, int *code);

/* Report why a command cannot continue: a sentence for people, or a JSON object with --json. */
void cli_report_failure(session *d, const char *sentence);

/* Print the warnings of the stored state to stderr, once. */
void print_warnings(session *d);
