/* Text of students where it goes on: to a terminal, into HTML, XML or a spreadsheet. */
#ifndef WARPBOOK_PLAIN_H
#define WARPBOOK_PLAIN_H

#include "../base/text.h"

/* Add TEXT as valid UTF-8 without control characters (C0, C1, DEL) and without those that turn the
 * direction of what follows; each becomes U+FFFD. A newline is kept where LINES is true, else it
 * and a tab become a blank. */
void plain_text(sb *out, const char *text, bool lines);
/* The same, with & < > " ' as entities: for the text and the attributes of HTML and XML. */
void plain_markup(sb *out, const char *text);

/* NAME as the name of one file or directory: letters, digits and a few marks stay as they are, all
 * else becomes _, and a name that was changed gets a hash of the old one, so that two names stay
 * two. In A. */
char *plain_file_name(arena *a, const char *name);

#endif
