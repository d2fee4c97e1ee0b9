/* Tests when operations start and end on the modelled device: dependencies, copy engines, kernels
 * that share the device, host calls. */

#include "emulator/cudart/core/call.h"
#include "emulator/cudart/core/state.h"
#include "emulator/cudart/streams/op.h"
#include "emulator/cudart/streams/op_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_OPS 8

static rt_op test_ops[MAX_OPS]; /* operations of the test; the first delays all others */
static rt_op *op_list[MAX_OPS]; /* all operations but the first, in the order of their calls */
static rt_op
    *op_dependencies[MAX_OPS][MAX_OPS]; /* operations that each element of op_list waits for */
static size_t op_count;                 /* number of elements of op_list */
static double origin; /* start of this test's operations, after those of earlier tests */

static int reset_operations(void **state)
{
    (void)state;
    memset(test_ops, 0, sizeof test_ops);
    op_count = 0;
    rt.profile = (device_profile){.copy_engines = 2};
    origin = rt_clock_now();
    /* Every operation of the test depends on this one, so none starts before `origin`. */
    test_ops[0] = (rt_op){
        .kind = RT_HOST_WAIT, .state = RT_DONE, .start = origin, .end = origin, .timed = true};
    return 0;
}

/* An operation of NS nanoseconds that depends on operations A and B (0: none). */
static rt_op *add_operation(rt_op_kind kind, double ns, double share, rt_op *a, rt_op *b)
{
    assert_true(op_count + 1 < MAX_OPS);
    rt_op *op = &test_ops[op_count + 1];
    op->kind = kind;
    op->ns = ns;
    op->share = share;
    op->state = RT_DONE;
    op->seq = op_count + 1;
    op->dep = op_dependencies[op_count];
    op->dep[op->dep_count++] = &test_ops[0];
    if (a)
        op->dep[op->dep_count++] = a;
    if (b)
        op->dep[op->dep_count++] = b;
    op_list[op_count++] = op;
    return op;
}

static void assert_span(const rt_op *op, double start, double end)
{
    assert_true(op->timed);
    assert_float_equal(op->start - origin, start, 1e-3);
    assert_float_equal(op->end - origin, end, 1e-3);
}

static void operations_of_a_stream_run_in_order(void **state)
{
    (void)state;
    rt_op *a = add_operation(RT_COPY_H2D, 100, 1, NULL, NULL);
    rt_op *b = add_operation(RT_KERNEL, 50, 0.1, a, NULL);
    rt_op *c = add_operation(RT_EVENT_RECORD, 0, 0, b, NULL);
    rt_op *d = add_operation(RT_COPY_D2H, 30, 1, c, NULL);
    rt_clock_set_times(op_list, op_count);
    assert_span(a, 0, 100);
    assert_span(b, 100, 150);
    assert_span(c, 150, 150);
    assert_span(d, 150, 180);
}

static void directions_overlap_but_one_engine_serves_one_copy(void **state)
{
    (void)state;
    rt_op *a = add_operation(RT_COPY_H2D, 100, 1, NULL, NULL);
    rt_op *b = add_operation(RT_COPY_H2D, 100, 1, NULL, NULL);
    rt_op *c = add_operation(RT_COPY_D2H, 100, 1, NULL, NULL);
    rt_clock_set_times(op_list, op_count);
    assert_span(a, 0, 100);
    assert_span(b, 100, 200);
    assert_span(c, 0, 100);
}

static void a_single_engine_serves_both_directions(void **state)
{
    (void)state;
    rt.profile.copy_engines = 1;
    rt_op *a = add_operation(RT_COPY_H2D, 100, 1, NULL, NULL);
    rt_op *b = add_operation(RT_COPY_D2H, 100, 1, NULL, NULL);
    rt_clock_set_times(op_list, op_count);
    assert_span(a, 0, 100);
    assert_span(b, 100, 200);
}

static void kernels_share_the_device_while_they_fit(void **state)
{
    (void)state;
    rt_op *a = add_operation(RT_KERNEL, 100, 0.5, NULL, NULL);
    rt_op *b = add_operation(RT_KERNEL, 60, 0.5, NULL, NULL);
    rt_op *c = add_operation(RT_KERNEL, 10, 0.3, NULL, NULL); /* does not fit before b ends */
    rt_op *d = add_operation(RT_KERNEL, 10, 1.0, NULL, NULL); /* needs the whole device */
    rt_clock_set_times(op_list, op_count);
    assert_span(a, 0, 100);
    assert_span(b, 0, 60);
    assert_span(c, 60, 70);
    assert_span(d, 100, 110);
}

