/* Tests the replay library: the test writes a recording with a kernel, replays it launch by launch
 * with an observer, returns to an earlier state and replays again; wrongly recorded results are
 * reported. */
#include "emulator/debugger/replay/time_limit.h"
#include "emulator/memory/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "child.h"
#include "places.h"
#include "scratch.h"

#define BASE          UINT64_C(0x700000000000)
#define WORDS_ADDRESS (BASE + 4096)

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 n) {\n"
                          "  .reg .u64 %rd<4>; .reg .u32 %r<4>;\n"
                          "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];\n"
                          "  mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4;\n"
                          "  add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3];\n"
                          "  add.u32 %r3, %r3, %r1; st.global.u32 [%rd3], %r3; ret;\n}\n";

static char path[4096]; /* path of the recording */

/* Repeat everything before launch NUMBER. REPLAY_END: there is no such launch. */
static replay_result replay_to_launch(replay *r, uint64_t number)
{
    replay_result is = REPLAY_DONE;
    const rec_item *next = replay_next_record(r);
    for (;
         is == REPLAY_DONE && !(next && next->kind == REC_launch && next->launch.number == number);
         next = replay_next_record(r))
        is = replay_repeat_next(r);
    return is;
}

static rec_writer *begin_recording_as(rec_start as)
{
    snprintf(path, sizeof path, "%s", scratch_template("replay.XXXXXX"));
    close(mkstemp(path));
    rec_writer *w = rec_create_file(path);
    assert_non_null(w);
    const rec_item start = {.kind = REC_start, .start = as};
    assert_true(rec_write_item(w, &start));
    return w;
}

static rec_writer *begin_recording_with(bool uncounted)
{
    rec_writer *w = begin_recording_as(
        (rec_start){.source = "emulator", .base = BASE, .size = 1 << 30, .uncounted = uncounted});
    const rec_item alloc = {.kind = REC_alloc, .alloc = {.address = WORDS_ADDRESS, .size = 256}};
    assert_true(rec_write_item(w, &alloc));
    return w;
}

static rec_writer *begin_recording(void)
{
    return begin_recording_with(false);
}

/* Launch NUMBER adds N to each of 64 words at WORDS_ADDRESS. */
static void put_launch_at(rec_writer *w, uint64_t number, uint32_t n, const char *kernel,
                          uint64_t at)
{
    const uint64_t one[] = {1, 1, 1}, block[] = {64, 1, 1}, none[] = {0, 0, 0};
    uint8_t params[12];
    memcpy(params, &at, 8);
    memcpy(params + 8, &n, 4);
    const rec_item item = {.kind = REC_launch,
                           .launch = {.op = 10 + number,
                                      .number = number,
                                      .module = 1,
                                      .kernel = kernel,
                                      .grid = {3, one},
                                      .block = {3, block},
                                      .cluster = {3, none},
                                      .params = rec_store_data(w, params, sizeof params)}};
    const rec_item result = {.kind = REC_result, .result = {.op = 10 + number, .ns = 1}};
    assert_true(rec_write_item(w, &item) && rec_write_item(w, &result));
}

static void put_launch(rec_writer *w, uint64_t number, uint32_t n, const char *kernel)
{
    put_launch_at(w, number, n, kernel, WORDS_ADDRESS);
}

static void put_code(rec_writer *w, const char *text)
{
    const uint64_t options[4] = {0}, places[2] = {0}; /* two parameters */
    const rec_item item = {.kind = REC_module,
                           .module = {.id = 1,
                                      .ptx = rec_store_data(w, text, strlen(text)),
                                      .options = {4, options},
                                      .places = {2, places}}};
    assert_true(rec_write_item(w, &item));
}

static void put_module(rec_writer *w)
{
    put_code(w, ptx);
}

static void finish_recording(rec_writer *w)
{
    assert_true(rec_close_file(w));
}

static uint32_t device_word(unsigned k)
{
    uint32_t value;
    memcpy(&value, mem_host_pointer(WORDS_ADDRESS + 4 * k, 4), 4);
    return value;
}

/* --- an observer that counts stores ----------------------------------------------------------- */

static unsigned store_count; /* stores that the observer has seen */

static void *on_block_begin(void *launch, const sm_block *b)
{
    (void)b;
    return launch;
}

static void *on_launch_begin(const sm_grid *g)
{
    (void)g;
    return &store_count;
}

static sm_report *on_launch_end(void *launch)
{
    (void)launch;
    return NULL;
}

static void on_block_end(void *block)
{
    (void)block;
}

static void count_store(void *block, const sm_access *a)
{
    (void)block;
    store_count += a->effect == SM_WRITES;
}

static const sm_observer store_counter = {.sees = SM_SEES_GLOBAL,
                                          .launch_begins = on_launch_begin,
                                          .launch_ends = on_launch_end,
                                          .block_opens = on_block_begin,
                                          .block_closes = on_block_end,
                                          .access = count_store};

/* --- tests: each in a separate process, because a process has only one device
 * --------------------- */

static replay *open_recording(void)
{
    char err[512] = "";
    replay *r = replay_open(path, NULL, err, sizeof err);
    if (!r)
        fprintf(stderr, "%s\n", err);
    EXPECT(r);
    return r;
}

static void replay_whole_recording(void)
{
    replay_kernel k;
    replay *r = open_recording();
    EXPECT(!replay_describe_next_launch(r, &k));
    EXPECT(replay_to_launch(r, 1) == REPLAY_DONE);
    EXPECT(replay_next_record(r)->kind == REC_launch && replay_next_record(r)->launch.number == 1);
    EXPECT(device_word(0) == 5 && device_word(63) == 5);
    EXPECT(replay_describe_next_launch(r, &k) && !strcmp(k.name, "add") && k.number == 1 &&
           k.block[0] == 64);
    EXPECT(k.param_bytes == 12 && k.params[8] == 7 && k.func && k.ptx && !strcmp(k.text, ptx));

    replay_add_observer(r, &store_counter);
    EXPECT(replay_repeat_next(r) == REPLAY_DONE);
    EXPECT(device_word(0) == 12 && device_word(63) == 12 && store_count == 2);
    replay_add_observer(r, NULL);
    EXPECT(replay_repeat_next(r) == REPLAY_DONE && store_count == 2);
    EXPECT(strstr(replay_first_difference(r), "operation 10 (add) has other counters"));
    replay_result is = REPLAY_DONE;
    while (is == REPLAY_DONE)
        is = replay_repeat_next(r);
    EXPECT(is == REPLAY_END && !replay_next_record(r));
    /* Compared: three results, one right digest and one wrong digest. */
    EXPECT(replay_compared_count(r) == 5 && replay_difference_count(r) == 4);
    replay_close(r);
}

static void replays_launches(void **state)
{
    (void)state;
    skip_if(UNDER_TSAN); /* ThreadSanitizer uses the device's addresses */
    uint32_t fives[64];
    for (int k = 0; k < 64; k++)
        fives[k] = 5;
    const uint64_t pair[] = {WORDS_ADDRESS, 1},
                   right[] = {WORDS_ADDRESS, rec_digest_bytes(0, fives, sizeof fives)};
    const rec_item good = {.kind = REC_memory, .memory = {.ranges = {2, right}}};
    const rec_item digest = {.kind = REC_memory, .memory = {.ranges = {2, pair}}};
    const rec_item gone = {.kind = REC_free, .free = {.address = WORDS_ADDRESS}};
    rec_writer *w = begin_recording();
    put_module(w);
    put_launch(w, 0, 5, "add");
    assert_true(rec_write_item(w, &good));
    put_launch(w, 1, 7, "add");
    put_launch(w, 2, 1, "add");
    assert_true(rec_write_item(w, &digest) && rec_write_item(w, &gone));
    finish_recording(w);
    run_test_in_child(replay_whole_recording);
    unlink(path);
}

/* A judge skips launches that it does not check. With the option `counted`, launches are counted
 * whatever the recording says. */
static void skip_launches(void)
{
    char err[512];
    unsetenv("WARPBOOK_COUNTING");
    replay *r = replay_open(path, &(replay_options){.counted = true}, err, sizeof err);
    assert_non_null(r);
    assert_null(getenv("WARPBOOK_COUNTING"));
    assert_int_equal(replay_to_launch(r, 1), REPLAY_DONE);
    assert_int_equal(device_word(0), 1);
    assert_int_equal(replay_skip_next(r), REPLAY_DONE);
    assert_int_equal(device_word(0), 1);
    while (replay_next_record(r))
        assert_int_equal(replay_repeat_next(r), REPLAY_DONE);
    assert_int_equal(device_word(0), 101);
    replay_close(r);
}

static void skips_launches_that_are_not_checked(void **state)
{
    (void)state;
    skip_if(UNDER_TSAN); /* ThreadSanitizer uses the device's addresses */
    rec_writer *w = begin_recording_with(true);
    put_module(w);
    put_launch(w, 0, 1, "add");
    put_launch(w, 1, 10, "add");
    put_launch(w, 2, 100, "add");
    finish_recording(w);
    run_test_in_child(skip_launches);
    unlink(path);
    unlink(path);
}

static void expect_no_kernel(void)
{
    replay *r = open_recording();
    EXPECT(replay_to_launch(r, 0) == REPLAY_DONE && replay_repeat_next(r) == REPLAY_FAILED);
    EXPECT(strstr(replay_error(r), "launch 0 of subtract cannot be repeated"));
    EXPECT(replay_repeat_next(r) == REPLAY_FAILED);
    replay_close(r);
}

static void fails_where_a_kernel_is_missing(void **state)
{
    (void)state;
    skip_if(UNDER_TSAN); /* ThreadSanitizer uses the device's addresses */
    rec_writer *w = begin_recording();
    put_module(w);
    put_launch(w, 0, 5, "subtract");
    finish_recording(w);
    run_test_in_child(expect_no_kernel);
    unlink(path);
}

static const char endless_kernel_ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                         ".visible .entry endless(.param .u64 p, .param .u32 n) {\n"
                                         "  .reg .u64 %rd<2>; .reg .pred %p<2>;\n"
                                         "L: mov.u64 %rd1, %clock64; setp.ne.u64 %p1, %rd1, -1;\n"
                                         "  @%p1 bra L; ret;\n}\n";

static void print_that_time_limit_is_over(void)
{
    fputs("called\n", stderr);
}

static void stops_kernels_that_never_end(void **state)
{
    (void)state;
    skip_if(UNDER_TSAN); /* ThreadSanitizer uses the device's addresses */
    int ends[2], status;
    char said[512] = "";
    rec_writer *w = begin_recording();
    put_code(w, endless_kernel_ptx);
    put_launch(w, 0, 5, "endless");
    finish_recording(w);
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        replay *r = open_recording();
        EXPECT(replay_to_launch(r, 0) == REPLAY_DONE);
        set_launch_time_limit(0.05);
        begin_launch_time_limit(r, "endless", print_that_time_limit_is_over);
        replay_repeat_next(r);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n, used = 0; (n = read(ends[0], said + used, sizeof said - 1 - (size_t)used)) > 0;)
        used += n;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_string_equal(said,
                        "called\nwarpbook: launch 0, kernel endless, has not ended after 0.05 s; "
                        "the option --limit SECONDS gives launches more time\n");
    assert_true(default_launch_time_limit(0, true) < default_launch_time_limit(0, false));
    assert_true(default_launch_time_limit(1e6, false) > 600);
    unlink(path);
}

