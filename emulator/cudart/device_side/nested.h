/* Calls of the runtime that kernels make: launches, copies, streams and events (CUDA C++
 * Programming Guide, "CUDA Dynamic Parallelism"). nested_calls.c executes the calls while the
 * kernel runs and collects the requested work; nested.c queues that work when the kernel has ended.
 * Shared by the files of this folder and launch.c. */
#ifndef WARPBOOK_NESTED_H
#define WARPBOOK_NESTED_H

#include "../cudart.h"

typedef enum nested_kind {
    NESTED_KERNEL, /* a kernel launch */
    NESTED_COPY,   /* cudaMemcpyAsync in device code */
    NESTED_FILL,   /* cudaMemsetAsync in device code */
    NESTED_EVENT_RECORD,
    NESTED_EVENT_WAIT /* cudaStreamWaitEvent in device code */
} nested_kind;

typedef struct nested_copy {
    rt_copy_box dst, src;     /* destination; source (copies only) */
    size_t width, height;     /* bytes in a row; number of rows */
    uint32_t value;           /* byte that a fill stores */
    enum cudaMemcpyKind kind; /* direction of a copy */
} nested_copy;

/* One operation that the kernel requested. Operations of one lane (a stream of one block) run in
 * order. */
typedef struct nested_work {
    nested_kind kind;
    uint32_t lane; /* index in rt_nested.lanes of the stream */
    double issued; /* modelled time of the device's call, in ns after the start of its grid */
    union {
        rt_launch launch; /* owns the launch parameters until the launch is queued */
        nested_copy box;  /* the memory of a copy or fill */
        uint32_t event;   /* NESTED_EVENT_RECORD, NESTED_EVENT_WAIT: index in rt_nested.work of
                             the operation that records the event */
    };
} nested_work;

/* A queue of operations that run in order: a stream of one block, or a single fire-and-forget
 * launch. */
typedef struct nested_stream {
    uint64_t block;  /* block that owns the stream */
    uint64_t handle; /* 0: the block's NULL stream */
    bool tail;       /* the tail launch stream: runs after all other work of the grid */
    bool named;      /* created by cudaStreamCreateWithFlags */
    rt_op *end;      /* newest operation of the lane, valid while the work is being queued */
} nested_stream;

typedef struct nested_event {
    uint64_t block;  /* block that created the event */
    uint32_t record; /* last record: index in rt_nested.work, or NESTED_NO_RECORD */
    bool destroyed;  /* device code has destroyed the event */
} nested_event;

#define NESTED_NO_RECORD UINT32_MAX

typedef struct nested_thread_error {
    uint64_t block;   /* block whose thread made the failed call */
    uint32_t thread;  /* index of that thread in its block */
    cudaError_t code; /* the error of the call */
} nested_thread_error;

/* Error strings that device code requested, copied to device memory. */
typedef struct nested_string {
    const char *text; /* the constant string on the host */
    uint64_t address; /* its copy in device memory */
} nested_string;

/* A growing array of elements: COUNT of them are used, ROOM is its capacity. */
#define NESTED_LIST_OF(type)  \
    struct {                  \
        type *of;             \
        uint32_t count, room; \
    }

/* The work that the threads of one grid have requested. */
typedef struct rt_nested {
    rt_module *module;
    uint64_t op;              /* rt_op.id of the launch */
    unsigned depth;           /* nesting depth: unfinished launches that contain this one */
    uint64_t blocks;          /* number of blocks of the grid */
    uint32_t count[2];        /* number of launches; number of tail launches among them */
    uint64_t block;           /* the block that made the last launch */
    uint16_t by_thread[1024]; /* number of launches that each thread of `block` has made */
    NESTED_LIST_OF(nested_work) work;
    NESTED_LIST_OF(nested_stream) lanes;
    NESTED_LIST_OF(nested_event) events;
    NESTED_LIST_OF(nested_thread_error) errors;
    NESTED_LIST_OF(nested_string) strings;
    bool warned;    /* a warning has been printed about a pointer that a child grid cannot use */
    unsigned asked; /* 1: all work except tail launches has been queued; 2: tail launches too */
} rt_nested;

/* Append a zeroed element to a list and return it; NULL if the host is out of memory. */
#define NESTED_LIST_APPEND(list) \
    nested_list_append((void **)&(list)->of, &(list)->count, &(list)->room, sizeof *(list)->of)
void *nested_list_append(void **of, uint32_t *count, uint32_t *room, size_t size);

/* Implements sm_launch.runtime_call. RUNTIME is the rt_nested of the grid. Call without the
 * lock. */
void rt_run_device_runtime_call(void *runtime, sm_runtime_call *c);

/* Create the empty collection of requested work for a launch of L; NULL if the host is out of
 * memory. */
rt_nested *rt_nested_new(const rt_launch *l);
/* Free N and the work that it holds. */
void rt_nested_free(rt_nested *n);
/* Queue an operation that will run the work that the threads of the launch request. OP, the newest
 * operation of S, runs the launch; the requested work runs after OP and before the next operation
 * queued in S. Takes ownership of N unless it returns false (the host is out of memory). */
bool rt_nested_queue(rt_nested *n, rt_op *op, rt_stream *s);

#endif
