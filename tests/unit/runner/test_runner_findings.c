/* Tests reading the emulator's reports from a file, which a student's program may have changed. */
#include "runner/base/files.h"
#include "runner/class/summary.h"
#include "runner/judge/findings.h"
#include "runner/judge/verdict.h"

#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static arena memory; /* owns all findings of a test */

static findings parse_text(const char *text)
{
    return findings_parse(&memory, text, strlen(text), false);
}

#define LEAK_REPORT "{\"kind\":\"leak\",\"text\":\"8 bytes are not freed\"}\n"
#define RACE_REPORT(first, line, block)                                                   \
    "{\"kind\":\"race\",\"kernel\":\"k\",\"file\":\"lab.cu\",\"line\":" #line             \
    ",\"path\":\"/x/lab.cu\",\"who\":\"thread " #first "\",\"did\":\"read\",\"other\":{"  \
    "\"file\":\"lab.cu\",\"line\":8,\"who\":\"thread 8\",\"did\":\"wrote\"},\"missing\":" \
    "\"__syncthreads()\",\"block\":[" #block ",0,0],\"sentence\":\"thread " #first        \
    " read\",\"text\":\"race: thread " #first " (offset 32, block " #block ",0,0)\"}\n"

static void test_fields(void **state)
{
    (void)state;
    findings f = parse_text(RACE_REPORT(3, 9, 0));
    assert_int_equal(f.count, 1);
    assert_null(f.damage);
    const finding *r = &f.rows[0];
    assert_string_equal(r->kind, "race");
    assert_string_equal(r->kernel, "k");
    assert_string_equal(r->missing, "__syncthreads()");
    assert_string_equal(r->at.file, "lab.cu");
    assert_string_equal(r->at.path, "/x/lab.cu");
    assert_string_equal(r->at.who, "thread 3");
    assert_string_equal(r->other.did, "wrote");
    assert_int_equal(r->at.line, 9);
    assert_int_equal(r->other.line, 8);
    assert_null(r->other.path);
    assert_int_equal(r->times, 1);
    assert_string_equal(finding_sentence(r), "thread 3 read");
    f = parse_text("{\"kind\":\"message\",\"text\":\"one\\ntwo\"}");
    assert_string_equal(finding_sentence(&f.rows[0]), "one\ntwo");
    assert_int_equal(f.rows[0].at.line, 0);
}

/* An address says nothing to a student; a mask does. */
static void test_addresses_are_omitted(void **state)
{
    (void)state;
    findings f =
        parse_text("{\"kind\":\"init\",\"text\":\"inside the 4 bytes that the 2nd cudaMalloc "
                   "returned (0x70000200000), with mask (0xff) (0x12345678\"}");
    assert_string_equal(f.rows[0].text, "inside the 4 bytes that the 2nd cudaMalloc returned, with "
                                        "mask (0xff) (0x12345678");
}

/* The same mistake in other threads, blocks and addresses counts once; another line or verb is
 * another mistake. */
static void each_mistake_once(void **state)
{
    (void)state;
    findings f = parse_text(RACE_REPORT(3, 9, 0) RACE_REPORT(4, 9, 7) RACE_REPORT(12, 9, 100)
                                RACE_REPORT(3, 10, 0));
    assert_int_equal(f.count, 2);
    assert_int_equal(f.rows[0].times, 3);
    f = parse_text("{\"kind\":\"fault\",\"line\":9,\"text\":\"reads 4 bytes at 0x7fa0\"}\n"
                   "{\"kind\":\"fault\",\"line\":9,\"text\":\"reads 4 bytes at 0x7fFF10\"}\n"
                   "{\"kind\":\"fault\",\"line\":9,\"text\":\"writes 4 bytes at 0x7fa0\"}\n"
                   "{\"kind\":\"message\",\"text\":\"of 260 bytes\"}\n"
                   "{\"kind\":\"message\",\"text\":\"of 260\"}\n"
                   "{\"kind\":\"message\",\"text\":\"of 1 bytes\"}\n");
    assert_int_equal(f.count, 4);
    assert_int_equal(f.rows[0].times, 2);
    assert_int_equal(f.rows[2].times, 2);
}