/* Recordings with impossible requests to the device are refused when they are opened. */
static void expect_refused(const rec_item *item, const char *why)
{
    char err[512] = "";
    rec_writer *w = begin_recording();
    assert_true(rec_write_item(w, item));
    finish_recording(w);
    assert_null(replay_open(path, NULL, err, sizeof err));
    if (!strstr(err, why))
        print_message("expected the message: %s; got: %s\n", why, err);
    assert_non_null(strstr(err, "is damaged: "));
    assert_non_null(strstr(err, why));
    unlink(path);
}

static void expect_place_refused(rec_place place)
{
    expect_refused(&(rec_item){.kind = REC_place, .place = place},
                   "has an impossible name or line");
}

static void refuses_impossible_requests(void **state)
{
    (void)state;
    const uint64_t one[] = {1, 1, 1}, at[] = {WORDS_ADDRESS, 100, 0},
                   far[] = {WORDS_ADDRESS + 250, 8, 8}, long_rows[] = {8, UINT64_MAX / 4, 4},
                   row[] = {16, 1, 1}, later[] = {99};
    expect_refused(
        &(rec_item){.kind = REC_alloc, .alloc = {.address = WORDS_ADDRESS + 512, .size = 1 << 30}},
        "does not fit into the device's");
    expect_refused(&(rec_item){.kind = REC_alloc, .alloc = {.address = WORDS_ADDRESS, .size = 8}},
                   "is allocated twice");
    expect_refused(&(rec_item){.kind = REC_adopt,
                               .adopt = {.address = WORDS_ADDRESS, .size = 8, .kind = MEM_PINNED}},
                   "overlaps the device's memory");
    expect_refused(&(rec_item){.kind = REC_adopt,
                               .adopt = {.address = 4096, .size = UINT64_MAX, .kind = MEM_PINNED}},
                   "overlaps the device's memory");
    expect_refused(&(rec_item){.kind = REC_free, .free = {.address = WORDS_ADDRESS + 4}},
                   "is not allocated");
    expect_refused(&(rec_item){.kind = REC_launch,
                               .launch = {.op = 1,
                                          .module = 1,
                                          .grid = {3, one},
                                          .block = {3, one},
                                          .cluster = {3, one}}},
                   "launch 0 has an invalid size");
    expect_refused(&(rec_item){.kind = REC_fill,
                               .fill = {.op = 1, .to = {3, far}, .extent = {3, row}, .unit = 1}},
                   "are not in one allocation");
    expect_refused(
        &(rec_item){.kind = REC_fill,
                    .fill = {.op = 1, .to = {3, at}, .extent = {3, long_rows}, .unit = 1}},
        "has an impossible size");
    expect_refused(&(rec_item){.kind = REC_copy,
                               .copy = {.op = 1,
                                        .way = 1,
                                        .to = {3, at},
                                        .from = {3, at},
                                        .extent = {3, row},
                                        .host_from = 1}},
                   "has an impossible size");
    expect_refused(&(rec_item){.kind = REC_result, .result = {.op = 3}},
                   "an operation that has not begun");
    expect_refused(&(rec_item){.kind = REC_timed, .timed = {.op = 1, .after = {1, later}}},
                   "depends on a later one");
    expect_refused(&(rec_item){.kind = REC_settle, .settle = {.count = 3}},
                   "a wrong number of operations");
    expect_refused(&(rec_item){.kind = REC_call, .call = {.place = 1}}, "which is not there");
    expect_place_refused((rec_place){"cudaFree", "../lab.cu", 3, 0, "main", 0});
    expect_place_refused((rec_place){"cudaFree", "lab\033[2J.cu", 3, 0, "main", 0});
    expect_place_refused((rec_place){"cudaFree", "lab.cu", 3, 0, "main\n", 0});
    expect_place_refused((rec_place){"cudaFree", "", 3, 0, "main", 0});
    expect_place_refused((rec_place){"cudaFree", "lab.cu", UINT64_C(1) << 40, 0, "main", 0});
    expect_refused(&(rec_item){.kind = REC_texture, .texture = {.handle = 1}},
                   "has invalid fields");
    expect_refused(&(rec_item){.kind = REC_unload, .unload = {.id = 1}}, "is not loaded");
}

