/* Declarations for the files of the queue only: stream_list.c holds the streams, queue.c issues
 * operations to them, and queue_run.c runs the operations. Callers hold the lock. Other files
 * include op.h instead. */
#pragma once

#include "../core/call.h"
#include "op.h"

rt_stream *rt_legacy_stream(void); /* the legacy default stream */
/* Number of existing streams, with the default stream. */
uint32_t rt_stream_count(void);
/* Do S and the legacy default stream wait for each other's work? */
bool rt_stream_syncs_with_default(const rt_stream *s);
/* Free destroyed streams whose work is done. */
void rt_free_destroyed_streams(void);

/* The oldest operation without a modelled time. It continues with `next`, in order of issue. */
rt_op *rt_queue_first_op(void);
void rt_op_drop_data(rt_op *op); /* frees the arguments of OP, which has run */
/* Assign modelled times to the oldest operations, up to the first operation that has not run. */
void rt_queue_assign_times(void);
/* Record that the host has waited for ON, or, if ON is NULL, for all streams: operations issued
 * later cannot begin before the end of the wait. */
void rt_queue_host_wait(rt_op *on);

/* Number of operations issued so far. */
uint64_t rt_issued_count(void);

/* --- queue_run.c: runs queued operations --------------------------------------------------- */

/* Run OP, or one that OP depends on, in the thread that runs work; drops a reference to OP. */
void rt_run_one_op_for(rt_op *op);
/* The newest operation that could begin now: it has not run, is not blocked, and does not depend on
 * a running operation. NULL if there is none. */
rt_op *rt_queue_find_startable_op(void);

/* --- overlap.c -------------------------------------------------------------------------------- */

/* Start a thread that runs OP or one operation that OP depends on; it becomes the thread that runs
 * work. Returns false if no thread could be created. */
bool rt_start_helper_thread(rt_op *op);
/* The calling thread stops running work, and the kernel that has been suspended longest continues.
 * Returns false if no kernel is suspended. */
bool rt_resume_suspended_kernel(void);
/* Number of times that another thread took over running work while a kernel was unfinished. */
uint64_t rt_kernel_switch_count(void);
void rt_count_kernel_switch(void); /* adds 1 to that number */
/* Called when an operation has ended: suspended kernels may then be able to continue. */
void rt_note_op_ended(void);
/* Does the running kernel seem to wait for the host? */
bool rt_kernel_waits_for_host(void);
