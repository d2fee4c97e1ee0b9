/* The processes of a walk: dividing them, and what they tell each other. */
#ifndef WARPBOOK_STEP_PROCESS_H
#define WARPBOOK_STEP_PROCESS_H

#include "orders.h"

/* --- functions of a worker --- */

void step_process_tell(step_message kind, const void *bytes, size_t size);
/* Wait for an order. Ends the process if it is STEP_QUIT, or if the controller is gone. */
void step_process_order(step_order *order);
/* Now and then, and where a launch BEGINS, put a copy of this process to sleep as a snapshot of
 * TICK. True: this is such a copy, which has been woken. Ends the process if the controller is
 * gone. */
bool step_process_may_snapshot(uint64_t tick, bool begins);

/* --- controller.c --- */

/* Read commands from standard input and answer them on standard output until the end. WORKER: the
 * socket of the first worker. Returns the exit status. */
int step_control(int worker, bool json);
/* Whether SIGINT stops a move there, and not the program: where a person types, or a program asks.
 */
bool step_control_stops(bool json);

#endif
