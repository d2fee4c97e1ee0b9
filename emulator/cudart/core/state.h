/* All state of the runtime that calls share: one struct per subject, gathered in the variable `rt`.
 * The runtime's lock guards it; atomic fields are also read without the lock. State that belongs to
 * one host thread (its last error, its context stack) is in __thread variables of the files that
 * use it. resets.def says what cudaDeviceReset does to each subject. */
#pragma once

#include "../../accesses/seen.h"
#include "../../memory/memory.h"
#include "../../sanitizer/caller.h"
#include "../../timing/timing.h"
#include "../code/kernel.h"
#include "../streams/op.h"
#include "../streams/overlap.h"
#include "resets.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/* State that cudaDeviceReset sets to zero, except that an error of a kernel's fault stays. */
typedef struct rt_device_state {
    cudaError_t sticky;   /* the sticky error: a kernel caused it, and no later call can clear it */
    timing_state timing;  /* what earlier launches and copies left in the modelled L2 cache */
    uint64_t stack_bytes; /* stack of a thread, bytes (cudaLimitStackSize); 0: the default */
} rt_device_state;

/* Number of limits: the values of cudaLimit, and two limits that only the driver API names. */
#define RT_LIMIT_COUNT 9

/* A context: the primary context, or one that the program created with cuCtxCreate. */
typedef struct rt_context {
    bool primary;   /* this is the primary context of the device */
    bool live;      /* the context exists: it was created and has not been destroyed */
    unsigned flags; /* flags that were given to cuCtxCreate (CU_CTX_*) */
} rt_context;

/* State of core/context.c, device.c and limits.c: the contexts of the device. */
typedef struct rt_contexts_state {
    rt_context primary;                        /* the primary context of the device */
    struct rt_context_node *made;              /* list of contexts that cuCtxCreate made */
    struct rt_owned_memory *owned_memory_list; /* device memory owned by driver API contexts */
    unsigned retains;  /* how often the driver API has retained the primary context */
    bool runtime_uses; /* a call of the runtime API has used the primary context */
    bool was_reset;    /* cudaGetDeviceFlags returns 0 until a primary context exists again */
    double host_ms;    /* modelled host time that creating contexts took so far, ms */
    enum cudaFuncCache cache_config; /* value of cudaDeviceSetCacheConfig */
    struct {
        bool set;             /* the program has called cudaDeviceSetLimit for this limit */
        size_t value;         /* the value that the program has set */
    } limits[RT_LIMIT_COUNT]; /* limits of the device, indexed by enum cudaLimit */
} rt_contexts_state;

/* State of core/handle.c: a hash table of valid handles. */
typedef struct rt_handles_state {
    struct rt_handle_slot *table; /* [size] the slots; each holds a handle, or is free */
    size_t size;                  /* number of slots: a power of two, or 0 */
    size_t used;                  /* number of slots that are not free */
} rt_handles_state;

/* Number of buckets of each hash table of kernels and variables. */
#define RT_MODULE_HASH_BUCKETS 256u

/* State of the files in code/: the modules of device code, their kernels and variables. */
typedef struct rt_modules_state {
    rt_module *first;                           /* list of all loaded and registered modules */
    rt_kernel *kernels[RT_MODULE_HASH_BUCKETS]; /* kernels, hashed by host stub */
    rt_symbol *symbols[RT_MODULE_HASH_BUCKETS]; /* variables, hashed by host address */
    uint64_t launches;                          /* number of kernel launches so far */
} rt_modules_state;

/* State of the files in memory/, except pool.c: host memory, CUDA arrays, textures. */
typedef struct rt_memory_state {
    struct rt_host_block *host_blocks;   /* pinned, managed and registered host memory */
    struct rt_managed_hint *hints;       /* advice and prefetches for managed memory */
    struct rt_physical *physical;        /* handles of memory that the program maps itself */
    struct rt_opened *opened;            /* memory of other processes that this one has opened */
    struct rt_array *arrays;             /* list of all CUDA arrays */
    struct rt_descriptors *objects[256]; /* texture and surface objects, hashed by handle */
} rt_memory_state;

