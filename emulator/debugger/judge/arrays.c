#include "arrays.h"

#include "../../memory/memory.h"

#include <string.h>

/* The array that begins at device address ADDRESS. */
static judged_array array_at_pointer(uint64_t address)
{
    mem_range r;
    if (!mem_find_range(address, &r) || address < r.base || address - r.base >= r.size)
        return (judged_array){0};
    const uint64_t fence = address - r.base, rest = r.size - fence;
    const uint64_t bytes = rest > fence ? rest - fence : 0;
    return (judged_array){mem_host_pointer(address, bytes), bytes};
}

const uint8_t *find_parameter(const replay_kernel *k, uint32_t index, uint64_t *bytes)
{
    if (index >= k->func->param_count)
        return NULL;
    const ptx_param *p = &k->func->params[index];
    *bytes = p->size;
    return p->offset <= k->param_bytes && p->size <= k->param_bytes - p->offset
               ? k->params + p->offset
               : NULL;
}

/* The memory of the device variable NAME. */
static judged_array device_variable_array(const char *name)
{
    const mem_map *map = mem_take_snapshot();
    judged_array a = {0};
    for (uint32_t i = 0; map && i < map->count; i++) {
        const mem_range *r = &map->range[i];
        if (r->kind == MEM_MODULE && r->name && !strcmp(r->name, name))
            a = (judged_array){mem_host_pointer(r->base, r->size), r->size};
    }
    mem_release_snapshot(map);
    return a;
}

judged_array array_of_rule(const replay_kernel *k, const judge_rule *r)
{
    if (*r->variable)
        return device_variable_array(r->variable);
    uint64_t bytes = 0, address = 0;
    const uint8_t *p = find_parameter(k, r->parameter, &bytes);
    if (!p || bytes != sizeof address)
        return (judged_array){0};
    memcpy(&address, p, sizeof address);
    return array_at_pointer(address);
}
