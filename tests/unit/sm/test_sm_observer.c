/* Tests the events that observers of a launch receive: accesses with lanes and addresses, fences,
 * barriers of each kind, exits, blocks in order; also several observers at once. */
#include "sm_kernel.h"

#include "emulator/core/observer.h"
#include "emulator/observe/observe.h"

#define KERNEL_HEAD                                              \
    ".extern .shared .align 16 .b8 tile[];\n"                    \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"   \
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n" \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r3, tile;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r5, %r3, %r4;\n"

static char event_log[2][2000];   /* log of the events of each of the two observers */
static bool second_out_of_memory; /* the second observer fails to allocate memory for a block */

static void note_event(void *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note_event(void *log, const char *format, ...)
{
    char *text = log;
    const size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, sizeof event_log[0] - length, format, args);
    va_end(args);
}

static void *begin_first_log(const sm_grid *g)
{
    (void)g;
    return event_log[0];
}

static void *begin_second_log(const sm_grid *g)
{
    (void)g;
    return event_log[1];
}

static sm_report *launch_ends(void *log)
{
    note_event(log, "end");
    sm_report *r = calloc(1, sizeof *r);
    strcpy(r->text, log == event_log[0] ? "first" : "second");
    return r;
}

static void *block_opens(void *log, const sm_block *b)
{
    note_event(log, "open %llu %u;", (unsigned long long)b->shared_bytes, b->warp_count);
    return second_out_of_memory && log == event_log[1] ? NULL : log;
}

static void block_closes(void *log)
{
    note_event(log, "close;");
}

static void block_begins(void *log)
{
    note_event(log, "block;");
}

static void block_barrier(void *log)
{
    note_event(log, "barrier;");
}

static void warp_barrier(void *log, uint32_t warp, uint32_t lanes)
{
    note_event(log, "warp %u %x;", warp, lanes);
}

static void barrier_arrives(void *log, uint32_t id, uint32_t warp, uint32_t lanes)
{
    note_event(log, "arrive %u %u %x;", id, warp, lanes);
}

static void barrier_releases(void *log, uint32_t id, uint32_t warps)
{
    note_event(log, "release %u %x;", id, warps);
}

static void on_access(void *log, const sm_access *a)
{
    static const char *const effect[] = {"read", "write", "update"};
    const uint32_t last = 31 - (uint32_t)__builtin_clz(a->mask);
    note_event(log, "%s %x %u@%llu-%llu;", effect[a->effect], a->mask, a->bytes,
               (unsigned long long)a->address[__builtin_ctz(a->mask)],
               (unsigned long long)a->address[last]);
}

#define LOGGING_OBSERVER(begins)                                                                \
    {                                                                                           \
        .sees = SM_SEES_SHARED, .launch_begins = begins, .launch_ends = launch_ends,            \
        .block_opens = block_opens, .block_closes = block_closes, .block_begins = block_begins, \
        .access = on_access, .block_barrier = block_barrier, .warp_barrier = warp_barrier,      \
        .barrier_arrives = barrier_arrives, .barrier_releases = barrier_releases                \
    }
static const sm_observer first_observer = LOGGING_OBSERVER(begin_first_log),
                         second = LOGGING_OBSERVER(begin_second_log);

/* An observer of all state spaces, which receives further kinds of events. */
static uint64_t base; /* device address of the kernel's buffer */

static void *note_launch_begin(const sm_grid *g)
{
    const sm_launch *l = g->launch;
    memcpy(&base, l->params, sizeof base);
    note_event(event_log[0], "%s %u,%u #%llu on %llu;", l->kernel->name, l->grid[0], l->block[0],
               (unsigned long long)l->number, (unsigned long long)l->stream);
    return event_log[0];
}

static const char *memory_order_text(const ptx_insn *in)
{
    static const char *const order[] = {"weak",    "volatile", "relaxed",
                                        "acquire", "release",  "acq_rel"};
    return order[observe_order_of(in)];
}

