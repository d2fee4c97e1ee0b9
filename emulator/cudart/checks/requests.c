/* The order of work that kernels request of the device runtime (Programming Guide, "CUDA Dynamic
 * Parallelism", "Execution Environment"). Such work begins after its request, and runs alongside
 * the kernel and other work of the kernel unless a stream, an event or the tail-launch stream
 * orders the two. A kernel is complete when its work is. */
#include "../streams/op.h"
#include "checks.h"

static uint32_t nesting_depth_of(const rt_op *op)
{
    uint32_t depth = 0;
    for (; op->inside; op = op->inside)
        depth++;
    return depth;
}

uint32_t rt_request_number_in_kernel(const rt_op *kernel, const rt_op *op)
{
    while (op->inside) {
        if (op->inside->kernel == kernel)
            return op->request;
        op = op->inside->kernel;
    }
    return 0;
}

bool rt_is_launched_by_kernel(const rt_op *op)
{
    return op->inside;
}

/* An operation that a kernel launched is replaced by one of that kernel: in *FIRST by the operation
 * that ends when all work of the kernel has ended, in *SECOND by the kernel's launch. */
void rt_replace_by_enclosing_ops(const rt_op **first, const rt_op **second)
{
    uint32_t a = nesting_depth_of(*first), b = nesting_depth_of(*second);
    while (a || b) {
        if (a == b && (*first)->inside == (*second)->inside)
            return;
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
