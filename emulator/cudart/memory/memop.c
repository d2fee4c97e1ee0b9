/* Values written to memory in stream order, and streams that wait for values (Driver API, "Stream
 * Memory Operations"). While a stream waits, all other work may run, and the host may write. */
#include "../checks/checks.h"
#include "../core/repeat.h"
#include "../entry/driver_table.h"

#include "../../memory/memory.h"
#include "../core/state.h"
#include "../graphs/capture.h"
#include "../streams/idle.h"
#include "copy.h"

#include <stdlib.h>
#include <string.h>

/* The data of an operation that writes a value to memory or waits for a value in memory. */
typedef struct value_memop {
    uint64_t at;    /* address in memory */
    uint64_t value; /* value to write, or to compare with */
    uint32_t bytes; /* size of the value: 4 or 8 bytes */
    uint32_t how;   /* for waits: the condition that ends the wait (rt_wait_condition) */
} value_memop;

static uint64_t value_in_memory(const value_memop *m)
{
    uint64_t v = 0;
    void *p = mem_host_pointer(m->at, m->bytes);
    if (p && m->bytes == 8)
        v = __atomic_load_n((uint64_t *)p, __ATOMIC_ACQUIRE);
    else if (p)
        v = __atomic_load_n((uint32_t *)p, __ATOMIC_ACQUIRE);
    return v;
}

/* Does the value in memory meet the condition (Driver API, CUstreamWaitValue_flags)? GEQ compares
 * by the sign of the difference. */
static bool is_condition_met(const value_memop *m)
{
    const uint64_t v = value_in_memory(m);
    switch (m->how) {
    case RT_WAIT_GREATER:
        return m->bytes == 8 ? (int64_t)(v - m->value) >= 0
                             : (int32_t)((uint32_t)v - (uint32_t)m->value) >= 0;
    case RT_WAIT_EQUAL: return v == m->value;
    case RT_WAIT_AND: return v & m->value;
    default: /* NOR */ return ~(v | m->value) & (m->bytes == 8 ? UINT64_MAX : UINT32_MAX);
    }
}

static bool is_wait_satisfied(rt_op *op)
{
    static bool said;
    op->blocked = !is_condition_met(op->data);
    if (!op->blocked)
        rt_race_check_value_wait_done(op, ((value_memop *)op->data)->at, value_in_memory(op->data));
    rt_op *other = op->blocked ? rt_queue_find_op_independent_of(op) : NULL;
    if (other) {
        op->blocked = false;
        rt_op_set_dependency(op, other);
        return true;
    }
    if (op->blocked && rt_all_host_threads_wait()) {
        if (!said) {
            rt_print_message(
                "a stream waits for a value at 0x%llx that no remaining work can write",
                (unsigned long long)((value_memop *)op->data)->at);
        }
        said = true;
        rt.state.sticky = cudaErrorLaunchFailure;
        op->blocked = false;
    }
    return false;
}

static void run_value_write(rt_op *op)
{
    const value_memop *m = op->data;
    void *p = mem_host_pointer(m->at, m->bytes);
    if (p) {
        memcpy(p, &m->value, m->bytes);
        rt_note_fill((rt_copy_box){.base = m->at, .pitch = m->bytes}, m->bytes, 1, 1);
    }
}

static void describe_value_write(const rt_op *op, rt_op_info *to)
{
    const value_memop *m = op->data;
    *to = (rt_op_info){
        .action = RT_ACTION_WRITE, .to = {.base = m->at}, .value = m->value, .unit = m->bytes};
}

cudaError_t rt_replay_write(rt_op *op, const rt_op_info *t)
{
    value_memop *m = calloc(1, sizeof *m);
    if (m) {
        *m = (value_memop){.at = t->to.base, .value = t->value, .bytes = (uint32_t)t->unit};
        op->data = m;
        op->name = "write a value";
        op->run = run_value_write;
        op->describe = describe_value_write;
    }
    return m ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t queue_memop(cudaStream_t stream, const value_memop *m, bool wait)
{
    cudaError_t e = rt_lock();
    rt_stream *s = rt_stream_of(stream);
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    e = RT_INVALID_IF(e, m->at % m->bytes || !mem_host_pointer(m->at, m->bytes));
    e = e ? e : rt_capture_check_work(s);
    if (!e && rt_is_capturing(s)) {
        rt_print_message("writing and waiting for values in a graph is not supported");
        e = cudaErrorNotSupported;
    }
    rt_op *op = e ? NULL : rt_queue_op(s, RT_MEMSET, sizeof *m, NULL);
    if (op) {
        *(value_memop *)op->data = *m;
        op->name = wait ? RT_VALUE_WAIT_NAME : "write a value";
        op->decide = wait ? is_wait_satisfied : NULL;
        op->run = wait ? NULL : run_value_write;
        op->describe = describe_value_write;
    }
    return rt_unlock(e ? e : op ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t rt_memop_write(cudaStream_t stream, uint64_t at, uint64_t value, uint32_t bytes)
{
    const value_memop m = {.at = at, .value = value, .bytes = bytes};
    return queue_memop(stream, &m, false);
}

cudaError_t rt_memop_wait(cudaStream_t stream, uint64_t at, uint64_t value, uint32_t bytes,
                          rt_wait_condition how)
{
    const value_memop m = {.at = at, .value = value, .bytes = bytes, .how = how};
    return queue_memop(stream, &m, true);
}
