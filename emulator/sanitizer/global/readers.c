#include "readers.h"

bool san_should_keep_second_reader(const san_shadow *s, const san_record *mine, san_ref was,
                                   san_ref other)
{
    const san_record *r = san_shadow_record(s, was / SM_LANES);
    const san_record *o = other ? san_shadow_record(s, other / SM_LANES) : NULL;
    return o && r->block == mine->block &&
           (o->block != mine->block || (o->warp != mine->warp && r->warp == mine->warp));
}

/* Enter the readers of one list entry in the shadow cells that the entry covers. */
static void list_entry_to_cells(const san_shadow *s, san_page *p, const san_listed_read *r,
                                san_ref *read, san_ref *others)
{
    const san_record *mine = san_shadow_record(s, r->record);
    const uint32_t each = r->shape >> 5, count = ((r->shape & 31u) + 1) << each;
    uint32_t last_was = 0, last_other = 0; /* the two shadow records that were compared last */
    bool stays = false;
    for (uint32_t k = 0; k < count; k++) {
        san_ref *cell = &read[r->cell + k];
        const san_ref was = *cell, ref = r->record * SM_LANES + r->lane + (k >> each);
        if (was && was != ref && p->shift) {
            san_ref *other = &others[r->cell + k];
            if (was / SM_LANES != last_was || *other / SM_LANES != last_other) {
                last_was = was / SM_LANES;
                last_other = *other / SM_LANES;
                stays = san_should_keep_second_reader(s, mine, was, *other);
            }
            *other = stays ? *other : was;
        }
        *cell = ref;
    }
}

void san_page_list_to_cells(san_shadow *s, san_page *p)
{
    if (!p->listed)
        return;
    p->listed = false;
    san_ref *read = p->read_count ? san_page_cells(s, p, SAN_LAST_READ) : NULL;
    san_ref *others = read && p->shift ? san_page_cells(s, p, SAN_OTHER_READ) : NULL;
    for (uint32_t k = 0; read && (others || !p->shift) && k < p->read_count; k++)
        list_entry_to_cells(s, p, san_listed_read_at(p, k), read, others);
    p->read_count = 0;
}
