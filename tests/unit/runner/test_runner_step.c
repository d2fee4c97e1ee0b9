/* Tests reading the answers of the replayer, which may repeat data of an untrusted recording;
 * and running the replayer as a process that may end, flood its output, or not answer. */
#include "runner/base/job.h"
#include "runner/step/session.h"
#include "scratch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static replayer_answer parse_answer(const char *text)
{
    return answer_parse(text, strlen(text), false);
}

static json_t *parse_object(const char *text)
{
    json_t *o = json_loads(text, 0, NULL);
    assert_non_null(o);
    return o;
}

static void test_kinds_of_answers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        answer_kind kind;
    } rows[] = {
        {"{\"ok\":true,\"answer\":\"where\"}", ANSWER_OK},
        {"  {\"ok\":false,\"error\":\"no\"}", ANSWER_REFUSED},
        {"{\"ok\":false}", ANSWER_REFUSED},
        {"{\"event\":\"thinned\",\"kept\":3}", ANSWER_EVENT},
        {"a kernel's printf", ANSWER_NOISE},
        {"", ANSWER_NOISE},
        {"[1,2]", ANSWER_NOISE},
        {"{\"ok\":tru", ANSWER_DAMAGED},
        {"{\"ok\":true,\"answer\":\"wh\\u0000ere\"}", ANSWER_DAMAGED},
        {"{\"answer\":\"where\"}", ANSWER_DAMAGED},
        {"{\"ok\":\"yes\"}", ANSWER_DAMAGED},
        {"{\"ok\":true,\"x\":\"\xff\xfe\"}", ANSWER_DAMAGED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        replayer_answer a = parse_answer(rows[i].text);
        assert_int_equal(a.kind, rows[i].kind);
        assert_int_equal(a.error != NULL, a.kind == ANSWER_REFUSED || a.kind == ANSWER_DAMAGED);
        free(answer_text(&a));
        answer_free(&a);
    }
    /* JSON nested more deeply than the parser allows. */
    size_t depth = 100000;
    char *deep = xmalloc(depth * 5 + 1);
    for (size_t i = 0; i < depth; i++)
        memcpy(deep + i * 5, "{\"a\":", 6);
    replayer_answer a = parse_answer(deep);
    assert_int_equal(a.kind, ANSWER_DAMAGED);
    answer_free(&a);
    free(deep);
}

static void test_fields_of_the_position(void **state)
{
    (void)state;
    json_t *o = parse_object(
        "{\"state\":\"stopped\",\"reason\":\"who\",\"launch\":2,\"kernel\":\"sum\",\"count\":137,"
        "\"block\":[1,2,3],\"warp\":4,\"mask\":\"0000ffff\",\"pc\":9,\"ptx\":\"add;\",\"path\":\"/"
        "a/"
        "b.cu\",\"line\":5,\"source\":\"\\tint t;\",\"wrote\":{\"place\":\"shared[0]\",\"lanes\":"
        "\"00000001\",\"value\":\"7\"}}");
    step_position w = {0};
    assert_true(position_read(&w, o));
    assert_string_equal(w.kernel, "sum");
    assert_int_equal(w.launch, 2);
    assert_int_equal(w.insn, 137);
    assert_int_equal(w.block[2], 3);
    assert_int_equal(w.mask, 0xffff);
    assert_string_equal(w.at.file, "b.cu");
    assert_int_equal(w.at.line, 5);
    assert_string_equal(w.source, "    int t;");
    assert_string_equal(w.wrote, "shared[0]");
    assert_int_equal(w.wrote_lanes, 1);
    json_decref(o);
    o = parse_object("{\"state\":\"ended\",\"reason\":\"end\"}");
    assert_true(position_read(&w, o));
    assert_true(w.is_ended);
    assert_null(w.kernel);
    json_decref(o);
    arena_free(&w.memory);
}

/* The text of the answer LINE is TEXT. */
static void assert_text(const char *line, const char *text)
{
    replayer_answer a = parse_answer(line);
    char *is = answer_text(&a);
    assert_string_equal(is, text);
    free(is);
    answer_free(&a);
}

