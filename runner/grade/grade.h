/* The commands of the program warpbook-grade. */
#pragma once

#include "../judge/desk.h"

int cli_grade(session *d);
int cli_similar(session *d);
int cli_export(session *d);
