/* The text of a lab or of a submission, before it is built: whether it is the book's outside its
 * TODO regions, and whether the regions keep to themselves. */
#ifndef WARPBOOK_SUBMISSION_H
#define WARPBOOK_SUBMISSION_H

#include "../base/house.h"
#include "../judge/verdict.h"

/* Look at the text at PATH, which people know as CALLED: fills `path`, `touched` and `flaws` of V.
 */
void submission_look(house *h, const chapter *c, const char *path, const char *called, verdict *v);
/* Copies of a submission under build/graded, where no header lies beside them; in the house's
 * arena. */
typedef struct submission {
    const char
        *text; /* the text as it was handed in, with \n at the end of lines; messages quote it */
    const char *graft; /* the text that is compiled (graft.h) */
} submission;

/* Take the submission TEXT (LENGTH bytes and a NUL), which people know as FILE. False: it is not to
 * be run, and V says why. Fills `path`, `ignored` and `flaws` of V. */
bool submission_take(house *h, const chapter *c, const char *file, const char *text, size_t length,
                     verdict *v, submission *out);

#endif
