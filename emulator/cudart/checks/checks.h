/* Finds mistakes of host code, if WARPBOOK_SANITIZE selects the kinds memory, host or leak. CUDA
 * calls pass what they do to these functions, which keep it and report it when it turns out to be
 * part of a mistake. Each function returns at once if its kind is not selected. The caller holds
 * the runtime's lock unless the comment says otherwise. */
#pragma once

#include "../../memory/host_access.h"
#include "../../memory/memory.h"
#include "../../sanitizer/finding.h"
#include "../../sanitizer/kinds.h"
#include "../core/call.h"
#include "../core/state.h"
#include "../memory/copy.h"
#include "../streams/op.h"

/* --- find.c: reports of mistakes -------------------------------------------------------------- */

/* Print F and append it to WARPBOOK_REPORTS, unless it is suppressed, was reported before, or there
 * are too many reports (sanitizer/reported.h). F->at must be filled. */
void rt_report_finding(const san_finding *f);
/* Print and append the finding R of an observer (a checker that watches a kernel), made in the
 * kernel named KERNEL. Returns whether R was printed. Needs no lock. */
bool rt_report_kernel_finding(const sm_report *r, const char *kernel);

/* The source position of the CUDA call that queues work now, malloc'd; NULL if WARPBOOK_SANITIZE
 * does not look for host mistakes and the run is not recorded. */
san_caller *rt_new_position_of_call(void);

/* Store in *C the source position of the CUDA call that runs in this thread. */
void rt_find_position_of_call(san_caller *c);
/* The same, as reports name it. */
void rt_name_call(san_call_position *out);
/* Note that this thread is launching the kernel whose host stub is HOST; NULL: it no longer is. */
void rt_set_kernel_being_launched(const void *host);

/* --- faults.c: errors that stop kernels or the program ---------------------------------------- */

/* Complete the text of F, which stopped KERNEL, print it and append it to WARPBOOK_REPORTS. The
 * arguments of the launch BY are the BYTES bytes at PARAMS. The caller does not hold the lock. */
void rt_report_fault(const char *kernel, sm_fault *f, const san_caller *by, const uint8_t *params,
                     size_t bytes);
/* Of a report about the library's file PATH, write the line that names where BY launched the
 * kernel. False: it is the program's own file, or the position is not known. */
bool rt_launch_site_text(const char *path, const san_caller *by, char *out, size_t size);

/* Report that host code accessed device memory. Runs in the signal handler of a process that is
 * about to end, without the lock. */
void rt_report_host_access(const mem_host_access *a);
/* If the program aborts, as by assert(), report the errors that it has not checked. */
void rt_watch_for_abort(void);

/* --- memory.c: allocations, frees and copies -------------------------------------------------- */

/* The program has allocated SIZE bytes at AT, or has freed the allocation at AT: remember which
 * call did it, and report a free of memory that is not allocated. */
void rt_note_allocation(const void *at, size_t size);
void rt_note_free(const void *at);
/* Like rt_note_free, for memory that queued work may still use: rt_note_queued_free_done follows
 * when the operation runs that frees it. */
void rt_note_queued_free(const void *at);
void rt_note_queued_free_done(uint64_t at); /* the operation that frees AT has run */
/* A destructor frees AT after the runtime has ended: an error on a GPU, but not a leak. */
void rt_note_free_after_exit(const void *at);
/* Report that the call WHAT was given AT to free, which starts no allocation that WHAT can free. */
void rt_report_bad_free(const char *what, const void *at);
/* The call WHAT touches SIZE bytes at AT, and the address MISS is the first invalid one; WHY
 * describes the memory at MISS. Returns true if the mistake was reported. */
bool rt_report_out_of_bounds(const char *what, uint64_t at, size_t size, uint64_t miss,
                             const char *why);
/* Report that the call WHAT was given an invalid argument: SENTENCE describes the mistake, and MEND
 * the remedy. The report names the source line if the kind memory is selected; otherwise a plain
 * message is printed. */
void rt_report_bad_argument(const char *what, const char *sentence, const char *fix);
/* Kernels should touch only COUNT elements of ELEMENT bytes from AT on of the allocation that
 * contains them: a kernel that touches another byte of it is reported. Ignored for other memory. */
void rt_note_guarded_array(const void *at, size_t element, size_t count);
/* The program has created an object, or destroys it. WHAT is its noun, one of RT_EVENT_OBJECT ...;
 * HANDLE tells it from others of that noun. */
#define RT_EVENT_OBJECT      "event"
#define RT_STREAM_OBJECT     "stream"
#define RT_GRAPH_OBJECT      "graph"
#define RT_GRAPH_EXEC_OBJECT "executable graph"
#define RT_TEXTURE_OBJECT    "texture object"
#define RT_SURFACE_OBJECT    "surface object"
#define RT_POOL_OBJECT       "memory pool"
#define RT_PHYSICAL_OBJECT   "memory handle"
#define RT_ADDRESSES_OBJECT  "reservation of addresses"
#define RT_MAPPING_OBJECT    "mapping"
#define RT_OPENED_OBJECT     "opening of another process's memory"
void rt_note_object(const char *what, uint64_t handle);
void rt_note_object_destroyed(const char *what, uint64_t handle);
/* Report the memory still allocated, and the objects not destroyed, when the device is reset or the
 * program ends. WHEN says so in the report, for example "before the program ends". */
