/* Contexts: what belongs to one, which is current to a host thread, and what making one costs.
 *
 * The primary context is the runtime's own state of the device. Contexts that a program makes with
 * the driver API share the device's addresses with it, but each owns its memory, modules and
 * streams, which go when it goes. Source: Driver API, "Context Management" and "Primary Context
 * Management". All of this with the lock held. */
#ifndef WARPBOOK_CONTEXT_H
#define WARPBOOK_CONTEXT_H

#include "../cudart.h"

typedef struct rt_context {
    bool primary;
    bool live; /* the primary one: active. The others: not destroyed */
    unsigned flags;
} rt_context;

extern rt_context rt_primary;

/* Made by the driver API, current to nobody; NULL when the host is out of memory. What is destroyed
 * is kept as a husk, so that a stale handle is known for what it is. */
rt_context *rt_context_new(unsigned flags);
bool rt_context_known(const rt_context *c);
/* Wait for the device, then free what C owns. C is not the primary context. */
void rt_context_destroy(rt_context *c);

/* The calling thread's stack. Current: NULL when it is empty. Push and set return false when the
 * stack is full, pop NULL when it is empty. Set to NULL pops. */
rt_context *rt_context_current(void);
bool rt_context_push(rt_context *c);
rt_context *rt_context_pop(void);
bool rt_context_set(rt_context *c);

/* The primary context's users: the runtime counts as one of them from its first call on. Release
 * returns false when the driver API holds it no more; the last user's going tears it down. */
void rt_primary_use(void); /* by the runtime */
void rt_primary_retain(void);
bool rt_primary_release(void);
/* cudaDeviceReset: it is gone, whoever uses it. */
void rt_primary_gone(void);
/* May the primary context be torn down, as nobody uses it? */
bool rt_primary_unused(void);

/* Between these two a thread's calls of the runtime are the driver API's: they make no context and
 * leave the runtime's last error alone. Without the lock. */
void rt_driver_begin(void);
void rt_driver_end(void);

/* Who owns device memory: noted where a context of the driver API is current. */
void rt_memory_owned(uint64_t address);
void rt_memory_freed(uint64_t address);
/* The context of the driver API's that owns it; NULL: none does. */
rt_context *rt_memory_owner(uint64_t address);

#endif