static const char *memory_scope_text(const ptx_insn *in)
{
    static const char *const scope[] = {"cta", "cluster", "gpu", "sys"};
    return scope[observe_scope_of(in)];
}

static void note_access(void *log, const sm_access *a)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(a->mask);
    uint64_t value[2] = {0};
    const bool known = observe_access_value(a, lane, value);
    note_event(log, "%s %s %s",
               a->space == PTX_SPACE_GLOBAL  ? "global"
               : a->space == PTX_SPACE_LOCAL ? "local"
               : a->space == PTX_SPACE_CONST ? "const"
                                             : "shared",
               a->effect == SM_READS    ? "read"
               : a->effect == SM_WRITES ? "write"
                                        : "update",
               memory_order_text(a->insn));
    if (a->space == PTX_SPACE_GLOBAL)
        note_event(log, ".%s", memory_scope_text(a->insn));
    note_event(
        log, " %x %u@%llu", a->mask, a->bytes,
        (unsigned long long)(a->address[lane] -
                             (a->space == PTX_SPACE_GLOBAL || a->space == PTX_SPACE_CONST ? base
                                                                                          : 0)));
    if (known)
        note_event(log, "=%llx", (unsigned long long)value[0]);
    note_event(log, ";");
}

static void note_fence(void *log, const sm_warp *w, const ptx_insn *in)
{
    note_event(log, "fence %s.%s %x;", memory_order_text(in), memory_scope_text(in), w->mask);
}

static void note_lanes_exit(void *log, const sm_warp *w, uint32_t lanes)
{
    note_event(log, "exit %u %x;", w->index, lanes);
}

static void note_block_end(void *log)
{
    note_event(log, "done;");
}

static void note_launch_fault(void *log, const sm_fault *fault)
{
    note_event(log, "fault %d;", (int)fault->kind);
}

static const sm_observer order_observer = {.serial = true,
                                           .sees = SM_SEES_SHARED | SM_SEES_GLOBAL | SM_SEES_LOCAL |
                                                   SM_SEES_CONST,
                                           .launch_begins = note_launch_begin,
                                           .launch_ends = launch_ends,
                                           .launch_faults = note_launch_fault,
                                           .block_opens = block_opens,
                                           .block_ends = note_block_end,
                                           .block_closes = block_closes,
                                           .access = note_access,
                                           .fence = note_fence,
                                           .lanes_exit = note_lanes_exit};

/* An observer that receives only the begin of launches and blocks. */
static const sm_observer silent_observer = {.launch_begins = begin_first_log,
                                            .launch_ends = launch_ends,
                                            .block_opens = block_opens,
                                            .block_closes = block_closes};

static bool run_observed(kernel_run *run, const char *body, uint32_t blocks, uint32_t threads,
                         const sm_observer *const *by)
{
    char text[3000];
    memset(event_log, 0, sizeof event_log);
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", KERNEL_HEAD, body);
    return run_grid(run, text,
                    &(sm_launch){.grid = {blocks, 1, 1},
                                 .block = {threads, 1, 1},
                                 .dynamic_shared = 256,
                                 .workers = 1,
                                 .observers = by},
                    NULL, 0);
}

static void expect_events(const char *body, uint32_t blocks, uint32_t threads, const char *what)
{
    static const sm_observer *const both[] = {&first_observer, &second, NULL};
    kernel_run run = {0};
    assert_true(run_observed(&run, body, blocks, threads, both));
    assert_string_equal(event_log[0], what);
    assert_string_equal(event_log[1], what);
    assert_string_equal(reports_text(&run), "first\nsecond\n");
    free_kernel_run(&run);
}

