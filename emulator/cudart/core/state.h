/* All state of the runtime that calls share: one struct per subject, gathered in the variable `rt`.
 * The runtime's lock guards it; atomic fields are also read without the lock. State that belongs to
 * one host thread (its last error, its context stack) is in __thread variables of the files that
 * use it. resets.def says what cudaDeviceReset does to each subject. Only cudart.h includes this
 * file. */
#ifndef WARPBOOK_CUDART_STATE_H
#define WARPBOOK_CUDART_STATE_H

#include "../../accesses/seen.h"
#include "../../sanitizer/caller.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/* State that cudaDeviceReset sets to zero. */
typedef struct rt_device_state {
    cudaError_t sticky;   /* the sticky error: a kernel caused it, and no later call can clear it */
    timing_state timing;  /* constants of the model of time */
    uint64_t stack_bytes; /* cudaLimitStackSize; 0: the default of the SM */
} rt_device_state;

/* Number of limits: the values of cudaLimit, and two limits that only the driver API names. */
#define RT_LIMIT_COUNT 9

typedef struct rt_context {
    bool primary; /* the primary context of the device */
    bool live; /* of the primary context: it is active; of another context: it is not destroyed yet
                */
    unsigned flags; /* flags of the context */
} rt_context;

/* State of core/context.c, device.c and limits.c: the contexts of the device. */
typedef struct rt_contexts_state {
    rt_context primary;
    struct rt_context_node *made;              /* contexts that the driver API created */
    struct rt_owned_memory *owned_memory_list; /* device memory owned by driver API contexts */
    unsigned retains;  /* how often the driver API has retained the primary context */
    bool runtime_uses; /* the runtime uses the primary context */
    bool was_reset;    /* flags read as 0 until the primary context is created again */
    double host_ms;    /* modelled host time spent on calls, ms */
    enum cudaFuncCache cache_config; /* preferred cache configuration */
    struct {
        bool set;     /* the program has set the limit */
        size_t value; /* the limit's value */
    } limits[RT_LIMIT_COUNT];
} rt_contexts_state;

/* State of core/handle.c: a hash table of valid handles. */
typedef struct rt_handles_state {
    struct rt_handle_slot *table;
    size_t size, used; /* number of slots (a power of two), and number of slots that are not free */
} rt_handles_state;

#define RT_MODULE_HASH_BUCKETS 256u

/* code/ */
typedef struct rt_modules_state {
    rt_module *first;                           /* list of all modules */
    rt_kernel *kernels[RT_MODULE_HASH_BUCKETS]; /* hashed by the address of the host stub */
    rt_symbol *symbols[RT_MODULE_HASH_BUCKETS]; /* hashed by the address of the host variable */
    uint64_t launches;                          /* number of launches so far */
} rt_modules_state;

/* State of the files in memory/, except pool.c. */
typedef struct rt_memory_state {
    struct rt_host_block *host_blocks; /* pinned, managed and registered host memory */
    struct rt_managed_hint *hints;     /* advice and prefetches for managed memory */
    struct rt_array *arrays;           /* list of all CUDA arrays */
    /* Texture and surface objects, hashed by handle: programs may have thousands. */
    struct rt_descriptors *objects[256];
} rt_memory_state;

/* A memory pool (memory/pool.c). */
typedef struct rt_pool {
    uint64_t release_threshold; /* value of cudaMemPoolAttrReleaseThreshold in bytes */
    /* In this order: ReuseFollowEventDependencies, ReuseAllowOpportunistic,
     * ReuseAllowInternalDependencies. */
    int reuse[3];   /* values of the attributes cudaMemPoolReuse* */
    uint64_t limit; /* maximum size of the pool in bytes; 0: no maximum */
    uint64_t used, used_high, reserved, reserved_high; /* statistics in bytes: current use and
                                                          reservation, and the highest values */
    struct rt_pool_alloc
        *held;            /* allocations not freed by the device yet, ordered by `pool_offset` */
    struct rt_pool *next; /* next pool of the list */
} rt_pool;

#define RT_POOL_HASH_BUCKETS 1024u

typedef struct rt_pools_state {
    rt_pool standard; /* the device's default pool */
    rt_pool *current; /* the pool that cudaMallocAsync allocates from */
    rt_pool *made;    /* list of the pools that the program created */
    struct rt_pool_alloc
        *allocations[RT_POOL_HASH_BUCKETS]; /* pool allocations, hashed by address */
} rt_pools_state;

