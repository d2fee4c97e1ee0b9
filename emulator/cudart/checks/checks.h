/* Mistakes of host code, where WARPBOOK_SANITIZE asks for memory, host or leak: what a call says of
 * itself here is kept, and told when it turns out to be part of a mistake. Each of these returns at
 * once where its kind is not looked for. With the runtime's lock held, unless said. */
#ifndef WARPBOOK_CHECKS_H
#define WARPBOOK_CHECKS_H

#include "../../sanitizer/finding.h"
#include "../../sanitizer/kinds.h"
#include "../cudart.h"

/* --- find.c: reporting -------------------------------------------------------------------------
 */

/* Print F and append it to WARPBOOK_REPORTS, unless it is suppressed, was reported before, or there
 * are too many reports (sanitizer/reported.h). F->at must be filled. */
void rt_find(const san_finding *f);
/* The same for a finding of an observer in the kernel shown as KERNEL. Returns whether it was
 * printed. Callable without the lock. */
bool rt_find_in_kernel(const sm_report *r, const char *kernel);

/* The caller of what is queued now, malloc'd, where mistakes of the host are looked for; else NULL.
 */
san_caller *rt_check_issued(void);

/* Who makes the call that is being made. */
void rt_take_caller(san_caller *c);
/* The call launches the kernel of this function on the host, until this is told NULL. */
void rt_check_launching(const void *host);

/* --- memory.c: allocations, frees and copies ---------------------------------------------------
 */

void rt_check_allocated(const void *at, size_t size);
void rt_check_freed(const void *at);
/* A destructor frees AT after the runtime has ended: an error to a GPU, but no leak. */
void rt_check_freed_late(const void *at);
/* WHAT (a call) was asked to free AT, which is no allocation of its kind. */
void rt_check_bad_free(const char *what, const void *at);
/* WHAT touches SIZE bytes at AT, of which the first that is not there is at MISS; WHY says what
 * stands there. True: it has been told. */
bool rt_check_outside(const char *what, uint64_t at, size_t size, uint64_t miss, const char *why);
/* WHAT (a call) was given what it cannot take: a sentence, and what mends it. Told with its line
 * where memory is looked for, else as a message. */
void rt_check_refused(const char *what, const char *sentence, const char *mend);
/* What is still allocated, where the device is reset or the program ends. */
void rt_check_leaks(const char *when);

/* --- init.c: device memory that nobody has written; without the lock, unless said
 * ----------------------------
 */

/* rt_check_allocated of memory that nobody has written and no queued work uses; with the lock. */
void rt_check_fresh(const void *at, size_t size);
/* Rows of WIDTH bytes have been written at TO. */
void rt_check_filled(rt_side to, size_t width, size_t height, size_t depth);
/* OP has copied rows of WIDTH bytes from FROM, or (STAGED) from a buffer of the host, to TO. */
void rt_check_copied(const rt_op *op, rt_side to, rt_side from, bool staged, size_t width,
                     size_t height, size_t depth);

/* --- guards.c: memory that host code touches too early -----------------------------------------
 */

/* OP, just issued, copies asynchronously: bytes without gaps on both sides. */
void rt_guard_copy(rt_op *op, uint64_t dst, size_t dst_bytes, uint64_t src, size_t src_bytes);
/* OP, just issued with BYTES bytes of parameters, may write any managed memory, and pinned memory
 * that a parameter points to. */
void rt_guard_kernel(rt_op *op, const void *params, size_t bytes);
/* Around the running of an operation; DONE has run. */
void rt_guards_lift(void);
void rt_guards_restore(const rt_op *done);
/* The host has waited, or (ALL_GONE) no operation is left. */
void rt_guards_waited(bool all_gone);
/* Report what host code has touched too early. */
void rt_guards_tell(void);

/* --- streams.c: operations that race -----------------------------------------------------------
 */

/* OP is about to run in the calling thread; has run. */
void rt_check_begins(const rt_op *op);
void rt_check_done(rt_op *op);
/* OP waits for a value at AT, and need wait no longer: VALUE stands there. */
void rt_check_value_met(rt_op *op, uint64_t at, uint64_t value);
/* The memory at AT is about to be freed by an operation: another may get the address. */
void rt_check_other_memory(uint64_t at);
/* Operations of several streams are repeated, although this process has one stream. */
void rt_check_all_streams(void);
/* The program orders operations in a way that is not followed: kernels launch kernels. */
void rt_check_order_unknown(void);

/* --- errors.c: errors that nobody asks about ---------------------------------------------------
 */

/* The calling thread's call returns E; the thread asks for its last error. Without the lock. */
void rt_check_error(cudaError_t e);
void rt_check_asked(void);
/* Why the call that is being made fails: a sentence, kept for what is told of it. */
void rt_check_because(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The program ends by itself with STATUS: what is left to tell about errors and queued work. */
void rt_check_end(int status);

/* --- timed.c: elapsed times between events that enclose no work ------------------------------- */

void rt_check_issued_work(const rt_op *op);
void rt_check_issued_kernel(const rt_op *op, const ptx_func *f);
rt_timed rt_check_timed_now(void);
/* The time between two events that were recorded at FROM and TO is asked for. */
void rt_check_elapsed(const rt_timed *from, const rt_timed *to);

#endif
