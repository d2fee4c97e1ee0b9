/* The commands. Each returns an exit code: 0 pass, 1 fail, 2 usage, 3 the machine lacks something.
 */
#ifndef WARPBOOK_CLI_H
#define WARPBOOK_CLI_H

#include "../judge/desk.h"

/* Parse a command line. Negative: go on; else the exit code (after --help or a mistake). */
int options_parse(options *o, int argc, char **argv);

int cli_tour(desk *d);
/* The workbook as a dialog of lines, for a screen reader. */
int cli_dialog(desk *d);
/* The handlers of commands.def. cli_exec replaces the program where it can. */
#define COMMAND(name, arguments, takes, handler, help) int handler(desk *d);
#define FORM(words, help)
#include "commands.def"
#undef COMMAND
#undef FORM

/* The chapters that the words (or --all) name, in A; NULL after a message and *CODE set. */
chapter **cli_chapters(desk *d, arena *a, size_t *count, int *code);

/* Run a chapter's lab (or its solution) to its end, with a line of progress on a terminal. False
 * if a signal came: *OUT is then empty; otherwise the caller frees it (verdict_free). */
bool cli_attempt(desk *d, const chapter *c, bool gpu, verdict *out);

/* Draw the pictures of a chapter's last run: an exit code. */
int cli_plot_chapter(desk *d, const chapter *c, bool gpu, bool solution);

/* A sentence of why nothing can be done, for people, or as an object for programs. */
void cli_cannot(desk *d, const char *sentence);

/* Say what the state has to say, on stderr, once. */
void cli_warnings(desk *d);

#endif
