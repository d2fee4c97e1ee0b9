/* Kernels that waited for one another, or for the host, while they ran. Such a kernel runs in a
 * thread of its own; when it cannot go on alone it is suspended, the records after it are repeated,
 * and it goes on when its result is due, or when another suspended kernel waits for it. One kernel
 * runs at a time. The last one that waits gets what the host had written by the end of it. */
#ifndef WARPBOOK_REPLAY_TURNS_H
#define WARPBOOK_REPLAY_TURNS_H

#include "state.h"

/* From now on kernels may be suspended. */
void turns_open(void);
/* Call WORK for O, a launch: until it has ended or is suspended. True: it has ended. */
bool turns_run(replay *r, replay_op *o, void (*work)(replay *r, replay_op *o));
/* Let suspended kernels run by turns until O, if it is one of them, has ended. A kernel that nobody
 * can help any more is stopped with a report, as always. */
void turns_finish(const replay_op *o);
/* Whether any kernel is suspended. */
bool turns_suspended(void);

#endif
