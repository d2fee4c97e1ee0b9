/* Declares the workbook's own commands, which each return an exit code (desk.h). */
#pragma once

#include "../commands/program.h"
#include "../judge/verdict.h"

int cli_list(session *d);
int cli_history(session *d);
int cli_lesson(session *d);
int cli_run(session *d);
int cli_check(session *d);
int cli_plot(session *d);
int cli_hint(session *d);
int cli_quiz(session *d);
int cli_solution(session *d);
int cli_reset(session *d);
int cli_watch(session *d);
int cli_break(session *d);
int cli_book(session *d);
int cli_doctor(session *d);

/* Print a guided tour: the chapters, and two runs. */
int cli_tour(session *d);
/* The workbook as a line-by-line dialog, for a screen reader. A line is one of the commands
 * HANDLERS, or one of another program, which is started. */
int cli_dialog(session *d, const command_handler *handlers);
/* Print Markdown with FIRST before the first line, and as many blanks before the others. */
void print_markdown(const char *first, const char *markdown);
/* Show the next hint for TODO region T of lab C (NULL: none); show C's solution once C has passed;
 * bring back C as it was, after a question. They print a message and return an exit code. */
int show_hint(session *d, const chapter *c, const todo_region *t);
int show_solution(session *d, const chapter *c);
int reset_lab(session *d, const chapter *c);
/* Run a chapter's lab (or its solution) to its end; a terminal shows a progress line. False: a
 * signal arrived, and *OUT is empty; otherwise the caller releases *OUT (verdict_free). */
bool run_attempt(session *d, const chapter *c, bool gpu, verdict *out);
