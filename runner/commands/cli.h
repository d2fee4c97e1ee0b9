/* Declares the commands. Each returns an exit code: 0 pass, 1 fail, 2 wrong usage, 3 this machine
 * lacks something. */
#ifndef WARPBOOK_CLI_H
#define WARPBOOK_CLI_H

#include "../judge/desk.h"

/* Parse a command line. Negative: continue; otherwise the exit code, after --help or a mistake. */
int options_parse(options *o, int argc, char **argv);

int cli_tour(session *d); /* print a guided tour: the chapters, and two runs */
/* The workbook as a line-by-line dialog, for a screen reader. */
int cli_dialog(session *d);
/* The functions of the commands in commands.def. cli_exec replaces this process with the program,
 * if possible. */
#define COMMAND(name, arguments, takes, handler, help) int handler(session *d);
#define FORM(words, help)
#include "commands.def"
#undef COMMAND
#undef FORM

/* The chapters that the command's words (or --all) name, in A; NULL: a message was printed, and
 * *CODE is the exit code. */
chapter **chapters_named(session *d, arena *a, size_t *count, int *code);

/* Run a chapter's lab (or its solution) to its end; a terminal shows a progress line. False: a
 * signal arrived, and *OUT is empty; otherwise the caller releases *OUT (verdict_free). */
bool run_attempt(session *d, const chapter *c, bool gpu, verdict *out);

/* Draw the plots of a chapter's last run; returns an exit code. */
int cli_plot_chapter(session *d, const chapter *c, bool gpu, bool solution);

/* Report why a command cannot continue: a sentence for people, or a JSON object with --json. */
void cli_report_failure(session *d, const char *sentence);

/* Print the warnings of the stored state to stderr, once. */
void print_warnings(session *d);

#endif
