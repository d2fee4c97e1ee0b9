/* Declares the workbook's own commands, which each return an exit code (desk.h). */
#ifndef WARPBOOK_STUDY_H
#define WARPBOOK_STUDY_H

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
int cli_book(session *d);
int cli_dev(session *d);
int cli_doctor(session *d);

/* Print a guided tour: the chapters, and two runs. */
int cli_tour(session *d);
/* The workbook as a line-by-line dialog, for a screen reader. A line is one of the commands
 * HANDLERS, or one of another program, which is started. */
int cli_dialog(session *d, const command_handler *handlers);
/* Run a chapter's lab (or its solution) to its end; a terminal shows a progress line. False: a
 * signal arrived, and *OUT is empty; otherwise the caller releases *OUT (verdict_free). */
bool run_attempt(session *d, const chapter *c, bool gpu, verdict *out);

#endif
