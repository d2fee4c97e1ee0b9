/* Inside the runtime: what its files share. No other room includes this.
 *
 * One lock guards everything. A call takes it with rt_lock, which opens the device at the first
 * call, and gives it back with rt_unlock, which notes the thread's last error. Only work that runs
 * (kernels, copies, host functions) is done without the lock, by one thread at a time. */
#ifndef WARPBOOK_CUDART_H
#define WARPBOOK_CUDART_H

/* Functions that the toolkit's header declares are exported where they are defined. */
#pragma GCC visibility push(default)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include "../core/sm.h"
#include "../memory/memory.h"
#include "../timing/timing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For exported functions that no header declares. */
#define RT_API __attribute__((visibility("default")))

/* Bytes: where allocations begin, and textures may: cudaDevAttrTextureAlignment. */
#define RT_ALIGN 512u

typedef struct rt_op rt_op;
typedef struct rt_work rt_work;
struct rt_capture;
struct rt_mark;

/* --- core.c: the device and the lock ---------------------------------------------------------- */

typedef struct rt_device {
    bool opened;
    cudaError_t failed; /* why it could not be opened */
    cudaError_t sticky; /* what a kernel did that no later call can mend */
    device_profile profile;
    timing_state timing;
    uint32_t workers;     /* host threads for blocks */
    const char *counters; /* files, NULL when not wanted */
    const char *lines;
    const char *timeline;
    bool race;            /* racecheck of shared memory */
    bool uncounted;       /* WARPBOOK_COUNTING=0 */
    uint64_t stack_bytes; /* cudaLimitStackSize; 0: the SM's own */
    unsigned flags;       /* cudaSetDeviceFlags */
    bool ends;            /* the program ends: see core.c */
} rt_device;

extern rt_device rt;

/* Take the lock, open the device and see to it that a context is current. Returns the sticky error,
 * or why there is no device. The lock is held in either case. */
cudaError_t rt_lock(void);
/* cudaSuccess, or why there is no device: it could not be opened, a parent process opened it, or
 * the program ends. */
cudaError_t rt_usable(void);
/* Take the lock only: for calls that work after a sticky error. */
void rt_lock_plain(void);
/* Give the lock back; returns E and makes it the thread's last error unless it is cudaSuccess. */
cudaError_t rt_unlock(cudaError_t e);
/* The same for calls that ask whether work is done: "not ready" is an answer and no error. */
cudaError_t rt_unlock_answer(cudaError_t e);
/* Let others in while work runs. */
void rt_release(void);
void rt_acquire(void);
/* Wait for rt_wake by whoever runs work. */
void rt_wait(void);
void rt_wake(void);

/* Compute capability of the profile, 90 for 9.0. */
uint32_t rt_capability(void);

/* Print lines on stderr, each begun with "warpbook: ", in one write. */
void rt_print(const char *text);
/* The same, and append a message to WARPBOOK_REPORTS. */
void rt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- error.c ---------------------------------------------------------------------------------- */

cudaError_t rt_error(cudaError_t e);      /* note as the thread's last error; returns it */
cudaError_t rt_error_swap(cudaError_t e); /* set the thread's last error; returns what it was */
/* What a fault of a kernel is called, and whether it stays. */
cudaError_t rt_fault_error(sm_fault_kind kind);

/* --- module.c: fat binaries, kernels and variables -------------------------------------------- */

typedef struct rt_module rt_module;

#define RT_BLOCK_THREADS 1024u /* most in a block */

typedef struct rt_kernel {
    rt_module *module;
    const void *host;     /* address of the host's stub function: its name for cudaLaunchKernel */
    char *name;           /* mangled, as in the PTX */
    char *shown;          /* demangled, without parameters; made at first use */
    const ptx_func *func; /* NULL until the module is loaded */
    sm_kernel_info info;
    uint32_t most_threads; /* that a block may have: by .maxntid, and by the registers if they are
                              known from machine code */
    uint64_t spilled; /* bytes a thread: local memory beyond the PTX's own, where machine code is
                         known */
    uint64_t kept;    /* bytes a thread: local memory of the PTX that is in registers there */
    int max_dynamic;  /* cudaFuncAttributeMaxDynamicSharedMemorySize; -1: never set */
    int carveout;
    enum cudaFuncCache cache;
    bool ready;         /* found in the PTX and described */
    cudaError_t failed; /* why it never will be */
    int cluster[3];     /* cudaFuncAttributeRequiredCluster*; 0: as the PTX says */
    int cluster_policy; /* cudaFuncAttributeClusterSchedulingPolicyPreference */
    int cluster_large;  /* cudaFuncAttributeNonPortableClusterSizeAllowed */
    struct rt_kernel *next;
} rt_kernel;

