/* All state of the runtime that calls share: one struct per subject, gathered in `rt`. The
 * runtime's lock guards it; fields that are atomic are also read without. What a host thread has
 * for itself (its last error, its stack of contexts) are __thread variables of the files that use
 * them. resets.def says what cudaDeviceReset does to each subject. Included by cudart.h only. */
#ifndef WARPBOOK_CUDART_STATE_H
#define WARPBOOK_CUDART_STATE_H

#include "../../accesses/seen.h"
#include "../../sanitizer/caller.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/* What cudaDeviceReset makes all zeros again. */
typedef struct rt_device_state {
    cudaError_t sticky; /* the error of a kernel that no later call can clear */
    timing_state timing;
    uint64_t stack_bytes; /* cudaLimitStackSize; 0: the SM's own */
} rt_device_state;

#define RT_LIMITS 9 /* cudaLimit, and two that only the driver API names */

typedef struct rt_context {
    bool primary;
    bool live; /* primary context: it is active. Others: not destroyed yet */
    unsigned flags;
} rt_context;

/* core/context.c, device.c, limits.c */
typedef struct rt_contexts_state {
    rt_context primary;
    struct rt_made *made; /* by the driver API */
    struct rt_holding *holdings;
    unsigned retains;  /* how often the driver API has retained the primary context */
    bool runtime_uses; /* whether the runtime uses the primary context */
    bool was_reset;    /* flags read as 0 until the primary context is created again */
    double host_ms;    /* modelled time that calls have cost the host, ms */
    enum cudaFuncCache cache_config;
    struct {
        bool set;
        size_t value;
    } limits[RT_LIMITS];
} rt_contexts_state;

/* core/handle.c: a hash table */
typedef struct rt_handles_state {
    struct rt_handle_slot *table;
    size_t size, used; /* slots (a power of two), and how many of them are not free */
} rt_handles_state;

#define RT_BUCKETS 256u

/* code/ */
typedef struct rt_modules_state {
    rt_module *first;
    rt_kernel *kernels[RT_BUCKETS]; /* hashed by the address of the host stub */
    rt_symbol *symbols[RT_BUCKETS];
    uint64_t launches;
} rt_modules_state;

/* memory/, but for pools */
typedef struct rt_memory_state {
    struct rt_host_block *host_blocks;
    struct rt_hint *hints;
    struct rt_array *arrays;
    /* Texture and surface objects, hashed by handle: programs may have thousands. */
    struct rt_descriptors *objects[256];
} rt_memory_state;

/* memory/pool.c */
typedef struct rt_pool {
    uint64_t release_threshold;
    /* ReuseFollowEventDependencies, ReuseAllowOpportunistic, ReuseAllowInternalDependencies */
    int reuse[3];
    uint64_t most;                                     /* limit on its size, bytes; 0: none */
    uint64_t used, used_most, reserved, reserved_most; /* statistics, bytes */
    struct rt_piece *held; /* allocations not freed by the device yet, ordered by `place` */
    struct rt_pool *next;
} rt_pool;

#define RT_PIECE_BUCKETS 1024u

typedef struct rt_pools_state {
    rt_pool standard; /* the device's own */
    rt_pool *current; /* the one that cudaMallocAsync allocates from */
    rt_pool *made;    /* list of the pools that the program created */
    struct rt_piece *pieces[RT_PIECE_BUCKETS];
} rt_pools_state;

/* State of streams/stream_list.c. */
typedef struct rt_streams_state {
    rt_stream legacy; /* the legacy default stream */
    rt_stream *first; /* list of all streams; its last element is `legacy` */
    uint64_t next_id;
} rt_streams_state;

/* State of streams/event.c and notify.c. */
typedef struct rt_events_state {
    struct rt_event *first;
    struct rt_notification *notifications;
} rt_events_state;

/* State of streams/queue.c, queue_run.c, order.c and waiting.c. */
typedef struct rt_queue_state {
    uint64_t next_seq;
    uint64_t made;       /* number of operations created so far, from which rt_op.id is taken */
    rt_op *head, **tail; /* issued but not timed yet, in order of issue */
    uint32_t untimed;
    rt_op *host_last; /* the newest RT_HOST_WAIT */
    double host_ns;   /* modelled time of the host's calls since `host_last` */
    rt_op **resume;   /* the end of the list, between rt_queue_before and rt_queue_resume */
    rt_op **between;  /* between those calls: where the first inserted operation is linked */
    bool running;     /* whether a thread runs work */
    uint64_t looks;   /* last number given to a walk over the operations: rt_op.looked */
    rt_op *in_host;   /* the host function that the thread running the work is executing now; NULL:
                         none */
    unsigned
        in_host_looks; /* how often rt_host_function_look has found `in_host` still executing */
    struct rt_order *host_order; /* what the host has waited for; NULL: nothing yet */
    atomic_int waiting;          /* threads of the program that wait for work or run it */
    atomic_int host_functions;   /* number of host functions of streams that run now; they may write
                                    memory */
} rt_queue_state;

