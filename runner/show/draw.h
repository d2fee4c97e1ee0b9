/* Draws the plots of a chapter's last run: in the terminal, and as files. */
#pragma once

#include "../judge/desk.h"

/* Draw the plots of a chapter's last run; returns an exit code. */
int plot_chapter(session *d, const chapter *c, bool gpu, bool solution);
