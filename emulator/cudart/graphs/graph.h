/* Graphs: what a stream would be given, kept to be launched many times (Runtime API, "Graph
 * Management"). A node is work and the nodes that it comes after; an executable graph is a copy
 * with an order. All of this with the lock held. */
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

/* What a node does. Owns what hangs from it. */
struct rt_work {
    enum cudaGraphNodeType type;
    union {
        struct {
            rt_launch launch;
            void **args;                    /* into launch.params, one a parameter */
            cudaLaunchAttributeValue *attr; /* [RT_ATTRIBUTES]; NULL: none was set */
        } kernel;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParamsV2 fill;
        struct cudaHostNodeParams host;
        rt_graph *child;
        cudaEvent_t event; /* of a record and of a wait */
        struct {
            struct cudaMemAllocNodeParams params;
            rt_graph_memory *memory;
        } alloc; /* a free node has the memory alone */
        struct {
            rt_condition *on;
            enum cudaGraphConditionalNodeType type;
            uint32_t size;
            rt_graph **body; /* [size], which programs see */
        } choice;
    };
};

struct rt_node {
    rt_graph *graph;
    uint64_t serial; /* of its making, never used again */
    uint64_t origin; /* serial of the node that it was copied from */
    rt_work work;
    rt_node **dep;
    cudaGraphEdgeData *edge; /* [dep_count] */
    uint32_t dep_count, dep_room;
    bool disabled; /* of an executable graph */
    rt_node *before, *next;
    rt_node *copy; /* scratch: of a copy that is being made */
    rt_op *op;     /* scratch: of a launch that is being issued */
    uint32_t mark; /* scratch: of walks */
    uint32_t index;
};

/* A reference of a graph to a user object. */
typedef struct rt_hold {
    rt_object *object;
    unsigned count;
    struct rt_hold *next;
} rt_hold;

struct rt_graph {
    rt_node *first, *last; /* in order of making */
    size_t count;
    uint64_t origin; /* serial of the graph that it is a clone of */
    uint64_t serial;
    rt_node *parent;          /* the node whose child it is, else NULL */
    bool internal;            /* of an executable graph: no program has its handle */
    bool has_memory;          /* allocation nodes were made in it */
    bool has_choice;          /* likewise conditional nodes */
    rt_condition **condition; /* [condition_count] handles that were made for it */
    size_t condition_count;
    unsigned execs; /* instantiated from it and not destroyed */
    rt_hold *holds;
    rt_graph *before, *next; /* of all graphs */
};

struct rt_exec {
    rt_graph *graph; /* its own copy */
    rt_node **order; /* [graph->count], each after what it depends on */
    uint64_t flags;
    uint64_t source; /* serial of the graph it was made from */
    rt_op *last;     /* the end of its last launch */
    uint64_t stream; /* the id of the stream that this was in */
    rt_exec *next;
};

/* --- graph.c: graphs, nodes and edges --------------------------------------------------------- */

rt_graph *rt_graph_new(void); /* NULL: the host is out of memory */
void rt_graph_free(rt_graph *g);
rt_graph *rt_graph_of(cudaGraph_t handle); /* NULL: there is none such */
rt_node *rt_node_of(cudaGraphNode_t handle);

/* Add a node behind N others of the same graph, each named once; takes WORK over, whatever it
 * returns. OUT may be NULL. */
cudaError_t rt_node_add(rt_graph *g, rt_node *const *deps, const cudaGraphEdgeData *edges, size_t n,
                        rt_work *work, rt_node **out);
void rt_node_free(rt_node *n);
/* A copy of G, child graphs included. */
cudaError_t rt_graph_copy(const rt_graph *g, rt_graph **out);
/* Its nodes, each after what it depends on, in a new array; cudaErrorInvalidValue: a circle. */
cudaError_t rt_graph_order(rt_graph *g, rt_node ***out);

/* --- graph_work.c: what nodes do -------------------------------------------------------------- */

/* Each checks what it is given and fills *OUT, which is the caller's. */
cudaError_t rt_work_kernel(const struct cudaKernelNodeParams *p, rt_work *out);
cudaError_t rt_work_launch(rt_launch *l, rt_work *out); /* takes L's parameters over */
cudaError_t rt_work_copy3d(const struct cudaMemcpy3DParms *p, rt_work *out);
cudaError_t rt_work_line(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                         rt_work *out);
/* What is wrong with the variable or the direction of a copy, which is seen before all else. */
bool rt_symbol_towards(enum cudaMemcpyKind kind, bool to); /* symbol.c */
cudaError_t rt_symbol_refused(const void *symbol, enum cudaMemcpyKind kind, bool to);
/* A copy between a variable and memory. */
cudaError_t rt_work_symbol(const void *symbol, size_t offset, void *other, size_t count,
                           enum cudaMemcpyKind kind, bool to, rt_work *out);
