/* Finds reconvergence points from dominators and loops. Lanes that reach a block with a
 * reconvergence point wait for the lanes on other paths from the block's immediate dominator. If
 * the dominator is inside a loop that does not contain the block, paths begin before that loop
 * instead. */
#include "joins.h"

#include "../../ptx/traits.h"
#include "facts.h"

#include <stdlib.h>
#include <string.h>

#define NO_BLOCK UINT32_MAX /* stands for the index of a basic block: there is none */

/* An edge of the control-flow graph, in a list of the edges that leave, or enter, one block. */
typedef struct flow_edge {
    uint32_t to;   /* basic block at the other end of the edge */
    uint32_t next; /* next outgoing or incoming edge of the same block; NO_BLOCK: none */
} flow_edge;

/* The control-flow graph of a function, with its dominators and loops. */
typedef struct flow_graph {
    const ptx_func *f;  /* the function */
    uint32_t *block;    /* [insn_count + 1] basic block of each instruction */
    uint32_t *begin;    /* [blocks + 1] first instruction of each block */
    uint32_t blocks;    /* number of basic blocks */
    flow_edge *edge;    /* edges of the control-flow graph */
    uint32_t edges;     /* number of control-flow edges */
    uint32_t *out, *in; /* [blocks] first outgoing and first incoming edge of each block */
    uint32_t *order;    /* [blocks] blocks in reverse postorder */
    uint32_t
        *rank; /* [blocks] position of each block in reverse postorder; NO_BLOCK: unreachable */
    uint32_t reached; /* number of reachable blocks */
    uint32_t *idom;   /* [blocks] immediate dominator; NO_BLOCK: the entry block */
    uint32_t *head; /* [blocks] header of the innermost loop that contains the block; a header is in
                       its own loop */
    uint32_t *parent; /* [blocks] for each loop header, the header of the enclosing loop */
    uint32_t *seen;   /* [blocks] number of the last graph search that visited the block */
    uint32_t mark;    /* number of the current graph search */
    uint32_t *stack;  /* [blocks] work list of the current graph search */
    uint32_t *end;    /* [ends] blocks whose last instruction leaves the kernel */
    uint32_t ends;    /* number of entries in `end` */
} flow_graph;

static bool is_guarded(const ptx_insn *in)
{
    return in->guard != PTX_NO_REGISTER;
}

static bool leaves_kernel(const ptx_func *f, const ptx_insn *in)
{
    const ptx_flow flow = ptx_traits_of(in)->flow;
    return flow == PTX_FLOW_exit || flow == PTX_FLOW_stop || (flow == PTX_FLOW_ret && f->is_entry);
}

static void add_edge(flow_graph *g, uint32_t from, uint32_t to)
{
    for (uint32_t e = g->out[from]; e != NO_BLOCK; e = g->edge[e].next)
        if (g->edge[e].to == to)
            return;
    g->edge[g->edges] = (flow_edge){to, g->out[from]};
    g->out[from] = g->edges++;
    g->edge[g->edges] = (flow_edge){from, g->in[to]};
    g->in[to] = g->edges++;
}

static void add_block_edges(flow_graph *g, uint32_t b)
{
    const ptx_insn *last = &g->f->insns[g->begin[b + 1] - 1];
    const uint32_t target = ptx_branch_target(last);
    if (target != PTX_NO_TARGET)
        add_edge(g, b, g->block[target]);
    for (uint32_t k = 0; k < last->target_count; k++)
        add_edge(g, b, g->block[last->targets[k]]);
    const bool stops = ptx_traits_of(last)->flow == PTX_FLOW_stop;
    if ((is_guarded(last) || !(ptx_never_falls_through(last) || stops)) && b + 1 < g->blocks)
        add_edge(g, b, b + 1);
}