/* --- memory of a GPU: host memory lies between device memory, and some device memory lies far away
 * --------- */

#define NEAR_MEMORY   UINT64_C(0x7f5000000000)
#define PINNED_MEMORY (NEAR_MEMORY + 0x100000)
#define REGISTERED_MEMORY                                                                 \
    (NEAR_MEMORY + 0x1800c0) /* address of registered memory, aligned as malloc aligns it \
                              */
#define AFTER_PINNED (NEAR_MEMORY + 0x200000) /* device memory behind the pinned memory */
#define FAR_MEMORY   UINT64_C(0x302000000)
#define UNKNOWN_HOST_MEMORY                                               \
    (NEAR_MEMORY + 0x280000) /* host memory that the device does not know \
                              */

static void put_copy(rec_writer *w, uint64_t op, uint64_t to, uint64_t from, bool host_to,
                     uint64_t digest)
{
    const uint64_t extent[] = {256, 1, 1}, at[] = {to, 256, 256}, of[] = {from, 256, 256};
    const rec_item item = {.kind = REC_copy,
                           .copy = {.op = op,
                                    .call = "cudaMemcpy",
                                    .way = 2,
                                    .timing = 4,
                                    .to = {3, at},
                                    .from = {3, of},
                                    .extent = {3, extent},
                                    .host_to = host_to}};
    const rec_item result = {.kind = REC_result, .result = {.op = op, .ns = 1, .digest = digest}};
    assert_true(rec_write_item(w, &item) && rec_write_item(w, &result));
}

