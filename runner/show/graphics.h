/* Shows images in terminals that support the sixel or kitty protocol. */
#ifndef WARPBOOK_GRAPHICS_H
#define WARPBOOK_GRAPHICS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum graphics { GRAPHICS_AUTO, GRAPHICS_TEXT, GRAPHICS_SIXEL, GRAPHICS_KITTY } graphics;

/* Parse "auto", "text", "sixel" or "kitty"; false: WORD is another word. */
bool graphics_parse(const char *word, graphics *out);

/* The graphics protocol to use: CHOICE if it is not GRAPHICS_AUTO; else by the environment
 * variables and the terminal's answer to a request for its attributes. GRAPHICS_TEXT if stdout is
 * not a terminal. */
graphics graphics_of_terminal(graphics choice);

/* Return true if a terminal's answer to the request for its attributes, such as ESC [ ? 62 ; 4 ; 22
 * c, includes sixel (4). */
bool graphics_answer_has_sixel(const char *answer);

/* Print a PNG file's bytes to stdout in kitty's graphics protocol. */
void graphics_put_kitty(const unsigned char *png, size_t size);

#endif