/* Number the reachable blocks in reverse postorder. */
static void number_blocks(flow_graph *g)
{
    uint32_t depth = 0, left = g->blocks;
    uint32_t *next =
        g->head; /* the array g->head is unused until later: holds the next edge to follow */
    memcpy(next, g->out, g->blocks * sizeof *next);
    memset(g->rank, 0xff, g->blocks * sizeof *g->rank);
    g->stack[depth++] = 0;
    g->rank[0] = 0;
    while (depth) {
        const uint32_t b = g->stack[depth - 1], e = next[b];
        if (e == NO_BLOCK) {
            g->order[--left] = b;
            depth--;
            continue;
        }
        next[b] = g->edge[e].next;
        if (g->rank[g->edge[e].to] == NO_BLOCK) {
            g->rank[g->edge[e].to] = 0;
            g->stack[depth++] = g->edge[e].to;
        }
    }
    g->reached = g->blocks - left;
    memmove(g->order, g->order + left, g->reached * sizeof *g->order);
    for (uint32_t k = 0; k < g->reached; k++)
        g->rank[g->order[k]] = k;
}

static uint32_t common_dominator(const flow_graph *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (g->rank[a] > g->rank[b])
            a = g->idom[a];
        while (g->rank[b] > g->rank[a])
            b = g->idom[b];
    }
    return a;
}

/* K. D. Cooper, T. J. Harvey, K. Kennedy: A Simple, Fast Dominance Algorithm. */
static void find_dominators(flow_graph *g)
{
    memset(g->idom, 0xff, g->blocks * sizeof *g->idom);
    g->idom[0] = 0;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 1; k < g->reached; k++) {
            const uint32_t b = g->order[k];
            uint32_t d = NO_BLOCK;
            for (uint32_t e = g->in[b]; e != NO_BLOCK; e = g->edge[e].next) {
                const uint32_t p = g->edge[e].to;
                if (g->rank[p] != NO_BLOCK && g->idom[p] != NO_BLOCK)
                    d = d == NO_BLOCK ? p : common_dominator(g, d, p);
            }
            more |= g->idom[b] != d;
            g->idom[b] = d;
        }
    }
    g->idom[0] = NO_BLOCK;
}

static bool dominates(const flow_graph *g, uint32_t a, uint32_t b)
{
    while (b != NO_BLOCK && g->rank[b] > g->rank[a])
        b = g->idom[b];
    return a == b;
}

static bool is_back_edge(const flow_graph *g, uint32_t from, uint32_t to)
{
    return g->rank[from] != NO_BLOCK && dominates(g, to, from);
}

/* Record that block B is in the loop with header H, directly or in an inner loop. */
static void add_to_loop(flow_graph *g, uint32_t b, uint32_t h)
{
    if (g->head[b] == NO_BLOCK) {
        g->head[b] = h;
        return;
    }
    uint32_t x = g->head[b];
    while (x != h && g->parent[x] != NO_BLOCK)
        x = g->parent[x];
    if (x != h)
        g->parent[x] = h;
}

/* Walk backwards from the DEPTH blocks on the stack over all blocks without the current mark, and
 * mark them. The blocks remain in g->stack. Returns their number. */
static uint32_t mark_predecessors(flow_graph *g, uint32_t depth)
{
    uint32_t done = 0;
    while (done < depth) {
        const uint32_t b = g->stack[done++];
        for (uint32_t e = g->in[b]; e != NO_BLOCK; e = g->edge[e].next) {
            const uint32_t p = g->edge[e].to;
            if (g->rank[p] != NO_BLOCK && g->seen[p] != g->mark) {
                g->seen[p] = g->mark;
                g->stack[depth++] = p;
            }
        }
    }
    return depth;
}

/* Push the predecessors of H whose edge to H is a back edge (BACK) or a forward edge on the stack
 * above DEPTH. Returns the new depth. */
static uint32_t push_predecessors(flow_graph *g, uint32_t h, bool back, uint32_t depth)
{
    for (uint32_t e = g->in[h]; e != NO_BLOCK; e = g->edge[e].next) {
        const uint32_t p = g->edge[e].to;
        if (g->rank[p] != NO_BLOCK && g->seen[p] != g->mark && is_back_edge(g, p, h) == back) {
            g->seen[p] = g->mark;
            g->stack[depth++] = p;
        }
    }
    return depth;
}