/* Characters that control a terminal or disguise text are removed before text is shown. */
static void test_escapes(void **state)
{
    (void)state;
    json_t *o = parse_object(
        "{\"state\":\"stopped\",\"reason\":\"\\u009b2J\",\"launch\":0,\"count\":0,"
        "\"kernel\":\"a\\u001b]0;x\\u0007\\u001b[31m\\u202eb\\u200b\\r\\n\\u0301\\u061c\","
        "\"path\":\"/x/\\u001b[2J.cu\",\"line\":-4}");
    step_position w = {0};
    assert_true(position_read(&w, o));
    assert_string_equal(w.kernel, "a?]0;x??[31m?b?? ??");
    assert_string_equal(w.reason, "?2J");
    assert_string_equal(w.at.file, "?[2J.cu");
    assert_int_equal(w.at.line, 0);
    json_decref(o);
    arena_free(&w.memory);
    assert_text(
        "{\"ok\":true,\"answer\":\"help\",\"text\":\"a\\u001b[0m\\u009b\\tb\\u202e\\n\\u00e9\"}",
        "a\uFFFD[0m\uFFFD\tb\uFFFD\n\u00e9");
    assert_text("{\"ok\":false,\"error\":\"\\u001b[H\"}", "error: ?[H\n");
}

/* What the text of an answer says when fields are missing, have another type or do not fit. */
static void test_text_of_wrong_fields(void **state)
{
    (void)state;
    assert_text("{\"ok\":true,\"answer\":\"\\u001b[H\"}",
                "error: the answer \"?[H\" is of no known kind\n");
    assert_text(
        "{\"ok\":true,\"answer\":\"where\",\"state\":\"stopped\",\"block\":[1,\"x\"],\"mask\":"
        "\"zz\",\"wrote\":7}",
        "launch  (), instruction \nblock (1,0,0), warp , lanes none (guarded)\n: \n    \n"
        " was written before this moment by \n");
    assert_text(
        "{\"ok\":true,\"answer\":\"registers\",\"registers\":[7,{\"name\":\"%r1\",\"values\":[null,"
        "\"2\",5,\"3\"]}]}",
        "  =\n  %r1=_,2,_,3\n");
    assert_text(
        "{\"ok\":true,\"answer\":\"request\",\"bytes\":0,\"lanes\":\"00000003\",\"memory\":\"m\","
        "\"begins\":\"0x10\",\"addresses\":[\"0x18\"]}",
        ": \n of m in  memory, 0 bytes in each of lanes 0-1\n"
        "  m, bytes by lanes: 0:8 1:18446744073709551600\n");
    assert_text(
        "{\"ok\":true,\"answer\":\"request\",\"bytes\":-9,\"lanes\":\"00000007\",\"arrays\":[{"
        "\"lanes\":\"00000005\"}],\"addresses\":[]}",
        ": \n of  memory, -9 bytes in each of lanes 0-2\n  , bytes by lanes: 0:0 2:0\n  1:0x0\n");
    assert_text("{\"ok\":true,\"answer\":\"report\",\"sides\":[{\"count\":{}}]}",
                "report : \n\n \nlaunch , instruction \nblock (0,0,0), warp , lanes none "
                "(guarded)\n: \n    \n");
    assert_text("{\"ok\":true,\"answer\":\"report\",\"number\":1,\"sides\":[{\"who\":\"a\"},{"
                "\"who\":\"b\"}]}",
                "report 1: \n\n  b                                      | a \n");
}

