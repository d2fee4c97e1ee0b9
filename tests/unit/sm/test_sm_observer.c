/* What observers are told of a launch: every access with its lanes and offsets, barriers of each
 * kind, blocks one after another; and that several watch side by side. */
#include "sm_kernel.h"

#include "emulator/core/observer.h"

#define HEAD                                                     \
    ".extern .shared .align 16 .b8 tile[];\n"                    \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"   \
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n" \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r3, tile;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r5, %r3, %r4;\n"

static char seen[2][2000]; /* by each of the two observers */
static bool refuses;       /* the second one has no memory for a block */

static void note(void *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(void *log, const char *format, ...)
{
    char *text = log;
    const size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, sizeof seen[0] - length, format, args);
    va_end(args);
}

static void *first_begins(void)
{
    return seen[0];
}

static void *second_begins(void)
{
    return seen[1];
}

static sm_report *launch_ends(void *log)
{
    note(log, "end");
    sm_report *r = calloc(1, sizeof *r);
    strcpy(r->text, log == seen[0] ? "first" : "second");
    return r;
}

static void *block_opens(void *log, uint64_t shared_bytes, uint32_t warps)
{
    note(log, "open %llu %u;", (unsigned long long)shared_bytes, warps);
    return refuses && log == seen[1] ? NULL : log;
}

static void block_closes(void *log)
{
    note(log, "close;");
}

static void block_begins(void *log)
{
    note(log, "block;");
}

static void block_barrier(void *log)
{
    note(log, "barrier;");
}

static void warp_barrier(void *log, uint32_t warp)
{
    note(log, "warp %u;", warp);
}

static void barrier_arrives(void *log, uint32_t id, uint32_t warp)
{
    note(log, "arrive %u %u;", id, warp);
}

static void barrier_releases(void *log, uint32_t id, uint32_t warps)
{
    note(log, "release %u %x;", id, warps);
}

static void on_access(void *log, const sm_access *a)
{
    static const char *const effect[] = {"read", "write", "update"};
    const uint32_t last = 31 - (uint32_t)__builtin_clz(a->mask);
    note(log, "%s %x %u@%llu-%llu;", effect[a->effect], a->mask, a->bytes,
         (unsigned long long)a->address[__builtin_ctz(a->mask)],
         (unsigned long long)a->address[last]);
}

#define WATCH(begins)                                                                    \
    {                                                                                    \
        .launch_begins = begins, .launch_ends = launch_ends, .block_opens = block_opens, \
        .block_closes = block_closes, .block_begins = block_begins, .access = on_access, \
        .block_barrier = block_barrier, .warp_barrier = warp_barrier,                    \
        .barrier_arrives = barrier_arrives, .barrier_releases = barrier_releases         \
    }
static const sm_observer first = WATCH(first_begins), second = WATCH(second_begins);

/* An observer that wants to know of nothing but the launch and its blocks. */
static const sm_observer silent = {.launch_begins = first_begins,
                                   .launch_ends = launch_ends,
                                   .block_opens = block_opens,
                                   .block_closes = block_closes};

static bool watched(kernel_run *run, const char *body, uint32_t blocks, uint32_t threads,
                    const sm_observer *const *by)
{
    char text[3000];
    memset(seen, 0, sizeof seen);
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", HEAD, body);
    return run_grid(run, text,
                    &(sm_launch){.grid = {blocks, 1, 1},
                                 .block = {threads, 1, 1},
                                 .dynamic_shared = 256,
                                 .workers = 1,
                                 .observers = by},
                    NULL, 0);
}

static void expect(const char *body, uint32_t blocks, uint32_t threads, const char *what)
{
    static const sm_observer *const both[] = {&first, &second, NULL};
    kernel_run run = {0};
    assert_true(watched(&run, body, blocks, threads, both));
    assert_string_equal(seen[0], what);
    assert_string_equal(seen[1], what);
    assert_string_equal(reports_text(&run), "first\nsecond\n");
    run_done(&run);
}

static void accesses_come_with_lanes_and_offsets(void **state)
{
    (void)state;
    expect("st.shared.u32 [%r5], %r1;\nld.shared.u32 %r8, [%r3+8];", 1, 32,
           "open 256 1;block;write ffffffff 4@0-124;read ffffffff 4@8-8;close;end");
    expect("setp.lt.u32 %p1, %r1, 3;\n@%p1 atom.shared.add.u32 %r8, [%r5], 1;", 1, 32,
           "open 256 1;block;update 7 4@0-8;close;end");
    expect("setp.lt.u32 %p1, %r1, 2;\n@%p1 st.release.cta.shared.u32 [%r5], %r1;", 1, 32,
           "open 256 1;block;update 3 4@0-4;close;end");
    expect("setp.lt.u32 %p1, %r1, 2;\n@%p1 st.volatile.shared.u32 [%r5], %r1;", 1, 32,
           "open 256 1;block;write 3 4@0-4;close;end");
}

static void barriers_come_by_their_kind(void **state)
{
    (void)state;
    expect("bar.sync 0;\nbar.warp.sync -1;", 1, 32, "open 256 1;block;barrier;warp 0;close;end");
    expect("bar.sync 1, 64;", 1, 64,
           "open 256 2;block;arrive 1 0;arrive 1 1;release 1 3;close;end");
}

static void blocks_use_one_place_after_another(void **state)
{
    (void)state;
    expect("bar.sync 0;", 3, 32, "open 256 1;block;barrier;block;barrier;block;barrier;close;end");
}

static void what_an_observer_leaves_out_is_not_called(void **state)
{
    (void)state;
    static const sm_observer *const alone[] = {&silent, NULL};
    kernel_run run = {0};
    assert_true(watched(&run, "st.shared.u32 [%r5], %r1;\nbar.sync 0;", 1, 32, alone));
    assert_string_equal(seen[0], "open 256 1;close;end");
    run_done(&run);
}

static void no_memory_for_an_observer_stops_the_launch(void **state)
{
    (void)state;
    static const sm_observer *const both[] = {&first, &second, NULL};
    kernel_run run = {0};
    refuses = true;
    assert_false(watched(&run, "bar.sync 0;", 1, 32, both));
    refuses = false;
    assert_int_equal(run.result.fault.kind, SM_FAULT_MEMORY);
    assert_string_equal(seen[0], "open 256 1;close;end");
    assert_string_equal(seen[1], "open 256 1;end");
    run_done(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_come_with_lanes_and_offsets),
        cmocka_unit_test(barriers_come_by_their_kind),
        cmocka_unit_test(blocks_use_one_place_after_another),
        cmocka_unit_test(what_an_observer_leaves_out_is_not_called),
        cmocka_unit_test(no_memory_for_an_observer_stops_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
