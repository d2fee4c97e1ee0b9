/* Graphs: work that can be launched many times (Runtime API, "Graph Management"). A node consists
 * of a piece of work and the nodes that it depends on. An executable graph is a copy of a graph
 * with a fixed topological order.
 * Call all functions with the runtime's lock held unless stated otherwise. Functions that return
 * cudaError_t return cudaErrorMemoryAllocation if the host is out of memory. */
#pragma once

#include "../code/launch.h"
#include "../core/call.h"
#include "../core/handle.h"
#include "../streams/op.h"

typedef struct rt_graph rt_graph;               /* a graph: cudaGraph_t */
typedef struct rt_node rt_node;                 /* a node: cudaGraphNode_t */
typedef struct rt_graph_exec rt_graph_exec;     /* an executable graph: cudaGraphExec_t */
typedef struct rt_graph_memory rt_graph_memory; /* memory that an allocation node allocates */
typedef struct rt_user_object rt_user_object;   /* a cudaUserObject_t */
typedef struct rt_condition rt_condition;       /* a cudaGraphConditionalHandle */

/* Number of kinds of launch attributes: one more than the last cudaLaunchAttributeID. */
#define RT_LAUNCH_ATTRIBUTE_COUNT (cudaLaunchAttributeNvlinkUtilCentricScheduling + 1)

/* The work of one node. Owns everything that it points to, unless stated otherwise. */
typedef struct rt_node_work rt_node_work;
struct rt_node_work {
    enum cudaGraphNodeType type; /* type of the node */
    union {
        struct {
            rt_launch launch;               /* kernel, launch configuration and parameters */
            void **args;                    /* one pointer per parameter, into launch.params */
            cudaLaunchAttributeValue *attr; /* launch attributes by id; NULL: none was set */
        } kernel;                           /* for a kernel node */
        struct cudaMemcpy3DParms copy;      /* parameters of a memcpy node */
        struct cudaMemsetParamsV2 fill;     /* parameters of a memset node */
        struct cudaHostNodeParams host;     /* parameters of a host node */
        rt_graph *child;                    /* the graph of a child-graph node */
        cudaEvent_t event;                  /* the event of an event record or event wait node */
        struct {
            struct cudaMemAllocNodeParams params; /* parameters of the allocation node */
            rt_graph_memory *memory;              /* memory that the node allocates */
        } alloc; /* an allocation node has both; a free node has only `memory` */
        struct {
            rt_condition *on;                       /* the condition that is evaluated */
            enum cudaGraphConditionalNodeType type; /* IF, WHILE or SWITCH */
            uint32_t size;                          /* number of branches */
            rt_graph **body; /* [size] graphs of the branches; the program can access them */
        } conditional;       /* for a conditional node */
    };
};

/* A node of a graph. */
struct rt_node {
    rt_graph *graph;         /* the graph that contains the node */
    uint64_t serial;         /* unique number of the node, never reused */
    uint64_t origin;         /* serial of the node from which this node was copied */
    rt_node_work work;       /* what the node does */
    rt_node **dep;           /* [dep_count] nodes that this node depends on */
    cudaGraphEdgeData *edge; /* [dep_count] kind of each dependency */
    uint32_t dep_count;      /* number of nodes that this node depends on */
    uint32_t dep_cap;        /* capacity of `dep` and `edge` */
    bool disabled;           /* in an executable graph: skipped by launches */
    rt_node *before, *next;  /* previous and next node in the list of the graph's nodes */
    rt_node *copy;           /* scratch: the node's copy while the graph is copied */
    rt_op *op;               /* scratch: the node's operation while a launch is queued */
    uint32_t mark;           /* scratch: how far a traversal of the graph is at the node */
    uint32_t index;          /* scratch: number of the node in its graph */
};

/* The references of one graph to one user object (cudaUserObject_t). */
typedef struct rt_object_ref {
    rt_user_object *object;     /* the object that the graph retains */
    unsigned count;             /* number of references of the graph to the object */
    struct rt_object_ref *next; /* next object that the graph retains */
} rt_object_ref;

