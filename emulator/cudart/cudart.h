/* Declarations that the files of the runtime share. Outside of emulator/cudart only the debugger,
 * which replays recordings, includes this header.
 *
 * One lock guards all state. A call takes it with rt_lock, which opens the device at the first
 * call, and releases it with rt_unlock, which records the calling thread's last error. Only
 * operations (kernels, copies, host functions) run without the lock, one at a time.
 *
 * Unless stated otherwise, functions are called with the lock held, pointers are borrowed, and the
 * units are bytes, nanoseconds (double) and device addresses (uint64_t). Source: Runtime API, the
 * page named in each file's first line. */
#ifndef WARPBOOK_CUDART_H
#define WARPBOOK_CUDART_H

/* Each function that the toolkit's headers declare is exported by the file that defines it. */
#pragma GCC visibility push(default)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include "../compile/program.h"
#include "../core/sm.h"
#include "../memory/memory.h"
#include "../timing/timing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks an exported function that no header of the toolkit declares. */
#define RT_API __attribute__((visibility("default")))

/* Return P without const. Some structs of the API have only non-const pointers, even to data that
 * is only read. */
static inline void *rt_without_const(const void *p)
{
    return (void *)(uintptr_t)p;
}

/* Alignment of allocations, bytes. Textures need no larger alignment
 * (cudaDevAttrTextureAlignment). */
#define RT_ALLOCATION_ALIGNMENT 512u

typedef struct rt_op rt_op;               /* an operation of a stream: a kernel, a copy, ... */
typedef struct rt_node_work rt_node_work; /* what a graph node does (graph.h) */
struct rt_op_info;                        /* describes an operation to a recorder (recorder.h) */
struct rt_capture;                        /* a stream capture in progress (capture.c) */
struct rt_capture_position;               /* a position in a captured graph (capture.h) */

/* --- core.c: the lock; core/state.h has the state --------------------------------------------- */

/* Take the lock, open the device if it is not open, and make a context current if the thread has
 * none. Returns the sticky error, or why there is no device. The lock is held afterwards in every
 * case. */
cudaError_t rt_lock(void);
/* Returns cudaSuccess, or why the device cannot be used: it could not be opened, a parent process
 * opened it before fork, or the program is exiting. */
cudaError_t rt_device_unusable_reason(void);
/* Take the lock, and open the device at the first call. Checks for no error and makes no context
 * current: for calls that work after a sticky error. */
void rt_lock_without_checks(void);
/* Release the lock. Returns E, and makes it the thread's last error unless it is cudaSuccess. */
cudaError_t rt_unlock(cudaError_t e);
/* Like rt_unlock, for queries such as cudaStreamQuery: cudaErrorNotReady is not recorded as an
 * error. */
cudaError_t rt_unlock_after_query(cudaError_t e);
/* rt_release_lock releases the lock before an operation runs; rt_take_lock_again takes the lock
 * again afterwards. */
void rt_release_lock(void);
void rt_take_lock_again(void);
/* rt_wait_for_state_change releases the lock, waits until another thread calls
 * rt_wake_waiting_threads, and takes the lock again. rt_wake_waiting_threads wakes all threads that
 * wait in this way. */
void rt_wait_for_state_change(void);
void rt_wake_waiting_threads(void);

/* Compute capability of the device profile; 90 stands for 9.0. */
uint32_t rt_compute_capability(void);

/* Write TEXT to stderr in one write, each line prefixed with "warpbook: ". */
void rt_print(const char *text);
/* Print a formatted message as rt_print does, and append it to WARPBOOK_REPORTS. */
void rt_print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- error.c ---------------------------------------------------------------------------------- */

cudaError_t rt_set_last_error(cudaError_t e);  /* records E as the thread's last error; returns E */
cudaError_t rt_swap_last_error(cudaError_t e); /* sets the thread's last error; returns the old */
/* The error code for a kernel fault of this kind. */
cudaError_t rt_error_of_fault(sm_fault_kind kind);

/* --- module.c: fat binaries, kernels and variables -------------------------------------------- */

