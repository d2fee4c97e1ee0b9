/* The workbook's full-screen terminal interface. */
#pragma once

#include "../judge/desk.h"

/* Show the workbook until the student quits or a signal arrives; then restore the terminal. Returns
 * an exit code. */
int screen_run(session *d);
