/* Checks the text of a lab or of a submission before it is built: that the text outside its TODO
 * regions is the book's, and that the regions use no forbidden names. */
#ifndef WARPBOOK_SUBMISSION_H
#define WARPBOOK_SUBMISSION_H

#include "../base/installation.h"
#include "../judge/verdict.h"

/* Check the student's lab of C. Fills `path`, `touched`, `ignored` and `flaws` of V. *INSTEAD
 * becomes the path, in the installation's arena, of the text to compile in place of an assignment's
 * lab that differs from the book outside its regions: what a marker would compile. NULL: the lab
 * itself. False: it must not run, and V says why. */
bool submission_check_lab(installation *h, const chapter *c, verdict *v, const char **instead);
/* Paths of the copies of a submission under build/graded, a directory without other headers. In the
 * installation's arena. */
typedef struct submission {
    const char *text;  /* text as handed in, with \n at the end of lines; messages quote it */
    const char *graft; /* the text that is compiled (graft.h) */
} submission;

/* Take the submission TEXT (LENGTH bytes and a NUL), shown to people as FILE. False: it must not
 * run, and V says why. Fills `path`, `ignored` and `flaws` of V. */
bool submission_read(installation *h, const chapter *c, const char *file, const char *text,
                     size_t length, verdict *v, submission *out);

#endif