static void observers_see_lanes_and_offsets_of_accesses(void **state)
{
    (void)state;
    expect_events("st.shared.u32 [%r5], %r1;\nld.shared.u32 %r8, [%r3+8];", 1, 32,
                  "open 256 1;block;write ffffffff 4@0-124;read ffffffff 4@8-8;close;end");
    expect_events("setp.lt.u32 %p1, %r1, 3;\n@%p1 atom.shared.add.u32 %r8, [%r5], 1;", 1, 32,
                  "open 256 1;block;update 7 4@0-8;close;end");
    expect_events("setp.lt.u32 %p1, %r1, 2;\n@%p1 st.release.cta.shared.u32 [%r5], %r1;", 1, 32,
                  "open 256 1;block;write 3 4@0-4;close;end");
    expect_events("setp.lt.u32 %p1, %r1, 2;\n@%p1 st.volatile.shared.u32 [%r5], %r1;", 1, 32,
                  "open 256 1;block;write 3 4@0-4;close;end");
}

static void observers_see_each_kind_of_barrier(void **state)
{
    (void)state;
    expect_events("bar.sync 0;\nbar.warp.sync -1;", 1, 32,
                  "open 256 1;block;barrier;warp 0 ffffffff;close;end");
    expect_events("bar.sync 1, 64;", 1, 64,
                  "open 256 2;block;arrive 1 0 ffffffff;arrive 1 1 ffffffff;release 1 3;close;end");
}

static void blocks_of_one_sm_are_observed_in_order(void **state)
{
    (void)state;
    expect_events("bar.sync 0;", 3, 32,
                  "open 256 1;block;barrier;block;barrier;block;barrier;close;end");
}

static void missing_observer_functions_are_not_called(void **state)
{
    (void)state;
    static const sm_observer *const alone[] = {&silent_observer, NULL};
    kernel_run run = {0};
    assert_true(run_observed(&run, "st.shared.u32 [%r5], %r1;\nbar.sync 0;", 1, 32, alone));
    assert_string_equal(event_log[0], "open 256 1;close;end");
    free_kernel_run(&run);
}

/* Run BODY on one warp; %rd1 is the address of the buffer, %rd2 the address of the lane's 4 bytes
 * in the buffer. */
static bool run_in_order(kernel_run *run, const char *body)
{
    static const sm_observer *const alone[] = {&order_observer, NULL};
    char text[3000];
    memset(event_log, 0, sizeof event_log);
    snprintf(text, sizeof text,
             "%s.local .align 4 .b8 own[16];\nld.param.u64 %%rd1, [k_0];\n"
             "mul.wide.u32 %%rd3, %%r1, 4;\nadd.u64 %%rd2, %%rd1, %%rd3;\n%s\nret;\n}\n",
             KERNEL_HEAD, body);
    return run_grid(run, text,
                    &(sm_launch){.grid = {1, 1, 1},
                                 .block = {32, 1, 1},
                                 .dynamic_shared = 256,
                                 .number = 7,
                                 .stream = 3,
                                 .observers = alone},
                    NULL, 0);
}

static void expect_ordered(const char *body, const char *what)
{
    kernel_run run = {0};
    char text[1000];
    assert_true(run_in_order(&run, body));
    snprintf(text, sizeof text, "k 1,32 #7 on 3;open 256 1;%sexit 0 ffffffff;done;close;end", what);
    assert_string_equal(event_log[0], text);
    free_kernel_run(&run);
}

static void every_space_is_seen(void **state)
{
    (void)state;
    expect_ordered("st.global.u32 [%rd2], 5;\nld.global.u32 %r8, [%rd2+4];",
                   "global write weak.gpu ffffffff 4@0=5;global read weak.gpu ffffffff 4@4;");
    expect_ordered("st.u32 [%rd2+4], %r4;", "global write weak.gpu ffffffff 4@4=0;");
    expect_ordered("add.u32 %r6, %r4, 9;\nst.global.v2.u32 [%rd1], {%r6, %r6};",
                   "global write weak.gpu ffffffff 8@0=900000009;");
    expect_ordered("mov.u64 %rd5, 511;\nst.global.u8 [%rd1+3], %rd5;",
                   "global write weak.gpu ffffffff 1@3=ff;");
    expect_ordered("setp.lt.u32 %p1, %r1, 2;\n@%p1 st.local.u32 [own+4], 1;",
                   "local write weak 3 4@4=1;");
    expect_ordered("st.shared.u32 [%r5], 6;", "shared write weak ffffffff 4@0=6;");
}