/* Call each reader with answers in which one field is missing or has the wrong type. */
static void test_wrong_fields(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "{\"state\":3,\"reason\":[],\"groups\":{},\"registers\":7,\"warps\":\"w\",\"rows\":null}",
        "{\"state\":\"stopped\",\"kernel\":{},\"launch\":\"0\",\"count\":1.5}",
        "{\"groups\":[1,null,\"x\",{\"lanes\":7},{\"lanes\":\"xyz\",\"state\":5},{\"lanes\":"
        "\"fffffffff\"},{\"lanes\":\"-1\"}],\"warp\":99999999999}",
        "{\"registers\":[0,{\"name\":1},{\"name\":\"%r1\",\"values\":7},{\"name\":\"%r2\","
        "\"values\":"
        "[1,null,{},\"5\"]}],\"warps\":[[],{\"warp\":-1,\"state\":{}}]}",
        "{\"bytes\":-5,\"type\":1,\"rows\":[3,{\"offset\":\"x\",\"values\":[0,null]},{\"offset\":"
        "9223372036854775807,\"values\":[\"1\"]}],\"variables\":[1,{\"name\":2}]}",
        "{\"space\":\"shared\",\"effect\":\"read\",\"bytes\":4000,\"addresses\":[\"0x0\"]}",
        "{\"space\":\"shared\",\"effect\":\"read\",\"bytes\":4,\"addresses\":[\"-1\","
        "\"0xffffffffffffffff"
        "\",\"0x\",\"zz\",\"0x10\",7,null]}",
        "{\"lines\":[{\"line\":\"1\",\"text\":3},4],\"insns\":[{\"pc\":{},\"text\":null}]}",
        "{\"reports\":[{\"number\":-3,\"text\":9},8],\"text\":\"t\",\"sides\":[1,{\"who\":5},{},{}]"
        "}",
    };
    step_position where = {0};
    step_lanes lanes = {0};
    step_values values = {0};
    step_warps warps = {0};
    step_shared_memory shared = {0};
    step_request request = {0};
    step_listing text = {0};
    step_reports reports = {0};
    step_report_moments moments = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *o = parse_object(texts[i]);
        assert_false(position_read(&where, o));
        assert_int_equal(lanes_read(&lanes, o), i == 3);
        assert_true(lanes.warp >= 0 && lanes.warp < 1024);
        assert_int_equal(values_read(&values, o), i == 4 || i == 5);
        assert_int_equal(warps_read(&warps, o), i == 4);
        assert_false(shared_memory_read(&shared, o));
        assert_int_equal(request_read(&request, o), i == 7);
        source_read(&text, o);
        ptx_read(&text, o);
        assert_int_equal(reports_read(&reports, o), i == 9);
        assert_int_equal(report_moments_read(&moments, o), i == 9);
        assert_true(moments.count <= 2);
        if (i == 7) {
            assert_false(request.on[0] || request.on[1] || request.on[2] || request.on[3]);
            assert_true(request.on[4]);
            assert_int_equal(request.at[4], 16);
        }
        if (i == 4) {
            assert_int_equal(values.count, 2);
            assert_string_equal(values.rows[1].lanes[3], "5");
            assert_null(values.rows[1].lanes[2]);
        }
        json_decref(o);
    }
    arena *const memories[] = {&where.memory, &lanes.memory,   &values.memory,
                               &warps.memory, &shared.memory,  &request.memory,
                               &text.memory,  &reports.memory, &moments.memory};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        arena_free(memories[i]);
}

static void test_size_limits_of_answers(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    json_t *list = json_array(), *o = json_object();
    char *huge = xmalloc(1 << 20);
    memset(huge, 'k', (1 << 20) - 1);
    huge[(1 << 20) - 1] = '\0';
    for (int i = 0; i < MANY; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:[s]}", "name", i ? "%r" : huge, "values", i ? "1" : huge));
    json_object_set_new(o, "registers", list);
    step_values v = {0};
    assert_true(values_read(&v, o));
    assert_int_equal(v.count, ANSWER_ENTRIES);
    assert_true(strlen(v.rows[0].name) <= 80 && strlen(v.rows[0].lanes[0]) <= ANSWER_VALUE);
    arena_free(&v.memory);
    json_decref(o);
    free(huge);
}

/* Valid answers with a few bytes changed: each is read or refused, without a memory error (make
 * asan). */
