/* Pictures in the terminal itself, where it can show them. */
#ifndef WARPBOOK_GRAPHICS_H
#define WARPBOOK_GRAPHICS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum graphics { GRAPHICS_AUTO, GRAPHICS_TEXT, GRAPHICS_SIXEL, GRAPHICS_KITTY } graphics;

/* "auto", "text", "sixel" or "kitty"; false: it is none of them. */
bool graphics_parse(const char *word, graphics *out);

/* What this terminal shows: CHOICE, where it is not GRAPHICS_AUTO; else what its variables say, and
 * what it answers when asked for its attributes. Text where stdout is no terminal. */
graphics graphics_of_terminal(graphics choice);

/* Whether a terminal's answer to the request for its attributes, ESC [ ? 62 ; 4 ; 22 c, has sixel
 * (4). */
bool graphics_answer_has_sixel(const char *answer);

/* A PNG file's bytes as kitty's protocol wants them, on stdout. */
void graphics_put_kitty(const unsigned char *png, size_t size);

#endif
