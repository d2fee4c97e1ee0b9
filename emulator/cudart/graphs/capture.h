/* Stream capture: operations of a capturing stream do not run, but become nodes of a graph (Runtime
 * API, "Stream Management"; Programming Guide, "Creating a Graph Using Stream Capture"). Call with
 * the runtime's lock held. */
#pragma once

#include "../streams/op.h"
#include "graph.h"

/* The position of a capturing stream, or of an event recorded in one: the graph nodes on which the
 * next captured node will depend. */
typedef struct rt_capture_position {
    uint64_t capture; /* id of the capture; 0: the event was not recorded during a capture */
    rt_node **node;   /* [count] nodes on which the next captured node will depend */
    size_t count;     /* number of nodes in `node` */
    struct rt_capture_position *next; /* next in the list of all positions with nodes */
} rt_capture_position;

/* Call before queueing work to S. Returns cudaSuccess, or the error if work is not allowed now; the
 * affected captures then become invalid. */
cudaError_t rt_capture_check_work(rt_stream *s);
/* Is the stream S capturing its operations into a graph? */
static inline bool rt_is_capturing(const rt_stream *s)
{
    return s->capture != NULL;
}
/* Call before what is unsafe during a capture, such as cudaMalloc or waiting for work. */
cudaError_t rt_capture_check_unsafe(void);
/* Call before waiting for the work of S or querying S. */
cudaError_t rt_capture_check_wait(rt_stream *s);

/* A call failed in a way that invalidates the capture of S. */
void rt_capture_invalidate(rt_stream *s);
/* Call before waiting for the whole device. */
cudaError_t rt_capture_check_wait_all(void);

/* Add a node to the capture of S, which must be capturing. Owns WORK, even on failure. */
cudaError_t rt_capture_add_node(rt_stream *s, rt_node_work *work);
/* Set POSITION to the nodes on which new work of S would depend. */
cudaError_t rt_capture_get_position(rt_stream *s, rt_capture_position *position);
/* Make *POSITION a position in no capture, and free what it owns. */
void rt_capture_position_clear(rt_capture_position *position);
/* Make S wait for an event that was recorded at POSITION of a capture. Returns an error if POSITION
 * belongs to no capture: the event was recorded before the capture began. */
cudaError_t rt_capture_join_stream(rt_stream *s, const rt_capture_position *position);
/* Does POSITION belong to a capture that has not ended? */
bool rt_capture_is_active(const rt_capture_position *position);
/* The host queries or waits for an event that was recorded at POSITION of a capture. That
 * invalidates the capture; returns the error. */
cudaError_t rt_capture_report_event_query(const rt_capture_position *position);
/* The capturing stream S is being destroyed. */
void rt_capture_drop_stream(rt_stream *s);

void rt_capture_forget_node(const rt_node *n); /* node N is being freed */
bool rt_is_capture_target(const rt_graph *g);  /* does a capture in progress add nodes to G? */
