/* The workbook's full-screen terminal interface. */
#ifndef WARPBOOK_SCREEN_H
#define WARPBOOK_SCREEN_H

#include "../judge/desk.h"

/* Show the workbook until the student quits or a signal arrives; then restore the terminal. Returns
 * an exit code. */
int screen_run(session *d);

#endif