typedef struct rt_module rt_module; /* a CUmodule: device code that is loaded as a whole */

#define RT_BLOCK_THREADS 1024u /* maximum number of threads in a block */

/* A kernel of a module. */
typedef struct rt_kernel {
    rt_module *module;        /* the module that contains the kernel */
    const void *host;         /* address of the host stub function, which cudaLaunchKernel passes */
    char *name;               /* mangled name of the kernel, as in the PTX; owned */
    char *display_name;       /* name without parameters, demangled; NULL until first used */
    const ptx_func *func;     /* the kernel's parsed PTX; NULL until the module is loaded */
    compile_kernel_info info; /* registers, shared and local memory that a launch needs */
    uint32_t max_threads;     /* maximum number of threads in a block of this kernel */
    uint64_t spilled_bytes;   /* local memory per thread that holds spilled registers, bytes */
    bool knows_registers;     /* machine code states the register count; false: it is estimated */
    uint64_t kept_in_registers; /* local memory of the PTX kept in registers, bytes per thread */
    int max_dynamic; /* value of cudaFuncAttributeMaxDynamicSharedMemorySize; -1: not set */
    int carveout;    /* value of cudaFuncAttributePreferredSharedMemoryCarveout */
    enum cudaFuncCache cache; /* value of cudaFuncSetCacheConfig */
    bool ready;               /* the kernel has been found in the PTX, and its info is valid */
    cudaError_t load_error;   /* why the kernel cannot be loaded; cudaSuccess: none known */
    int cluster[3]; /* cluster size set by cudaFuncAttributeRequiredCluster*; 0: the PTX decides */
    int cluster_policy;     /* value of cudaFuncAttributeClusterSchedulingPolicyPreference */
    int cluster_large;      /* value of cudaFuncAttributeNonPortableClusterSizeAllowed */
    struct rt_kernel *next; /* next kernel in the same hash bucket */
} rt_kernel;

/* A __device__, __constant__ or __managed__ variable of a module. */
typedef struct rt_symbol {
    rt_module *module; /* the module that contains the variable */
    const void *host;  /* address of the host's shadow variable, which identifies it in calls */
    char *name;        /* name of the variable in the PTX; owned */
    size_t size;       /* size of the variable in bytes */
    bool constant;     /* a __constant__ variable */
    void **managed;    /* address of the host's pointer to a __managed__ variable, else NULL */
    uint64_t address;  /* device address; 0 until the module is loaded */
    struct rt_symbol *next; /* next variable in the same hash bucket */
} rt_symbol;

/* Load a kernel, symbol or module if it is not loaded yet. If loading fails, the first call prints
 * the error, and every call returns it. */
cudaError_t rt_kernel_load_once(rt_kernel *k);
cudaError_t rt_symbol_load_once(rt_symbol *s);
cudaError_t rt_module_load_once(rt_module *m);

/* The kernel with this host stub or cudaKernel_t handle, and the variable with this host address;
 * NULL if there is none. */
rt_kernel *rt_find_kernel(const void *host_or_handle);
rt_symbol *rt_find_symbol(const void *host);
uint32_t rt_module_compute_capability(const rt_module *m); /* 90 for PTX of compute_90 */
sm_program *rt_kernel_program(const rt_kernel *k);         /* decoded code of the kernel's module */
const char *rt_kernel_display_name(rt_kernel *k);          /* demangled, without parameters */

/* Register the module of the fat binary WRAPPER (NULL: of no fat binary); it is loaded at its first
 * use. rt_module_remove unloads and frees a module. */
rt_module *rt_module_add(const void *wrapper);
void rt_module_remove(rt_module *m);
bool rt_is_module(const rt_module *m); /* does M point to an existing module? */
/* Load a module for the driver API, without delay, from PTX text, a fat binary or a fatbin wrapper.
 * The current context owns the module. JIT says how to compile PTX and where logs go (jit.h); NULL:
 * defaults. */
typedef struct rt_jit_options rt_jit_options;
cudaError_t rt_module_open(const void *image, const rt_jit_options *jit, rt_module **out);
/* Did the driver API open M? All other modules belong to the program itself and were registered by
 * nvcc's code. */