/* A memory pool: cudaMemPool_t (memory/pool.c). */
typedef struct rt_pool {
    mem_kind kind;              /* memory of the device, of the host (MEM_PINNED), or managed */
    bool open_to_device;        /* of a host's pool: cudaMemPoolSetAccess has let the device in */
    uint64_t release_threshold; /* value of cudaMemPoolAttrReleaseThreshold in bytes */
    /* In this order: ReuseFollowEventDependencies, ReuseAllowOpportunistic,
     * ReuseAllowInternalDependencies. */
    int reuse[3];           /* values of the three attributes cudaMemPoolReuse* */
    uint64_t limit;         /* maximum size of the pool in bytes; 0: no maximum */
    uint64_t used;          /* bytes that are allocated from the pool now */
    uint64_t used_high;     /* highest value of `used` since the program reset it */
    uint64_t reserved;      /* bytes that the pool has taken from the device now */
    uint64_t reserved_high; /* highest value of `reserved` since the program reset it */
    /* Allocations that the device has not freed yet, ordered by `pool_offset`. */
    struct rt_pool_alloc *held; /* list of the pool's allocations */
    struct rt_pool *next;       /* next pool of the list */
} rt_pool;

/* Number of buckets of the hash table of pool allocations. */
#define RT_POOL_HASH_BUCKETS 1024u

/* State of memory/pool.c: the memory pools and their allocations. */
typedef struct rt_pools_state {
    rt_pool standard;            /* the device's default pool */
    rt_pool of_host, of_managed; /* the default pools of the host and of managed memory */
    rt_pool *current;            /* the pool that cudaMallocAsync allocates from */
    rt_pool *made;               /* list of the pools that the program created */
    struct rt_pool_alloc *allocations[RT_POOL_HASH_BUCKETS]; /* of all pools, hashed by address */
} rt_pools_state;
/* The default pools alone. */
#define RT_POOLS_AT_START                                                                       \
    {                                                                                           \
        .standard = {.reuse = {1, 1, 1}}, .of_host = {.kind = MEM_PINNED, .reuse = {1, 1, 1}},  \
        .of_managed = {.kind = MEM_MANAGED, .reuse = {1, 1, 1}}, .current = &rt.pools.standard, \
    }

/* State of streams/stream_list.c: the streams that exist. */
typedef struct rt_streams_state {
    rt_stream legacy; /* the legacy default stream */
    rt_stream *first; /* list of all streams; its last element is `legacy` */
    uint64_t next_id; /* id of the next stream to be created */
} rt_streams_state;

/* State of streams/event.c and notify.c: events, and callbacks for memory budgets. */
typedef struct rt_events_state {
    struct rt_event *first;                /* list of all events */
    struct rt_notification *notifications; /* cudaDeviceRegisterAsyncNotification */
} rt_events_state;

/* State of streams/queue.c, queue_run.c, order.c and waiting.c: the operations that streams have
 * been given, and who runs them. */
typedef struct rt_queue_state {
    uint64_t next_seq;  /* issue number (rt_op.seq) of the next operation */
    uint64_t made;      /* number of operations created so far; the last one has it as rt_op.id */
    rt_op *head;        /* list of operations without a modelled time yet, in order of issue */
    rt_op **tail;       /* the link at the end of the list `head` */
    uint32_t untimed;   /* number of operations in the list `head` */
    rt_op *host_last;   /* operation that marks the last wait of the host (RT_HOST_WAIT) */
    double host_ns;     /* modelled time of the host's calls since its last wait, ns */
    rt_op **saved_tail; /* `tail`, saved while operations are inserted before another one */
    rt_op **insertion_point;       /* the link in the list where this insertion began */
    bool running;                  /* a thread is running queued operations */
    uint64_t traversals;           /* number of graph traversals so far; marks visited operations */
    rt_op *running_host_function;  /* running cudaLaunchHostFunc; NULL: none */
    unsigned host_function_checks; /* checks that found the same host function running */
    struct rt_preceding_ops *host_order; /* operations the host has waited for */
    atomic_int waiting;                  /* threads of the program that wait for work or run it */
    atomic_int host_functions; /* number of host functions (cudaLaunchHostFunc) that run now */
} rt_queue_state;

/* State of streams/idle.c: threads that run queued work while the host makes no calls. */
typedef struct rt_idle_state {
    bool started;               /* creating the watching thread was tried */
    bool watcher_exists;        /* the thread that watches for an idle host exists */
    atomic_bool worker_started; /* the thread that runs queued work exists */
    bool exit_pending;          /* the program wants to exit, after the queued work has run */
    sem_t exit_requested;       /* wakes the watching thread when the program exits */
    sem_t done;                 /* posted when the work queued at program exit has run */
} rt_idle_state;

