/* Operands of copies, as both recorders store them. */
#pragma once

#include "../../cudart/memory/copy.h"
#include "host_pages.h"

/* Store BOX in TO as a record holds it: address, pitch, slice. */
static inline rec_list box_as_list(rt_copy_box box, uint64_t to[3])
{
    to[0] = box.base;
    to[1] = box.pitch;
    to[2] = box.slice;
    return (rec_list){3, to};
}

/* Whether BOX, of these extents, lies in one range of host memory that kernels may use. */
static inline bool is_box_known(rt_copy_box box, size_t width, size_t height, size_t depth)
{
    return host_pages_contain(box.base, (depth - 1) * box.slice + (height - 1) * box.pitch + width);
}
