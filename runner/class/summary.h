#ifndef WARPBOOK_SUMMARY_H
#define WARPBOOK_SUMMARY_H

#include "../judge/verdict.h"

/* What was lost, or why there are no points; "" where all is well. To be freed. */
char *summary_words(const verdict *v);

#endif