/* Find the loops of the graph, inner loops first. */
static void find_loops(flow_graph *g)
{
    memset(g->head, 0xff, g->blocks * sizeof *g->head);
    memset(g->parent, 0xff, g->blocks * sizeof *g->parent);
    for (uint32_t k = g->reached; k-- > 0;) {
        const uint32_t h = g->order[k];
        bool is_head = false;
        for (uint32_t e = g->in[h]; e != NO_BLOCK; e = g->edge[e].next)
            is_head |= is_back_edge(g, g->edge[e].to, h);
        if (!is_head)
            continue;
        g->seen[h] = ++g->mark;
        add_to_loop(g, h, h);
        const uint32_t count = mark_predecessors(g, push_predecessors(g, h, true, 0));
        for (uint32_t n = 0; n < count; n++)
            add_to_loop(g, g->stack[n], h);
    }
}

static bool is_in_graph_loop(const flow_graph *g, uint32_t b, uint32_t h)
{
    uint32_t x = g->head[b];
    while (x != NO_BLOCK && x != h)
        x = g->parent[x];
    return x == h;
}

/* The block at which the paths to B begin, outside every loop that does not contain B; NO_BLOCK:
 * the paths begin at the entry of the function. */
static uint32_t start_of_paths_to(const flow_graph *g, uint32_t b)
{
    for (uint32_t d = g->idom[b];;) {
        uint32_t outside = NO_BLOCK;
        for (uint32_t x = d == NO_BLOCK ? NO_BLOCK : g->head[d]; x != NO_BLOCK; x = g->parent[x])
            outside = is_in_graph_loop(g, b, x) ? outside : x;
        if (outside == NO_BLOCK)
            return d;
        d = g->idom[outside];
    }
}

/* Do lanes reconverge after block B, because B ends with a call or with a guarded instruction that
 * is not a branch? Lanes of an indirect call do not wait: each lane continues after its return. */
static bool has_reconvergence_point(const flow_graph *g, uint32_t b)
{
    const ptx_insn *last = &g->f->insns[g->begin[b + 1] - 1];
    const ptx_flow flow = ptx_traits_of(last)->flow;
    if (flow == PTX_FLOW_call) {
        const ptx_operand *to = &last->opd[1];
        return is_guarded(last) ||
               (last->operand_count > 1 && to->count && to->v[0].kind == PTX_VAL_FUNC);
    }
    return is_guarded(last) && !ptx_is_branch(last) && flow != PTX_FLOW_ret &&
           !leaves_kernel(g->f, last);
}

/* Does block B only leave the kernel? Lanes do not reconverge at such a block. */
static bool only_leaves_kernel(const flow_graph *g, uint32_t b)
{
    const ptx_insn *first = &g->f->insns[g->begin[b]];
    return leaves_kernel(g->f, first) && !is_guarded(first);
}

/* Mark everything reachable from block B, including B, without following back edges. Returns
 * whether TO was found. Sets *stopped if a block with mark STOP was reached. */
static bool mark_reachable(flow_graph *g, uint32_t b, uint32_t to, uint32_t stop, bool *stopped)
{
    uint32_t depth = 0;
    const uint32_t mark = ++g->mark;
    bool found = b == to;
    g->seen[b] = mark;
    g->stack[depth++] = b;
    while (depth) {
        const uint32_t x = g->stack[--depth];
        for (uint32_t e = g->out[x]; e != NO_BLOCK; e = g->edge[e].next) {
            const uint32_t y = g->edge[e].to;
            if (g->seen[y] == mark || only_leaves_kernel(g, y) || is_back_edge(g, x, y))
                continue;
            found |= y == to;
            *stopped |= stop && g->seen[y] == stop;
            g->seen[y] = mark;
            g->stack[depth++] = y;
        }
    }
    return found;
}

/* Does the exit path of loop H that begins at block B meet another exit path of the loop later?
 * Then lanes reconverge where the paths meet. */