void rt_report_leaks(const char *when);

/* --- init.c: memory that nobody has written; no lock is needed, unless the comment says so ---- */

/* Like rt_note_allocation, for new memory, unwritten and unused by queued work. Needs the lock. */
void rt_note_unwritten_memory(const void *at, size_t size);
/* Like rt_note_allocation, for new managed memory, written without a call. Needs the lock. */
void rt_note_managed_memory(const void *at, size_t size);
/* The call BY has allocated SIZE bytes at AT, where freed memory was, and all work that used the
 * freed memory has run: the contents are undefined from now on. Needs the lock. */
void rt_note_memory_allocated_again(uint64_t at, size_t size, const san_caller *by);
/* The variables of M lie at ADDRESS, by index, and have their initial values; V, which lies at AT,
 * is about to be removed. Need the lock. */
void rt_note_variables(const ptx_module *m, const uint64_t *address);
void rt_note_variable_gone(const ptx_var *v, uint64_t at);
/* OP, a kernel that has just been issued, may begin before the kernel before it in its stream ends
 * (cudaLaunchAttributeProgrammaticStreamSerialization). */
void rt_note_programmatic_launch(rt_op *op);

/* --- printed.c: device printf */

/* The kernel of OP, of module M, has printed P: report what a GPU would have lost. */
void rt_check_printed(const rt_op *op, const ptx_module *m, const sm_printed *p);

/* An operation is about to run: find managed memory that the host has written. Needs the lock. */
void rt_find_host_writes(void);
/* A fill has written HEIGHT rows of WIDTH bytes in each of DEPTH slices, from TO on. */
void rt_note_fill(rt_copy_box to, size_t width, size_t height, size_t depth);
/* The call WHAT was given a direction that does not fit its destination TO and its source FROM,
 * each in memory of a kind: "host" (pageable), "pinned host", "managed" and "device" (copies.c). */
void rt_report_wrong_direction(const char *what, uint64_t to, const char *to_kind, uint64_t from,
                               const char *from_kind);
/* WHAT fills BYTES bytes, each with VALUE: report a value that is no byte (copies.c). Needs the
 * lock. */
void rt_check_fill_value(const char *what, int value, size_t bytes);
/* OP has copied rows of WIDTH bytes from FROM to TO. STAGED: the bytes came from a host buffer. */
void rt_note_copy(const rt_op *op, rt_copy_box to, rt_copy_box from, bool staged, size_t width,
                  size_t height, size_t depth);

/* --- guards.c: memory that host code touches too early ---------------------------------------- */

/* The copy OP was just issued. It copies asynchronously DST_BYTES and SRC_BYTES contiguous bytes:
 * guard both ranges. */
void rt_guard_copy(rt_op *op, uint64_t dst, size_t dst_bytes, uint64_t src, size_t src_bytes);
/* OP, just issued with BYTES bytes of parameters, may write any managed memory, and pinned memory
 * that a parameter points to. */
void rt_guard_kernel(rt_op *op, const void *params, size_t bytes);
/* Remove the page guards of host memory before the operation STARTING runs; restore them after the
 * operation DONE has run. */
void rt_remove_page_guards(const rt_op *starting); /* STARTING may access its host memory */
void rt_restore_page_guards(const rt_op *done);    /* DONE no longer does */
/* The host has waited: end the guards of completed operations. ALL_GONE: none is left. */
void rt_note_wait_of_host(bool all_gone);
/* Report the guarded memory that host code has touched too early. */
void rt_report_early_host_accesses(void);
/* Has the host touched memory that OP, which has not run yet, may use? */
bool rt_has_undecided_access(const rt_op *op);
/* OP has run and touched T: report what the host has written of it since OP was issued,
 * and forget what the host has read of flags that OP sets. */
struct san_touched;
void rt_report_host_writes_during(const rt_op *op, struct san_touched *t);

/* --- streams.c: races between operations of streams ------------------------------------------- */

/* rt_race_check_op_begins: OP is about to run in the calling thread. rt_race_check_op_done: OP has
 * run. */
void rt_race_check_op_begins(const rt_op *op); /* OP is about to run */
void rt_race_check_op_done(rt_op *op);         /* OP has run: compare it with earlier operations */
/* OP waits for a value at address AT; the memory now holds the awaited VALUE. */
void rt_race_check_value_wait_done(rt_op *op, uint64_t at, uint64_t value);
/* OP, which runs in this thread, is about to free the memory that it names: compare it with earlier
 * operations that use the memory. */
void rt_race_check_free(const rt_op *op);
/* Is work looked for that uses memory without the order of its allocation? OP stands in the stream
 * where it allocated the memory that it names: compare it with the operations that run later. */
