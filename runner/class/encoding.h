/* Names and texts in other encodings than UTF-8, as older archives and editors write them. */
#pragma once

#include "../base/text.h"

/* NAME if it is valid UTF-8, else NAME converted from CP437 (zip archives of DOS and Windows) or
 * Windows-1252 (which includes Latin-1), whichever makes letters of its bytes; in A. */
const char *name_to_utf8(arena *a, const char *name);

/* TEXT of *LENGTH bytes, which begins with UTF-16's byte order mark, as UTF-8; *LENGTH becomes the
 * new length. NULL: it does not begin so, or is not valid. To be freed. */
char *text_from_utf16(const char *text, size_t *length);
/* TEXT converted from Windows-1252 unless it is valid UTF-8, in which case NULL. To be freed. */
char *text_from_windows(const char *text);
