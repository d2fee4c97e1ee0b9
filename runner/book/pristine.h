/* Original texts of the labs, stored when they are first seen, so that a reset works without
 * version control. */
#ifndef WARPBOOK_PRISTINE_H
#define WARPBOOK_PRISTINE_H

#include "chapter.h"

/* Store each lab in .warpbook/pristine if it is not stored yet, or if an update of the book has
 * replaced it since. The text comes from git's HEAD if git has it, because the student may have
 * edited the lab already; else from the lab's file. Failures are silent: a later reset reports what
 * is missing. */
void store_original_labs(installation *h, const book *b);

/* Mark at the end of a lab's line on which a student may change the numbers: "// yours to choose".
 */
extern const char choice_line_mark[]; /* "// yours to choose" */

/* True: line Y of the book ends with choice_line_mark, and line X equals Y except for blanks,
 * numbers and what follows the code. */
bool is_choice_changed(const char *x, const char *y);

/* Length of the number at AT in LINE; digits of an identifier do not count. 0: there is no
 * number. */
size_t length_of_number_at(const char *line, const char *at);

/* A lab's or a solution's text without the text inside its TODO regions; to be freed. */
char *text_outside_regions(const char *text);

/* The book's text of a lab, to be freed: the solution's text if there is a solution, else the
 * stored original. A graded lab must equal this text outside its TODO regions. NULL: there is
 * neither. */
char *book_text_of_lab(installation *h, const chapter *c);
/* The first line (from 1) of a lab's text that differs from the book's outside the TODO regions, so
 * that the lab's checks may have been changed. Ignored are blanks at the end of a line, a byte
 * order mark, and numbers on a line that the book marks "// yours to choose". 0: no difference. */
int first_changed_line(const char *lab, const char *original);

/* The lab's original text, to be freed; NULL with a sentence in ERR. */
char *read_original_lab(installation *h, const chapter *c, char *err, size_t err_size);

/* Restore the lab's original text. The student's text is saved first as
 * .warpbook/backup/NAME/lab-DATE.cu; *BACKUP is that path (to be freed; NULL: there was no lab, or
 * it was unchanged). False with a sentence in ERR: the lab is unchanged. */
bool reset_lab_to_original(installation *h, const chapter *c, char **backup, char *err,
                           size_t err_size);

#endif
