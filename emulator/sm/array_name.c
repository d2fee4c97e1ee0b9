#include "array_name.h"

#include "../core/code.h"

#include <stdio.h>
#include <string.h>

/* A range of shared memory that the source gives one name. */
typedef struct named_range {
    const ptx_var *var;  /* the variable; NULL: several `extern __shared__` arrays begin there */
    uint64_t base, size; /* offset and bytes of the range */
} named_range;

void sm_variable_name(const ptx_var *v, char *buf, size_t size)
{
    size_t length;
    const char *own = ptx_own_name(v->name, strlen(v->name), &length);
    if (own)
        snprintf(buf, size, "%.*s", (int)length, own);
    else
        ptx_source_name(v->name, buf, size);
}

/* The range that holds OFFSET, else the nearest before it. Two `extern __shared__` arrays begin at
 * the same address: their memory has no name of its own. */
static bool find_range(const sm_unit *u, uint64_t dynamic, uint64_t offset, named_range *best)
{
    bool found = false;
    for (uint32_t k = 0; k < u->module->var_count; k++) {
        const ptx_var *v = u->module->vars[k];
        const uint64_t base = u->shared_offset[k];
        if (v->space != PTX_SPACE_SHARED || base >= UINT64_MAX - 1 || base > offset)
            continue;
        if (found && base < best->base)
            continue;
        const bool again = found && base == best->base && !v->size;
        *best = (named_range){again ? NULL : v, base, v->size ? v->size : dynamic};
        found = true;
    }
    return found;
}

static void name_of_range(const named_range *r, char *buf, size_t size)
{
    snprintf(buf, size, "the dynamic shared memory");
    if (r->var)
        sm_variable_name(r->var, buf, size);
}

bool sm_shared_array_of(const sm_grid *g, uint32_t mask, const uint64_t address[SM_LANES],
                        sm_array *a)
{
    named_range r = {0};
    if (!find_range(g->unit, g->launch->dynamic_shared, address[__builtin_ctz(mask)], &r))
        return false;
    for (uint32_t m = mask; m; m &= m - 1)
        if (address[__builtin_ctz(m)] - r.base >= r.size)
            return false;
    *a = (sm_array){.base = r.base, .size = r.size};
    name_of_range(&r, a->name, sizeof a->name);
    return true;
}

sm_array sm_array_of_allocation(const sm_grid *g, const mem_range *r)
{
    sm_array a = {.base = r->base, .size = r->size};
    const ptx_func *f = g->launch->kernel;
    if (r->name && (r->kind == MEM_MODULE || r->kind == MEM_CONSTANT)) {
        snprintf(a.name, sizeof a.name, "%s", r->name);
        return a;
    }
    for (uint32_t k = 0; k < f->param_count; k++) {
        uint64_t value;
        if (f->params[k].size == sizeof value) {
            memcpy(&value, g->params + f->params[k].offset, sizeof value);
            if (value - r->base < r->size) {
                snprintf(a.name, sizeof a.name, "argument %u", k + 1);
                return a;
            }
        }
    }
    snprintf(a.name, sizeof a.name, "allocation %u", r->serial);
    return a;
}

void sm_shared_name(const sm_grid *g, uint64_t offset, char *buf, size_t size)
{
    char name[61];
    named_range r = {0};
    if (!find_range(g->unit, g->launch->dynamic_shared, offset, &r)) {
        snprintf(buf, size, "byte %llu of the block's shared memory", (unsigned long long)offset);
        return;
    }
    const uint64_t at = offset - r.base;
    name_of_range(&r, name, sizeof name);
    if (at < r.size)
        snprintf(buf, size, "byte %llu of %s", (unsigned long long)at, name);
    else
        snprintf(buf, size, "byte %llu past the end of %s", (unsigned long long)(at - r.size),
                 name);
}