cudaError_t rt_work_fill(const struct cudaMemsetParamsV2 *p, rt_work *out);
cudaError_t rt_work_host(const struct cudaHostNodeParams *p, rt_work *out);
cudaError_t rt_work_event(enum cudaGraphNodeType type, cudaEvent_t event, rt_work *out);
cudaError_t rt_work_generic(struct cudaGraphNodeParams *p, rt_work *out);
/* A copy, all that hangs from it included. */
cudaError_t rt_work_clone(const rt_work *from, rt_work *to);
void rt_work_clear(rt_work *w);
/* The graph number K inside it: a child, the bodies of a conditional node. NULL: there are fewer.
 */
rt_graph *rt_work_inner(const rt_work *w, uint32_t k);
/* Put it into S, for WHAT. Not for graphs that are inside. */
cudaError_t rt_work_issue(const rt_work *w, rt_stream *s);

/* --- graph_memory.c: memory whose life graphs decide ------------------------------------------ */

/* For a node that comes after the N of DEPS, which may not be nodes at all: where these come after
 * the end of an allocation of the same graph, its address is used again. */
cudaError_t rt_work_alloc(struct cudaMemAllocNodeParams *p, rt_node *const *deps, size_t n,
                          rt_work *out);
cudaError_t rt_work_free(const void *at, rt_work *out);
void rt_graph_memory_ref(rt_graph_memory *m);
void rt_graph_memory_unref(rt_graph_memory *m);
uint64_t rt_graph_memory_address(const rt_graph_memory *m);
/* Is M allocated, by a launch that has been issued? Then it must be freed before the next. */
bool rt_graph_memory_live(const rt_graph_memory *m);
void rt_graph_memory_set(rt_graph_memory *m, bool live);
/* Bytes that a launch of G needs only while it runs: allocated and freed by it. */
uint64_t rt_graph_memory_passing(const rt_graph *g);
/* Launches that may run at once need so much of that, beside what is live: grow to it, or give back
 * all above it. */
void rt_graph_memory_need(uint64_t passing);
void rt_graph_memory_trim(uint64_t passing);
/* What launches that are not done need in passing, but for those in the stream BUT (or NULL), whose
 * memory the next one there has after them (graph_exec.c). */
uint64_t rt_execs_passing(const rt_stream *but);
/* Is AT in memory that no launch has brought to life? */
bool rt_graph_memory_asleep(uint64_t at);
/* A free by cudaFree or cudaFreeAsync of AT. False: it is no memory of graphs. */
bool rt_graph_memory_freed(uint64_t at, cudaError_t *e);

/* --- graph_choice.c: conditional nodes ---------------------------------------------------------
 */

cudaError_t rt_work_choice(struct cudaConditionalNodeParams *p, rt_work *out);
cudaError_t rt_choice_clone(const rt_work *from, rt_work *to);
void rt_choice_clear(rt_work *w);
void rt_conditions_drop(rt_graph *g);
/* May G be instantiated, as far as its conditional nodes are concerned? */
cudaError_t rt_choice_check(const rt_graph *g, enum cudaGraphInstantiateResult *why);
/* The operation that decides and waits for what it has decided. */
rt_op *rt_choice_issue(const rt_work *w, rt_stream *s);
/* One that gives conditions of G their default values; *OUT NULL: there are none. */
cudaError_t rt_choice_defaults(const rt_graph *g, rt_stream *s, rt_op **out);

/* --- graph_object.c: objects that live as long as graphs that use them ------------------------ */

cudaError_t rt_holds_copy(const rt_hold *from, rt_hold **to);
void rt_holds_drop(rt_hold **holds);
/* Destroy what nobody holds any more. Without the lock: it calls the program. */
void rt_objects_reap(void);

/* --- graph_exec.c ----------------------------------------------------------------------------- */

rt_exec *rt_exec_of(cudaGraphExec_t handle); /* NULL: there is none such */
/* Issue X's work into S. */
cudaError_t rt_exec_issue(rt_exec *x, rt_stream *s);
/* Issue G's work, for S, behind BEGIN; *END comes after all of it. */
cudaError_t rt_graph_issue(rt_graph *g, const rt_stream *s, rt_op *begin, rt_op **end);

#endif
