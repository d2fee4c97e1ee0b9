/* Events that several processes record and wait for (cudaIpcGetEventHandle). */
#pragma once

#include "op.h"

/* What the processes know of an event: a page that all of them map. */
typedef struct rt_event_share rt_event_share;

/* A new one with one user, of an event that has been recorded and reached; NULL: the host has no
 * memory. rt_event_share_open: the one that the handle at FROM names; NULL: there is none. */
rt_event_share *rt_event_share_new(void);
rt_event_share *rt_event_share_open(const void *from);
/* Is the handle at FROM one that this process made? */
bool rt_event_share_is_own(const void *from);
void rt_event_share_drop(rt_event_share *s);                          /* one user less */
bool rt_event_share_write_handle(const rt_event_share *s, void *out); /* false: it was opened */
/* The operation OP, just queued, records the event. */
void rt_event_share_record(rt_event_share *s, rt_op *op);
/* Has the newest record of the event been reached, in whichever process it was made? */
bool rt_event_share_is_reached(const rt_event_share *s);
/* Wait until it has been; releases the lock meanwhile. */
void rt_event_share_finish(const rt_event_share *s);
/* The operation OP, just queued, waits for it. */
void rt_event_share_wait(rt_event_share *s, rt_op *op);
/* Bytes of the data of these operations. */
extern const size_t rt_event_share_op_bytes;