static void order_and_scope_are_in_the_instruction(void **state)
{
    (void)state;
    expect_ordered("st.volatile.global.u32 [%rd2], 5;",
                   "global write volatile.sys ffffffff 4@0=5;");
    expect_ordered("ld.relaxed.cta.global.u32 %r8, [%rd2];",
                   "global read relaxed.cta ffffffff 4@0;");
    expect_ordered("ld.acquire.sys.u32 %r8, [%rd2];", "global read acquire.sys ffffffff 4@0;");
    expect_ordered("st.release.gpu.u32 [%rd2], 2;", "global write release.gpu ffffffff 4@0=2;");
    expect_ordered("atom.global.add.u32 %r8, [%rd1], 1;",
                   "global update relaxed.gpu ffffffff 4@0;");
    expect_ordered("red.cta.global.add.u32 [%rd1], 1;", "global update relaxed.cta ffffffff 4@0;");
    expect_ordered("atom.acq_rel.gpu.global.cas.b32 %r8, [%rd1], 1, 2;",
                   "global update acq_rel.gpu ffffffff 4@0;");
    expect_ordered("membar.cta;\nmembar.gl;\nmembar.sys;\nfence.acq_rel.cluster;\nfence.sc.gpu;",
                   "fence acq_rel.cta ffffffff;fence acq_rel.gpu ffffffff;"
                   "fence acq_rel.sys ffffffff;fence acq_rel.cluster ffffffff;"
                   "fence acq_rel.gpu ffffffff;");
}

static void a_fault_comes_before_the_end(void **state)
{
    (void)state;
    kernel_run run = {0};
    char text[200];
    assert_false(run_in_order(&run, "trap;"));
    snprintf(text, sizeof text, "k 1,32 #7 on 3;open 256 1;close;fault %d;end", SM_FAULT_TRAP);
    assert_string_equal(event_log[0], text);
    free_kernel_run(&run);
}

static void lanes_exit_at_different_times(void **state)
{
    (void)state;
    kernel_run run = {0};
    assert_true(run_in_order(&run, "setp.lt.u32 %p1, %r1, 4;\n@%p1 ret;\nst.shared.u32 [%r5], 6;"));
    assert_string_equal(event_log[0],
                        "k 1,32 #7 on 3;open 256 1;exit 0 f;"
                        "shared write weak fffffff0 4@16=6;exit 0 fffffff0;done;close;end");
    free_kernel_run(&run);
}

static void no_memory_for_an_observer_stops_the_launch(void **state)
{
    (void)state;
    static const sm_observer *const both[] = {&first_observer, &second, NULL};
    kernel_run run = {0};
    second_out_of_memory = true;
    assert_false(run_observed(&run, "bar.sync 0;", 1, 32, both));
    second_out_of_memory = false;
    assert_int_equal(run.result.fault.kind, SM_FAULT_MEMORY);
    assert_string_equal(event_log[0], "open 256 1;close;end");
    assert_string_equal(event_log[1], "open 256 1;end");
    free_kernel_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observers_see_lanes_and_offsets_of_accesses),
        cmocka_unit_test(observers_see_each_kind_of_barrier),
        cmocka_unit_test(blocks_of_one_sm_are_observed_in_order),
        cmocka_unit_test(missing_observer_functions_are_not_called),
        cmocka_unit_test(every_space_is_seen),
        cmocka_unit_test(order_and_scope_are_in_the_instruction),
        cmocka_unit_test(lanes_exit_at_different_times),
        cmocka_unit_test(a_fault_comes_before_the_end),
        cmocka_unit_test(no_memory_for_an_observer_stops_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