bool rt_is_module_opened(const rt_module *m);
void *rt_module_context(const rt_module *m); /* the context that owns M; NULL: the primary one */
/* Look up a kernel or variable by its name in the PTX. If M does not contain the name,
 * rt_module_kernel returns cudaErrorSymbolNotFound, and rt_module_variable returns 0. */
cudaError_t rt_module_kernel(rt_module *m, const char *name, rt_kernel **out);
uint64_t rt_module_variable(rt_module *m, const char *name, size_t *size, bool *is_managed);
/* The kernel whose address in device code is FUNCTION, ready to be launched. NULL if there is no
 * such kernel, or if it cannot be launched (a message has been printed). */
rt_kernel *rt_module_kernel_at(rt_module *m, uint64_t function);
/* The name of kernel I, counted from 0; NULL if M has at most I kernels. */
const char *rt_module_kernel_name(const rt_module *m, unsigned i);
void rt_destroy_modules_of_context(const void *context); /* unloads and frees the modules */
/* Register a kernel or variable NAME of M, which host code knows by the address HOST. MANAGED: the
 * host's pointer to a __managed__ variable, else NULL. */
void rt_module_add_kernel(rt_module *m, const void *host, const char *name);
void rt_module_add_symbol(rt_module *m, const void *host, const char *name, size_t size,
                          bool constant, void **managed);

/* --- stream_list.c, queue.c, queue_run.c: operations of streams, deferred until a program waits */

/* Kinds of stream operations. rt_op_kind_name returns the name that WARPBOOK_TIMELINE writes. */
typedef enum rt_op_kind {
    RT_KERNEL,        /* a kernel launch */
    RT_COPY_H2D,      /* a copy from host to device */
    RT_COPY_D2H,      /* a copy from device to host */
    RT_COPY_D2D,      /* a copy within device memory */
    RT_COPY_H2H,      /* a copy within host memory */
    RT_MEMSET,        /* a memset */
    RT_HOST_FUNCTION, /* a call of a host function: cudaLaunchHostFunc */
    RT_FREE,          /* frees memory in stream order: cudaFreeAsync */
    RT_EVENT_RECORD,  /* records an event: cudaEventRecord */
    RT_EVENT_WAIT,    /* waits for an event: cudaStreamWaitEvent */
    RT_HOST_WAIT      /* marks a wait of the host: operations issued later begin later */
} rt_op_kind;

/* A stream: cudaStream_t points to it. */
typedef struct rt_stream {
    uint64_t id;    /* unique number of the stream; 0 is the legacy default stream */
    unsigned flags; /* flags given to cudaStreamCreateWithFlags */
    int priority;   /* priority given to cudaStreamCreateWithPriority */
    bool destroyed; /* the program has destroyed the stream */
    void *context;  /* the driver API's context that owns it; NULL: the primary context */
    rt_op *last;    /* newest operation of the stream, or NULL */
    struct rt_capture *capture; /* stream capture in progress; NULL: the stream is not capturing */
    struct rt_capture_position *tips; /* during capture: what the next node will depend on */
    /* A temporary stream exists while a graph launch, or the work that a kernel
     * launched, is queued to a real stream. Its next operation depends only on the
     * operations in `after`, and `last` holds no reference. */
    bool temporary;       /* exists only while a graph launch or work of a kernel is queued */
    rt_op *const *after;  /* [after_count] what a temporary stream's next operation depends on */
    uint32_t after_count; /* number of operations in `after` */
    uint32_t branches;    /* number of branches of the graph that have been numbered so far */
    rt_op *inside;        /* for work that a kernel launched: the end of that kernel's work */
    uint32_t request;     /* number of the next launch or copy that this kernel made, from 1 */
    struct cudaAccessPolicyWindow window;  /* L2 access policy: affects speed, not results */
    enum cudaSynchronizationPolicy policy; /* how the host waits: affects speed, not results */
    struct rt_stream *next;                /* next stream in the list of all streams */
} rt_stream;

