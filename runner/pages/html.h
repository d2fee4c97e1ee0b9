/* What all pages share. No scripts, no external files; append_html_text escapes all text. */
#pragma once

#include "../base/text.h"

void page_begin(sb *out, const char *title);
void page_end(sb *out);

/* Append an HTML element with the text TEXT. TAG is its name, or its name and attributes, and must
 * not come from user input. */
void page_element(sb *out, const char *tag, const char *text);
void page_number(sb *out, const char *tag, double number); /* with one decimal; NAN: a dash */

/* Write PAGE to DIR/NAME.html, and free it. False with a sentence in ERR. */
bool page_write(const char *dir, const char *name, sb *page, char *err, size_t err_size);