static void expect_damaged(const char *text, size_t good, const char *sentence)
{
    findings f = parse_text(text);
    assert_int_equal(f.count, good);
    assert_non_null(f.damage);
    assert_string_equal(f.damage, sentence);
}

#define GOOD_REPORT "{\"kind\":\"message\",\"text\":\"t\"}\n"

static void test_damaged_lines(void **state)
{
    (void)state;
    assert_null(parse_text("").damage);
    assert_null(parse_text("\n\n" GOOD_REPORT "\n").damage);
    expect_damaged("rubbish\n" GOOD_REPORT, 1, "line 1 of the emulator's reports is not JSON");
    expect_damaged(GOOD_REPORT "[1]\n", 1, "line 2 of the emulator's reports is not a JSON object");
    expect_damaged(GOOD_REPORT "{\"kind\":", 1, "line 2 of the emulator's reports is not JSON");
    expect_damaged(
        "{}\n{}\n", 0,
        "line 1 of the emulator's reports has no kind, and it is not the only damaged line");
    expect_damaged("{\"kind\":7,\"text\":\"t\"}\n", 0,
                   "line 1 of the emulator's reports has no kind");
    expect_damaged("{\"kind\":\"race\"}\n", 0, "line 1 of the emulator's reports has no text");
    expect_damaged("{\"kind\":\"a\",\"kind\":\"b\",\"text\":\"t\"}\n", 0,
                   "line 1 of the emulator's reports is not JSON");
    expect_damaged("{\"kind\":\"\xff\",\"text\":\"t\"}\n", 0,
                   "line 1 of the emulator's reports is not JSON");
    expect_damaged("[[[[[[[[[]]]]]]]]]\n", 0, "line 1 of the emulator's reports nests too deeply");
    assert_null(parse_text("{\"kind\":\"[[[[[[[[[[[[\\\"[[\",\"text\":\"t\"}\n").damage);
    /* Nesting so deep that parsing it would overflow the stack. */
    char *deep = malloc(FINDINGS_LINE_BYTES + 100);
    memset(deep, '[', FINDINGS_LINE_BYTES);
    deep[FINDINGS_LINE_BYTES] = '\0';
    expect_damaged(deep, 0, "line 1 of the emulator's reports nests too deeply");
    memset(deep, ' ', FINDINGS_LINE_BYTES + 50);
    strcpy(deep + FINDINGS_LINE_BYTES + 50, GOOD_REPORT);
    expect_damaged(deep, 0, "line 1 of the emulator's reports is too long");
    free(deep);
    findings f = findings_parse(&memory, "{\"kind\":\"a\0b\",\"text\":\"t\"}", 25, false);
    assert_non_null(f.damage);
}

/* Text on the screen cannot contain control characters. */
static void test_control_characters_are_removed(void **state)
{
    (void)state;
    findings f =
        parse_text("{\"kind\":\"race\",\"text\":\"a\\u001b[31mb\\u009bc\\u007fd\\r\\te\\nf\","
                   "\"sentence\":\"a\\nb\",\"line\":-3,\"file\":[]}");
    assert_string_equal(f.rows[0].text, "a?[31mb?c?d? e\nf");
    assert_string_equal(f.rows[0].sentence, "a b");
    assert_int_equal(f.rows[0].at.line, 0);
    assert_null(f.rows[0].at.file);
    f = parse_text("{\"kind\":\"a\",\"text\":\"t\",\"line\":99999999999999}");
    assert_int_equal(f.rows[0].at.line, 0);
}

static void number_of_findings_is_limited(void **state)
{
    (void)state;
    sb text = {0};
    for (char c = 'a'; c <= 'z'; c++)
        sb_printf(&text, "{\"kind\":\"message\",\"text\":\"%c\"}\n", c);
    findings f = parse_text(text.s);
    assert_int_equal(f.count, FINDINGS_MAX_COUNT);
    assert_string_equal(f.rows[FINDINGS_MAX_COUNT - 1].text, "t");
    sb_free(&text);
}