static void ready_operations_overtake_waiting_ones(void **state)
{
    (void)state;
    rt_op *slow = add_operation(RT_COPY_D2H, 500, 1, NULL, NULL);
    rt_op *late = add_operation(RT_COPY_H2D, 100, 1, slow, NULL); /* ready at 500 */
    rt_op *soon = add_operation(RT_COPY_H2D, 100, 1, NULL, NULL); /* ready at 0 */
    rt_clock_set_times(op_list, op_count);
    assert_span(soon, 0, 100);
    assert_span(late, 500, 600);
}

static void an_event_waits_for_the_later_of_two(void **state)
{
    (void)state;
    rt_op *a = add_operation(RT_COPY_H2D, 100, 1, NULL, NULL);
    rt_op *b = add_operation(RT_KERNEL, 250, 0.2, NULL, NULL);
    rt_op *w = add_operation(RT_EVENT_WAIT, 0, 0, a, b);
    rt_op *k = add_operation(RT_KERNEL, 10, 0.2, w, NULL);
    rt_clock_set_times(op_list, op_count);
    assert_span(w, 250, 250);
    assert_span(k, 250, 260);
}

static void engines_stay_busy_from_batch_to_batch(void **state)
{
    (void)state;
    rt_op *a = add_operation(RT_COPY_H2D, 100, 1, NULL, NULL);
    rt_clock_set_times(op_list, op_count);
    rt_op *b = add_operation(RT_COPY_H2D, 40, 1, NULL, NULL);
    rt_clock_set_times(op_list + 1, 1);
    assert_span(a, 0, 100);
    assert_span(b, 100, 140);
    assert_float_equal(rt_clock_now() - origin, 140, 1e-3);
}

/* The launch overhead of a kernel overlaps only the previous kernel of its stream; no launch is
 * shorter than this overhead. */
static void launch_overhead_overlaps_the_previous_kernel(void **state)
{
    (void)state;
    rt.profile.launch_us = 5;
    rt.profile.launch_gap_us = 2;
    rt_op *a = add_operation(RT_KERNEL, 9000, 1, NULL, NULL);
    rt_op *b = add_operation(RT_KERNEL, 8000, 1, a, NULL);
    rt_op *c = add_operation(RT_EVENT_RECORD, 0, 0, b, NULL);
    rt_op *d = add_operation(RT_KERNEL, 6000, 1, c, NULL);
    rt_clock_set_times(op_list, op_count);
    assert_span(a, 0, 9000);
    assert_span(b, 6000, 14000);
    assert_span(d, 14000, 20000);
}

/* Host calls follow each other in time, starting at the last wait; an operation starts only after
 * its call. */
static void operations_start_after_their_host_call(void **state)
{
    (void)state;
    rt_op *a = add_operation(RT_COPY_H2D, 100, 1, NULL, NULL);
    rt_op *b = add_operation(RT_KERNEL, 50, 0.1, NULL, NULL);
    rt_op *c = add_operation(RT_KERNEL, 50, 0.1, a, b);
    b->since = c->since = &test_ops[0];
    b->issued = 30;
    c->issued = 400;
    rt_clock_set_times(op_list, op_count);
    assert_span(a, 0, 100);
    assert_span(b, 30, 80);
    assert_span(c, 400, 450);
}

/* The overhead of a copy overlaps the previous copy in the same direction, unless a copy in the
 * other direction starts in between. */
static void copy_overhead_overlaps_the_previous_copy(void **state)
{
    (void)state;
    rt.profile.copy_us = rt.profile.copy_out_us = 4;
    rt.profile.copy_gap_us = 1;
    rt_op *a = add_operation(RT_COPY_H2D, 10000, 1, NULL, NULL);
    rt_op *b = add_operation(RT_COPY_H2D, 10000, 1, NULL, NULL);
    rt_op *c = add_operation(RT_COPY_D2H, 20000, 1, b, NULL);
    rt_op *d = add_operation(RT_COPY_H2D, 5000, 1, c, NULL);
    rt_clock_set_times(op_list, op_count);
    assert_span(a, 0, 10000);
    assert_span(b, 7000, 17000);
    assert_span(c, 17000, 37000);
    assert_span(d, 37000, 42000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(launch_overhead_overlaps_the_previous_kernel, reset_operations),
        cmocka_unit_test_setup(operations_start_after_their_host_call, reset_operations),
        cmocka_unit_test_setup(copy_overhead_overlaps_the_previous_copy, reset_operations),
        cmocka_unit_test_setup(operations_of_a_stream_run_in_order, reset_operations),
        cmocka_unit_test_setup(directions_overlap_but_one_engine_serves_one_copy, reset_operations),
        cmocka_unit_test_setup(a_single_engine_serves_both_directions, reset_operations),
        cmocka_unit_test_setup(kernels_share_the_device_while_they_fit, reset_operations),
        cmocka_unit_test_setup(ready_operations_overtake_waiting_ones, reset_operations),
        cmocka_unit_test_setup(an_event_waits_for_the_later_of_two, reset_operations),
        cmocka_unit_test_setup(engines_stay_busy_from_batch_to_batch, reset_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
