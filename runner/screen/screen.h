/* The workbook on a terminal. */
#ifndef WARPBOOK_SCREEN_H
#define WARPBOOK_SCREEN_H

#include "../judge/desk.h"

/* Whether standard input and output are a terminal that can show it. */
bool screen_possible(void);
/* Show the workbook until the student quits or a signal comes; then restore the terminal. Returns
 * an exit code. */
int screen_run(desk *d);

#endif