/* State of streams/idle.c. */
typedef struct rt_idle_state {
    bool started, there;
    atomic_bool runs; /* idle.c has started its thread, which runs what is queued */
    bool ends;        /* the program wants to exit and waits until that thread has finished */
    sem_t hurry;      /* posted when the program exits */
    sem_t done;       /* posted when the work queued by then has run */
} rt_idle_state;

/* State of streams/overlap.c. */
typedef struct rt_overlap_state {
    rt_seat *first, **last; /* suspended kernels; the one suspended longest comes first */
    uint64_t generation;    /* counts changes of memory by kernels and copies */
    uint64_t switches;
    atomic_int helpers;
    bool lingers; /* the running kernel waits for the host */
} rt_overlap_state;

#define RT_MAX_RESIDENT 128 /* most kernels at once */

/* State of streams/clock.c. */
typedef struct rt_clock_state {
    struct {
        double start, end; /* start and end of the engine's last copy, ns */
    } engine[2];           /* 0: host to device, 1: device to host */
    struct {
        double end, share;
    } resident[RT_MAX_RESIDENT];
    int resident_count;
    double latest;
    double latest_node; /* start of the last kernel of a graph, ns */
} rt_clock_state;

/* graphs/ */
typedef struct rt_graphs_state {
    struct rt_graph *first;
    uint64_t next_serial;
    struct rt_exec *execs;
    struct rt_capture *captures; /* captures that have not ended */
    struct rt_mark *marks;       /* marks of capturing streams, and of events that refer to nodes */
    uint64_t next_capture;
    struct rt_condition *conditions;
    struct rt_object *dead; /* user objects to destroy */
    struct rt_graph_memory *memory;
    /* Bytes that graphs have reserved on the device: the largest need of simultaneous launches
     * since the last trim. footprint_most holds the maxima for UsedMemHigh and ReservedMemHigh. */
    uint64_t footprint, footprint_most[2];
} rt_graphs_state;

/* How much has been issued: kernels that do nothing apart. */
typedef struct rt_timed {
    uint64_t works, empties;
} rt_timed;

/* State of checks/streams.c: what decides whether two operations are ordered. */
typedef struct rt_operations {
    struct rt_past *pasts; /* operations that have run, the newest first */
    /* Host functions that have run: the host may know by one that all before it is over, and what
     * it issues from there on (an rt_op.seq) comes after that. */
    struct {
        rt_op *op;
        uint64_t from;
    } functions[64];
    uint32_t function_count;
    /* A stream has waited for a value in memory that another one wrote: what comes before the write
     * comes before what follows the wait. */
    struct {
        rt_op *write, *wait;
    } passed[256];
    uint32_t passed_count;
    /* The last write of a value by a stream, for each address. */
    struct {
        uint64_t at, value;
        rt_op *op;
    } writes[64];
    uint32_t write_count;
    bool unknown;  /* set by rt_check_order_unknown: the order of operations cannot be decided */
    bool repeated; /* set by rt_check_all_streams */
} rt_operations;

/* checks/ */
typedef struct rt_checks_state {
    rt_operations operations;
    struct rt_guarding *guardings;
    struct rt_doubtful *doubts;
    /* The first error of the program that is still to be asked about; the lock of checks/errors.c
     * guards it. */
    struct {
        cudaError_t
            error; /* the error that the program has not asked for; cudaSuccess: there is none */
        pthread_t thread;
        san_caller by;
        char because[200]; /* why the error occurred; "": the text of the error code says enough */
    } unasked;
    rt_timed issued;
    san_caller last_empty;
    char last_name[200];
} rt_checks_state;

typedef struct rt_device {
    bool opened;
    rt_device_state state;
    cudaError_t failed; /* why the device could not be opened */
    device_profile profile;
    uint32_t workers;     /* host threads that run blocks */
    const char *counters; /* WARPBOOK_COUNTERS, _LINES and _TIMELINE: paths, or NULL if not set */
    const char *lines;
    const char *source; /* path from WARPBOOK_SOURCE; NULL: not set */
    acc_seen in_source; /* launches that have been written to the file `source` */
    const char *timeline;
    unsigned sanitize;  /* kinds of mistakes to look for: sanitizer/kinds.h */
    bool uncounted;     /* WARPBOOK_COUNTING=0: memory accesses are not counted */
    bool skip_profiled; /* WARPBOOK_SKIP_PROFILED=1 */
    bool profiled;      /* between cudaProfilerStart and cudaProfilerStop */
    unsigned flags;     /* flags of cudaSetDeviceFlags */
    bool orphan;        /* a child of a process that had opened the device */
    bool ends;          /* the program is exiting: see core.c */
    bool ended_well;    /* the program has ended by itself with status 0 */
    uint64_t calls;     /* how often the lock was taken */

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
} rt_device;

extern rt_device rt;

#endif
