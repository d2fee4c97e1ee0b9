#include "readers.h"

/* One request in a list: its first cell and lane, and its shape: number of lanes - 1 in 5 bits,
 * then the logarithm of the cells that each lane reads. */
typedef struct read_request {
    uint32_t record;     /* number of the record */
    uint16_t cell;       /* first cell in the page */
    uint8_t lane, shape; /* first lane; number of lanes and cells each */
} read_request;
_Static_assert(sizeof(read_request) * SAN_READS_PER_LIST == SAN_LIST_BYTES,
               "a list is an array of readings");

static read_request *reader_entry_of(san_page *p, uint32_t k)
{
    return (read_request *)(void *)p->list[k / SAN_READS_PER_LIST] + k % SAN_READS_PER_LIST;
}

bool san_page_reads(san_shadow *s, san_page *p, uint32_t record, uint32_t lane, uint32_t lanes,
                    uint32_t cell, uint32_t each)
{
    const uint32_t k = p->readings;
    if (!p->listed || k == SAN_MAX_LISTS * SAN_READS_PER_LIST ||
        (k % SAN_READS_PER_LIST == 0 && !san_page_add_list(s, p, k / SAN_READS_PER_LIST))) {
        return false;
    }
    *reader_entry_of(p, k) =
        (read_request){record, (uint16_t)cell, (uint8_t)lane, (uint8_t)(each << 5 | (lanes - 1))};
    p->readings = k + 1;
    return true;
}

bool san_keeps_second_reader(const san_shadow *s, const san_record *mine, san_ref was,
                             san_ref other)
{
    const san_record *r = san_shadow_record(s, was / SM_LANES);
    const san_record *o = other ? san_shadow_record(s, other / SM_LANES) : NULL;
    return o && r->block == mine->block &&
           (o->block != mine->block || (o->warp != mine->warp && r->warp == mine->warp));
}

/* Write the readers of one list entry to the cells that the entry covers. */
static void list_entry_to_cells(const san_shadow *s, san_page *p, const read_request *r,
                                san_ref *read, san_ref *others)
{
    const san_record *mine = san_shadow_record(s, r->record);
    const uint32_t each = r->shape >> 5, count = ((r->shape & 31u) + 1) << each;
    uint32_t last_was = 0, last_other = 0; /* the two records that were compared last */
    bool stays = false;
    for (uint32_t k = 0; k < count; k++) {
        san_ref *cell = &read[r->cell + k];
        const san_ref was = *cell, ref = r->record * SM_LANES + r->lane + (k >> each);
        if (was && was != ref && p->shift) {
            san_ref *other = &others[r->cell + k];
            if (was / SM_LANES != last_was || *other / SM_LANES != last_other) {
                last_was = was / SM_LANES;
                last_other = *other / SM_LANES;
                stays = san_keeps_second_reader(s, mine, was, *other);
            }
            *other = stays ? *other : was;
        }
        *cell = ref;
    }
}

void san_page_list_to_cells(san_shadow *s, san_page *p)
{
    if (!p->listed) {
        return;
    }
    p->listed = false;
    san_ref *read = p->readings ? san_page_cells(s, p, SAN_LAST_READ) : NULL;
    san_ref *others = read && p->shift ? san_page_cells(s, p, SAN_OTHER_READ) : NULL;
    for (uint32_t k = 0; read && (others || !p->shift) && k < p->readings; k++) {
        list_entry_to_cells(s, p, reader_entry_of(p, k), read, others);
    }
    p->readings = 0;
}
