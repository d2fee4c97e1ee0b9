/* What kernels ask of the runtime while they run: launches, copies, streams and events of their own
 * (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"). Inside: nested.c keeps it and puts it
 * into the queue, nested_calls.c answers what device code calls. */
#ifndef WARPBOOK_NESTED_H
#define WARPBOOK_NESTED_H

#include "../cudart.h"

typedef enum nested_kind {
    NESTED_KERNEL,
    NESTED_COPY,
    NESTED_FILL,
    NESTED_RECORD,
    NESTED_WAIT
} nested_kind;

typedef struct nested_box {
    rt_side dst, src;
    size_t width, height;
    uint32_t value;
    enum cudaMemcpyKind kind;
} nested_box;

/* One thing that is to be done. Of a lane, one after the other. */
typedef struct nested_work {
    nested_kind kind;
    uint32_t lane;
    double issued; /* ns behind its grid's begin, as modelled: when a thread has launched it */
    union {
        rt_launch launch; /* its parameters are owned here until it is queued */
        nested_box box;
        uint32_t event; /* NESTED_RECORD, NESTED_WAIT: index of the record in the list of work */
    };
} nested_work;

/* A stream of one block, or a launch that is in none. */
typedef struct nested_lane {
    uint64_t block;
    uint64_t handle; /* 0: the block's stream without a name */
    bool tail;       /* behind everything else of the grid */
    bool named;      /* made by cudaStreamCreateWithFlags */
    rt_op *end;      /* the newest in the queue, while it is put there */
} nested_lane;

typedef struct nested_event {
    uint64_t block;
    uint32_t record; /* the newest: index in the list of work, or NESTED_NONE */
    bool destroyed;
} nested_event;

#define NESTED_NONE UINT32_MAX

typedef struct nested_error {
    uint64_t block;
    uint32_t thread;
    cudaError_t code;
} nested_error;

/* Strings that device code was given, in device memory. */
typedef struct nested_string {
    const char *text;
    uint64_t address;
} nested_string;

#define NESTED_LIST(type)     \
    struct {                  \
        type *of;             \
        uint32_t count, room; \
    }

/* What the threads of one grid have asked for. */
typedef struct rt_nested {
    rt_module *module;
    unsigned depth;    /* launches by kernels that have not ended and that this one is part of */
    uint64_t blocks;   /* of the grid */
    uint32_t count[2]; /* launches; [1]: of these, tail launches */
    uint64_t block;    /* whose threads launched last, */
    uint16_t by_thread[1024]; /* and how often each */
    NESTED_LIST(nested_work) work;
    NESTED_LIST(nested_lane) lanes;
    NESTED_LIST(nested_event) events;
    NESTED_LIST(nested_error) errors;
    NESTED_LIST(nested_string) strings;
    bool warned;    /* of a pointer that a child cannot use */
    unsigned asked; /* how often the queue has asked: nested.c */
} rt_nested;

/* One more in a list, zeroed; NULL: the host is out of memory. */
#define NESTED_MORE(list) \
    nested_more((void **)&(list)->of, &(list)->count, &(list)->room, sizeof *(list)->of)
void *nested_more(void **of, uint32_t *count, uint32_t *room, size_t size);

/* sm_launch.runtime_call. RUNTIME is the grid's rt_nested. */
void rt_nested_call(void *runtime, sm_runtime_call *c);

/* For what the threads of L will ask; NULL: the host is out of memory. */
rt_nested *rt_nested_new(const rt_launch *l);
/* OP, the newest of S, runs that launch: what its threads ask for is done behind it and before what
 * is queued next in S. Takes N over. False: the host is out of memory. */
bool rt_nested_queue(rt_nested *n, rt_op *op, rt_stream *s);

#endif
