/* Doing again what a recording says (core/recorder.h): for the replayer, which is a program with
 * one thread and calls these without the runtime's lock. Nothing is queued: operations run in the
 * recorded order. */
#ifndef WARPBOOK_REPEAT_H
#define WARPBOOK_REPEAT_H

#include "../code/jit.h"
#include "recorder.h"

/* Open the device, as a program's first call does. */
cudaError_t rt_repeat_open(void);
/* Is the repetition walked through? A person who thinks is no limit to a launch's time. */
bool rt_repeat_walked(void);

/* Make OP, which has a kind and a stream, do what T says: op->run does it, op->dispose releases
 * what that needed. Launches take ownership of T->launch->params, copies of T->staged, whatever
 * they return. */
cudaError_t rt_repeat_launch(rt_op *op, const rt_told *t);
cudaError_t rt_repeat_copy(rt_op *op, const rt_told *t); /* fills, too */
cudaError_t rt_repeat_write(rt_op *op, const rt_told *t);
/* All that the kernel of OP, which has run, launched is done. */
void rt_repeat_nested_done(rt_op *op);
/* Check the launch of kernel NAME of M that *L describes, and fill in its kernel and zeroed
 * parameters of *BYTES bytes. */
cudaError_t rt_repeat_check(rt_module *m, const char *name, rt_launch *l, uint64_t *bytes);

/* Load a module from linked PTX (malloc'ed, NUL-terminated) and machine code (malloc'ed; NULL:
 * none); takes ownership of both. Its variables lie at PLACES, one for each of the PTX, where
 * memory has been allocated. JIT: options it was compiled with; NULL: it was not. */
cudaError_t rt_repeat_module(char *text, void *machine, size_t machine_size, bool linked,
                             const rt_jit *jit, const uint64_t *places, uint64_t count,
                             rt_module **out);

/* Watch each launch from now on with OBSERVER, besides what WARPBOOK_SANITIZE asks for; NULL: no
 * longer. */
void rt_watch_with(const sm_observer *observer);

/* What a kernel that cannot go on alone asks, instead of rt_run_others; NULL: that. */
extern sm_help (*rt_others_instead)(rt_seat *seat, bool stuck, bool changed);

/* The modelled clock begins again at 0. */
void rt_clock_restart(void);

#endif
