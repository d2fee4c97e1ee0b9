/* Runs labs for the screen, and answers its questions about their runs: docs/FORMATS.md. */
#pragma once

#include "../judge/desk.h"

/* Read requests from standard input to its end, one JSON object a line, and write answers and
 * events to standard output. Returns an exit code. */
int serve_screen(session *d);
