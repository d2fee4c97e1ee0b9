/* Streams and their operations, which are deferred until the program waits for them. */
#pragma once

#include "../core/call.h"

typedef struct rt_op rt_op; /* an operation of a stream: a kernel, a copy, ... */
struct rt_op_info;          /* describes an operation to a recorder (recorder.h) */
struct rt_capture;          /* a stream capture in progress (capture.c) */
struct rt_capture_position; /* a position in a captured graph (capture.h) */

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
    bool programmatic;   /* a kernel that may begin before the one before it in its stream ends */
    struct rt_preceding_ops *order; /* the operations that precede this one; NULL: not recorded */
    rt_op_kind kind;                /* what the operation does */
    uint64_t stream;                /* id of the stream to which the operation was issued */
    uint64_t branch;                /* id of the stream, or of a chain of graph nodes (order.h) */
    bool all;                /* only for RT_HOST_WAIT: the host waited for all issued operations */
    bool host_returns_early; /* a copy from pageable memory: the host waits until the source is
                                read */
    bool continued;          /* a later operation belongs to the same branch of a graph */
    enum { RT_PENDING, RT_RUNNING, RT_DONE } state; /* has not begun; is running; has ended */
    rt_op **dep;        /* [dep_count] operations that must be done before this one begins */
    uint32_t dep_count; /* number of operations in `dep` */
    bool extended;      /* the last entry of `dep` was added after the operation was issued */
    /* Performs the operation, without the lock; sets ns, share and fault. NULL: no work. */
    void (*run)(rt_op *op);
    /* Called with the lock held when all dependencies of OP are done. Returns true if it has queued
     * more operations before OP, for which OP now waits. NULL: OP never queues operations. */
    bool (*decide)(rt_op *op);
    bool blocked;    /* the operation cannot run yet: `decide` must be called again later */
    uint64_t looked; /* number of the last graph traversal that visited the operation */
    /* Describes to a recorder what `run` does (core/recorder.h). NULL: it is not recorded. */
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
/* Take the lock and look up the stream of a handle. */
cudaError_t rt_lock_and_find_stream(cudaStream_t handle, rt_stream **s);
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