/* Name (rt_op.name) of the operation of cuStreamWaitValue. */
#define RT_VALUE_WAIT_NAME "wait for a value"

/* An operation of a stream: a kernel, copy, fill, host function, event record or wait. */
struct rt_op {
    uint64_t seq;  /* issue number: operations are numbered from 1 in the order of issue */
    uint64_t id;   /* unique number of the operation; unlike `seq`, no two operations share it */
    uint32_t refs; /* number of references to the operation */
    struct san_caller *by; /* the host code that issued the operation; NULL: not recorded */
    /* Work that a kernel launches (device_side/nested.c): its operations, and one that ends when
     * all of them have ended. Each pointer holds a reference. */
    rt_op *inside;       /* work of a kernel: the operation that ends with all such work, or NULL */
    uint32_t request;    /* work of a kernel: its number among that kernel's requests, from 1 */
    rt_op *kernel;       /* end of a kernel's work: the kernel's own operation, or NULL */
    bool makes_requests; /* a kernel that may launch work from the device */
    struct rt_preceding_ops *order; /* the operations that precede this one; NULL: not recorded */
    rt_op_kind kind;                /* what the operation does */
    uint64_t stream;                /* id of the stream to which the operation was issued */
    uint64_t branch;                /* id of the stream, or of a chain of graph nodes (order.h) */
    bool all;       /* only for RT_HOST_WAIT: the host waited for all issued operations */
    bool continued; /* a later operation belongs to the same branch of a graph */
    enum { RT_PENDING, RT_RUNNING, RT_DONE } state; /* has not begun; is running; has ended */
    rt_op **dep;        /* [dep_count] operations that must be done before this one begins */
    uint32_t dep_count; /* number of operations in `dep` */
    bool extended;      /* the last entry of `dep` was added after the operation was issued */
    /* Performs the operation, without the lock; sets ns, share and fault. NULL: there is no
     * work. */
    void (*run)(rt_op *op);
    /* Called with the lock held when all dependencies of OP are done. Returns true if it has queued
     * more operations before OP, for which OP now waits. NULL: OP never queues operations. */
    bool (*decide)(rt_op *op);
    bool blocked;    /* the operation cannot run yet: `decide` must be called again later */
    uint64_t looked; /* number of the last graph traversal that visited the operation */
    /* Describes to a recorder what `run` does (core/recorder.h). NULL: the operation is not
     * recorded. */
    void (*describe)(const rt_op *op, struct rt_op_info *to);
    void (*dispose)(rt_op *op); /* frees what `data` refers to; `data` itself is freed afterwards */
    void *data;                 /* arguments of the operation; owned by the operation */
    uint64_t to;                /* copies and fills: address of the destination */
    uint64_t to_bytes;          /* copies and fills: size of the destination in bytes; 0: unknown */
    const char *name;   /* name in WARPBOOK_TIMELINE; must stay valid as long as the process */
    cudaError_t fault;  /* error with which the operation failed: becomes the sticky error */
    bool timed;         /* the modelled times `start` and `end` are known */
    bool node;          /* issued by a graph launch or a kernel, not by a host call of its own */
    const rt_op *since; /* the last wait of the host (RT_HOST_WAIT) before the issue, or NULL */
    double issued;      /* modelled time of the host's calls from `since` to the issue, ns */
    double ns;          /* modelled duration, ns */
    double share;       /* fraction of the device that the operation occupies, 0 to 1 */
    double start;       /* modelled time at which the operation begins, ns */
    double end;         /* modelled time at which the operation ends, ns */
    rt_op *next;        /* next operation in the queue, which is in order of issue */
    rt_op *below;       /* while the queue is searched: an operation that depends on this one */
};

/* The stream that HANDLE refers to; NULL and the two special handles are valid. Returns NULL if
 * there is no such stream. */
rt_stream *rt_stream_of(cudaStream_t handle);
/* Create a stream in the current context; NULL if the host is out of memory. A destroyed stream is
 * freed when its work is done. */
