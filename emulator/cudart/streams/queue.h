/* Inside the queue: stream_list.c has the streams, queue.c what is issued in them, queue_run.c runs
 * it. Callers hold the lock; others see cudart.h. */
#ifndef WARPBOOK_QUEUE_H
#define WARPBOOK_QUEUE_H

#include "../cudart.h"

rt_stream *rt_legacy(void);
/* Of rt_streams(). */
uint32_t rt_stream_count(void);
/* Does its work wait for the legacy stream's, and that for it? */
bool rt_stream_blocks(const rt_stream *s);
/* Forget destroyed streams whose work is done. */
void rt_streams_sweep(void);

/* The oldest operation without a time; the others follow by `next`, in order of issue. */
rt_op *rt_queue_first(void);
void rt_op_drop_data(rt_op *op);
/* Give times to the oldest operations as far as all have run. */
void rt_queue_settle(void);
/* Note that the host has seen the end of ON, or (NULL) of every stream's work: what is issued from
 * now on cannot begin earlier. */
void rt_host_waited(rt_op *on);

/* Operations that have been issued. */
uint64_t rt_issued(void);

/* --- queue_run.c -------------------------------------------------------------------------------
 */

/* Run one piece of work that OP waits for, or OP, for the thread that runs work; gives OP back. */
void rt_run_piece(rt_op *op);
/* The newest operation that has not run and comes after none that is under way; NULL: none. */
rt_op *rt_queue_apart(void);

/* --- overlap.c ---------------------------------------------------------------------------------
 */

/* Run a piece of work towards OP in a thread of our own, which runs work from now on. False: there
 * can be none. */
bool rt_help(rt_op *op);
/* The caller runs no more work: a kernel that has stepped aside goes on. False: there is none. */
bool rt_pass_on(void);
/* How often another thread began to run work while a kernel was under way. */
uint64_t rt_switches(void);
/* A piece of work is done. */
void rt_work_done(void);
/* Does the kernel that runs wait for the host, as far as can be seen? */
bool rt_lingers(void);

#endif
