/* Makes untrusted text from students safe for a terminal, for HTML or XML, and for file names. */
#pragma once

#include "text.h"

/* True: a terminal or browser would interpret the character, or it is invalid. */
bool is_control_or_invalid(unsigned character);

/* Add TEXT as valid UTF-8. Control characters (C0, C1, DEL) and characters that change the text
 * direction become U+FFFD. A newline is kept if LINES is true; otherwise newlines become blanks. A
 * tab becomes a blank. */
void append_sanitized(sb *out, const char *text, bool lines);
/* Like append_sanitized, with & < > " ' as entities, for text and attributes of HTML and XML. */
void append_html_text(sb *out, const char *text);
/* Add SIZE bytes in Base64, whose characters mean nothing to HTML. */
void append_base64(sb *out, const void *bytes, size_t size);

/* NAME as a valid name of one file or directory: letters, digits and a few other characters stay,
 * all others become _. A changed name gets a hash of the original, so that different names stay
 * different. In A. */
char *plain_file_name(arena *a, const char *name);
