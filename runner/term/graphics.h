/* Shows images in terminals that support the sixel or kitty protocol. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum graphics { GRAPHICS_AUTO, GRAPHICS_TEXT, GRAPHICS_SIXEL, GRAPHICS_KITTY } graphics;

/* Parse "auto", "text", "sixel" or "kitty"; false: WORD is another word. */
bool graphics_parse(const char *word, graphics *out);

/* The graphics protocol to use: CHOICE if it is not GRAPHICS_AUTO; else by the environment
 * variables and the terminal's answer to a request for its attributes. GRAPHICS_TEXT if stdout is
 * not a terminal. */
graphics graphics_of_terminal(graphics choice);

/* The graphics protocol according to environment variables. GRAPHICS_AUTO: they do not say, and the
 * terminal must be asked. */
graphics graphics_of_environment(void);
/* The request for a terminal's attributes. */
#define GRAPHICS_REQUEST "\033[c" /* ESC [ c */

/* Return true if a terminal's answer to the request for its attributes, such as ESC [ ? 62 ; 4 ; 22
 * c, includes sixel (4). */
bool graphics_answer_has_sixel(const char *answer);

/* Write a PNG file's bytes to F in kitty's graphics protocol, scaled to COLUMNS x ROWS characters
 * without moving the cursor, or, if COLUMNS is 0, in its own size. */
void graphics_put_kitty(FILE *f, const unsigned char *png, size_t size, int columns, int rows);
