/* The commands of the program warpbook-grade. */
#ifndef WARPBOOK_GRADE_H
#define WARPBOOK_GRADE_H

#include "../judge/desk.h"

int cli_grade(session *d);
int cli_similar(session *d);
int cli_export(session *d);

#endif