static void test_changed_bytes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"ok\":true,\"answer\":\"where\",\"state\":\"stopped\",\"reason\":\"line\",\"launch\":0,"
        "\"kernel\":"
        "\"sum\",\"count\":137,\"grid\":[2,1,1],\"block\":[1,0,0],\"warp\":0,\"mask\":\"ffffffff\","
        "\"pc\":1,"
        "\"ptx\":\"ld;\",\"path\":\"/"
        "a.cu\",\"line\":5,\"groups\":[{\"lanes\":\"0000ffff\",\"state\":\"active\"}]}",
        "{\"ok\":true,\"answer\":\"request\",\"space\":\"shared\",\"effect\":\"write\",\"bytes\":4,"
        "\"addresses\":["
        "\"0x0\",\"0x4\",null],\"memory\":\"tile\",\"begins\":\"0x0\",\"passes\":1,\"rows\":[{"
        "\"offset\":0,\"values\":[\"1\",\"2\"]}],"
        "\"variables\":[{"
        "\"name\":\"tile\",\"offset\":0,\"bytes\":256}],\"reports\":[{\"number\":1,\"kind\":"
        "\"race\",\"text\":\"t\"}],"
        "\"text\":\"t\",\"sides\":[{\"who\":\"thread "
        "0\",\"count\":161},{}],\"warps\":[{\"warp\":0}]}",
    };
    step_position where = {0};
    step_lanes lanes = {0};
    step_values values = {0};
    step_warps warps = {0};
    step_shared_memory shared = {0};
    step_request request = {0};
    step_reports reports = {0};
    step_report_moments moments = {0};
    unsigned long long seed = 1;
    size_t parsed_ones = 0;
    for (size_t i = 0; i < 20000; i++) {
        char bytes[700];
        size_t len = strlen(texts[i % 2]);
        memcpy(bytes, texts[i % 2], len);
        for (size_t k = 0; k < 1 + i % 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[(seed >> 33) % len] = "0\"9-[]{},:\\u\x7f\xff"[(seed >> 20) % 15];
        }
        replayer_answer a = answer_parse(bytes, len, false);
        parsed_ones += a.kind == ANSWER_OK;
        if (a.object) {
            position_read(&where, a.object);
            lanes_read(&lanes, a.object);
            values_read(&values, a.object);
            warps_read(&warps, a.object);
            shared_memory_read(&shared, a.object);
            request_read(&request, a.object);
            reports_read(&reports, a.object);
            report_moments_read(&moments, a.object);
        }
        free(answer_text(&a));
        answer_free(&a);
    }
    assert_in_range(parsed_ones, 1000, 19000);
    arena *const memories[] = {&where.memory,  &lanes.memory,   &values.memory,  &warps.memory,
                               &shared.memory, &request.memory, &reports.memory, &moments.memory};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        arena_free(memories[i]);
}

/* --- tests of the replayer ----------------------------------------------------------------------
 */

/* Exchange data with the replayer until no command is pending, for 5 s at most. */
static void exchange_until_idle(step_session *w)
{
    for (int i = 0; i < 5000 && session_is_waiting(w); i++) {
        session_exchange(w);
        usleep(1000);
    }
}

#define WHERE_ANSWER                                                                             \
    "{\"ok\":true,\"answer\":\"where\",\"state\":\"stopped\",\"reason\":\"start\",\"launch\":0," \
    "\"kernel\":\"k\",\"count\":%s}"

static void answers_in_order(void **state)
{
    (void)state;
    const char *script =
        "n=0; echo '" WHERE_ANSWER "' | sed s/%s/0/; while read -r c rest; do case $c in "
        "s) n=$((n + 1)); echo noise; echo '{\"event\":\"thinned\",\"kept\":1}'; "
        "echo '" WHERE_ANSWER "' | sed \"s/%s/$n/\" ;; "
        "lanes) echo '{\"ok\":true,\"answer\":\"warps\",\"warps\":[]}' ;; "
        "quiet) ;; *) echo '{\"ok\":false,\"error\":\"no '$c'\"}' ;; esac; done";
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    step_session w;
    session_start(&w, argv, NULL);
    exchange_until_idle(&w);
    assert_true(w.has_where);
    assert_int_equal(w.where.insn, 0);
    for (int i = 0; i < 3; i++)
        assert_true(session_command(&w, "s"));
    exchange_until_idle(&w);
    assert_int_equal(w.where.insn, 3);
    assert_int_equal(w.noise, 3);
    assert_true(session_command(&w, "fly"));
    exchange_until_idle(&w);
    assert_string_equal(w.error, "no fly");
    /* An answer with another name than requested is not accepted. */
    session_request_answers(&w, 1u << ASK_LANES);
    exchange_until_idle(&w);
    assert_int_equal(w.lanes.count, 0);
    assert_non_null(w.why[ASK_LANES]);
    /* The number of pending commands is limited. */
    size_t asked = 0;
    while (session_ask(&w, ASK_TEXT, "quiet"))
        asked++;
    assert_int_equal(asked, SESSION_MAX_PENDING);
    assert_true(session_is_waiting(&w));
    /* After a cancel the session is at its old position, although this test replayer does not know
     * the command `go`. */
    session_cancel(&w);
    exchange_until_idle(&w);
    assert_false(session_is_waiting(&w));
    assert_int_equal(w.where.insn, 0);
    assert_string_equal(w.error, "no go");
    session_free(&w);
}

