/* The marks of a class as HTML. */
#pragma once

#include "../base/installation.h"
#include "../class/marks.h"

/* Write pages to DIR: class.html, one page for each student, and scoreboard.html if there are
 * nicknames. False with a sentence in ERR; one is there also if only charts are missing. */
bool export_html(const marks *m, installation *h, const char *dir, char *err, size_t err_size);