/* State of streams/stream_list.c. */
typedef struct rt_streams_state {
    rt_stream legacy; /* the legacy default stream */
    rt_stream *first; /* list of all streams; its last element is `legacy` */
    uint64_t next_id; /* id of the next stream */
} rt_streams_state;

/* State of streams/event.c and notify.c. */
typedef struct rt_events_state {
    struct rt_event *first;                /* list of all events */
    struct rt_notification *notifications; /* registered notifications */
} rt_events_state;

/* State of streams/queue.c, queue_run.c, order.c and waiting.c. */
typedef struct rt_queue_state {
    uint64_t next_seq;   /* rt_op.seq of the next operation */
    uint64_t made;       /* number of operations created so far; the source of rt_op.id */
    rt_op *head, **tail; /* list of operations whose times are not known yet, in order of issue; its
                            last link */
    uint32_t untimed;    /* number of operations in the list `head` */
    rt_op *host_last;    /* the newest operation of kind RT_HOST_WAIT */
    double host_ns;      /* modelled time of the host's calls since `host_last` */
    rt_op **saved_tail;  /* the value of `tail` before rt_queue_insert_before was called */
    rt_op **insertion_point; /* link to the first operation that was queued after
                              * rt_queue_insert_before */
    bool running;            /* a thread runs queued work */
    uint64_t traversals;     /* number of traversals of the operations so far; see rt_op.looked */
    rt_op *running_host_function;  /* the host function of a stream that runs now; NULL: none */
    unsigned host_function_checks; /* how often that host function was found to be still running */
    struct rt_preceding_ops *host_order; /* what the host has waited for; NULL: nothing yet */
    atomic_int waiting;                  /* threads of the program that wait for work or run it */
    atomic_int host_functions; /* number of host functions of streams that run now; they may write
                                  memory */
} rt_queue_state;

/* State of streams/idle.c. */
typedef struct rt_idle_state {
    bool started,
        watcher_exists; /* starting the threads of idle.c was tried; the watching thread exists */
    atomic_bool worker_started; /* the thread that runs queued work has been started */
    bool exit_pending; /* the program wants to exit, and waits until the queued work has run */
    sem_t
        exit_requested; /* posted when the program exits, to end the wait of the watching thread */
    sem_t done;         /* posted when the work that was queued at program exit has run */
} rt_idle_state;

/* State of streams/overlap.c. */
typedef struct rt_overlap_state {
    rt_resident_kernel *first,
        **last;          /* list of suspended kernels, the one suspended longest first; its end */
    uint64_t generation; /* counts changes of memory by kernels and copies */
    uint64_t switches;   /* number of switches between kernels */
    atomic_int helpers;  /* number of threads of overlap.c that run work */
    bool waits_for_host; /* the running kernel waits for the host */
} rt_overlap_state;

#define RT_MAX_RESIDENT_KERNELS 128 /* maximum number of concurrent kernels */

/* State of streams/clock.c. */
typedef struct rt_clock_state {
    struct {
        double start, end; /* start and end, in ns, of the last copy of this copy engine */
    } engine[2]; /* copy engines: [0] for copies from host to device, [1] for copies from device to
                    host */
    struct {
        double end, share; /* end of the kernel in ns; fraction of the device that it occupies */
    } resident[RT_MAX_RESIDENT_KERNELS]; /* kernels that run concurrently */
    int resident_count;                  /* number of kernels in `resident` */
    double latest;                       /* latest end of an operation, ns */
    double graph_kernel_start;           /* when the last kernel of a graph started, ns */
} rt_clock_state;

/* State of the files in graphs/. */
typedef struct rt_graphs_state {
    struct rt_graph *first;      /* list of all graphs */
    uint64_t next_serial;        /* number of the next graph or node */
    struct rt_graph_exec *execs; /* list of executable graphs */
    struct rt_capture *captures; /* captures that have not ended */
    struct rt_event_mark *marks; /* lists of graph nodes on which the next captured node depends: of
                                    streams, and of recorded events */
    uint64_t next_capture;       /* id of the next capture */
    struct rt_condition *conditions; /* list of conditional handles */
    struct rt_user_object
        *dead; /* user objects (cudaUserObject_t) without references, which are to be destroyed */
    struct rt_graph_memory *memory; /* list of allocations made by graphs */
    /* `footprint`: bytes that graphs have reserved on the device: the largest need of simultaneous
     * launches since the last trim. footprint_high holds the maxima for UsedMemHigh and
     * ReservedMemHigh. */
    uint64_t footprint, footprint_high[2];
} rt_graphs_state;