typedef struct rt_symbol {
    rt_module *module;
    const void *host; /* address of the host's shadow variable */
    char *name;
    size_t size;
    bool constant;
    void **managed;   /* where the host keeps its pointer to a __managed__ variable, else NULL */
    uint64_t address; /* device address; 0 until the module is loaded */
    struct rt_symbol *next;
} rt_symbol;

/* Load what the first use needs. Errors are printed once and returned every time. */
cudaError_t rt_kernel_ready(rt_kernel *k);
cudaError_t rt_symbol_ready(rt_symbol *s);
cudaError_t rt_module_ready(rt_module *m);

rt_kernel *rt_find_kernel(const void *host_or_handle);
rt_symbol *rt_find_symbol(const void *host);
uint32_t rt_module_target(const rt_module *m); /* 90 for PTX of compute_90 */
sm_program *rt_kernel_program(const rt_kernel *k);
const char *rt_kernel_shown(rt_kernel *k);

rt_module *rt_module_add(const void *wrapper);
void rt_module_remove(rt_module *m);
bool rt_module_known(const rt_module *m);
/* A module of the driver API's, loaded at once from PTX text, a fat binary or its wrapper; owned by
 * the current context. JIT: how PTX is to be compiled, and who is told (jit.h); NULL: as usual. */
typedef struct rt_jit rt_jit;
cudaError_t rt_module_open(const void *image, const rt_jit *jit, rt_module **out);
/* Is M a module of the driver API's? Those of the program itself are not. */
bool rt_module_opened(const rt_module *m);
void *rt_module_owner(const rt_module *m);
/* cudaErrorSymbolNotFound, 0: there is none of that name in M, as the PTX has it. */
cudaError_t rt_module_kernel(rt_module *m, const char *name, rt_kernel **out);
uint64_t rt_module_variable(rt_module *m, const char *name, size_t *size, bool *managed);
/* The kernel that device code knows by this address, ready to be launched; NULL: there is none, or
 * it cannot run here, which has been said. */
rt_kernel *rt_module_kernel_at(rt_module *m, uint64_t function);
/* The name of its kernel number I, from 0; NULL: there are fewer. */
const char *rt_module_kernel_name(const rt_module *m, unsigned i);
void rt_modules_destroy(const void *context);
void rt_module_add_kernel(rt_module *m, const void *host, const char *name);
void rt_module_add_symbol(rt_module *m, const void *host, const char *name, size_t size,
                          bool constant, void **managed);

/* --- stream_list.c, queue.c, queue_run.c: streams' work, put off until somebody waits --------- */

typedef enum rt_kind { /* rows of WARPBOOK_TIMELINE use the names in rt_kind_name */
                       RT_KERNEL,
                       RT_COPY_H2D,
                       RT_COPY_D2H,
                       RT_COPY_D2D,
                       RT_COPY_H2H,
                       RT_MEMSET,
                       RT_HOST,
                       RT_FREE,
                       RT_RECORD,
                       RT_WAIT,
                       RT_HOST_WAIT /* the host has waited: later work cannot have begun before */
} rt_kind;

typedef struct rt_stream {
    uint64_t id; /* 0 is the legacy default stream */
    unsigned flags;
    int priority;
    bool destroyed;
    void *context;              /* of the driver API's, that it belongs to; NULL: the primary one */
    rt_op *last;                /* newest operation, or NULL */
    struct rt_capture *capture; /* what takes its work: capture.h; NULL: it is done */
    struct rt_mark *tips;       /* while it captures: the nodes that the next comes after */
    /* A lane stands for a stream while a graph is issued into it: an operation comes after those
     * of `after` and nothing else, and `last` is not held. */
    bool lane;
    rt_op *const *after;
    uint32_t after_count;
    struct cudaAccessPolicyWindow window; /* attributes that change how fast, not what */
    enum cudaSynchronizationPolicy policy;
    struct rt_stream *next;
} rt_stream;

struct rt_op {
    uint64_t seq; /* order of issue */
    uint32_t refs;
    rt_kind kind;
    uint64_t stream;
    enum { RT_PENDING, RT_RUNNING, RT_DONE } state;
    rt_op **dep;
    uint32_t dep_count;
    bool extended; /* by rt_op_wait */
    /* Does the work, without the lock, and sets ns and share. NULL: there is none. */
    void (*run)(rt_op *op);
    /* Asked with the lock when nothing is left that OP waits for: true where it has put more work
     * before OP, for which OP waits now. NULL: never. */
    bool (*decide)(rt_op *op);
    bool blocked;               /* set by DECIDE: it cannot be done yet, and may be asked again */
    uint64_t looked;            /* rt_queue_other's own */
    void (*dispose)(rt_op *op); /* frees what DATA refers to; DATA itself is freed after it */
    void *data;
    uint64_t to, to_bytes; /* copies and fills: where they write; 0 bytes: not known */
    const char *name;      /* for the time line; lives as long as the process */
    cudaError_t fault;     /* set by RUN: becomes the device's sticky error */
    bool timed;
    bool node;          /* of a graph: the device has it already when its turn comes */
    const rt_op *since; /* the host's last wait before it was issued, one of DEP; NULL: none yet */
    double issued; /* ns that the host's calls had taken since then, when they came to this one */
    double ns;     /* how long it takes */
    double share;  /* of the device that it fills, 0 to 1, while it runs */
    double start, end;
    rt_op *next;  /* in order of issue, while it is untimed */
    rt_op *below; /* queue_run.c's own */
};

