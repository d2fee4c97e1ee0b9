#include "box.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool sm_box_is_valid(const mem_tensor_map *m)
{
    if (m->mark != MEM_TENSOR_MAP_MARK || m->rank < 1 || m->rank > MEM_MAX_TENSOR_DIMS ||
        !mem_tensor_bytes(m->type) || m->interleave > 2 || m->swizzle > 3 || m->fill > 1 ||
        m->address % 16 || m->mode > MEM_TENSOR_WIDE)
        return false;
    for (uint32_t d = 0; d < m->rank; d++)
        if (m->step[d] == 0 || (!m->mode && m->box[d] == 0) || (d && m->stride[d - 1] % 16))
            return false;
    return !m->mode || (m->rank >= 3 && m->channels && m->pixels);
}

/* Number of elements copied along dimension D of a box. */
static uint32_t box_elements_along(const mem_tensor_map *m, uint32_t d)
{
    return (m->box[d] + m->step[d] - 1u) / m->step[d];
}

static uint32_t elements_per_row(const mem_tensor_map *m)
{
    return m->mode ? m->channels : box_elements_along(m, 0);
}

static uint32_t box_row_count(const mem_tensor_map *m)
{
    uint32_t rows = m->mode ? m->pixels : 1;
    for (uint32_t d = 1; d < m->rank && !m->mode; d++)
        rows *= box_elements_along(m, d);
    return rows;
}

uint32_t sm_box_bytes(const sm_box *b)
{
    return box_row_count(&b->map) * elements_per_row(&b->map) * mem_tensor_bytes(b->map.type);
}

/* Bytes from the start of a row to the start of the next. */
static uint32_t row_pitch_bytes(const mem_tensor_map *m)
{
    const uint32_t row = elements_per_row(m) * mem_tensor_bytes(m->type);
    const uint32_t swizzle = m->swizzle ? 16u << m->swizzle : 0;
    return row < swizzle ? swizzle : row;
}

uint32_t sm_box_shared_bytes(const sm_box *b)
{
    const mem_tensor_map *m = &b->map;
    return (box_row_count(m) - 1) * row_pitch_bytes(m) +
           elements_per_row(m) * mem_tensor_bytes(m->type);
}

