#include "value.h"

#include "../observe/observe.h"
#include "../sm/fault.h"

#include <string.h>

enum { MAX_STORE_BYTES = 32 /* most bytes that a lane stores */ };

/* The bytes that a lane stores within an address range. */
typedef struct stored_bytes {
    uint8_t value[MAX_STORE_BYTES]; /* bytes that the lane stores */
    uint64_t at;                    /* address of the first of these bytes */
    uint32_t skip, size;            /* the bytes are value[skip] to value[skip + size - 1] */
} stored_bytes;

static bool stored_bytes_within(const sm_access *a, uint32_t lane, uint64_t address, uint32_t bytes,
                                stored_bytes *p)
{
    const uint64_t begins = a->address[lane], ends = begins + a->bytes;
    const uint64_t end = address + bytes < ends ? address + bytes : ends;
    p->at = address < begins ? begins : address;
    if (a->bytes > MAX_STORE_BYTES || p->at >= end)
        return false;
    p->skip = (uint32_t)(p->at - begins);
    p->size = (uint32_t)(end - p->at);
    return observe_access_value(a, lane, p->value);
}

bool san_stores_same_value(const sm_access *a, uint32_t lane, uint64_t address, uint32_t bytes)
{
    stored_bytes p;
    if (!stored_bytes_within(a, lane, address, bytes, &p))
        return false;
    const sm_block *b = a->warp->block;
    const void *now = a->space != PTX_SPACE_SHARED
                          ? sm_host_pointer_of_generic(a->warp, lane, p.at, p.size)
                      : p.at + p.size <= b->shared_bytes ? b->shared + p.at
                                                         : NULL;
    return now && memcmp(p.value + p.skip, now, p.size) == 0;
}

bool san_do_stores_overlap(const sm_access *a, uint32_t lane, uint32_t other, uint64_t address,
                           uint32_t bytes, bool *same)
{
    stored_bytes p, q;
    if (!(a->mask >> other & 1) || !stored_bytes_within(a, lane, address, bytes, &p) ||
        !stored_bytes_within(a, other, p.at, p.size, &q))
        return false;
    *same =
        q.at == p.at && q.size == p.size && memcmp(p.value + p.skip, q.value + q.skip, p.size) == 0;
    return true;
}

bool san_do_stores_differ(const sm_access *a, uint32_t lane, uint32_t other, uint64_t address,
                          uint32_t bytes)
{
    bool same;
    return san_do_stores_overlap(a, lane, other, address, bytes, &same) && !same;
}
