/* Tests the parser of the step engine's commands: every form in PROTOCOL.md, and forms that it
 * refuses. */
#include "emulator/debugger/step/commands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static char err[600]; /* message of the parser on a refused command */
static step_command c;

static bool parses(const char *line)
{
    err[0] = '\0';
    return step_command_read(line, &c, err, sizeof err);
}

static void test_units_of_stepping(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        step_goal_kind kind;
    } units[] = {{"insn", STEP_INSN},     {"line", STEP_LINE},           {"barrier", STEP_BARRIER},
                 {"warp", STEP_WARP},     {"iteration", STEP_ITERATION}, {"block", STEP_BLOCK},
                 {"launch", STEP_LAUNCH}, {"fault", STEP_FAULT},         {"report", STEP_REPORT}};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        char line[60];
        snprintf(line, sizeof line, "run %s\n", units[k].word);
        assert_true(parses(line));
        assert_true(c.kind == STEP_FORWARD && c.goal.kind == units[k].kind && c.times == 1);
        snprintf(line, sizeof line, "  back  17  %s  ", units[k].word);
        assert_true(parses(line));
        assert_true(c.kind == STEP_BACKWARD && c.goal.kind == units[k].kind && c.times == 17);
    }
}

static void test_short_forms(void **state)
{
    (void)state;
    assert_true(parses("s") && c.kind == STEP_FORWARD && c.goal.kind == STEP_INSN && c.times == 1);
    assert_true(parses("s 5") && c.times == 5 && c.goal.kind == STEP_INSN);
    assert_true(parses("n 2") && c.times == 2 && c.goal.kind == STEP_LINE);
    assert_true(parses("b") && c.kind == STEP_BACKWARD && c.goal.kind == STEP_INSN);
    assert_true(parses("p 3") && c.kind == STEP_BACKWARD && c.goal.kind == STEP_LINE);
    assert_true(parses("c") && c.kind == STEP_TO_END);
    assert_true(parses("run end") && c.kind == STEP_TO_END);
    assert_true(parses("back start") && c.kind == STEP_TO_START);
    assert_true(parses("q") && c.kind == STEP_LEAVE);
    assert_true(parses("") && c.kind == STEP_NOTHING);
    assert_true(parses("  # a remark") && c.kind == STEP_NOTHING);
}

static void test_places_in_the_code(void **state)
{
    (void)state;
    assert_true(parses("run to report") && c.goal.kind == STEP_REPORT && c.kind == STEP_FORWARD);
    assert_true(parses("back to barrier") && c.goal.kind == STEP_BARRIER);
    assert_true(parses("run to end") && c.kind == STEP_TO_END);
    assert_true(parses("run to thread 3") && c.goal.kind == STEP_THREAD && c.goal.thread == 3);
    assert_true(parses("run to 12") && c.goal.kind == STEP_TO && c.goal.line == 12);
    assert_string_equal(c.goal.file, "");
    assert_true(parses("back to dir/lab.cu:7") && c.goal.line == 7);
    assert_string_equal(c.goal.file, "dir/lab.cu");
    assert_true(parses("run thread 40") && c.goal.kind == STEP_THREAD && c.goal.thread == 40);
    assert_true(c.own_block);
    assert_true(parses("run thread 40 of 3") && !c.own_block && c.goal.of.block == 3);
    assert_true(parses("go 2 1000") && c.kind == STEP_GO && c.number == 2 && c.insn == 1000);
}

