/* Texts in JSON. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The bytes of the character in UTF-8 with which TEXT begins; 0: these are none (RFC 3629). */
static inline size_t json_utf8_length(const char *text)
{
    const unsigned char *u = (const unsigned char *)text;
    const size_t n = u[0] < 0x80                   ? 1
                     : u[0] < 0xC2 || u[0] >= 0xF5 ? 0
                     : u[0] < 0xE0                 ? 2
                     : u[0] < 0xF0                 ? 3
                                                   : 4;
    for (size_t k = 1; k < n; k++)
        if ((u[k] & 0xC0) != 0x80)
            return 0;
    return (u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xED && u[1] >= 0xA0) ||
                   (u[0] == 0xF0 && u[1] < 0x90) || (u[0] == 0xF4 && u[1] >= 0x90)
               ? 0
               : n;
}

/* Write the first character of *TEXT as it stands in a JSON string (RFC 8259, section 7) to PIECE,
 * move *TEXT after it, and return its length. A byte that is not UTF-8 becomes U+FFFD. */
static inline size_t json_escape(char piece[8], const char **text)
{
    const char c = **text;
    const size_t n = json_utf8_length(*text);
    memcpy(piece, *text, n);
    *text += n ? n : 1;
    return n == 0                    ? (size_t)sprintf(piece, "\\ufffd")
           : c == '"' || c == '\\'   ? (size_t)sprintf(piece, "\\%c", c)
           : c == '\n'               ? (size_t)sprintf(piece, "\\n")
           : (unsigned char)c < 0x20 ? (size_t)sprintf(piece, "\\u%04x", c)
                                     : n;
}
