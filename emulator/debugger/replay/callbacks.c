/* Callbacks from the runtime while a recording is repeated: the replay keeps the hash of a launch's
 * counters, and ignores the rest. */
#include "state.h"

static void on_launch_counted(const rt_op *op, const counters *total)
{
    ((replay_op *)(uintptr_t)op)->counters = rec_digest_bytes(0, total, sizeof *total);
}

static void ignore_event(void) {}

static void ignore_module_loaded(const rt_module *m, const rt_jit_options *jit)
{
    (void)m, (void)jit;
}

static void ignore_module_unloaded(const rt_module *m)
{
    (void)m;
}

static void ignore_op(const rt_op *op)
{
    (void)op;
}

static void ignore_times_settled(rt_op *const *op, size_t n)
{
    (void)op, (void)n;
}

static void ignore_nested_launches_done(uint64_t n)
{
    (void)n;
}

static void ignore_value_written(uint64_t at, uint32_t bytes)
{
    (void)at, (void)bytes;
}

static void ignore_value_wait_done(const rt_op *op, uint64_t at, uint64_t value)
{
    (void)op, (void)at, (void)value;
}

static void ignore_array_shape(uint64_t a, uint64_t b, uint64_t c)
{
    (void)a, (void)b, (void)c;
}

static void ignore_limits(uint64_t a, uint64_t b)
{
    (void)a, (void)b;
}

static void ignore_unwritten_memory(uint64_t at, uint64_t size, const san_caller *by)
{
    (void)at, (void)size, (void)by;
}

static void ignore_text(const char *text)
{
    (void)text;
}

const rt_recorder replay_recorder = {.opened = ignore_event,
                                     .ends = ignore_event,
                                     .forked = ignore_event,
                                     .module = ignore_module_loaded,
                                     .module_gone = ignore_module_unloaded,
                                     .begins = ignore_op,
                                     .done = ignore_op,
                                     .counted = on_launch_counted,
                                     .settled = ignore_times_settled,
                                     .waited = ignore_event,
                                     .nested_done = ignore_nested_launches_done,
                                     .poked = ignore_value_written,
                                     .fresh = ignore_unwritten_memory,
                                     .array = ignore_array_shape,
                                     .value_met = ignore_value_wait_done,
                                     .limits = ignore_limits,
                                     .reset = ignore_event,
                                     .unsure = ignore_text};
