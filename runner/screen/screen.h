/* The workbook's full-screen terminal interface. */
#ifndef WARPBOOK_SCREEN_H
#define WARPBOOK_SCREEN_H

#include "../judge/desk.h"

/* Return true if standard input and output are a terminal that can show the screen. */
bool screen_can_be_shown(void);
/* Show the workbook until the student quits or a signal arrives; then restore the terminal. Returns
 * an exit code. */
int screen_run(session *d);

#endif
