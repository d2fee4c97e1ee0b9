/* The labs' original texts, stored when first seen: a reset works without version control. */
#pragma once

#include "chapter.h"
#include "choices.h"

/* Store each lab in .warpbook/pristine if it is not stored yet, or if an update of the book has
 * replaced it since. The text comes from git's HEAD if git has it, because the student may have
 * edited the lab already; else from the lab's file. Failures are silent: a later reset reports what
 * is missing. */
void store_original_labs(installation *h, const book *b);

/* The book's text of a lab, to be freed: the solution's text if there is one, else the stored
 * original. A graded lab must equal this text outside its TODO regions. NULL: there is neither. */
char *book_text_of_lab(installation *h, const chapter *c);
/* The first line (from 1) of a lab's text whose code differs from the book's outside the TODO
 * regions. Comments, blanks and constants that are the student's to choose (choices.h) make no
 * difference. 0: no difference. */
int first_changed_line(const char *lab, const char *original);

/* The constants that are the student's to choose, with the values that LAB gives them. In A. */
free_constants chosen_values(const char *lab, const char *original, arena *a);

/* True: the two texts are the same, letter by letter, outside their regions. */
bool is_text_outside_regions_equal(const char *lab, const char *original);

/* The lab's original text, to be freed; NULL with a sentence in ERR. */
char *read_original_lab(installation *h, const chapter *c, char *err, size_t err_size);

/* Restore the lab's original text. The student's text is saved first as
 * .warpbook/backup/NAME/lab-DATE.cu; *BACKUP is that path (to be freed; NULL: there was no lab, or
 * it was unchanged). False with a sentence in ERR: the lab is unchanged. */
bool reset_lab_to_original(installation *h, const chapter *c, char **backup, char *err,
                           size_t err_size);
