/* Shared by the files of the queue: stream_list.c has the streams, queue.c the operations issued to
 * them, queue_run.c runs these. Callers hold the lock. Other files include cudart.h instead. */
#ifndef WARPBOOK_QUEUE_H
#define WARPBOOK_QUEUE_H

#include "../cudart.h"

rt_stream *rt_legacy_stream(void);
/* Number of streams in the list of rt_streams. */
uint32_t rt_stream_count(void);
/* Whether S and the legacy default stream wait for each other's work. */
bool rt_stream_blocks(const rt_stream *s);
/* Free destroyed streams whose work is done. */
void rt_streams_sweep(void);

/* The oldest operation that has no time yet. The others follow through `next`, in order of
 * issue. */
rt_op *rt_queue_first(void);
void rt_op_drop_data(rt_op *op);
/* Give times to the oldest operations, up to the first one that has not run. */
void rt_queue_settle(void);
/* Note that the host has waited for ON, or, if NULL, for all streams: operations issued later
 * cannot begin earlier than that. */
void rt_host_waited(rt_op *on);

/* How many operations have been issued. */
uint64_t rt_issued(void);

/* --- queue_run.c: running queued operations --------------------------------------------------- */

/* Run OP, or one piece of work that OP depends on, in the thread that runs work; drops a reference
 * to OP. */
void rt_run_piece(rt_op *op);
/* The newest operation that has not run, can run, and depends on none that is running. NULL if
 * there is none. */
rt_op *rt_queue_apart(void);

/* --- overlap.c -------------------------------------------------------------------------------- */

/* Start a thread that runs OP or one piece of work that OP depends on; it becomes the thread that
 * runs work. Returns false if no thread could be created. */
bool rt_help(rt_op *op);
/* The caller stops running work: the kernel suspended longest continues. Returns false if there is
 * none. */
bool rt_pass_on(void);
/* How often another thread took over running work while a kernel was unfinished. */
uint64_t rt_switches(void);
void rt_switched(void);
/* Called when an operation is done. */
void rt_work_done(void);
/* Whether the running kernel, as far as can be seen, waits for the host. */
bool rt_lingers(void);

#endif