/* State of streams/overlap.c: kernels that are suspended because they wait for other work. */
typedef struct rt_overlap_state {
    rt_resident_kernel *first; /* list of suspended kernels, the one suspended longest first */
    rt_resident_kernel **last; /* the link at the end of this list */
    uint64_t generation; /* grows when an operation ends, and when a waiting kernel wrote memory */
    uint64_t switches;   /* number of times that a kernel was suspended for other work */
    atomic_int helpers;  /* number of existing threads that run work in place of a kernel */
    bool waits_for_host; /* the running kernel seems to wait for a write of the host */
} rt_overlap_state;

#define RT_MAX_RESIDENT_KERNELS 128 /* maximum number of concurrent kernels */

/* State of streams/op_times.c: which parts of the modelled device are busy, and until when. */
typedef struct rt_clock_state {
    struct {
        double start; /* modelled start of the last copy of this copy engine, ns */
        double end;   /* modelled end of that copy, ns */
    } engine[2];      /* copy engines: [0] from host to device, [1] from device to host */
    struct {
        double end;   /* modelled end of the kernel, ns */
        double share; /* fraction of the device that the kernel occupies, 0 to 1 */
    } resident[RT_MAX_RESIDENT_KERNELS]; /* kernels that run concurrently */
    int resident_count;                  /* number of kernels in `resident` */
    double latest;                       /* latest modelled end of an operation, ns */
    double graph_kernel_start;           /* modelled start of the last kernel of a graph, ns */
} rt_clock_state;

/* State of the files in graphs/: graphs, stream captures, and memory of graphs. */
typedef struct rt_graphs_state {
    struct rt_graph *first;      /* list of all graphs */
    uint64_t next_serial;        /* serial number of the next graph or node to be created */
    struct rt_graph_exec *execs; /* list of executable graphs */
    struct rt_capture *captures; /* list of stream captures that have not ended */
    struct rt_capture_position *positions; /* positions of streams and events in captured graphs */
    uint64_t next_capture;                 /* id of the next stream capture */
    struct rt_condition *conditions;       /* list of all cudaGraphConditionalHandle */
    struct rt_user_object *dead;    /* cudaUserObject_t that nothing references, to be destroyed */
    struct rt_graph_memory *memory; /* list of allocations made by nodes of graphs */
    uint64_t footprint; /* bytes reserved for graphs: the largest need of simultaneous launches */
    uint64_t footprint_high[2]; /* maxima in bytes: cudaGraphMemAttrUsedMemHigh, ReservedMemHigh */
} rt_graphs_state;

/* How much work the program has issued so far. Tells whether two events enclose any work. */
typedef struct rt_work_counts {
    uint64_t real_works;    /* kernels that may change memory, copies, fills, host functions */
    uint64_t empty_kernels; /* kernels without a visible effect */
} rt_work_counts;

/* State of checks/streams.c, which searches for races between operations of streams. */
typedef struct rt_race_state {
    struct rt_past_op *past_ops; /* list of operations that have run, newest first */
    /* Host functions (cudaLaunchHostFunc) that have run. A host function may tell the host that
     * everything before it has completed. */
    struct {
        rt_op *op;           /* operation of the host function */
        uint64_t from;       /* operations issued from this rt_op.seq on may know that it has run */
    } functions[64];         /* host functions that have run */
    uint32_t function_count; /* entries used in `functions` */
    /* A stream waited for a value in memory that another stream wrote. Operations before the write
     * precede operations after the wait. */
    struct {
        rt_op *write;      /* the operation that wrote the value: cuStreamWriteValue */
        rt_op *wait;       /* the operation that waited for the value: cuStreamWaitValue */
    } passed[256];         /* waits for a value that have ended */
    uint32_t passed_count; /* entries used in `passed` */
    /* For each address, the last write of a value by a stream. */
    struct {
        uint64_t at;      /* address that was written */
        uint64_t value;   /* value that was written there */
        rt_op *op;        /* operation that wrote it: cuStreamWriteValue */
    } writes[64];         /* last write of a value to each address */
    uint32_t write_count; /* entries used in `writes` */
    bool unknown;         /* the order of operations is not known, so no races are reported */
    uint32_t requested;   /* number of operations that kernels launched and that have run */
    bool repeated;        /* a replay runs the operations of several streams one after another */
} rt_race_state;