/* The stream of a handle: NULL and the two special handles included. NULL when there is none. */
rt_stream *rt_stream_of(cudaStream_t handle);
rt_stream *rt_stream_new(unsigned flags, int priority);
void rt_stream_drop(rt_stream *s);
void rt_streams_destroy(const void *context);
rt_stream *rt_streams(void); /* the first of all; the legacy stream is the last */
/* Set by the _ptsz and _ptds names: a NULL stream is the thread's own. */
extern __thread unsigned rt_per_thread_default;

/* Put an operation behind what S holds, after EXTRA (may be NULL) too. BYTES of zeroed DATA.
 * Returns a borrowed pointer, valid while the lock is held; NULL when the host is out of memory. */
rt_op *rt_queue(rt_stream *s, rt_kind kind, size_t bytes, rt_op *extra);
/* What is queued from here on comes before OP, which has not run, in order of issue; until
 * rt_queue_resume. Lanes only. */
void rt_queue_before(rt_op *op);
void rt_queue_resume(rt_op *op);
/* OP waits for ON instead of for what it was last made to wait for. */
void rt_op_wait(rt_op *op, rt_op *on);
/* Work that may go before OP: the oldest that has not run, does not come after OP and is not
 * blocked itself; NULL: there is none. */
rt_op *rt_queue_other(const rt_op *op);
/* All operations behind BEGIN in order of issue will not run. */
void rt_queue_cancel(rt_op *begin);
rt_op *rt_op_ref(rt_op *op);
void rt_op_unref(rt_op *op);

/* Run OP and what it depends on. Returns the device's sticky error. */
cudaError_t rt_finish(rt_op *op);
cudaError_t rt_finish_stream(rt_stream *s);
cudaError_t rt_finish_all(void);
void rt_run_queued(void); /* the same without the host's having seen it */
/* Is OP done? If not, run one piece of work that it waits for, and say cudaErrorNotReady. */
cudaError_t rt_poll(rt_op *op);
/* Run all that was issued before OP, so that its modelled time is known. */
cudaError_t rt_time(rt_op *op);
bool rt_running(void);      /* does a thread run work? For any thread, without the lock */
bool rt_is_runner(void);    /* is this thread inside a host function of a stream? */
uint64_t rt_unwaited(void); /* kernels, copies and the like that have not run */

/* --- idle.c: work that a host only watches ------------------------------------------------------
 */

/* Work has been queued: see to it that it runs even if no call ever waits for it. */
void rt_idle_watch(void);
bool rt_idle_watches(void); /* there is a thread of ours for that */
/* The program ends: have that thread run what is queued, and wait for so long at most. */
void rt_idle_finish(long ms);
bool rt_idle_is_me(void); /* the caller is that thread */

/* waiting.c: does every thread of the program wait for the work that runs? None of them can write
 * anything then, nor make a thread that could, before that work has come to its end. For any
 * thread, without the lock. False also where it cannot be told. */
bool rt_host_waits(void);
/* Around a wait for work, or the running of it: 1 and -1. */
void rt_waiting(int threads);
extern uint64_t rt_calls; /* how often the lock was taken */

/* --- overlap.c: kernels that wait for one another ----------------------------------------------
 */

/* A kernel that is under way. */
typedef struct rt_seat {
    uint64_t stuck; /* the generation in which it saw no way on; 0: it may go on by itself */
    bool aside;
    counters before;             /* memory that it touched before it stepped aside */
    uint64_t issued, generation; /* when it was alone last, and since when */
    double since;
    struct rt_seat *next;
} rt_seat;

/* sm_launch.others, of a seat. */
sm_help rt_others(void *seat, bool stuck, bool changed);
int rt_helpers(void); /* threads of ours that run work */

/* --- clock.c: when operations begin and end on the modelled device -----------------------------
 */

/* Give times to all of the N operations, each done, in order of issue. */
void rt_clock_resolve(rt_op **op, size_t n);
double rt_clock_now(void); /* ns: the latest end known so far */
const char *rt_kind_name(rt_kind k);

/* --- context.c: context.h has the rest ---------------------------------------------------------
 */