rt_stream *rt_stream_new(unsigned flags, int priority);
void rt_stream_destroy(rt_stream *s);
void rt_destroy_streams_of_context(const void *context);
rt_stream *rt_first_stream(void); /* head of the list of all streams; the legacy one is last */
/* Set by the API functions whose names end in _ptsz or _ptds: a NULL stream means the per-thread
 * default stream. */
extern __thread unsigned rt_per_thread_default;

/* Append an operation to S. It depends on the last operation of S, on the operations that the
 * default stream's rules require, and on EXTRA (may be NULL). Its `data` is BYTES zeroed bytes.
 * Returns a borrowed pointer, valid while the lock is held; NULL if the host is out of memory. */
rt_op *rt_queue_op(rt_stream *s, rt_op_kind kind, size_t bytes, rt_op *extra);
/* Operations queued between rt_queue_insert_before and rt_queue_end_insertion are placed before OP,
 * which has not run, in order of issue. For temporary streams only. */
void rt_queue_insert_before(rt_op *op);
void rt_queue_end_insertion(rt_op *op);
/* Make OP depend on ON. A dependency that an earlier call added to OP is replaced. */
void rt_op_set_dependency(rt_op *op, rt_op *on);
/* The oldest operation that could run although OP has not run: it has not begun, does not depend on
 * OP and is not blocked. NULL if there is none. */
rt_op *rt_queue_find_op_independent_of(const rt_op *op);
/* Cancel all operations issued after LAST_KEPT: they will not run. */
void rt_queue_cancel_after(rt_op *last_kept);
rt_op *rt_op_ref(rt_op *op); /* adds a reference to OP (may be NULL); returns OP */
void rt_op_unref(rt_op *op); /* drops a reference; frees OP if it was the last one */

/* rt_finish_op: run OP and its dependencies. rt_finish_stream: wait for all operations of a stream.
 * rt_finish_all: wait for all streams. Each returns the device's sticky error. */
cudaError_t rt_finish_op(rt_op *op);
cudaError_t rt_finish_stream(rt_stream *s);
cudaError_t rt_finish_all(void);
void rt_run_queued(void); /* runs all queued operations, without a wait of the host */
/* Returns cudaSuccess if OP is done, or its error. If OP is not done, runs one operation that OP
 * depends on, and returns cudaErrorNotReady. */
cudaError_t rt_poll_op(rt_op *op);
/* Run all operations issued up to OP, so that its modelled time is known. */
cudaError_t rt_find_time_of_op(rt_op *op);
/* code/launch.c: does a debugger observe each instruction? Registers must then be kept. */
bool rt_observes_each_insn(void);
bool rt_is_any_thread_running_work(void); /* is a thread running work? Needs no lock */
/* Called now and then while work runs. If a host function of a stream takes long, another thread
 * runs the work of other streams, because the host function may wait for that work. */
void rt_check_host_function(void);
bool rt_this_thread_runs_op(void); /* does this thread run an operation, such as a host function? */
/* The oldest operation that has not run and that nobody waits for; NULL: none. */
rt_op *rt_oldest_unwaited_op(void);
uint64_t rt_count_unfinished_work(void); /* number of kernels, copies and fills that have not run */

/* --- idle.c: threads that run queued work for a host that polls and never waits --------------- */

/* An operation has been queued: make sure that it runs even if the program never waits for it. */
void rt_start_idle_thread(void);
int rt_idle_thread_count(
    void); /* number of existing threads of idle.c (0 to 2): watcher and worker */
/* The program is exiting: let the idle threads run the queued work, for at most MS milliseconds. */
void rt_finish_queued_at_exit(long ms);
bool rt_is_idle_thread(void); /* is the caller a thread of idle.c? */

/* waiting.c: does every thread of the program wait for the work that is running? If so, no thread
 * can write memory or create a thread before the work ends. Returns false if that cannot be
 * determined. Callable by any thread, without the lock. */
bool rt_all_host_threads_wait(void);
/* Add THREADS (1 or -1) to the number of host threads that wait for queued work or run it. */
void rt_change_waiting_thread_count(int threads);
/* waiting.c: add MORE (1 or -1) to the number of running host functions (cudaLaunchHostFunc). */
void rt_change_host_function_count(int more);

