/* What the compiler said of a lab that it refused, in the order that helps: a bracket left open in
 * a TODO region, then the first error inside one, then how many more there are. */
#ifndef WARPBOOK_REFUSAL_H
#define WARPBOOK_REFUSAL_H

#include "../base/text.h"

typedef struct refusal {
    const char *reason; /* one sentence, such as "lab.cu:6: expected a \";\"" */
    const char *text;   /* lines to show: sentences at the margin, quoted code indented */
} refusal;

/* From MESSAGE, all that nvcc wrote of SOURCE, the text of the file NAME ("lab.cu"); it is kept at
 * KEPT, as people see that path. In A. False: no error of this file is named in it. */
bool refusal_read(const char *message, const char *source, const char *name, const char *kept,
                  arena *a, refusal *out);

#endif