static void test_conditions(void **state)
{
    (void)state;
    assert_true(parses("run if %r5 == -3"));
    assert_true(c.goal.kind == STEP_IF && c.goal.place.kind == STEP_REGISTER);
    assert_string_equal(c.goal.place.name, "%r5");
    assert_true(c.goal.place.lane == -1 && c.goal.relation == STEP_EQ);
    assert_true(c.goal.is_whole && c.goal.whole == -3 && c.goal.number == -3.0);
    assert_true(parses("back if %f1[31]<=0.5"));
    assert_true(c.goal.place.lane == 31 && c.goal.relation == STEP_LE && !c.goal.is_whole);
    assert_true(c.goal.number == 0.5);
    assert_true(parses("run if shared[64]:f32 > 1e3"));
    assert_true(c.goal.place.kind == STEP_SHARED && c.goal.place.address == 64);
    assert_true(c.goal.place.type == STEP_F32 && c.goal.relation == STEP_GT);
    assert_true(parses("run if global[0x70000000100]:u64 != 0xffffffffffffffff"));
    assert_true(c.goal.place.address == UINT64_C(0x70000000100) && c.goal.place.type == STEP_U64);
    assert_true(c.goal.is_whole && (uint64_t)c.goal.whole == UINT64_MAX);
    assert_true(parses("run if shared[0] changes") && c.goal.relation == STEP_CHANGES);
    assert_true(c.goal.place.type == STEP_U32);
    assert_true(parses("run if out + 12:f32 == 1") && c.goal.place.kind == STEP_ARRAY);
    assert_true(c.goal.place.address == 12 && c.goal.place.type == STEP_F32);
    assert_string_equal(c.goal.place.name, "out + 12");
    assert_true(parses("who tile") && c.goal.place.kind == STEP_ARRAY && !c.goal.place.address);
    assert_false(parses("who tile +"));
    assert_false(parses("who tile + x"));
    assert_false(parses("who tile[2]"));
    assert_true(parses("who %r5[3]") && c.kind == STEP_WHO && c.goal.place.lane == 3);
    assert_true(parses("who shared[4]:f32") && c.goal.kind == STEP_WRITES);
}

static void test_other_commands(void **state)
{
    (void)state;
    assert_true(parses("report 2") && c.kind == STEP_SHOW && c.number == 2);
    assert_true(parses("choose warp 3") && c.kind == STEP_CHOOSE && c.number == 3);
    assert_true(parses("choices") && c.kind == STEP_CHOSEN);
    assert_true(parses("forget") && c.kind == STEP_FORGET);
    assert_true(parses("reports") && c.kind == STEP_REPORTS);
    assert_true(parses("launches") && c.kind == STEP_LAUNCHES);
    assert_true(parses("snapshots") && c.kind == STEP_LIST_SNAPSHOTS);
    assert_true(parses("help") && c.kind == STEP_HELP);
    assert_true(parses("open") && c.kind == STEP_OPEN);
    static const char *const asks[] = {
        "where",           "lanes warp 1", "registers all", "warps", "shared 0 2 as f32",
        "global 0x7000 4", "request",      "source 3 9",    "ptx 3", "variables"};
    for (size_t k = 0; k < sizeof asks / sizeof *asks; k++) {
        assert_true(parses(asks[k]));
        assert_int_equal(c.kind, STEP_ASK);
    }
}

static void test_refused_commands(void **state)
{
    (void)state;
    static const char *const bad[] = {"run",
                                      "run 0 line",
                                      "run 5000 line",
                                      "run lines",
                                      "run line 3",
                                      "run end now",
                                      "back end",
                                      "run start",
                                      "run to",
                                      "run to x",
                                      "run to lab.cu:",
                                      "run to 0",
                                      "run thread",
                                      "run thread 1024",
                                      "run thread 3 of",
                                      "run if",
                                      "run if 5 == 3",
                                      "run if %r5 = 3",
                                      "run if %r5 ==",
                                      "run if %r5[32] == 1",
                                      "run if shared[-1] == 0",
                                      "run if shared[0]:f16 == 0",
                                      "run if shared[0] == 1 2",
                                      "who",
                                      "who me you",
                                      "go 1",
                                      "report",
                                      "report 0",
                                      "choose",
                                      "choose warp",
                                      "choose warp x",
                                      "sideways",
                                      "s x",
                                      "whereabouts"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        if (parses(bad[k]))
            fail_msg("the invalid command \"%s\" is accepted", bad[k]);
        assert_true(err[0]);
    }
}

static void test_misspelt_commands(void **state)
{
    (void)state;
    static const char *const meant[][2] = {
        {"bakc 3", "back"},         {"registrs all", "registers"}, {"choses warp 1", "choose"},
        {"report s", NULL},         {"run lien", "line"},          {"run 3 bariers", "barrier"},
        {"run to repot", "report"}, {"run line 3", NULL},          {"sideways", NULL}};
    for (size_t k = 0; k < sizeof meant / sizeof *meant; k++) {
        char want[60];
        assert_false(parses(meant[k][0]));
        snprintf(want, sizeof want, "; did you mean %s? ", meant[k][1] ? meant[k][1] : "");
        if (meant[k][1] ? !strstr(err, want) : strstr(err, "did you mean") != NULL)
            fail_msg("%s: %s", meant[k][0], err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_of_stepping),  cmocka_unit_test(test_short_forms),
        cmocka_unit_test(test_places_in_the_code), cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_other_commands),     cmocka_unit_test(test_refused_commands),
        cmocka_unit_test(test_misspelt_commands),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
