/* The labs as they were: kept at first sight, so that a reset needs no version control. */
#ifndef WARPBOOK_PRISTINE_H
#define WARPBOOK_PRISTINE_H

#include "chapter.h"

/* Keep each lab that is not kept yet, or that an update of the book has replaced since, in
 * .warpbook/pristine: as git's HEAD has it where git has it, for the student may have begun before
 * the first look; else as it lies there. Quiet on failure: a reset then says what is missing. */
void pristine_keep(house *h, const book *b);

/* Ends a line on which a student chooses the numbers. */
extern const char pristine_choice[];

/* Whether line X is such a line Y of the book, but for blanks, numbers and what follows the code.
 */
bool pristine_chooses(const char *x, const char *y);

/* The length of the number at AT in LINE, digits that no identifier holds; 0: there is none. */
size_t pristine_number(const char *line, const char *at);

/* A lab's or a solution's text without the text inside its TODO regions; to be freed. */
char *pristine_skeleton(const char *text);

/* The book's text of a lab, to be freed: the solution's, where there is one, else the lab's as it
 * was kept. Outside its TODO regions a lab that is graded is the same text. NULL: there is neither.
 */
char *pristine_book(house *h, const chapter *c);
/* The line of a lab's text (from 1) where it first differs from the book's outside its TODO
 * regions: its checks may then be others than the book's. Blanks at a line's end are no difference,
 * nor is a byte order mark, nor are numbers on a line that the book marks "// yours to choose". 0:
 * no difference. */
int pristine_difference(const char *lab, const char *original);

/* The lab's text as it was, to be freed; NULL with a sentence in ERR. */
char *pristine_text(house *h, const chapter *c, char *err, size_t err_size);

/* Put the lab back. The student's goes to .warpbook/backup/NAME/lab-DATE.cu first; its path in
 * *BACKUP (to be freed; NULL where there was no lab, or it was unchanged). False with a sentence in
 * ERR, and then the lab is as it was. */
bool pristine_reset(house *h, const chapter *c, char **backup, char *err, size_t err_size);

#endif