static void test_files(void **state)
{
    (void)state;
    char *path = xstrdup(scratch_template("reports"));
    findings f = findings_read(&memory, path);
    assert_int_equal(f.count, 0);
    assert_null(f.damage);
    f = findings_read(&memory, "/");
    assert_non_null(strstr(f.damage, "cannot be read"));
    assert_int_equal(mkfifo(path, 0600), 0);
    f = findings_read(&memory, path); /* reading a fifo must not wait for a writer */
    assert_non_null(strstr(f.damage, "cannot be read"));
    unlink(path);
    /* A file that is too long is read up to the last whole line within the limit. */
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    for (size_t n = 0; n <= FINDINGS_BYTES; n += strlen(GOOD_REPORT))
        fputs(GOOD_REPORT, out);
    fclose(out);
    f = findings_read(&memory, path);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.rows[0].times, FINDINGS_BYTES / strlen(GOOD_REPORT));
    assert_string_equal(f.damage, "the emulator's reports have more than 4194304 bytes; the rest "
                                  "was not read");
    unlink(path);
    free(path);
}

static const char *mistake_kind_of_report(const char *object)
{
    findings f = parse_text(object);
    assert_int_equal(f.count, 1);
    const mistake *m = f.rows[0].mistake_row;
    assert_true(!m || *m->reason);
    return m ? m->kind : "none";
}

static void test_meanings(void **state)
{
    (void)state;
    assert_string_equal(mistake_kind_of_report("{\"kind\":\"init\",\"text\":\"t\"}"), "init");
    assert_string_equal(mistake_kind_of_report("{\"kind\":\"message\",\"text\":\"t\"}"), "none");
    assert_string_equal(
        mistake_kind_of_report("{\"kind\":\"race\",\"severity\":\"error\",\"text\":\"t\"}"),
        "race");
    assert_string_equal(
        mistake_kind_of_report("{\"kind\":\"race\",\"severity\":\"note\",\"text\":\"t\"}"), "none");
    assert_string_equal(mistake_kind_of_report("{\"kind\":\"of a later emulator\",\"text\":\"t\"}"),
                        "mistake");
    assert_string_equal(
        mistake_kind_of_report("{\"kind\":\"fault\",\"fault\":\"trap\",\"text\":\"t\"}"), "fault");
    assert_string_equal(
        mistake_kind_of_report("{\"kind\":\"fault\",\"fault\":\"misaligned\",\"text\":\"t\"}"),
        "memory");
    assert_string_equal(
        mistake_kind_of_report("{\"kind\":\"fault\",\"fault\":\"deadlock\",\"text\":\"t\"}"),
        "progress");
    findings f =
        parse_text(RACE_REPORT(3, 9, 0) "{\"kind\":\"leak\",\"text\":\"t\",\"fix\":\"do\"}\n"
                                        "{\"kind\":\"sync\",\"text\":\"t\"}");
    assert_string_equal(finding_fix(&memory, &f.rows[0]),
                        "Put __syncthreads() between the two lines.");
    assert_string_equal(finding_fix(&memory, &f.rows[1]), "do");
    assert_non_null(strstr(finding_fix(&memory, &f.rows[2]), "out of the branch"));
    assert_ptr_equal(findings_first_mistake(&f), &f.rows[0]);
}

