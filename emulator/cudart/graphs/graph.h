/* Graphs: work that can be launched many times (Runtime API, "Graph Management"). A node is a piece
 * of work and the nodes it depends on. An executable graph is a copy of a graph with a fixed
 * topological order. Call all functions with the runtime's lock held unless stated otherwise.
 * Functions that return cudaError_t return cudaErrorMemoryAllocation if the host is out of
 * memory. */
#ifndef WARPBOOK_GRAPH_H
#define WARPBOOK_GRAPH_H

#include "../core/handle.h"
#include "../cudart.h"

typedef struct rt_graph rt_graph;
typedef struct rt_node rt_node;
typedef struct rt_exec rt_exec;
typedef struct rt_graph_memory rt_graph_memory;
typedef struct rt_object rt_object;
typedef struct rt_condition rt_condition;

#define RT_ATTRIBUTES (cudaLaunchAttributeNvlinkUtilCentricScheduling + 1)

/* What a node does. Owns everything it points to unless stated otherwise. */
struct rt_work {
    enum cudaGraphNodeType type;
    union {
        struct {
            rt_launch launch;
            void **args; /* one pointer per parameter, into launch.params */
            /* Launch attributes [RT_ATTRIBUTES]; NULL: none was set. */
            cudaLaunchAttributeValue *attr;
        } kernel;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParamsV2 fill;
        struct cudaHostNodeParams host;
        rt_graph *child;
        cudaEvent_t event; /* the event of an event record or event wait node */
        struct {
            struct cudaMemAllocNodeParams params;
            rt_graph_memory *memory;
        } alloc; /* an allocation node has both, a free node only the memory */
        struct {
            rt_condition *on;
            enum cudaGraphConditionalNodeType type;
            uint32_t size;
            rt_graph **body; /* [size] graphs of the branches, visible to the program */
        } choice;
    };
};

struct rt_node {
    rt_graph *graph;
    uint64_t serial; /* unique number of the node, never reused */
    uint64_t origin; /* serial of the node from which it was copied */
    rt_work work;
    rt_node **dep;
    cudaGraphEdgeData *edge; /* [dep_count] kind of each dependency */
    uint32_t dep_count, dep_room;
    bool disabled; /* in an executable graph: skipped by launches */
    rt_node *before, *next;
    rt_node *copy; /* scratch: the node's copy while the graph is copied */
    rt_op *op;     /* scratch: the node's operation while a launch is queued */
    uint32_t mark; /* scratch: state of graph walks */
    uint32_t index;
};

/* References of a graph to a user object (cudaUserObject_t). */
typedef struct rt_hold {
    rt_object *object;
    unsigned count;
    struct rt_hold *next;
} rt_hold;

struct rt_graph {
    rt_node *first, *last; /* list of the nodes in the order in which they were created */
    size_t count;
    uint64_t origin; /* serial of the graph of which it is a clone */
    uint64_t serial;
    rt_node *parent; /* the child-graph or conditional node to which it belongs, else NULL */
    bool internal;   /* belongs to an executable graph: the program has no handle of it */
    bool has_memory; /* an allocation node has been added */
    bool has_choice; /* a conditional node has been added */
    rt_condition **condition; /* [condition_count] conditional handles created for it */
    size_t condition_count;
    unsigned execs; /* number of existing executable graphs made from it */
    rt_hold *holds;
    rt_graph *before, *next; /* list of all graphs */
};

struct rt_exec {
    rt_graph *graph; /* its own copy of the graph */
    rt_node **order; /* [graph->count], each node after those it depends on */
    uint64_t flags;
    uint64_t source; /* serial of the graph from which it was made */
    rt_op *last;     /* last operation of its last launch */
    uint64_t stream; /* id of the stream of the last launch */
    rt_exec *next;
};

/* --- graph.c: graphs, nodes and edges --------------------------------------------------------- */

rt_graph *rt_graph_new(void); /* NULL if the host is out of memory */
void rt_graph_free(rt_graph *g);
rt_graph *rt_graph_of(cudaGraph_t handle); /* NULL if there is no such graph */
rt_node *rt_node_of(cudaGraphNode_t handle);

/* Add a node that depends on N distinct nodes of the same graph. Takes ownership of WORK, whatever
 * it returns. OUT may be NULL. */
cudaError_t rt_node_add(rt_graph *g, rt_node *const *deps, const cudaGraphEdgeData *change_edges,
                        size_t n, rt_work *work, rt_node **out);
void rt_node_free(rt_node *n);
/* Copy G and the graphs inside it. */
cudaError_t rt_graph_copy(const rt_graph *g, rt_graph **out);
/* Store G's nodes in topological order in a new array. Returns cudaErrorInvalidValue if there is a
 * cycle. */
cudaError_t rt_graph_order(rt_graph *g, rt_node ***out);

/* --- graph_work.c: what nodes do -------------------------------------------------------------- */