/* A graph. */
struct rt_graph {
    rt_node *first, *last; /* list of the nodes in the order in which they were created */
    size_t count;          /* number of nodes */
    uint64_t origin;       /* serial of the graph that this graph is a clone of; 0: not a clone */
    uint64_t serial;       /* unique number of the graph, never reused */
    rt_node *parent; /* the child-graph or conditional node that contains this graph, else NULL */
    bool internal;   /* belongs to an executable graph: the program has no handle of it */
    bool has_memory; /* an allocation node has been added */
    bool has_conditional_node; /* a conditional node has been added */
    rt_condition **condition;  /* [condition_count] conditional handles created for this graph */
    size_t condition_count;    /* number of conditional handles */
    unsigned execs;            /* number of existing executable graphs made from this graph */
    rt_object_ref *retained_objects; /* user objects that the graph retains */
    rt_graph *before, *next;         /* previous and next graph in the list of all graphs */
};

/* An executable graph. */
struct rt_graph_exec {
    rt_graph *graph; /* copy of the graph, owned by the executable graph */
    rt_node **order; /* [graph->count] nodes; each node comes after the nodes that it depends on */
    uint64_t flags;  /* flags given to cudaGraphInstantiate */
    uint64_t source; /* serial of the graph from which the executable graph was made */
    rt_op *last;     /* last operation of the most recent launch */
    uint64_t stream; /* id of the stream of the last launch */
    rt_graph_exec *next; /* next in the list of all executable graphs */
};

/* --- graph.c: graphs, nodes and edges --------------------------------------------------------- */

rt_graph *rt_graph_new(void);                /* an empty graph; NULL if the host is out of memory */
void rt_graph_free(rt_graph *g);             /* frees the graph and its nodes */
rt_graph *rt_graph_of(cudaGraph_t handle);   /* NULL if there is no such graph */
rt_node *rt_node_of(cudaGraphNode_t handle); /* NULL if there is no such node */

/* Add a node that depends on N distinct nodes of the same graph. Takes ownership of WORK, even on
 * failure. OUT may be NULL. */
cudaError_t rt_node_add(rt_graph *g, rt_node *const *deps, const cudaGraphEdgeData *edges, size_t n,
                        rt_node_work *work, rt_node **out);
/* Copy G and the graphs inside its nodes. */
cudaError_t rt_graph_copy(const rt_graph *g, rt_graph **out);
/* A new array of G's nodes in topological order. Returns cudaErrorInvalidValue if G has a cycle. */
cudaError_t rt_graph_sort_topologically(rt_graph *g, rt_node ***out);

/* --- graph_work.c: the work of nodes ---------------------------------------------------------- */

/* Each function rt_make_..._work checks its arguments and fills in *OUT, then the caller's. */
cudaError_t rt_make_kernel_work(const struct cudaKernelNodeParams *p, rt_node_work *out);
cudaError_t rt_make_launch_work(rt_launch *l,
                                rt_node_work *out); /* takes ownership of L's parameters */
cudaError_t rt_make_copy3d_work(const struct cudaMemcpy3DParms *p, rt_node_work *out);
cudaError_t rt_make_linear_copy_work(void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind, rt_node_work *out);
/* symbol.c: may KIND be the direction of a copy to (TO) or from a variable? */
bool rt_is_symbol_copy_kind_valid(enum cudaMemcpyKind kind, bool to);
/* The error for an invalid variable or copy direction, which is checked before other arguments. */
cudaError_t rt_symbol_check_copy(const void *symbol, enum cudaMemcpyKind kind, bool to);
/* A copy between a __device__ or __constant__ variable and memory. */
cudaError_t rt_make_symbol_copy_work(const void *symbol, size_t offset, void *other, size_t count,
                                     enum cudaMemcpyKind kind, bool to, rt_node_work *out);
cudaError_t rt_make_memset_work(const struct cudaMemsetParamsV2 *p, rt_node_work *out);
cudaError_t rt_make_host_work(const struct cudaHostNodeParams *p, rt_node_work *out);
cudaError_t rt_make_work_from_params(struct cudaGraphNodeParams *p, rt_node_work *out);
/* Copy FROM, including everything it owns. */
cudaError_t rt_clone_node_work(const rt_node_work *from, rt_node_work *to);
void rt_clear_node_work(rt_node_work *w); /* frees what the work owns */
/* Graph number K inside a node: its child graph, or a body of a conditional node. NULL if the node
 * contains K graphs or fewer. */
rt_graph *rt_work_inner_graph(const rt_node_work *w, uint32_t k);
/* Queue the work to S. Not for child graphs and conditional nodes. */
cudaError_t rt_queue_node_work(const rt_node_work *w, rt_stream *s);

/* --- graph_memory.c: memory that graphs allocate and free ------------------------------------- */

