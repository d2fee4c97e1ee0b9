/* Remembers which call destroyed a stream, an event, a texture object or a graph, and explains
 * handles that name nothing. */
#include "../core/state.h"
#include "checks.h"

enum { MAX_DESTROYED = 256 };

static struct destroyed_handle {
    uint64_t handle; /* 0: the entry is not used */
    san_caller by;   /* the call that destroyed it */
} destroyed[MAX_DESTROYED];
static uint32_t next_destroyed; /* the entry that is used next */

void rt_note_destroyed(uint64_t handle)
{
    if (rt.sanitize & (SAN_HOST | SAN_MEMORY) && handle) {
        struct destroyed_handle *d = &destroyed[next_destroyed++ % MAX_DESTROYED];
        d->handle = handle;
        rt_find_position_of_call(&d->by);
    }
}

bool rt_find_destroying_call(uint64_t handle, san_caller *by)
{
    for (uint32_t k = 1; k <= MAX_DESTROYED; k++) {
        const struct destroyed_handle *d = &destroyed[(next_destroyed - k) % MAX_DESTROYED];
        if (d->handle == handle && handle) {
            *by = d->by;
            return true;
        }
    }
    return false;
}

cudaError_t(rt_error_of_handle)(cudaError_t e, const char *what, const void *handle)
{
    san_caller by;
    if (!handle) {
        return rt_error_because(e, "the %s is a null handle: was it created, and did that succeed?",
                                what);
    }
    if (!rt_find_destroying_call((uint64_t)(uintptr_t)handle, &by))
        return rt_error_because(e, "no %s has the handle %p: it was never created", what, handle);
    san_call_position at;
    char where[300];
    san_call_position_of(&by, &at);
    return rt_error_because(e, "the %s was destroyed before, by %s at %s", what,
                            by.call ? by.call : "a call",
                            san_call_position_text(&at, where, sizeof where));
}
