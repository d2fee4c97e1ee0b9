/* A request to memory drawn as text: lanes by banks for shared memory, lanes by sectors for global
 * memory, lanes by addresses for constant memory. */
#ifndef WARPBOOK_CARD_H
#define WARPBOOK_CARD_H

#include "../book/page.h"
#include "access.h"

#include <stdio.h>

/* Rows that an image has at most; of more it says how many. */
enum { CARD_IMAGE_ROWS = 16 };
/* Columns of a card, and of one of two side by side. */
enum { CARD_WIDE = 76, CARD_NARROW = 37, CARD_GAP = 2 };

/* Add R to P, in CARD_WIDE columns or CARD_NARROW. SOURCE: the text of its line, or NULL. NAME:
 * what its memory is called, or NULL. */
void card_draw(page *p, const request *r, const char *source, const char *name, size_t columns);
/* The same without its rows, as sentences. */
void card_say(page *p, const request *r, const char *source, const char *name);
/* The same as rows of a table that plots/access.gp draws, as panel number PANEL; TITLE stands above
 * it ("": none). */
#define CARD_CELLS "panel\tkind\trow\tcolumn\ttext\n"
void card_cells(FILE *f, int panel, const char *title, const request *r, const char *source,
                const char *name);

/* What the characters mean, for cards of SPACE in so many columns. */
void card_legend(page *p, access_space space, size_t columns);

/* Two cards of CARD_NARROW columns beside each other, each below its title. */
void cards_beside(page *p, const char *left_title, const page *left, const char *right_title,
                  const page *right);

/* The sentence below a card: what the hardware does with the request. To be freed. */
char *card_sentence(const request *r);
/* The sentence about all requests of the instruction. To be freed. */
char *card_total(const request *r);

#endif
