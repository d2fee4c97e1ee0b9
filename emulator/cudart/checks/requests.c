/* The order of work that kernels request of the device runtime (Programming Guide, "CUDA Dynamic
 * Parallelism", "Execution Environment"). Such work begins after its request, and runs beside the
 * kernel and beside other work of the kernel unless a stream, an event or the tail-launch stream
 * orders the two. A kernel is complete when its work is. */
#include "checks.h"

static uint32_t nesting_depth_of(const rt_op *op)
{
    uint32_t depth = 0;
    for (; op->inside; op = op->inside) {
        depth++;
    }
    return depth;
}

uint32_t rt_check_request_of(const rt_op *kernel, const rt_op *op)
{
    while (op->inside) {
        if (op->inside->kernel == kernel) {
            return op->request;
        }
        op = op->inside->kernel;
    }
    return 0;
}

bool rt_check_is_requested(const rt_op *op)
{
    return op->inside;
}

/* An enclosing kernel stands for the work that it launched: in place of *FIRST the operation that
 * ends the kernel, in place of *SECOND the launch of the kernel. */
void rt_check_same_level(const rt_op **first, const rt_op **second)
{
    uint32_t a = nesting_depth_of(*first), b = nesting_depth_of(*second);
    while (a || b) {
        if (a == b && (*first)->inside == (*second)->inside) {
            return;
        }
        const bool raise_first = a >= b, raise_second = b >= a;
        if (raise_first) {
            *first = (*first)->inside;
            a--;
        }
        if (raise_second) {
            *second = (*second)->inside->kernel;
            b--;
        }
    }
}
