/* A request to memory drawn as text: lanes by banks for shared memory, lanes by sectors for global
 * memory, lanes by addresses for constant memory. */
#ifndef WARPBOOK_CARD_H
#define WARPBOOK_CARD_H

#include "../book/page.h"
#include "access.h"

#include <stdio.h>

/* The greatest number of rows in an image of a card; the number of further rows is written
 * below. */
enum { CARD_IMAGE_ROWS = 16 };
/* Width in columns of a single card, of each of two cards side by side, and of the gap between two
 * cards. */
enum { CARD_WIDE = 76, CARD_NARROW = 37, CARD_GAP = 2 };

/* Append the card of request R to page P, CARD_WIDE or CARD_NARROW columns wide. SOURCE: text of
 * the source line, or NULL. NAME: name of the array accessed, or NULL. */
void card_draw(page *p, const memory_request *r, const char *source, const char *name,
               size_t columns);
/* Append a request to page P as sentences, without drawing its rows. */
void card_say(page *p, const memory_request *r, const char *source, const char *name);
/* Write a card as rows of a table that plots/access.gp draws, as panel number PANEL with TITLE
 * above it ("": no title). */
#define CARD_CELLS "panel\tkind\trow\tcolumn\ttext\n"
void card_cells(FILE *f, int panel, const char *title, const memory_request *r, const char *source,
                const char *name);

/* Append the meaning of the characters in cards of memory space SPACE, in COLUMNS columns. */
void card_legend(page *p, access_space space, size_t columns);

/* Append two cards of CARD_NARROW columns side by side, each below its title. */
void cards_beside(page *p, const char *left_title, const page *left, const char *right_title,
                  const page *right);

/* The sentence below a card that says how the hardware serves the request. The caller frees it. */
char *card_sentence(const memory_request *r);
/* The sentence about all requests of the instruction. The caller frees it. */
char *card_total(const memory_request *r);

#endif
