#include "shared_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A range of shared memory that the source gives one name. */
typedef struct named_range {
    const char *name;    /* not NUL-terminated */
    size_t length;       /* bytes of the name */
    uint64_t base, size; /* offset and bytes of the range */
} named_range;

/* The last name in the mangled name of LENGTH bytes at MANGLED: "row" of "_ZN4labs3rowE". NULL: it
 * is another name. */
static const char *name_in_namespace(const char *mangled, size_t *length)
{
    const char *found = NULL, *end = mangled + 3;
    if (strncmp(mangled, "_ZN", 3) != 0)
        return NULL;
    while (*end >= '1' && *end <= '9') {
        char *name;
        const size_t n = strtoul(end, &name, 10);
        if (n > strlen(name))
            return NULL;
        found = name;
        *length = n;
        end = name + n;
    }
    return *end == 'E' ? found : NULL;
}

/* The name that the source gives variable V, not NUL-terminated. */
static const char *source_name(const ptx_var *v, size_t *length)
{
    const size_t whole = strlen(v->name);
    *length = whole;
    const char *own = ptx_own_name(v->name, whole, length);
    own = own ? own : name_in_namespace(v->name, length);
    if (!own)
        *length = whole;
    return own ? own : v->name;
}

static named_range range_of_variable(const ptx_var *v, uint64_t base, uint64_t dynamic)
{
    named_range r = {NULL, 0, base, v->size ? v->size : dynamic};
    r.name = source_name(v, &r.length);
    return r;
}

void sm_variable_name(const ptx_var *v, char *buf, size_t size)
{
    size_t length;
    const char *name = source_name(v, &length);
    snprintf(buf, size, "%.*s", (int)length, name);
}

/* The range that holds OFFSET, else the nearest before it. Two `extern __shared__` arrays begin at
 * the same address: their memory has no name of its own. */
static bool find_range(const sm_unit *u, uint64_t dynamic, uint64_t offset, named_range *best)
{
    static const char whole[] = "the dynamic shared memory";
    bool found = false;
    for (uint32_t k = 0; k < u->module->var_count; k++) {
        const ptx_var *v = u->module->vars[k];
        const uint64_t base = u->shared_offset[k];
        if (v->space != PTX_SPACE_SHARED || base >= UINT64_MAX - 1 || base > offset)
            continue;
        if (found && base < best->base)
            continue;
        const bool again = found && base == best->base && !v->size;
        *best = again ? (named_range){whole, sizeof whole - 1, base, dynamic}
                      : range_of_variable(v, base, dynamic);
        found = true;
    }
    return found;
}

void sm_shared_name(const sm_unit *u, uint64_t dynamic, uint64_t offset, char *buf, size_t size)
{
    enum { LONGEST_NAME = 60 };
    named_range r = {0};
    if (!find_range(u, dynamic, offset, &r)) {
        snprintf(buf, size, "byte %llu of the block's shared memory", (unsigned long long)offset);
        return;
    }
    const uint64_t at = offset - r.base;
    const int length = (int)(r.length > LONGEST_NAME ? LONGEST_NAME : r.length);
    if (at < r.size)
        snprintf(buf, size, "byte %llu of %.*s", (unsigned long long)at, length, r.name);
    else
        snprintf(buf, size, "byte %llu past the end of %.*s", (unsigned long long)(at - r.size),
                 length, r.name);
}
