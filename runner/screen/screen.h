/* The workbook on a terminal. */
#ifndef WARPBOOK_SCREEN_H
#define WARPBOOK_SCREEN_H

#include "../judge/desk.h"

/* Whether standard input and output are a terminal that can show it. */
bool screen_possible(void);
/* Until the student quits or a signal comes; the terminal is restored. An exit code. */
int screen_run(desk *d);

#endif