/* Make an allocation node that will depend on N nodes DEPS, which have not been validated yet. If
 * the nodes come after a free of a suitable allocation in the same graph, its address is reused.
 * Stores the address in *P. */
cudaError_t rt_make_alloc_work(struct cudaMemAllocNodeParams *p, rt_node *const *deps, size_t n,
                               rt_node_work *out);
cudaError_t rt_make_free_work(const void *at, rt_node_work *out);
void rt_graph_memory_ref(rt_graph_memory *m);   /* adds a reference */
void rt_graph_memory_unref(rt_graph_memory *m); /* drops a reference; the last one frees *M */
uint64_t rt_graph_memory_address(const rt_graph_memory *m); /* device address */
/* Has a queued or finished launch allocated M without a later free? M must then be freed before the
 * next launch. */
bool rt_graph_memory_is_live(const rt_graph_memory *m);
/* Queue the operation of a node that allocates (LIVE) or frees M. From then on nobody has written
 * the memory. False: the host is out of memory. */
bool rt_graph_memory_queue_op(rt_graph_memory *m, bool live, rt_stream *s);
/* Bytes that graph G needs only while one of its launches runs: the launch allocates them and frees
 * them again. */
uint64_t rt_graph_temporary_bytes(const rt_graph *g);
/* The device memory that is reserved for graphs should hold the live allocations of graphs plus
 * TEMPORARY_BYTES, which launches that may run at once need. rt_graph_memory_reserve grows the
 * reserved memory to that sum, and rt_graph_memory_trim shrinks it to that sum. */
void rt_graph_memory_reserve(uint64_t temporary_bytes);
void rt_graph_memory_trim(uint64_t temporary_bytes);
/* Temporary bytes of all unfinished launches, except those in stream EXCEPT (may be NULL): the next
 * launch in EXCEPT runs after them and reuses their memory (graph_exec.c). */
uint64_t rt_temporary_bytes_of_launches(const rt_stream *except);
/* Is AT in an allocation of a graph that is not live? */
bool rt_graph_memory_is_unused(uint64_t at);
/* Perform cudaFree or cudaFreeAsync of AT for memory of a graph, and store the result in *E.
 * Returns false if AT is not an allocation of a graph. */
bool rt_graph_memory_free(uint64_t at, cudaError_t *e);

/* --- graph_choice.c: conditional nodes -------------------------------------------------------- */

cudaError_t rt_make_conditional_work(struct cudaConditionalNodeParams *p, rt_node_work *out);
cudaError_t rt_clone_conditional_work(const rt_node_work *from, rt_node_work *to);
void rt_clear_conditional_work(rt_node_work *w); /* frees the branches of the node */
void rt_graph_drop_conditions(rt_graph *g);      /* drops G's references to its conditions */
/* Do the conditional nodes of G permit instantiation? If not, *WHY (may be NULL) says why. */
cudaError_t rt_check_conditional_nodes(const rt_graph *g, enum cudaGraphInstantiateResult *why);
/* Queue the operation that evaluates the condition and waits for the bodies it selects. */
rt_op *rt_issue_conditional(const rt_node_work *w, rt_stream *s);
/* Queue an operation that sets conditions of G to their default values; *OUT becomes NULL if no
 * condition has a default. */
cudaError_t rt_issue_condition_defaults(const rt_graph *g, rt_stream *s, rt_op **out);

/* --- graph_object.c: user objects that graphs retain ------------------------------------------ */

cudaError_t rt_object_refs_copy(const rt_object_ref *from, rt_object_ref **to);
void rt_object_refs_drop(
    rt_object_ref **retained_objects); /* drops all references, frees the list */
/* Call the destructors of user objects without references. Call without the lock: destructors are
 * functions of the program. */
void rt_destroy_dead_objects(void);

/* --- graph_exec.c: executable graphs ---------------------------------------------------------- */

/* The executable graph of a handle; NULL if there is none. */
rt_graph_exec *rt_graph_exec_of(cudaGraphExec_t handle);
/* Queue G's nodes after operation BEGIN, on behalf of S. *END: one that follows them all. */
cudaError_t rt_graph_queue_nodes(rt_graph *g, const rt_stream *s, rt_op *begin, rt_op **end);

/* Report the nodes of G that use local variables of functions that have returned: those at
 * addresses below FRAME, the stack frame of the call (checks/dead.c). */
void rt_check_graph_variables(const rt_graph *g, uint64_t frame);
