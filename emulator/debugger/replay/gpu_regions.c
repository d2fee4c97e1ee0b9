#include "gpu_regions.h"

#include "../../base/list.h"

#include <stdlib.h>
#include <string.h>

bool gpu_regions_add(gpu_regions *r, uint64_t address, uint64_t size)
{
    gpu_region g = {address / GPU_REGION_UNIT * GPU_REGION_UNIT,
                    (address + size + GPU_REGION_UNIT - 1) / GPU_REGION_UNIT * GPU_REGION_UNIT};
    size_t at = 0;
    while (at < r->count && r->list[at].to < g.from)
        at++;
    size_t end = at; /* regions that touch G are merged with it */
    while (end < r->count && r->list[end].from <= g.to) {
        g.from = r->list[end].from < g.from ? r->list[end].from : g.from;
        g.to = r->list[end].to > g.to ? r->list[end].to : g.to;
        end++;
    }
    gpu_region *to = end > at ? &r->list[at] : LIST_INSERT(r->list, r->count, at);
    if (!to)
        return false;
    *to = g;
    if (end > at) {
        memmove(to + 1, r->list + end, (r->count - end) * sizeof *r->list);
        r->count -= end - at - 1;
    }
    return true;
}

bool gpu_regions_touch(const gpu_regions *r, uint64_t address, uint64_t size)
{
    for (size_t k = 0; k < r->count; k++)
        if (address < r->list[k].to && r->list[k].from < address + size)
            return true;
    return false;
}

bool gpu_regions_contain(const gpu_regions *r, uint64_t address)
{
    return gpu_regions_touch(r, address, 1);
}

void gpu_regions_free(gpu_regions *r)
{
    free(r->list);
    *r = (gpu_regions){0};
}
