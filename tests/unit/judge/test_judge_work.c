/* Tests judging work in streams by the results copied back to the host. The test writes the
 * recording of a reference and those of submissions that leave out some work. */
#include "emulator/cudart/core/call.h"
#include "emulator/cudart/streams/op.h"
#include "emulator/debugger/judge/judged_work.h"
#include "emulator/memory/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "child.h"
#include "places.h"
#include "scratch.h"

#define BASE   UINT64_C(0x700000000000)
#define DEVICE (BASE + 4096)
#define PINNED_MEMORY                                                                           \
    UINT64_C(0x600000000000) /* address of host memory with 64 floats of input and 64 floats of \
                                output */
enum { COUNT = 64, BYTES = 4 * COUNT };

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p) {\n"
                          "  .reg .u64 %rd<4>; .reg .u32 %r<2>; .reg .f32 %f<2>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
                          "  add.u64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];\n"
                          "  add.f32 %f1, %f1, 0f3F800000; st.global.f32 [%rd3], %f1; ret;\n}\n";

/* What a submission does in each of two sections. */
typedef enum submission_kind {
    RIGHT,      /* it does all the work */
    NO_KERNEL,  /* the device only copies results that the host computed */
    HALF_BACK,  /* half of the results is copied back */
    NOTHING,    /* nothing is copied at all */
    OLD_RESULT, /* the second section copies back the results of the first section */
    UNORDERED   /* in the timeline, both copies and the kernel run at the same time */
} submission_kind;

static char recording[4096]; /* path of the recording that is judged */
static char reference[4096]; /* path of the results with which the recording is compared */

static void make_temporary_file(char path[4096], const char *name)
{
    snprintf(path, 4096, "%s", scratch_template(name));
    close(mkstemp(path));
}

/* --- recordings --------------------------------------------------------------------------------
 */

typedef struct recording_script {
    rec_writer *w;   /* writes the recording */
    uint64_t op;     /* number of the newest operation */
    uint64_t last;   /* number of the last operation of the stream */
    uint64_t border; /* number of the last operation of the default stream */
    bool ordered;    /* each operation of the stream waits for the one before it */
} recording_script;

static void put_record(recording_script *s, rec_item item)
{
    assert_true(rec_write_item(s->w, &item));
}

static void put_timeline_record(recording_script *s, uint64_t kind, uint64_t stream)
{
    uint64_t after[2];
    uint32_t count = 0;
    if (s->border)
        after[count++] = s->border;
    if (s->last && s->ordered)
        after[count++] = s->last;
    put_record(s, (rec_item){.kind = REC_timed,
                             .timed = {.op = s->op,
                                       .seq = s->op,
                                       .kind = kind,
                                       .stream = stream,
                                       .after = {count, after}}});
    *(stream ? &s->last : &s->border) = s->op;
}

/* Record an event in the default stream, which separates two sections. */
static void put_section_border(recording_script *s)
{
    s->op++;
    put_timeline_record(s, RT_EVENT_RECORD, 0);
}

static void put_copy(recording_script *s, uint64_t to, uint64_t from, uint64_t bytes, bool in)
{
    static const float given[COUNT] = {1, 2, 3};
    const uint64_t at[] = {to, bytes, bytes}, source[] = {from, bytes, bytes},
                   extent[] = {bytes, 1, 1};
    s->op++;
    put_record(
        s, (rec_item){.kind = REC_copy,
                      .copy = {.op = s->op,
                               .stream = 1,
                               .call = "cudaMemcpyAsync",
                               .way = in ? RT_COPY_H2D : RT_COPY_D2H,
                               .to = {3, at},
                               .from = {3, source},
                               .extent = {3, extent},
                               .host_from = in,
                               .bytes = in ? rec_store_data(s->w, given, bytes) : (rec_data){0}}});
    put_record(s, (rec_item){.kind = REC_result, .result = {.op = s->op, .ns = 100}});
    put_timeline_record(s, in ? RT_COPY_H2D : RT_COPY_D2H, 1);
}

static void put_launch(recording_script *s, uint64_t number)
{
    const uint64_t one[] = {1, 1, 1}, block[] = {COUNT, 1, 1}, none[] = {0, 0, 0}, at = DEVICE;
    s->op++;
    put_record(s, (rec_item){.kind = REC_launch,
                             .launch = {.op = s->op,
                                        .stream = 1,
                                        .number = number,
                                        .module = 1,
                                        .kernel = "add",
                                        .grid = {3, one},
                                        .block = {3, block},
                                        .cluster = {3, none},
                                        .params = rec_store_data(s->w, &at, sizeof at)}});
    put_record(s, (rec_item){.kind = REC_result, .result = {.op = s->op, .ns = 1}});
    put_timeline_record(s, RT_KERNEL, 1);
}

static void put_section(recording_script *s, uint64_t number, submission_kind d)
{
    const bool old = d == OLD_RESULT && number;
    if (d != NOTHING && !old)
        put_copy(s, DEVICE, PINNED_MEMORY, BYTES, true);
    if (old) /* copy other input to another address, so that the device adds to it */
        put_copy(s, DEVICE + BYTES, PINNED_MEMORY, BYTES, true);
    if (d != NO_KERNEL && d != NOTHING && !old)
        put_launch(s, number);
    if (d != NOTHING)
        put_copy(s, PINNED_MEMORY + BYTES, DEVICE, d == HALF_BACK ? BYTES / 2 : BYTES, false);
}

static void write_recording(submission_kind d)
{
    const uint64_t options[4] = {0}, places[1] = {0};
    make_temporary_file(recording, "work.XXXXXX");
    recording_script s = {.w = rec_create_file(recording), .ordered = d != UNORDERED};
    assert_non_null(s.w);
    put_record(&s, (rec_item){.kind = REC_start,
                              .start = {.source = "emulator", .base = BASE, .size = 1 << 30}});
    put_record(&s, (rec_item){.kind = REC_alloc, .alloc = {.address = DEVICE, .size = 2 * BYTES}});
    put_record(
        &s, (rec_item){.kind = REC_adopt,
                       .adopt = {.address = PINNED_MEMORY, .size = 2 * BYTES, .kind = MEM_PINNED}});
    put_record(&s, (rec_item){.kind = REC_module,
                              .module = {.id = 1,
                                         .ptx = rec_store_data(s.w, ptx, strlen(ptx)),
                                         .options = {4, options},
                                         .places = {1, places}}});
    for (uint64_t number = 0; number < 2; number++) {
        put_section_border(&s);
        put_section(&s, number, d);
    }
    put_section_border(&s);
    put_record(&s, (rec_item){.kind = REC_settle, .settle = {.count = s.op}});
    assert_true(rec_close_file(s.w));
}

/* --- judging -----------------------------------------------------------------------------------
 */

static const judge_rule pieces_rule = {.kernel = "pieces", .role = RULE_WORK, .type = RULE_F32};

/* Replay the recording for W; return the number of results in DONE, at most two. */
static size_t repeat_recording(section_judge *w, work_outcome done[2])
{
    char err[512] = "";
    replay *r = replay_open(recording, NULL, err, sizeof err);
    if (!r)
        fprintf(stderr, "%s\n", err);
    EXPECT(r);
    for (const rec_item *i; (i = replay_next_record(r));) {
        EXPECT(section_before_record(w, i));
        if (replay_repeat_next(r) != REPLAY_DONE)
            fprintf(stderr, "%s\n", replay_error(r));
        EXPECT(section_after_record(w));
    }
    size_t count = 0;
    while (count < 2 && section_judge_result(w, r, count, &done[count]))
        count++;
    work_outcome more;
    EXPECT(!section_judge_result(w, r, count, &more));
    return count;
}

static void write_reference(void)
{
    char err[512];
    transcript_writer writer;
    work_outcome done[2];
    EXPECT(transcript_create(&writer, reference));
    section_judge *w =
        section_judge_open(recording, NULL, &pieces_rule, 11, &writer, NULL, err, sizeof err);
    if (w && section_order_error(w))
        fprintf(stderr, "%s\n", section_order_error(w));
    if (!w)
        fprintf(stderr, "%s\n", err);
    EXPECT(w && !section_order_error(w));
    EXPECT(repeat_recording(w, done) == 2);
    for (size_t k = 0; k < 2; k++)
        EXPECT(done[k].index == k && !*done[k].why && done[k].ns > 0);
    EXPECT(transcript_close(&writer));
    _exit(0);
}

/* The expected verdict on the two sections: what is wrong, and whether it is left to a person
 * (policy). */
typedef struct expected_findings {
    const char *first, *second; /* text that the sentence must contain; NULL: nothing is wrong */
    bool policy;                /* the submission is left to a person */
} expected_findings;

static expected_findings expected;

static bool has_sentence_with(const work_outcome *d, const char *what)
{
    if (what ? !strstr(d->why, what) : *d->why)
        fprintf(stderr, "the finding says: %s\n", d->why);
    return what ? strstr(d->why, what) != NULL : !*d->why;
}

static void judge_submission(void)
{
    char err[512];
    transcript t;
    work_outcome done[2];
    EXPECT(transcript_open(&t, reference));
    section_judge *w =
        section_judge_open(recording, NULL, &pieces_rule, 11, NULL, &t, err, sizeof err);
    EXPECT(w && !!section_order_error(w) == expected.policy);
    EXPECT(repeat_recording(w, done) == 2);
    EXPECT(has_sentence_with(&done[0], expected.first) &&
           has_sentence_with(&done[1], expected.second));
    _exit(0);
}

static int make_reference(void **state)
{
    (void)state;
    make_temporary_file(reference, "reference.XXXXXX");
    write_recording(RIGHT);
    run_test_in_child(write_reference);
    unlink(recording);
    return 0;
}

static int remove_reference(void **state)
{
    (void)state;
    return unlink(reference);
}

static void expect_findings(submission_kind d, expected_findings o)
{
    expected = o;
    write_recording(d);
    run_test_in_child(judge_submission);
    unlink(recording);
}

static void correct_work_is_accepted(void **state)
{
    (void)state;
    expect_findings(RIGHT, (expected_findings){NULL, NULL, false});
}

static void results_must_come_from_the_device(void **state)
{
    (void)state;
    expect_findings(NO_KERNEL, (expected_findings){"element 0 is", "element 0 is", false});
    expect_findings(OLD_RESULT, (expected_findings){NULL, "element 0 is", false});
}

static void all_results_must_be_copied_back(void **state)
{
    (void)state;
    expect_findings(HALF_BACK, (expected_findings){"of 64 elements, 32 were copied",
                                                   "of 64 elements, 32 were copied", false});
    expect_findings(NOTHING,
                    (expected_findings){"nothing was copied", "nothing was copied", false});
}

static void unordered_stream_work_is_left_to_a_person(void **state)
{
    (void)state;
    expect_findings(UNORDERED, (expected_findings){NULL, NULL, true});
}

int main(void)
{
    if (DEVICE_ADDRESSES_ARE_TAKEN)
        return skip_all("the tables of a sanitizer occupy the addresses that the recording uses");
    const struct CMUnitTest tests[] = {cmocka_unit_test(correct_work_is_accepted),
                                       cmocka_unit_test(results_must_come_from_the_device),
                                       cmocka_unit_test(all_results_must_be_copied_back),
                                       cmocka_unit_test(unordered_stream_work_is_left_to_a_person)};
    return cmocka_run_group_tests(tests, make_reference, remove_reference);
}