/* State of the files in checks/, which find mistakes of host code. */
typedef struct rt_checks_state {
    rt_race_state operations;          /* operations of streams, and what orders them */
    struct rt_guarded_op *guarded_ops; /* operations that the host must wait for before it uses
                                        * their host memory */
    uint64_t host_seen; /* rt.calls when managed memory was last searched for writes of the host */
    struct rt_undecided_access *undecided_accesses; /* accesses by the host, not judged yet */
    /* Errors that the program has not checked yet, one for each call site, in the order in which
     * they happened; the lock of checks/errors.c guards them. */
    struct {
        cudaError_t error; /* the error that the program has not checked */
        pthread_t thread;  /* thread that made the failed call */
        san_caller by;     /* source position of the failed call */
        char because[400]; /* sentence that explains the error; "": unknown */
    } unchecked_errors[20];
    uint32_t unchecked_error_count; /* entries used in `unchecked_errors` */
    bool had_error;                 /* a call has returned an error, checked or not */
    rt_work_counts issued;          /* how much work the program has issued so far */
    san_caller last_empty; /* source position of the last launch of a kernel without effect */
    char last_name[200];   /* name of that kernel */
} rt_checks_state;

/* All state that calls share. The only object of this type is `rt`. */
typedef struct rt_state {
    bool opened;            /* opening the device was tried */
    rt_device_state state;  /* state that cudaDeviceReset clears */
    cudaError_t failed;     /* why the device could not be opened; cudaSuccess: it is open */
    device_profile profile; /* the modelled device */
    uint32_t workers;       /* number of host threads that run blocks of kernels */
    const char *counters;   /* path from WARPBOOK_COUNTERS; NULL: not set */
    const char *lines;      /* path from WARPBOOK_LINES; NULL: not set */
    const char *source;     /* path from WARPBOOK_SOURCE; NULL: not set */
    acc_seen_launches in_source_table; /* launches whose rows are in the table WARPBOOK_SOURCE */
    const char *timeline;              /* path from WARPBOOK_TIMELINE; NULL: not set */
    unsigned sanitize;  /* kinds of mistakes to look for: a set of the bits in sanitizer/kinds.h */
    bool skip_races;    /* do not search kernels for races, whatever `sanitize` says */
    bool uncounted;     /* WARPBOOK_COUNTING=0: memory accesses are not counted */
    bool skip_profiled; /* WARPBOOK_SKIP_PROFILED=1: kernels launched while `profiled` do not run */
    bool profiled;      /* the program is between cudaProfilerStart and cudaProfilerStop */
    uint32_t profiled_ranges; /* how many such ranges have begun */
    unsigned flags;           /* flags that cudaSetDeviceFlags has stored */
    bool orphan;     /* this process is a forked child of a process that had opened the device */
    bool ends;       /* the program is exiting (core.c) */
    bool ended_well; /* the program has ended by itself with status 0 */
    uint64_t calls;  /* number of calls of the runtime so far */

    rt_contexts_state contexts; /* contexts of the device */
    rt_handles_state handles;   /* handles of graphs, nodes and libraries that are valid */
    rt_modules_state modules;   /* device code: modules, kernels, variables */
    rt_memory_state memory;     /* host memory, CUDA arrays, texture objects */
    rt_pools_state pools;       /* memory pools */
    rt_streams_state streams;   /* list of streams */
    rt_events_state events;     /* list of events */
    rt_queue_state queue;       /* queued operations of streams */
    rt_idle_state idle;         /* threads that run queued work while the host makes no calls */
    rt_overlap_state overlap;   /* kernels that wait for other work */
    rt_clock_state clock;       /* modelled times at which the device becomes free */
    rt_graphs_state graphs;     /* graphs and stream captures */
    rt_checks_state checks;     /* what the checks of host code remember */
} rt_state;

extern rt_state rt; /* the state of the runtime */

/* The size of the buffer of device printf (cudaLimitPrintfFifoSize). Needs the lock. */
uint64_t rt_printf_buffer_bytes(void);