static bool exit_paths_meet_later(flow_graph *g, uint32_t b, uint32_t h)
{
    bool later = false;
    for (uint32_t k = g->rank[h]; k < g->reached && !later; k++) {
        const uint32_t x = g->order[k];
        for (uint32_t e = is_in_graph_loop(g, x, h) ? g->out[x] : NO_BLOCK; e != NO_BLOCK;
             e = g->edge[e].next) {
            const uint32_t y = g->edge[e].to;
            if (y == b || is_in_graph_loop(g, y, h) || only_leaves_kernel(g, y))
                continue;
            bool ignored = false, met = false;
            mark_reachable(g, b, NO_BLOCK, 0, &ignored);
            met = g->seen[y] == g->mark;
            if (!mark_reachable(g, y, b, g->mark, &met) && met)
                later = true;
        }
    }
    return later;
}

/* The outermost loop that contains P but not B. */
static uint32_t outermost_loop_left(const flow_graph *g, uint32_t p, uint32_t b)
{
    uint32_t left = NO_BLOCK;
    for (uint32_t x = g->head[p]; x != NO_BLOCK && !is_in_graph_loop(g, b, x); x = g->parent[x])
        left = x;
    return left;
}

/* Push the blocks on paths from D that leave the kernel without reaching B on the stack above
 * DEPTH: lanes at B wait until lanes in these blocks exit. Marks all blocks reachable from B. */
static uint32_t push_leaving_blocks(flow_graph *g, uint32_t b, uint32_t d, uint32_t depth)
{
    uint32_t top = depth;
    g->stack[top++] = b;
    while (top > depth) {
        const uint32_t x = g->stack[--top];
        for (uint32_t e = g->out[x]; e != NO_BLOCK; e = g->edge[e].next) {
            const uint32_t y = g->edge[e].to;
            if (g->seen[y] != g->mark && !only_leaves_kernel(g, y) && !is_back_edge(g, x, y)) {
                g->seen[y] = g->mark;
                g->stack[top++] = y;
            }
        }
    }
    for (uint32_t k = 0; k < g->ends; k++) {
        const uint32_t x = g->end[k];
        if (g->seen[x] != g->mark && (d == NO_BLOCK || dominates(g, d, x))) {
            g->seen[x] = g->mark;
            g->stack[depth++] = x;
        }
    }
    return depth;
}

/* Push the blocks whose lanes the lanes at B wait for. Returns the number of blocks. */
static uint32_t find_waiting_sources(flow_graph *g, uint32_t b)
{
    uint32_t forward = 0, back = 0, aside = NO_BLOCK;
    uint32_t left = NO_BLOCK;
    for (uint32_t e = g->in[b]; e != NO_BLOCK; e = g->edge[e].next) {
        const uint32_t p = g->edge[e].to;
        if (g->rank[p] == NO_BLOCK)
            continue;
        const bool returns = is_back_edge(g, p, b);
        back += returns;
        forward += !returns;
        left = returns || outermost_loop_left(g, p, b) == NO_BLOCK ? left
                                                                   : outermost_loop_left(g, p, b);
        aside = !returns && p + 1 == b && has_reconvergence_point(g, p) ? p : aside;
    }
    if (forward == 1 && left != NO_BLOCK && exit_paths_meet_later(g, b, left))
        left = NO_BLOCK;
    uint32_t count = 0;
    g->seen[b] = ++g->mark;
    if (forward > 1 || left != NO_BLOCK) {
        const uint32_t d = start_of_paths_to(g, b);
        if (d != NO_BLOCK)
            g->seen[d] = g->mark;
        count = mark_predecessors(g, push_predecessors(g, b, false, 0));
        count = g->ends > 1 ? mark_predecessors(g, push_leaving_blocks(g, b, d, count)) : count;
    } else if (aside != NO_BLOCK) {
        g->seen[aside] = g->mark;
        g->stack[count++] = aside;
    }
    if (back > 1)
        count = mark_predecessors(g, push_predecessors(g, b, true, count));
    return count;
}