/* Only lines of the lab and its headers are quoted. */
static void test_quoted_source(void **state)
{
    (void)state;
    char *dir = xstrdup(scratch_template("XXXXXX"));
    assert_non_null(mkdtemp(dir));
    char *source = xprintf("%s/lab.cu", dir), *common = xprintf("%s/common", dir);
    char *header = xprintf("%s/lab.h", common), *secret = xprintf("%s/secret", dir);
    assert_int_equal(mkdir(common, 0700), 0);
    assert_true(write_whole_file(source, "one\n  two\x1b\n", 11));
    assert_true(write_whole_file(header, "of the header\n", 14));
    assert_true(write_whole_file(secret, "secret\n", 7));
    findings f =
        parse_text("{\"kind\":\"a\",\"text\":\"t\",\"file\":\"lab.cu\",\"line\":2,\"other\":{"
                   "\"file\":\"lab.h\",\"line\":1}}\n"
                   "{\"kind\":\"b\",\"text\":\"t\",\"file\":\"../secret\",\"line\":1,\"other\":"
                   "{\"file\":\"lab.cu\",\"line\":9}}");
    findings_quote(&memory, &f, source, source, common);
    assert_string_equal(f.rows[0].at.source, "  two?");
    assert_string_equal(f.rows[0].other.source, "of the header");
    assert_null(f.rows[1].at.source);
    assert_null(f.rows[1].other.source);
    unlink(source), unlink(header), unlink(secret), rmdir(common), rmdir(dir);
    free(source), free(header), free(secret), free(common), free(dir);
}

static void findings_change_a_verdict(void **state)
{
    (void)state;
    check_row check = {.name = "k", .sizes = 1, .pass = true};
    verdict v = {.kind = VERDICT_PASS, .checks = &check, .check_count = 1};
    verdict_add_findings(&v, parse_text(GOOD_REPORT));
    assert_int_equal(v.kind, VERDICT_PASS);
    verdict_add_findings(&v, parse_text(GOOD_REPORT RACE_REPORT(3, 9, 0)));
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_true(v.by_luck);
    v = (verdict){.kind = VERDICT_PASS, .checks = &check, .check_count = 1};
    verdict_add_findings(&v, parse_text("{"));
    assert_int_equal(v.kind, VERDICT_LACKS);
    assert_string_equal(v.reason, "right, but line 1 of the emulator's reports is not JSON");
    verdict_free(&v);
    /* In a verdict, a missed goal is less important than a failed check. */
    v = (verdict){.kind = VERDICT_FAIL, .reason = "r", .checks = &check, .check_count = 1};
    verdict_add_findings(&v, parse_text(RACE_REPORT(3, 9, 0)));
    assert_true(v.by_luck);
    /* A leak explains nothing: another mistake comes before it. */
    v = (verdict){.kind = VERDICT_PASS, .checks = &check, .check_count = 1};
    verdict_add_findings(&v, parse_text(LEAK_REPORT RACE_REPORT(3, 9, 0)));
    assert_string_equal(v.reason, "right by luck: its threads race");
    v = (verdict){.kind = VERDICT_PASS, .checks = &check, .check_count = 1};
    verdict_add_findings(&v, parse_text(LEAK_REPORT));
    assert_string_equal(v.reason, "right, but it does not free what it allocated");
    assert_string_equal(word_for_verdict(&v), "LEAK");
    check.pass = false;
    assert_string_equal(word_for_verdict(&v), "WRONG");
    v.kind = VERDICT_CRASH;
    assert_string_equal(word_for_verdict(&v), "RUN-ERROR");
    v = (verdict){.kind = VERDICT_FAIL, .reason = "r", .checks = &check, .check_count = 1};
    verdict_add_findings(&v, parse_text(RACE_REPORT(3, 9, 0)));
    assert_string_equal(v.reason, "r");
    assert_false(v.by_luck);
    /* A program without any check does not pass. */
    v = (verdict){.kind = VERDICT_LACKS, .reason = "r"};
    verdict_add_findings(&v, parse_text(RACE_REPORT(3, 9, 0)));
    assert_int_equal(v.kind, VERDICT_LACKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_addresses_are_omitted),
        cmocka_unit_test(each_mistake_once),
        cmocka_unit_test(test_damaged_lines),
        cmocka_unit_test(test_control_characters_are_removed),
        cmocka_unit_test(number_of_findings_is_limited),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_meanings),
        cmocka_unit_test(test_quoted_source),
        cmocka_unit_test(findings_change_a_verdict),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&memory);
    return failed;
}