bool sm_box_is_allowed(const sm_box *b, bool out, char *why, size_t size)
{
    const mem_tensor_map *m = &b->map;
    const uint32_t bytes = mem_tensor_bytes(m->type);
    assert(bytes);
    const uint32_t by = 16 / bytes;
    if (b->at[0] % (int32_t)by) {
        snprintf(
            why, size,
            "the first coordinate is %d: with elements of %u bytes it must be a multiple of %u, "
            "as a box begins at a multiple of 16 bytes of its row",
            b->at[0], bytes, by);
        return false;
    }
    for (uint32_t d = 0; d < m->rank && out; d++) {
        if (b->at[d] < 0) {
            snprintf(why, size,
                     "coordinate %u is %d: a written box may extend past the tensor's end, but not "
                     "before its beginning",
                     d, b->at[d]);
            return false;
        }
    }
    for (uint32_t d = 1; d + 1 < m->rank && m->mode && !out; d++) {
        const int64_t last = (int64_t)m->last[d] + m->upper[d - 1];
        if (b->at[d] < m->lower[d - 1] || b->at[d] > last) {
            snprintf(
                why, size,
                "coordinate %u is %d, outside the bounding box from %d to %lld given by the map's "
                "corners",
                d, b->at[d], m->lower[d - 1], (long long)last);
            return false;
        }
    }
    return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

static int64_t row_coordinate(const sm_box_iterator *walk, uint32_t d)
{
    const sm_box *b = walk->box;
    if (!b->map.mode)
        return b->at[d] + walk->index[d] * b->map.step[d];
    /* An im2col map's corners have 16, 8 or 5 bits, for rank 3, 4 or 5; so have the offsets. */
    const uint16_t bits = b->map.rank == 3 ? 0xffff : b->map.rank == 4 ? 0xff : 0x1f;
    return walk->index[d] + (d + 1 < b->map.rank ? b->offset[d - 1] & bits : 0);
}

static void advance_row(sm_box_iterator *walk)
{
    const mem_tensor_map *m = &walk->box->map;
    for (uint32_t d = 1; d < m->rank; d++) {
        if (++walk->index[d] < box_elements_along(m, d))
            return;
        walk->index[d] = 0;
    }
}

/* Advance to the next pixel of the bounding box, or to the next image after the last pixel. */
static void advance_pixel(sm_box_iterator *walk)
{
    const mem_tensor_map *m = &walk->box->map;
    for (uint32_t d = 1; d + 1 < m->rank; d++) {
        walk->index[d] += m->step[d];
        if (walk->index[d] <= (int64_t)m->last[d] + m->upper[d - 1])
            return;
        walk->index[d] = m->lower[d - 1];
    }
    walk->index[m->rank - 1]++;
}

bool sm_box_next_row(sm_box_iterator *walk, sm_box_row *row)
{
    const sm_box *b = walk->box;
    const mem_tensor_map *m = &b->map;
    const uint32_t bytes = mem_tensor_bytes(m->type);
    if (walk->row == 0 && m->mode)
        for (uint32_t d = 0; d < MEM_MAX_TENSOR_DIMS; d++)
            walk->index[d] = b->at[d];
    if (walk->row == box_row_count(m))
        return false;
    const uint32_t length = elements_per_row(m);
    *row =
        (sm_box_row){.at = walk->row * row_pitch_bytes(m), .length = length, .address = m->address};
    bool inside = true;
    for (uint32_t d = 1; d < m->rank && inside; d++) {
        const int64_t c = row_coordinate(walk, d);
        inside = c >= 0 && c <= m->last[d];
        row->address += (uint64_t)c * m->stride[d - 1];
    }
    const int64_t from = b->at[0] < 0 ? 0 : b->at[0];
    const int64_t end = b->at[0] + (int64_t)length, past = m->last[0] + INT64_C(1);
    const int64_t to = end < past ? end : past;
    if (inside && from < to) {
        row->first = (uint32_t)(from - b->at[0]);
        row->count = (uint32_t)(to - from);
        row->address += (uint64_t)from * bytes;
    }
    walk->row++;
    if (m->mode)
        advance_pixel(walk);
    else
        advance_row(walk);
    return true;
}

/* --- copying the box -------------------------------------------------------------------------- */

/* The value of elements outside the tensor: zero, or a half's NaN whatever the element type. */
static void fill_outside_tensor(const mem_tensor_map *m, uint8_t *to, uint32_t bytes)
{
    for (uint32_t k = 0; k < bytes; k++)
        to[k] = !m->fill ? 0 : k % 2 ? 0x7f : 0xf7;
}

/* Round tf32 elements to nearest even. Denormals are kept for every element type. */
static void convert_elements(const mem_tensor_map *m, uint8_t *at, uint32_t bytes)
{
    const bool round = m->type == MEM_TENSOR_TF32 || m->type == MEM_TENSOR_TF32_FTZ;
    for (uint32_t k = 0; round && k < bytes; k += 4) {
        uint32_t u;
        memcpy(&u, at + k, 4);
        const uint32_t magnitude = u & 0x7fffffff;
        if (magnitude > 0x7f800000)
            u = 0x7fffe000;
        else if (magnitude < 0x7f800000)
            u = (u + 0xfff + (u >> 13 & 1)) & ~UINT32_C(0x1fff);
        memcpy(at + k, &u, 4);
    }
}

static uint8_t *host_pointer_to_global(sm_worker *k, const mem_range **range, uint64_t address)
{
    if (!*range || address - (*range)->base >= (*range)->size) {
        *range = mem_find_in_snapshot(k->grid->map, address);
        *range = *range ? *range : mem_find_guarded_in_snapshot(k->grid->map, address);
    }
    return (uint8_t *)(uintptr_t)(address + (uint64_t)(*range)->delta);
}

/* The end of the bytes that a copy writes for a row whose bytes IN to PAST - 1 lie in the tensor.
 * An H200 writes whole 16-byte units, but never outside the allocation. */
static uint32_t end_of_written_bytes(const mem_range *range, uint64_t address, uint32_t in,
                                     uint32_t past)
{
    const uint64_t cap = range->base + range->size + range->back - address;
    const uint32_t up = (past + 15) & ~15u;
    return up - in > cap ? past : up;
}

void sm_box_copy(sm_worker *k, const sm_box *b, uint8_t *shared, uint64_t offset, bool out,
                 sm_combine combine)
{
    const mem_tensor_map *m = &b->map;
    const uint32_t bytes = mem_tensor_bytes(m->type);
    const mem_range *range = NULL;
    sm_box_iterator walk = {.box = b};
    for (sm_box_row row; sm_box_next_row(&walk, &row);) {
        const uint32_t end = row.length * bytes;
        const uint32_t in = row.first * bytes, past = in + row.count * bytes;
        uint8_t *global = row.count ? host_pointer_to_global(k, &range, row.address) : NULL;
        const uint32_t last = !out ? end
                              : row.count && !combine
                                  ? end_of_written_bytes(range, row.address, in, past)
                                  : past;
        /* Copy swizzled 16-byte units whole; bytes outside the tensor are their own piece. */
        for (uint32_t from = out ? in : 0, to; from < last; from = to) {
            const uint64_t at = offset + row.at + from;
            const uint32_t piece = from + 16 - (uint32_t)(at % 16);
            const uint32_t stop = out ? last : from < in ? in : from < past ? past : end;
            to = piece < stop ? piece : stop;
            uint8_t *here = shared + sm_swizzled_offset(at, m->swizzle);
            if (!out && (from < in || from >= past)) {
                fill_outside_tensor(m, here, to - from);
            } else if (!out) {
                memcpy(here, global + (from - in), to - from);
                convert_elements(m, here, to - from);
            } else if (combine) {
                combine(global + (from - in), here, to - from, false);
            } else {
                memcpy(global + (from - in), here, to - from);
            }
        }
    }
}