bool rt_is_allocation_order_checked(void);
void rt_race_check_allocation(rt_op *op);
/* An operation is about to free the memory at AT, so a later allocation may get its address. */
void rt_race_check_address_reuse(uint64_t at);
/* A replay begins of a run that used several streams. The replaying process itself has only one
 * stream, but races between the recorded streams are to be found. */
void rt_note_replayed_streams(void);
/* Stop the search for races: the program orders operations in a way that is not tracked, for
 * example by kernels that launch kernels. */
void rt_stop_race_search(void);

/* --- requests.c: the order of work that kernels request --------------------------------------- */

/* If KERNEL launched OP, itself or through a kernel that it launched: the number of that launch
 * among the requests of KERNEL, from 1. Otherwise 0. */
uint32_t rt_request_number_in_kernel(const rt_op *kernel, const rt_op *op);
bool rt_is_launched_by_kernel(const rt_op *op); /* did a kernel launch OP? */
/* Replace *FIRST and *SECOND by enclosing operations that were issued at one level (by the host, or
 * by one kernel). If these are ordered, so are the original operations. */
void rt_replace_by_enclosing_ops(const rt_op **first, const rt_op **second);

/* --- errors.c: errors that the program does not check ----------------------------------------- */

/* rt_note_error: the calling thread's CUDA call returns E. rt_note_error_query: the thread calls
 * cudaGetLastError or cudaPeekAtLastError. Neither needs the lock. */
void rt_note_error(cudaError_t e); /* a CUDA call returns E */
void rt_note_error_query(void);    /* the program checks the last error */
/* Keep the sentence that explains why the current call fails, for the report of the error. Returns
 * E, the error with which the call fails. */
cudaError_t rt_error_because(cudaError_t e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Report the errors that the program has not checked so far, in the order in which they happened:
 * the program ends, or an error that may follow from them is about to be reported. */
void rt_report_unchecked_errors(void);
/* The program exits with STATUS: report unchecked errors and queued work that nobody waited for. */
void rt_report_at_exit(int status);

/* --- handles.c: what became of a stream, an event or an object -------------------------------- */

/* The program destroys the object with HANDLE. */
void rt_note_destroyed(uint64_t handle);
/* The call that destroyed the object with HANDLE; false: none is known. */
bool rt_find_destroying_call(uint64_t handle, san_caller *by);
/* HANDLE was given for a WHAT ("stream", ...) and is none: returns E, the error with which the call
 * fails, and keeps the sentence that says what became of it. */
cudaError_t rt_error_of_handle(cudaError_t e, const char *what, const void *handle);
#ifdef __clang_analyzer__ /* sees no other file: these return the error that they are given */
#define rt_error_because(e, ...)   (rt_error_because(e, __VA_ARGS__), (e))
#define rt_error_of_handle(e, ...) (rt_error_of_handle(e, __VA_ARGS__), (e))
#endif

/* --- host_address.c: addresses of host memory ------------------------------------------------- */

/* Write to OUT what host code has at ADDRESS, which is no memory of a device: "a local variable of
 * host code (the stack)". Returns OUT, or NULL if the host has no memory there. Needs no lock. */
const char *rt_describe_host_address(uint64_t address, char *out, size_t size);
/* Likewise, without how a kernel may have come to that address. */
const char *rt_name_host_address(uint64_t address, char *out, size_t size);
/* Does a kernel access the host's ADDRESS through the this that a lambda has captured? The lambda
 * is among the BYTES bytes of arguments at PARAMS, and the symbol of the kernel's host function
 * STUB names what it has captured. Writes the class to OUT. */
bool rt_find_class_of_captured_this(uint64_t address, const void *stub, const uint8_t *params,
                                    size_t bytes, char *out, size_t size);

/* --- shadow_variable.c: the host's copies of device variables --------------------------------- */

/* A copy of the SIZE bytes that the host's shadow variable at HOST holds, malloc'd. NULL: they will
 * not be checked. */
void *rt_new_shadow_value(const void *host, size_t size);
/* Report the shadow variables that host code has written, before a launch. */
void rt_check_shadow_variables(void);

/* --- staged.c: copies from pageable memory ---------------------------------------------------- */

/* The host function FUNCTION is about to run: note which copies after it have read their source
 * already. rt_report_stale_copies: it has run; report those whose source it has changed. */
void rt_watch_staged_copies(const rt_op *function);
void rt_report_stale_copies(const rt_op *function);

/* Report what fetches of kernels did and the program hardly meant (memory/texture.c). */
void rt_report_texture_notices(void);

/* --- timed.c: event timings that measure no work ------------------------------- */

/* Count the operation OP, which was just issued: rt_note_issued_kernel counts kernels (F), and
 * rt_note_issued_work all other kinds of operations. */
void rt_note_issued_work(const rt_op *op);
void rt_note_issued_kernel(const rt_op *op, const ptx_func *f);
rt_work_counts rt_issued_work_counts(void); /* how much work has been issued so far */
/* The program asks for the time between two events that were recorded in the states FROM and TO. */
void rt_check_work_between_events(const rt_work_counts *from, const rt_work_counts *to);