static void put_memory(rec_writer *w)
{
    static const uint64_t device[] = {NEAR_MEMORY, AFTER_PINNED, FAR_MEMORY};
    for (unsigned k = 0; k < 3; k++) {
        const rec_item item = {.kind = REC_alloc, .alloc = {.address = device[k], .size = 256}};
        assert_true(rec_write_item(w, &item));
    }
    const rec_item pinned = {.kind = REC_adopt,
                             .adopt = {.address = PINNED_MEMORY, .size = 4096, .kind = MEM_PINNED}};
    const rec_item registered = {
        .kind = REC_adopt,
        .adopt = {.address = REGISTERED_MEMORY, .size = 300, .kind = MEM_REGISTERED}};
    assert_true(rec_write_item(w, &pinned) && rec_write_item(w, &registered));
}

static void read_gpu_recording(void)
{
    static const uint64_t at[] = {NEAR_MEMORY, PINNED_MEMORY, REGISTERED_MEMORY, AFTER_PINNED,
                                  FAR_MEMORY};
    replay *r = open_recording();
    replay_result is = REPLAY_DONE;
    for (unsigned known = 0; is == REPLAY_DONE && known < 40; known++)
        is = replay_repeat_next(r);
    EXPECT(is == REPLAY_END);
    if (replay_difference_count(r))
        fprintf(stderr, "%s\n", replay_first_difference(r));
    EXPECT(replay_difference_count(r) == 0);
    for (unsigned k = 0; k < 5; k++) {
        uint32_t value[64];
        memcpy(value, mem_host_pointer(at[k], sizeof value), sizeof value);
        /* word 1 was written last by the copy from FAR_MEMORY */
        const uint32_t want = k == 1 ? 14 : 10 + k;
        EXPECT(value[0] == want && value[63] == want);
    }
    replay_close(r);
}