/* Each checks its arguments and fills *OUT, which the caller then owns. */
cudaError_t rt_work_kernel(const struct cudaKernelNodeParams *p, rt_work *out);
cudaError_t rt_work_launch(rt_launch *l, rt_work *out); /* takes ownership of L's parameters */
cudaError_t rt_work_copy3d(const struct cudaMemcpy3DParms *p, rt_work *out);
cudaError_t rt_work_line(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                         rt_work *out);
/* The error for an invalid variable or copy direction, which is checked before anything else. */
bool rt_symbol_towards(enum cudaMemcpyKind kind, bool to); /* symbol.c */
cudaError_t rt_symbol_refused(const void *symbol, enum cudaMemcpyKind kind, bool to);
/* A copy between a __device__ or __constant__ variable and memory. */
cudaError_t rt_work_symbol(const void *symbol, size_t offset, void *other, size_t count,
                           enum cudaMemcpyKind kind, bool to, rt_work *out);
cudaError_t rt_work_fill(const struct cudaMemsetParamsV2 *p, rt_work *out);
cudaError_t rt_work_host(const struct cudaHostNodeParams *p, rt_work *out);
cudaError_t rt_work_event(enum cudaGraphNodeType type, cudaEvent_t event, rt_work *out);
cudaError_t rt_work_generic(struct cudaGraphNodeParams *p, rt_work *out);
/* Copy FROM, including everything it owns. */
cudaError_t rt_work_clone(const rt_work *from, rt_work *to);
void rt_work_clear(rt_work *w);
/* Graph number K inside a node: its child graph, or the bodies of a conditional node. NULL if there
 * are fewer than K + 1. */
rt_graph *rt_work_inner(const rt_work *w, uint32_t k);
/* Queue the work to S. Not for child graphs and conditional nodes. */
cudaError_t rt_work_issue(const rt_work *w, rt_stream *s);

/* --- graph_memory.c: memory that graphs allocate and free ------------------------------------- */

/* Make an allocation node that will depend on N nodes DEPS, which have not been validated yet. If
 * they come after a free of a suitable allocation in the same graph, its address is reused. Stores
 * the address in *P. */
cudaError_t rt_work_alloc(struct cudaMemAllocNodeParams *p, rt_node *const *deps, size_t n,
                          rt_work *out);
cudaError_t rt_work_free(const void *at, rt_work *out);
void rt_graph_memory_ref(rt_graph_memory *m);
void rt_graph_memory_unref(rt_graph_memory *m);
uint64_t rt_graph_memory_address(const rt_graph_memory *m);
/* Whether a queued or finished launch has allocated M and nothing has freed it. It must be freed
 * before the next launch. */
bool rt_graph_memory_live(const rt_graph_memory *m);
void rt_graph_memory_set(rt_graph_memory *m, bool live);
/* Bytes that only a running launch of G needs: allocated and freed by the launch itself. */
uint64_t rt_graph_memory_passing(const rt_graph *g);
/* Grow the reserved bytes to what is live plus PASSING, the need of launches that may run at once;
 * or trim them to that. */
void rt_graph_memory_need(uint64_t passing);
void rt_graph_memory_trim(uint64_t passing);
/* Bytes that unfinished launches need while they run, without those in stream BUT (may be NULL):
 * the next launch in that stream runs after them and reuses their memory (graph_exec.c). */
uint64_t rt_execs_passing(const rt_stream *but);
/* Whether AT lies in an allocation of a graph that is not live. */
bool rt_graph_memory_asleep(uint64_t at);
/* cudaFree or cudaFreeAsync of AT. Returns false if AT is no allocation of a graph; else stores the
 * result in *E. */
bool rt_graph_memory_freed(uint64_t at, cudaError_t *e);

/* --- graph_choice.c: conditional nodes -------------------------------------------------------- */

cudaError_t rt_work_choice(struct cudaConditionalNodeParams *p, rt_work *out);
cudaError_t rt_choice_clone(const rt_work *from, rt_work *to);
void rt_choice_clear(rt_work *w);
void rt_conditions_drop(rt_graph *g);
/* Whether the conditional nodes of G permit instantiation; *WHY (may be NULL) says why not. */
cudaError_t rt_choice_check(const rt_graph *g, enum cudaGraphInstantiateResult *why);
/* Queue the operation that evaluates the condition and waits for the bodies it selects. */
rt_op *rt_choice_issue(const rt_work *w, rt_stream *s);
/* Queue an operation that sets conditions of G to their default values; *OUT becomes NULL if there
 * are none. */
cudaError_t rt_choice_defaults(const rt_graph *g, rt_stream *s, rt_op **out);

/* --- graph_object.c: user objects that graphs retain ------------------------------------------ */

cudaError_t rt_holds_copy(const rt_hold *from, rt_hold **to);
void rt_holds_drop(rt_hold **holds);
/* Call the destructors of objects without references. Call without the lock: they are the program's
 * functions. */
void rt_objects_reap(void);

/* --- graph_exec.c: executable graphs ---------------------------------------------------------- */

rt_exec *rt_exec_of(cudaGraphExec_t handle); /* NULL if there is no such executable graph */
/* Queue a launch of X to S. */
cudaError_t rt_exec_issue(rt_exec *x, rt_stream *s);
/* Queue G's nodes after operation BEGIN, on behalf of S. *END becomes an operation after all of
 * them. */
cudaError_t rt_graph_issue(rt_graph *g, const rt_stream *s, rt_op *begin_symbol_call, rt_op **end);

#endif