/* --- overlap.c: kernels that wait for one another --------------------------------------------- */

/* A kernel that is running or suspended. */
typedef struct rt_resident_kernel {
    uint64_t stuck;      /* count of memory changes when the kernel could not continue; 0: it can */
    bool suspended;      /* the kernel is suspended: its thread waits until it is resumed */
    counters before;     /* counters of memory accesses when the kernel was suspended */
    uint64_t issued;     /* number of issued operations that the kernel saw last */
    uint64_t generation; /* count of memory changes (rt.overlap.generation) that it saw last */
    double since;        /* when it last saw one of the two counts change, monotonic seconds */
    const char *name;    /* name of the kernel; owned elsewhere */
    struct rt_resident_kernel *next; /* next in the list of suspended kernels */
} rt_resident_kernel;

/* Implements sm_launch.others: runs other work for a kernel that may wait for it. SEAT is the
 * rt_resident_kernel of the waiting kernel. */
sm_help_result rt_run_other_kernels(void *seat, bool stuck, bool changed);
int rt_helper_thread_count(void); /* number of threads that run work in place of a kernel */

/* --- clock.c: when operations begin and end on the modelled device ---------------------------- */

/* Compute start and end times of N completed operations, in order of issue. */
void rt_clock_set_times(rt_op **op, size_t n);
double rt_clock_now(void);                 /* the latest end time known so far, ns */
const char *rt_op_kind_name(rt_op_kind k); /* for example "copy_h2d" */

/* --- context.c: the current context (context.h declares the other functions)
 * --------------------------------------------------- */

/* Make the primary context current, creating it if needed, unless a context is current already.
 * Returns cudaErrorContextIsDestroyed if the current one has been destroyed. */
cudaError_t rt_context_make_current(void);
/* The current context if cuCtxCreate made it; NULL if it is the primary context. */
void *rt_current_owner_context(void);

/* --- pool.c: stream-ordered allocation -------------------------------------------------------- */

/* Memory at AT was freed: update the statistics of the pool that it came from, if any. */
void rt_pool_count_freed(uint64_t at);
/* The host has waited: release the memory that pools hold above their release thresholds. */
void rt_pools_release_unused(void);

/* --- managed.c: prefetches and advice for managed memory -------------------------------------- */

/* Note that SIZE bytes from P on are prefetched to TO. TO NULL: only check that the bytes are
 * managed memory. */
cudaError_t rt_managed_prefetch(const void *p, size_t size, const struct cudaMemLocation *to);
void rt_managed_drop_hints(uint64_t at,
                           uint64_t size); /* managed memory was freed: drop its advice */

/* --- copy.c, array_copy.c: copies and fills --------------------------------------------------- */

/* Source or destination of a copy: address and strides of a 3D box of bytes. The box's width,
 * height and depth are arguments of rt_queue_copy. */
typedef struct rt_copy_box {
    uint64_t base; /* address of the first byte */
    size_t pitch;  /* bytes between the starts of two rows */
    size_t slice;  /* bytes between the starts of two slices */
} rt_copy_box;

/* Copy under the rules of cudaMemcpy3D, and of cudaMemcpyAsync if ASYNC. WHAT names the call in
 * messages. S NULL: only check the arguments. */
cudaError_t rt_queue_copy(const char *what, rt_copy_box dst, rt_copy_box src, size_t width,
                          size_t height, size_t depth, enum cudaMemcpyKind kind, rt_stream *s,
                          bool async);
/* Fill with elements of UNIT bytes (1, 2 or 4). WIDTH is in bytes. S NULL: only check the
 * arguments. */
cudaError_t rt_queue_fill(const char *what, rt_copy_box dst, uint32_t value, size_t unit,
                          size_t width, size_t height, size_t depth, rt_stream *s, bool async);
/* Performs cudaMemcpy3D, for arrays too. S NULL: only check the arguments. */
cudaError_t rt_queue_copy3d(const char *what, const struct cudaMemcpy3DParms *p, rt_stream *s,
                            bool async);

