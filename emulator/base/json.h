/* Texts in JSON. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Write C as it stands in a JSON string (RFC 8259, section 7) to PIECE, and return its length. A
 * byte that is not ASCII is taken to be of UTF-8. */
static inline size_t json_escape(char piece[8], char c)
{
    piece[0] = c;
    return c == '"' || c == '\\'     ? (size_t)sprintf(piece, "\\%c", c)
           : c == '\n'               ? (size_t)sprintf(piece, "\\n")
           : (unsigned char)c < 0x20 ? (size_t)sprintf(piece, "\\u%04x", c)
                                     : 1;
}
