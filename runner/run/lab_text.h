/* Checks the text of a lab or of a submission before it is built: that the text outside its TODO
 * regions is the book's, and that the regions use no forbidden names. */
#pragma once

#include "../base/installation.h"
#include "../judge/verdict.h"

/* Check TEXT; messages call it CALLED. ORIGINAL: the book's text. Both may be NULL. Fills `path`,
 * `touched` and `flaws` of V. */
void lab_text_check(const char *text, const char *original, const char *called, verdict *v);
/* Set the verdict on a text that is not run. Returns false. */
bool lab_text_reject(verdict *v, verdict_kind kind, const char *reason);
/* Check the student's lab of C. Fills `path`, `touched`, `ignored` and `flaws` of V. *INSTEAD
 * becomes the path, in the installation's arena, of the text to compile in place of an assignment's
 * lab that differs from the book outside its regions: what a marker would compile. NULL: the lab
 * itself. False: it must not run, and V says why. */
bool lab_text_prepare(installation *h, const chapter *c, verdict *v, const char **instead);