static const compile_reconvergence *make_reconvergence_point(compile_translation *t,
                                                             const uint32_t *source, uint32_t count)
{
    uint32_t first = NO_BLOCK, last = 0;
    for (uint32_t k = 0; k < count; k++) {
        first = source[k] < first ? source[k] : first;
        last = source[k] > last ? source[k] : last;
    }
    const uint32_t span = last - first + 1;
    compile_reconvergence *j = compile_alloc_with_code(t, sizeof *j);
    uint64_t *from = compile_alloc_with_code(t, (span + 63) / 64 * sizeof *from);
    if (!j || !from)
        return NULL;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t bit = source[k] - first;
        from[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
    *j = (compile_reconvergence){first, span, from};
    return j;
}

static void find_leaving_blocks(flow_graph *g)
{
    for (uint32_t k = 0; k < g->reached; k++) {
        const uint32_t b = g->order[k];
        const ptx_insn *last = &g->f->insns[g->begin[b + 1] - 1];
        bool end = leaves_kernel(g->f, last) && !is_guarded(last) && !only_leaves_kernel(g, b);
        for (uint32_t e = g->out[b]; e != NO_BLOCK; e = g->edge[e].next)
            end |= only_leaves_kernel(g, g->edge[e].to);
        if (end)
            g->end[g->ends++] = b;
    }
}

static bool find_reconvergence_points(flow_graph *g, compile_translation *t,
                                      compile_reconvergence_points *joins)
{
    enum {
        PATIENCE = 1 << 26
    }; /* limit of blocks visited in total; after it the remaining blocks get no reconvergence point
        */
    uint64_t walked = 0;
    for (uint32_t k = 0; k < g->reached && walked < PATIENCE; k++) {
        const uint32_t b = g->order[k];
        if (only_leaves_kernel(g, b))
            continue;
        const uint32_t count = find_waiting_sources(g, b);
        walked += count;
        joins->at[b] = count ? make_reconvergence_point(t, g->stack, count) : NULL;
        if (count && !joins->at[b])
            return false;
    }
    return true;
}

static bool build_flow_graph(flow_graph *g, compile_translation *t, const bool *leader)
{
    const ptx_func *f = t->func;
    uint32_t targets = 0;
    g->f = f;
    g->block = compile_alloc_with_code(t, (f->insn_count + 1u) * sizeof *g->block);
    for (uint32_t k = 0; k < f->insn_count; k++) {
        g->blocks += leader[k];
        targets += f->insns[k].target_count;
    }
    const size_t n = g->blocks + 1u;
    uint32_t **const arrays[] = {&g->begin, &g->out,    &g->in,   &g->order, &g->rank, &g->idom,
                                 &g->head,  &g->parent, &g->seen, &g->stack, &g->end};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = calloc(n, sizeof **arrays[k]);
        if (!*arrays[k])
            return false;
    }
    g->edge = calloc(2 * (2 * n + targets), sizeof *g->edge);
    if (!g->edge || !g->block)
        return false;
    for (uint32_t k = 0, b = 0; k <= f->insn_count; k++) {
        if (k < f->insn_count && leader[k])
            g->begin[b++] = k;
        g->block[k] = b - 1;
    }
    g->begin[g->blocks] = f->insn_count;
    memset(g->out, 0xff, n * sizeof *g->out);
    memset(g->in, 0xff, n * sizeof *g->in);
    for (uint32_t b = 0; b < g->blocks; b++)
        add_block_edges(g, b);
    return true;
}

bool compile_find_reconvergence(compile_translation *t, const bool *leader, compile_facts *facts)
{
    compile_reconvergence_points *joins = compile_alloc_with_code(t, sizeof *joins);
    flow_graph g = {0};
    bool good = joins && t->func->insn_count && build_flow_graph(&g, t, leader);
    if (good) {
        joins->block = g.block;
        joins->blocks = g.blocks;
        joins->at = compile_alloc_with_code(t, g.blocks * sizeof *joins->at);
        good = joins->at != NULL;
    }
    if (good) {
        number_blocks(&g);
        find_dominators(&g);
        find_loops(&g);
        find_leaving_blocks(&g);
        good = find_reconvergence_points(&g, t, joins);
    }
    uint32_t *const arrays[] = {g.begin, g.out,    g.in,   g.order, g.rank, g.idom,
                                g.head,  g.parent, g.seen, g.stack, g.end};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
    free(g.edge);
    facts->joins = joins;
    return joins && (good || !t->func->insn_count);
}
