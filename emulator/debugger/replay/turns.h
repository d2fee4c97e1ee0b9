/* Replays kernels that waited for each other, or for the host, while they ran. Such a kernel runs
 * in a thread of its own. When it cannot continue alone, it is suspended and the next records are
 * repeated. It resumes when its result is due, or when another suspended kernel waits for it. Only
 * one kernel runs at a time. When a single suspended kernel is left, the host's writes during its
 * launch are repeated for it. */
#pragma once

#include "state.h"

/* Allow kernels to be suspended from now on. */
void allow_suspended_kernels(void);
/* Call WORK for launch O, and return when O has ended (true) or is suspended (false). */
bool run_suspendable_kernel(replay *r, replay_op *o, void (*work)(replay *r, replay_op *o));
/* Let suspended kernels take time slices until operation O, if it is suspended, has ended. A kernel
 * that can never continue is stopped with a report. */
void resume_kernels_until_ended(const replay_op *o);
/* Whether any kernel is suspended. */
bool is_any_kernel_suspended(void);
