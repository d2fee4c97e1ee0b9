/* The processes of the step debugger: how they fork, and how they exchange messages. */
#pragma once

#include "orders.h"

/* --- functions of the worker process --- */

void step_process_send(step_message kind, const void *bytes, size_t size);
/* Wait for an order. Ends the process if the order is STEP_QUIT, or if the controller has ended. */
void step_process_receive(step_order *order);
/* From time to time, and when a launch BEGINS, fork a sleeping copy of this process as a snapshot
 * of TICK. Returns true in a process that continues from such a snapshot. Ends the process if the
 * controller has ended. */
bool step_process_snapshot_if_due(uint64_t tick, bool begins);

/* --- controller.c --- */

/* Read commands from standard input and answer them on standard output until the end. WORKER: the
 * socket of the first worker. Returns the exit status. */
int step_run_session(int worker);

/* In the controller, before the first moment: if the worker has ended by step_restart_session,
 * start all anew; this returns only if it has not. */
void step_process_restart_if_asked(void);
