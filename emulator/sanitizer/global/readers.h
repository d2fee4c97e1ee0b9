/* Shadow pages of memory that a launch has only read: they have a list of reads instead of cells.
 * The list is converted to cells when a thread writes to the page, or when it is full. */
#pragma once

#include "shadow.h"

/* One read by a warp, in the list of a shadow page: its first cell and lane, and its shape: number
 * of lanes - 1 in 5 bits, then the logarithm of the number of cells that each lane reads. */
typedef struct san_listed_read {
    uint32_t record; /* number of the shadow record of the access */
    uint16_t cell;   /* first shadow cell that the read covers, within the page */
    uint8_t lane;    /* first lane of the read */
    uint8_t shape;   /* code for the number of lanes and of cells that each lane reads */
} san_listed_read;
_Static_assert(sizeof(san_listed_read) * SAN_READS_PER_LIST == SAN_LIST_BYTES,
               "a list of SAN_LIST_BYTES bytes holds SAN_READS_PER_LIST reads");

static inline san_listed_read *san_listed_read_at(san_page *p, uint32_t k)
{
    return (san_listed_read *)(void *)p->list[k / SAN_READS_PER_LIST] + k % SAN_READS_PER_LIST;
}

/* Add a read to the list of page P: LANES lanes of RECORD, from LANE on, read 1 << EACH cells
 * each, adjacent, from CELL on. False: P has cells instead of a list, and nothing is recorded. */
static inline bool san_page_add_listed_read(san_shadow *s, san_page *p, uint32_t record,
                                            uint32_t lane, uint32_t lanes, uint32_t cell,
                                            uint32_t each)
{
    const uint32_t k = p->read_count;
    if (!p->listed || k == SAN_MAX_LISTS * SAN_READS_PER_LIST ||
        (k % SAN_READS_PER_LIST == 0 && !san_page_add_list(s, p, k / SAN_READS_PER_LIST)))
        return false;
    *san_listed_read_at(p, k) = (san_listed_read){record, (uint16_t)cell, (uint8_t)lane,
                                                  (uint8_t)(each << 5 | (lanes - 1))};
    p->read_count = k + 1;
    return true;
}

/* Convert the list of P to cells. */
void san_page_list_to_cells(san_shadow *s, san_page *p);

/* MINE becomes the last reader of a cell; WAS was the last reader, OTHER the second (0: none).
 * Should OTHER remain the second reader rather than WAS? The reader that is farther from MINE
 * (in another block, warp or lane) remains. */
bool san_should_keep_second_reader(const san_shadow *s, const san_record *mine, san_ref was,
                                   san_ref other);