/* Numbers of operations that have been issued so far. */
typedef struct rt_work_counts {
    uint64_t real_works, empty_kernels; /* kernels without a visible effect: `empty_kernels`; all
                                           other work: `real_works` */
} rt_work_counts;

/* State of checks/streams.c, which decides whether two operations are ordered. */
typedef struct rt_race_state {
    struct rt_past_op *past_ops; /* operations that have run, newest first */
    /* Host functions (cudaLaunchHostFunc) that have run. A host function may tell the host that
     * everything before it has completed. */
    struct {
        rt_op *op;
        uint64_t from; /* operations with an rt_op.seq of at least this follow the host function */
    } functions[64];
    uint32_t function_count; /* entries used in `functions` */
    /* A stream waited for a value in memory that another stream wrote. Operations before the write
     * precede operations after the wait. */
    struct {
        rt_op *write, *wait; /* the write, and the wait for its value */
    } passed[256];
    uint32_t passed_count; /* entries used in `passed` */
    /* For each address, the last write of a value by a stream. */
    struct {
        uint64_t at, value;
        rt_op *op;
    } writes[64];
    uint32_t write_count; /* entries used in `writes` */
    bool unknown;         /* the order of operations is not tracked, so races are not looked for */
    uint32_t requested;   /* number of operations that kernels launched and that have run */
    bool repeated;        /* a replay runs the operations of several streams one after another */
} rt_race_state;

/* checks/ */
typedef struct rt_checks_state {
    rt_race_state operations; /* operations of streams, and what orders them */
    struct rt_guarded_op
        *guarded_ops;   /* operations whose host memory is guarded until the host waits */
    uint64_t host_seen; /* rt.calls when managed memory was last searched for writes of the host */
    struct rt_undecided_access
        *undecided_accesses; /* suspicious accesses by the host, decided when the work has run */
    /* The program's first error that it has not checked yet; the lock of checks/errors.c guards
     * it. */
    struct {
        cudaError_t error; /* the error that the program has not checked; cudaSuccess: none */
        pthread_t thread;  /* thread that made the failed call */
        san_caller by;     /* the failed call */
        char because[200]; /* reason of the error; "": unknown */
    } unchecked_error;
    rt_work_counts issued; /* counts of the work issued so far */
    san_caller last_empty; /* host code that launched the last kernel without effect */
    char last_name[200];   /* name of the last kernel without effect */
} rt_checks_state;

typedef struct rt_state {
    bool opened; /* the device has been opened */
    rt_device_state state;
    cudaError_t failed;          /* why the device could not be opened */
    device_profile profile;      /* the modelled device */
    uint32_t workers;            /* host threads that run blocks */
    const char *counters;        /* path from WARPBOOK_COUNTERS; NULL: not set */
    const char *lines;           /* path from WARPBOOK_LINES; NULL: not set */
    const char *source;          /* path from WARPBOOK_SOURCE; NULL: not set */
    acc_seen_launches in_source; /* launches that have been written to the file `source` */
    const char *timeline;        /* path from WARPBOOK_TIMELINE; NULL: not set */
    unsigned
        sanitize; /* kinds of mistakes to look for: a bit for each, numbered in sanitizer/kinds.h */
    bool skip_races;    /* launches are not searched for races, whatever `sanitize` says */
    bool uncounted;     /* WARPBOOK_COUNTING=0: memory accesses are not counted */
    bool skip_profiled; /* WARPBOOK_SKIP_PROFILED=1 is set: kernels between cudaProfilerStart and
                           cudaProfilerStop do not run */
    bool profiled;      /* the program is between cudaProfilerStart and cudaProfilerStop */
    unsigned flags;     /* flags of cudaSetDeviceFlags */
    bool orphan;        /* this process is a forked child of a process that had opened the device */
    bool ends;          /* the program is exiting (core.c) */
    bool ended_well;    /* the program has ended by itself with status 0 */
    uint64_t calls;     /* number of times that the lock was taken */

    rt_contexts_state contexts;
    rt_handles_state handles;
    rt_modules_state modules;
    rt_memory_state memory;
    rt_pools_state pools;
    rt_streams_state streams;
    rt_events_state events;
    rt_queue_state queue;
    rt_idle_state idle;
    rt_overlap_state overlap;
    rt_clock_state clock;
    rt_graphs_state graphs;
    rt_checks_state checks;
} rt_state;

extern rt_state rt;

#endif
