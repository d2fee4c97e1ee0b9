/* Reports graphs that keep the address of a local variable whose function has returned. A node of a
 * graph uses the memory when the graph runs, not when the call is captured. */
#include "../core/state.h"
#include "../graphs/graph.h"
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>

/* Is ADDRESS on the calling thread's stack, below FRAME, where no function that still runs has a
 * variable? Only the nearest part of the stack is known to be one. */
static bool is_dead_variable(uint64_t address, uint64_t frame)
{
    const uint64_t nearest = UINT64_C(256) << 10;
    return address < frame && frame - address < nearest;
}

static void report_dead_variable(const char *node, const char *does, uint64_t address)
{
    san_finding f = {.kind = "host",
                     .fix = "keep what the nodes of a graph use as long as the graph is launched: "
                            "memory of cudaMallocHost, a global variable or one of the caller",
                     .chapter = CHAPTER_STREAMS};
    rt_name_call(&f.at);
    snprintf(f.sentence, sizeof f.sentence,
             "a %s node of the graph %s host memory at 0x%" PRIx64
             ", a local variable of a function that has returned",
             node, does, address);
    rt_report_finding(&f);
}

static void check_node(const rt_node_work *w, uint64_t frame)
{
    if (w->type == cudaGraphNodeTypeMemcpy) {
        const uint64_t from = (uint64_t)(uintptr_t)w->copy.srcPtr.ptr;
        const uint64_t to = (uint64_t)(uintptr_t)w->copy.dstPtr.ptr;
        if (is_dead_variable(from, frame))
            report_dead_variable("memcpy", "reads", from);
        if (is_dead_variable(to, frame))
            report_dead_variable("memcpy", "writes", to);
    } else if (w->type == cudaGraphNodeTypeHost) {
        const uint64_t data = (uint64_t)(uintptr_t)w->host.userData;
        if (is_dead_variable(data, frame))
            report_dead_variable("host", "is given", data);
    } else if (w->type == cudaGraphNodeTypeGraph) {
        rt_check_graph_variables(w->child, frame);
    }
}

void rt_check_graph_variables(const rt_graph *g, uint64_t frame)
{
    for (const rt_node *n = rt.sanitize & SAN_HOST ? g->first : NULL; n; n = n->next)
        if (!n->disabled)
            check_node(&n->work, frame);
}
