/* Streams whose work becomes a graph instead of being done (Runtime API, "Stream Management":
 * stream capture; Programming Guide, "Creating a Graph Using Stream Capture"). With the lock. */
#ifndef WARPBOOK_CAPTURE_H
#define WARPBOOK_CAPTURE_H

#include "graph.h"

/* Where a captured event was recorded: the nodes that a stream which waits for it comes after. */
typedef struct rt_mark {
    uint64_t capture; /* id; 0: the event was not captured */
    rt_node **node;
    size_t count;
    struct rt_mark *next; /* of all marks that name nodes */
} rt_mark;

/* Before work is put into S: cudaSuccess, or why it may not be; then captures that it touched are
 * invalid. */
cudaError_t rt_capture_admit(rt_stream *s);
static inline bool rt_capturing(const rt_stream *s)
{
    return s->capture != NULL;
}
/* Before a call that waits, or that a capture which is going on forbids, as cudaMalloc. */
cudaError_t rt_capture_unsafe(void);
/* The same for a call that waits for, or asks for, the work of S. */
cudaError_t rt_capture_wait_for(rt_stream *s);

/* A call failed in a way that ends the capture of S. */
void rt_capture_spoil(rt_stream *s);
/* Before a call that waits for the whole device. */
cudaError_t rt_capture_wait_for_all(void);

/* S is capturing: add a node; takes WORK over, whatever it returns. */
cudaError_t rt_capture_add(rt_stream *s, rt_work *work);
/* The nodes that work put into S now would come after. */
cudaError_t rt_capture_mark(rt_stream *s, rt_mark *mark);
void rt_mark_clear(rt_mark *mark);
/* S waits for an event with MARK, or, when MARK names no capture, for one recorded outside. */
cudaError_t rt_capture_join(rt_stream *s, const rt_mark *mark);
/* Does MARK belong to a capture that has not ended? */
bool rt_capture_going_on(const rt_mark *mark);
/* The host asks after an event with MARK, which a capture took: an error that ends the capture. */
cudaError_t rt_capture_asked(const rt_mark *mark);
/* A stream goes while it captures. */
void rt_capture_stream_gone(rt_stream *s);

void rt_capture_forget(const rt_node *n); /* it is freed */
bool rt_capture_fills(const rt_graph *g); /* a capture that is going on adds to it */

#endif
