/* Repeats what a recording contains (core/recorder.h). The caller is the replayer, a program with
 * one thread that calls these functions without the runtime's lock. Nothing is queued: operations
 * run in the recorded order. */
#pragma once

#include "../code/jit.h"
#include "../streams/overlap.h"
#include "recorder.h"

/* Open the device, as a program's first call does. For the replayer of a recording. */
cudaError_t rt_open_for_replay(void);
/* Does a person step through the recorded run (warpbook step)? Then launches have no time limit. */
bool rt_replay_is_stepped(void);

/* Prepare OP, which has a kind and a stream, to do what T describes: op->run does it, and
 * op->dispose releases the resources. Launches take ownership of T->launch->params, and copies take
 * ownership of T->staged, even on failure. */
cudaError_t rt_replay_launch(rt_op *op, const rt_op_info *t);
cudaError_t rt_replay_copy(rt_op *op, const rt_op_info *t);  /* a copy or a fill */
cudaError_t rt_replay_write(rt_op *op, const rt_op_info *t); /* a write of a value by a stream */
/* All work that the kernel of OP launched has completed: free the record of this work. */
void rt_replay_nested_done(rt_op *op);
/* Check the launch of kernel NAME of module M that *L describes. Fill in the kernel of *L and its
 * zeroed parameters of *BYTES bytes. */
cudaError_t rt_replay_check_launch(rt_module *m, const char *name, rt_launch *l, uint64_t *bytes);

/* Load a module from linked PTX (malloc'ed, NUL-terminated) and machine code (malloc'ed; NULL:
 * none); takes ownership of both. PLACES holds the address of each variable of the PTX; memory has
 * been allocated there. JIT: the options that the module was compiled with; NULL: it was not
 * compiled by the JIT compiler. */
cudaError_t rt_replay_module(char *text, void *machine, size_t machine_size, bool linked,
                             const rt_jit_options *jit, const uint64_t *places, uint64_t count,
                             rt_module **out);

/* Let OBSERVER observe each launch from now on, in addition to the checkers of WARPBOOK_SANITIZE.
 * NULL ends it. */
void rt_set_extra_observer(const sm_observer *observer);

/* If not NULL, called instead of rt_run_other_kernels when a kernel needs other work to go on. */
extern sm_help_result (*rt_run_other_kernels_instead)(rt_resident_kernel *seat, bool stuck,
                                                      bool changed);

/* The call of the recorded program whose records are repeated now, in place of a call in this
 * process; NULL: nothing is repeated. */
extern const san_caller *rt_repeated_call;
