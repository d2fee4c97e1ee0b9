/* Shadow pages of memory that a launch has only read: they have a list of reads instead of cells.
 * The list is converted to cells when a thread writes to the page, or when it is full. */
#ifndef WARPBOOK_SANITIZER_READERS_H
#define WARPBOOK_SANITIZER_READERS_H

#include "shadow.h"

/* Add a read to the list of page P: LANES lanes of RECORD, from LANE on, read 1 << EACH cells
 * each, adjacent, from CELL on. False: P has cells instead of a list, and nothing is recorded. */
bool san_page_list_read(san_shadow *s, san_page *p, uint32_t record, uint32_t lane, uint32_t lanes,
                        uint32_t cell, uint32_t each);

/* Convert the list of P to cells. */
void san_page_list_to_cells(san_shadow *s, san_page *p);

/* MINE becomes the last reader of a cell; WAS was the last reader, OTHER the second (0: none).
 * Should OTHER remain the second reader rather than WAS? The reader that is farther from MINE
 * (in another block, warp or lane) remains. */
bool san_should_keep_second_reader(const san_shadow *s, const san_record *mine, san_ref was,
                                   san_ref other);

#endif