static void memory_of_a_gpu(void **state)
{
    (void)state;
    skip_if(DEVICE_ADDRESSES_ARE_TAKEN);
    static const uint64_t at[] = {NEAR_MEMORY, PINNED_MEMORY, REGISTERED_MEMORY, AFTER_PINNED,
                                  FAR_MEMORY};
    rec_writer *w = begin_recording_as((rec_start){.source = "gpu", .profile = "NVIDIA H200"});
    put_memory(w);
    put_module(w);
    for (uint32_t k = 0; k < 5; k++)
        put_launch_at(w, k, 10 + k, "add", at[k]);
    uint32_t far[64];
    for (unsigned k = 0; k < 64; k++)
        far[k] = 14;
    const uint64_t digest = rec_digest_bytes(0, far, sizeof far);
    put_copy(w, 30, PINNED_MEMORY, FAR_MEMORY, false, digest);
    put_copy(w, 31, UNKNOWN_HOST_MEMORY, PINNED_MEMORY, true, digest);
    finish_recording(w);
    run_test_in_child(read_gpu_recording);
    unlink(path);
}

static void repeat_call_of_operator(void)
{
    replay *r = open_recording();
    EXPECT(replay_to_launch(r, 99) == REPLAY_END);
    replay_close(r);
}

static void names_of_places_may_be_operators(void **state)
{
    (void)state;
    rec_writer *w = begin_recording();
    rec_write_item(w, &(rec_item){.kind = REC_place,
                                  .place = {"cudaFree", "lab.cu", 3, 0, "ratio::operator/", 0}});
    rec_write_item(w, &(rec_item){.kind = REC_call, .call = {.place = 1}});
    finish_recording(w);
    run_test_in_child(repeat_call_of_operator);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replays_launches),
        cmocka_unit_test(skips_launches_that_are_not_checked),
        cmocka_unit_test(fails_where_a_kernel_is_missing),
        cmocka_unit_test(stops_kernels_that_never_end),
        cmocka_unit_test(refuses_impossible_requests),
        cmocka_unit_test(names_of_places_may_be_operators),
        cmocka_unit_test(memory_of_a_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
