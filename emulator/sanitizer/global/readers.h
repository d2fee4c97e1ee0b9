/* Pages of the shadow that have only been read in a launch: who read what is a list of requests,
 * and becomes cells when somebody writes, or when the list is full. */
#ifndef WARPBOOK_SANITIZER_READERS_H
#define WARPBOOK_SANITIZER_READERS_H

#include "shadow.h"

/* LANES lanes of RECORD from LANE on read 1 << EACH cells each, side by side from CELL on. False: P
 * has cells, and nothing is noted. */
bool san_page_reads(san_shadow *s, san_page *p, uint32_t record, uint32_t lane, uint32_t lanes,
                    uint32_t cell, uint32_t each);

/* The list of P becomes cells. */
void san_page_settle(san_shadow *s, san_page *p);

/* WAS was the last reader of a cell and OTHER the other one (0: none); now MINE is the last. Does
 * OTHER stay, rather than WAS? The one that is farther from MINE does. */
bool san_reader_stays(const san_shadow *s, const san_record *mine, san_ref was, san_ref other);

#endif
