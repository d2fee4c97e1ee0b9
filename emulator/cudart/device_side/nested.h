/* Calls of the runtime that kernels make: launches, copies, streams and events (CUDA C++
 * Programming Guide, "CUDA Dynamic Parallelism"). nested_calls.c executes the calls while the
 * kernel runs and collects the requested work; nested.c queues that work when the kernel has ended.
 * Shared by the files of this folder and launch.c. */
#pragma once

#include "../code/kernel.h"
#include "../code/launch.h"
#include "../core/call.h"
#include "../memory/copy.h"
#include "../streams/op.h"

/* What a kernel can request of the device runtime. */
typedef enum nested_kind {
    NESTED_KERNEL,       /* a kernel launch */
    NESTED_COPY,         /* cudaMemcpyAsync in device code */
    NESTED_FILL,         /* cudaMemsetAsync in device code */
    NESTED_EVENT_RECORD, /* cudaEventRecord in device code */
    NESTED_EVENT_WAIT    /* cudaStreamWaitEvent in device code */
} nested_kind;

/* A copy or fill that a kernel requested. */
typedef struct nested_copy {
    rt_copy_box dst, src;     /* destination; source (copies only) */
    size_t width, height;     /* bytes in a row; number of rows */
    uint32_t value;           /* byte that a fill stores */
    enum cudaMemcpyKind kind; /* direction of a copy */
} nested_copy;

/* One operation that the kernel requested. The operations of a stream, which belongs to one block,
 * run in order. */
typedef struct nested_work {
    nested_kind kind; /* what was requested */
    uint32_t stream;  /* the stream of the request: an index in rt_nested.streams */
    double issued;    /* modelled time of the request, in ns after the start of the kernel */
    union {
        rt_launch launch; /* owns the launch parameters until the launch is queued */
        nested_copy box;  /* the memory of a copy or fill */
        uint32_t event;   /* for events: index in rt_nested.work of the record of the event */
    };
} nested_work;

/* A queue of operations that run in order: a block's stream, or one fire-and-forget launch. */
typedef struct nested_stream {
    uint64_t block;  /* linear index of the block that owns the stream */
    uint64_t handle; /* the stream's handle in device code; 0: the block's NULL stream */
    bool tail;       /* the tail launch stream: runs after all other work of the grid */
    bool named;      /* created by cudaStreamCreateWithFlags */
    rt_op *end;      /* last operation queued for the stream; valid while work is being queued */
} nested_stream;

/* An event that device code created. */
typedef struct nested_event {
    uint64_t block;  /* linear index of the block that created the event */
    uint32_t record; /* its last record: index in rt_nested.work, or NESTED_NO_RECORD */
    bool destroyed;  /* device code has destroyed the event */
} nested_event;

#define NESTED_NO_RECORD UINT32_MAX /* the event has not been recorded yet */

/* The last error of one thread of a kernel, as cudaGetLastError returns it in device code. */
typedef struct nested_thread_error {
    uint64_t block;   /* linear index of the block of that thread */
    uint32_t thread;  /* linear index of the thread in its block */
    cudaError_t code; /* error of the thread's last failed call */
} nested_thread_error;

/* An error string that cudaGetErrorString returned to device code, in device memory. */
typedef struct nested_string {
    const char *text; /* the constant string on the host */
    uint64_t address; /* address of its copy in device memory */
} nested_string;

#define NESTED_LIST_OF(type)                       \
    struct {                                       \
        type *of;       /* [count] the elements */ \
        uint32_t count; /* number of elements */   \
    }

/* The work that the threads of one grid have requested. */
typedef struct rt_nested {
    rt_module *module;        /* module of the kernel that makes the requests */
    uint64_t op;              /* rt_op.id of the launch of this kernel */
    unsigned depth;           /* nesting depth: number of unfinished launches around this one */
    uint64_t blocks;          /* number of blocks of the grid */
    uint32_t count[2];        /* number of launches; number of tail launches among them */
    uint64_t block;           /* linear index of the block that made the last launch */
    uint16_t by_thread[1024]; /* number of launches that each thread of `block` has made */
    NESTED_LIST_OF(nested_work) work;           /* the requests, in the order of the calls */
    NESTED_LIST_OF(nested_stream) streams;      /* streams of the blocks */
    NESTED_LIST_OF(nested_event) events;        /* events that device code created */
    NESTED_LIST_OF(nested_thread_error) errors; /* last errors of threads */
    NESTED_LIST_OF(nested_string) strings;      /* error strings in device memory */
    bool warned;    /* a warning has been printed about a pointer that a child grid cannot use */
    unsigned asked; /* 0: nothing is queued yet; 1: all but tail launches; 2: tail launches too */
} rt_nested;

/* Implements sm_launch.runtime_call. RUNTIME: the grid's rt_nested. Call without the lock. */
void rt_run_device_runtime_call(void *runtime, sm_runtime_call *c);

/* An empty collection of requested work for a launch of L; NULL if the host is out of memory. */
rt_nested *rt_nested_new(const rt_launch *l);
/* Free N and the work that it holds. */
void rt_nested_free(rt_nested *n);
/* Queue an operation that will run the work that the threads of the launch request. OP, the newest
 * operation of S, runs the launch; the requested work runs after OP and before the next operation
 * queued in S. Takes ownership of N unless it returns false (the host is out of memory). */
bool rt_nested_queue(rt_nested *n, rt_op *op, rt_stream *s);