static void test_replayer_ends(void **state)
{
    (void)state;
    static const struct {
        const char *script, *says;
    } rows[] = {
        {"echo 'the recording is damaged' >&2; exit 2",
         "exit code 2. Its last words: the recording "
         "is damaged"},
        {"echo '{\"ok\":false,\"error\":\"Nothing is launched.\"}'", "Nothing is launched."},
        {"kill -SEGV $$", "SIGSEGV"},
        {"head -c 3000000 /dev/zero | tr '\\0' '\\n' >&2; printf 'a\\033[2Jb' >&2; sleep 0.1; exit "
         "4",
         "exit code 4. Its last words: a?[2Jb"},
        {"read -r x; exec <&-; echo '{\"ok\":'", "exit code 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *argv[] = {"/bin/sh", "-c", rows[i].script, NULL};
        step_session w;
        session_start(&w, argv, NULL);
        session_command(&w, "s");
        for (int k = 0; k < 5000 && !w.is_over; k++) {
            session_exchange(&w);
            usleep(1000);
        }
        assert_true(w.is_over);
        assert_false(session_is_waiting(&w));
        assert_non_null(strstr(w.error, rows[i].says));
        assert_false(session_command(&w, "s"));
        session_free(&w);
    }
    const char *none[] = {"/no/such/replayer", NULL};
    step_session w;
    session_start(&w, none, NULL);
    while (!w.is_over)
        session_exchange(&w);
    assert_non_null(strstr(w.error, "does not start"));
    session_free(&w);
}

/* An endless line is dropped, and the next answer is read; processes that the replayer started end
 * with the replayer. */
static void test_replayer_floods(void **state)
{
    (void)state;
    char script[4800], *file = scratch_template("step-XXXXXX"), pid[32] = "";
    close(mkstemp(file));
    snprintf(script, sizeof script,
             "sleep 1000 & echo $! >%s; printf '{\"ok\":'; head -c %d /dev/zero | tr '\\0' x; "
             "echo; read "
             "-r c; echo '{\"ok\":false,\"error\":\"after\"}'; sleep 1000",
             file, COPROCESS_LINE_BYTES + 100000);
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    step_session w;
    session_start(&w, argv, NULL);
    exchange_until_idle(&w);
    assert_non_null(strstr(w.error, "too long"));
    session_command(&w, "s");
    exchange_until_idle(&w);
    assert_string_equal(w.error, "after");
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    assert_non_null(fgets(pid, sizeof pid, f));
    fclose(f);
    unlink(file);
    assert_int_equal(kill((pid_t)atoi(pid), 0), 0);
    session_free(&w);
    for (int i = 0; i < 5000 && kill((pid_t)atoi(pid), 0) == 0; i++)
        usleep(1000);
    assert_int_equal(kill((pid_t)atoi(pid), 0), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_of_answers), cmocka_unit_test(test_fields_of_the_position),
        cmocka_unit_test(test_escapes),          cmocka_unit_test(test_text_of_wrong_fields),
        cmocka_unit_test(test_wrong_fields),     cmocka_unit_test(test_size_limits_of_answers),
        cmocka_unit_test(test_changed_bytes),    cmocka_unit_test(answers_in_order),
        cmocka_unit_test(test_replayer_ends),    cmocka_unit_test(test_replayer_floods),
    };
    signal(SIGPIPE, SIG_IGN); /* ignored as in the runner */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