/* A call of the runtime's: make the primary context, and make it current, where none is. */
cudaError_t rt_context_use(void);
void *rt_owner(void); /* the current context where the driver API made it, else NULL */

/* --- pool.c ------------------------------------------------------------------------------------
 */

void rt_pool_got_back(
    uint64_t at); /* AT was freed: the pool that it came from, if any, counts it */
void rt_pools_settle(
    void); /* the host has waited: pools give back what lies above their thresholds */

/* --- managed.c: what was said about managed memory ---------------------------------------------
 */

/* SIZE bytes from P on are to go TO; NULL: only see that they are managed memory. */
cudaError_t rt_managed_prefetch(const void *p, size_t size, const struct cudaMemLocation *to);
void rt_managed_gone(uint64_t at, uint64_t size); /* that memory was freed */

/* --- copy.c ------------------------------------------------------------------------------------
 */

/* A box of bytes: rows of WIDTH bytes PITCH apart, slices of HEIGHT rows. */
typedef struct rt_side {
    uint64_t base;
    size_t pitch; /* bytes from row to row */
    size_t slice; /* bytes from slice to slice */
} rt_side;

/* Copy with the rules of cudaMemcpy3D; ASYNC as cudaMemcpyAsync. WHAT names the call in messages.
 * S NULL: check only. */
cudaError_t rt_copy(const char *what, rt_side dst, rt_side src, size_t width, size_t height,
                    size_t depth, enum cudaMemcpyKind kind, rt_stream *s, bool async);
/* With elements of UNIT bytes, 1, 2 or 4; WIDTH is in bytes. S NULL: check only. */
cudaError_t rt_fill(const char *what, rt_side dst, uint32_t value, size_t unit, size_t width,
                    size_t height, size_t depth, rt_stream *s, bool async);
/* array_copy.c: cudaMemcpy3D's parameters, arrays included. S NULL: check only. */
cudaError_t rt_copy3d(const char *what, const struct cudaMemcpy3DParms *p, rt_stream *s,
                      bool async);

size_t rt_array_element(cudaArray_const_t array); /* bytes of one; 1: there is no such array */

/* --- stream.c, event.c: what graphs need of them -----------------------------------------------
 */

cudaError_t rt_host_queue(rt_stream *s, cudaHostFn_t fn, void *data);
bool rt_event_known(cudaEvent_t handle);

/* The parts of cudaDeviceReset: resets.def says what each does, and in which order. */
#define RESET(subject, meaning) void rt_reset_##subject(void);
#include "core/resets.def"
#undef RESET

bool rt_event_untimed(cudaEvent_t handle);
cudaError_t rt_event_record(cudaEvent_t handle, rt_stream *s);
cudaError_t rt_event_wait(cudaEvent_t handle, rt_stream *s);

/* --- launch.c ----------------------------------------------------------------------------------
 */

/* A launch that was checked, with its arguments. */
typedef struct rt_launch {
    rt_kernel *kernel;
    dim3 grid, block;
    dim3 cluster;  /* as asked for; 0 throughout: not at all */
    size_t shared; /* dynamic, bytes */
    bool cooperative;
    unsigned depth;  /* 0: by the host; else by a kernel: nested.h */
    uint8_t *params; /* malloc'ed: kernel->func->param_bytes, laid out as the PTX says */
} rt_launch;

/* Find FUNCTION, hold the shape in *L against it and the device, and gather ARGS into new
 * parameters, which are the caller's. LATER: arguments are not there yet, parameters are 0. */
cudaError_t rt_launch_make(const void *function, void **args, bool later, rt_launch *l);
/* Queue it; takes its parameters over, whatever it returns. */
cudaError_t rt_launch_queue(const rt_launch *l, rt_stream *s);

/* Most dynamic shared memory that a launch of K may ask for now, bytes. */
uint64_t rt_dynamic_limit(const rt_kernel *k);
/* Blocks of K that one SM holds at once. */
uint32_t rt_blocks_per_sm(const rt_kernel *k, uint64_t threads, uint64_t dynamic);

/* --- cluster.c: thread block clusters ----------------------------------------------------------
 */

/* The blocks of a cluster in each direction, of a launch of K that asks for ASKED: as asked, or as
 * K wants them, or one. cudaErrorInvalidClusterSize: there can be no such launch. */
cudaError_t rt_cluster_shape(const rt_kernel *k, dim3 grid, dim3 asked, dim3 *shape);
uint64_t rt_cluster_blocks(dim3 shape);
/* Does the launch, or K, say anything of clusters? */
bool rt_clustered(const rt_kernel *k, dim3 asked);
void rt_cluster_attributes(const rt_kernel *k, struct cudaFuncAttributes *a);
cudaError_t rt_cluster_set(rt_kernel *k, enum cudaFuncAttribute attr, int value);

#endif