/* Size of an element of ARRAY in bytes; 1 if ARRAY is not a valid array. */
size_t rt_array_element_size(cudaArray_const_t array);

/* --- stream.c, event.c: functions that graphs also use -----------------------------------------
 */

cudaError_t rt_queue_host_function(rt_stream *s, cudaHostFn_t fn, void *data);
bool rt_is_event(cudaEvent_t handle); /* is HANDLE a valid event? */

/* The functions that cudaDeviceReset calls. resets.def says what each one does; its order is the
 * order of calls. */
#define RESET(subject, state, meaning) void rt_reset_##subject(void);
#include "core/resets.def"
#undef RESET

bool rt_event_has_no_timing(cudaEvent_t handle); /* created with cudaEventDisableTiming? */
cudaError_t rt_event_record(cudaEvent_t handle, rt_stream *s); /* queues a record to S */
cudaError_t rt_event_wait(cudaEvent_t handle, rt_stream *s);   /* queues a wait to S */

/* --- launch.c --------------------------------------------------------------------------------- */

/* A launch whose configuration has been checked, with its arguments. */
typedef struct rt_launch {
    rt_kernel *kernel; /* the kernel to launch */
    dim3 grid, block;  /* blocks in the grid; threads in a block */
    dim3 cluster;      /* blocks in a cluster, as the launch requests; all 0: no clusters */
    size_t shared;     /* dynamic shared memory, bytes */
    bool cooperative;  /* launched with cudaLaunchCooperativeKernel */
    unsigned depth;    /* nesting depth of launches by kernels; 0: launched by the host */
    uint32_t range;  /* number of the range between cudaProfilerStart and cudaProfilerStop in which
                        it was issued, from 1; 0: outside of all */
    uint8_t *params; /* bytes of the kernel's arguments, laid out as in the PTX; owned */
} rt_launch;

/* Fill in *L: find the kernel of FUNCTION, check the launch configuration in *L against kernel and
 * device, and copy ARGS into newly allocated parameters, which the caller owns. LATER: the
 * arguments are not known yet, and the parameters become 0. */
cudaError_t rt_launch_prepare(const void *function, void **args, bool later, rt_launch *l);
/* Queue the launch. Takes ownership of its parameters, even on failure. */
cudaError_t rt_launch_queue(const rt_launch *l, rt_stream *s);

/* Maximum dynamic shared memory that a launch of K may request at present, bytes. */
uint64_t rt_max_dynamic_shared_bytes(const rt_kernel *k);
/* Number of blocks of K that fit on one SM at the same time. */
uint32_t rt_blocks_per_sm(const rt_kernel *k, uint64_t threads, uint64_t dynamic);
/* Maximum number of blocks of K, with THREADS threads and DYNAMIC bytes of dynamic shared memory
 * each, that are resident on the device at once. An estimated register count does not lower it. */
uint64_t rt_max_resident_blocks(const rt_kernel *k, uint64_t threads, uint64_t dynamic);

/* --- cluster.c: thread block clusters --------------------------------------------------------- */

/* Store in *SHAPE the cluster shape of a launch of K: REQUESTED, or if REQUESTED is all 0 the shape
 * that K requires, or else 1. Returns cudaErrorInvalidClusterSize if such a launch is impossible.
 */
cudaError_t rt_cluster_shape(const rt_kernel *k, dim3 grid, dim3 requested, dim3 *shape);
uint64_t rt_blocks_per_cluster(dim3 shape); /* product of the three sizes */
/* Does the launch or K specify clusters? */
bool rt_is_clustered(const rt_kernel *k, dim3 requested);
/* The parts of cudaFuncGetAttributes and cudaFuncSetAttribute that concern clusters. */
void rt_fill_cluster_attributes(const rt_kernel *k, struct cudaFuncAttributes *a);
cudaError_t rt_cluster_set_attribute(rt_kernel *k, enum cudaFuncAttribute attr, int value);

#include "core/state.h"

#endif
