/* Writes a chapter's reference.tsv, with which judge/cost.h compares. */
#pragma once

#include "../judge/desk.h"

/* Run the solutions of the chapters that COUNT words NAMES name (`--all`: of all) on the emulator,
 * and put the cost of what they time into their reference.tsv, in place of the rows of this device
 * (WARPBOOK_PROFILE). Prints messages and returns an exit code. */
int write_references(session *d, char **names, int count);
