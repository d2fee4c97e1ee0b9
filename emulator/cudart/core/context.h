/* Contexts: what each context owns, which context is current to a host thread, and how long
 * creation takes.
 * The primary context is the runtime's own state of the device. Contexts that a program creates
 * with the driver API share the device's address range with it, but each owns its memory, modules
 * and streams, which are freed when the context is destroyed. Source: Driver API, "Context
 * Management" and "Primary Context Management".
 * Call all functions with the runtime's lock held unless stated otherwise. */
#pragma once

#include "call.h"
#include "state.h"

/* Create a context for the driver API, current to no thread. NULL if the host is out of memory.
 * After rt_context_destroy the struct is kept, so that a stale handle is recognised. */
rt_context *rt_context_new(unsigned flags);
bool rt_is_context(const rt_context *c); /* is C a context, possibly a destroyed one? */
/* Wait for the device, then free what C owns. C must not be the primary context. */
void rt_context_destroy(rt_context *c);

/* These functions work on the calling thread's context stack. rt_context_current returns the top of
 * the stack, or NULL if the stack is empty. Push and set return false if the stack is full; pop
 * returns NULL if it is empty. rt_context_set(NULL) pops. */
rt_context *rt_context_current(void); /* the thread's current context */
bool rt_context_push(rt_context *c);  /* cuCtxPushCurrent */
rt_context *rt_context_pop(void);     /* cuCtxPopCurrent */
bool rt_context_set(rt_context *c);   /* cuCtxSetCurrent */

/* Users of the primary context: each retain by the driver API is one user, and the runtime is one
 * user from its first call on. rt_primary_context_release drops one retain; it returns false if
 * there is none. The caller tears the context down. */
void rt_primary_context_use_by_runtime(void); /* the runtime becomes a user */
void rt_primary_context_retain(void);         /* cuDevicePrimaryCtxRetain */
bool rt_primary_context_release(void);        /* cuDevicePrimaryCtxRelease */
/* cudaDeviceReset: destroy the primary context regardless of its users. */
void rt_primary_context_destroy(void);
/* Does the primary context have no user, so that it may be torn down? */
bool rt_primary_context_is_unused(void);

/* Runtime calls between rt_begin_driver_call and rt_end_driver_call are made on behalf of the
 * driver API: they create no context and leave the runtime's last error alone. Call both functions
 * without the lock. */
void rt_begin_driver_call(void);
void rt_end_driver_call(void);

/* The current context owns the device memory at ADDRESS, if the driver API created it. */
void rt_note_owned_memory(uint64_t address);
void rt_drop_memory_owner(uint64_t address); /* the memory is freed: forget its owner */
/* The driver API context that owns the memory at ADDRESS, or NULL. */
rt_context *rt_memory_owner(uint64_t address);

/* Make the primary context current, creating it if needed, unless a context is current already.
 * Returns cudaErrorContextIsDestroyed if the current one has been destroyed. */
cudaError_t rt_context_make_current(void);
/* The current context if cuCtxCreate made it; NULL if it is the primary context. */
void *rt_current_owner_context(void);
