/* Tests reports: each mistake is reported once, the total number is limited, and the text. */
#include "emulator/sanitizer/reported.h"
#include "emulator/sanitizer/reports.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static sm_report race_report_at(uint32_t line, uint32_t other)
{
    return (sm_report){
        .kind = "race",
        .at = {.path = "a.cu", .line = line, .where = "a.cu:1", .access_name = "wrote"},
        .other = {.path = "a.cu", .line = other, .where = "a.cu:2", .access_name = "read"}};
}

static san_finding leak_finding_at(uint32_t line)
{
    san_finding f = {.kind = "leak"};
    f.at.place.line = line;
    strcpy(f.at.place.path, "a.cu");
    return f;
}

static void test_each_is_reported_once(void **state)
{
    (void)state;
    san_report_at_most(1000);
    const sm_report a = race_report_at(1, 2), b = race_report_at(1, 3);
    assert_false(san_is_reported(&a, "k"));
    assert_int_equal(san_count_kernel_report(&a, "k"), SAN_REPORT);
    assert_true(san_is_reported(&a, "k"));
    assert_int_equal(san_count_kernel_report(&a, "k"), SAN_REPORTED);
    assert_int_equal(san_count_kernel_report(&a, "other kernel"), SAN_REPORT);
    assert_int_equal(san_count_kernel_report(&b, "k"), SAN_REPORT);
    sm_report global = race_report_at(1, 2), again = race_report_at(1, 3);
    global.address = again.address = 4096;
    global.any_other = again.any_other = true;
    assert_int_equal(san_count_kernel_report(&global, "k"), SAN_REPORT);
    assert_int_equal(san_count_kernel_report(&again, "k"), SAN_REPORTED);
    const san_finding f = leak_finding_at(7), g = leak_finding_at(8);
    assert_false(san_is_reported_at(&f.at));
    assert_int_equal(san_count_host_finding(&f), SAN_REPORT);
    assert_int_equal(san_count_host_finding(&f), SAN_REPORTED);
    assert_true(san_is_reported_at(&f.at));
    assert_false(san_is_reported_at(&g.at));
}

static void the_total_number_of_reports_is_limited(void **state)
{
    (void)state;
    unsigned reported = 0, ends = 0;
    san_report_at_most(20 + 5); /* the previous test has already reported five */
    for (uint32_t n = 100; n < 115; n++) {
        const sm_report r = race_report_at(n, n);
        const san_finding f = leak_finding_at(n);
        const san_report_verdict verdicts[] = {san_count_kernel_report(&r, "k"),
                                               san_count_host_finding(&f)};
        for (size_t k = 0; k < 2; k++) {
            reported += verdicts[k] == SAN_REPORT;
            ends += verdicts[k] == SAN_REPORTS_END;
        }
    }
    char text[100];
    assert_int_equal(reported, 20);
    assert_int_equal(ends, 1);
    assert_string_equal(san_describe_report_count(text, sizeof text),
                        "more than 25 mistakes were found: correct these first");
}

static void a_race_on_shared_memory_shows_its_lines(void **state)
{
    (void)state;
    char *path = scratch_template("reported-XXXXXX");
    const int fd = mkstemp(path);
    static const char source[] = "__global__ void k()\n{\n\ttile[i] = 1;\n    x = tile[j];\n}\n";
    assert_true(fd >= 0 && write(fd, source, sizeof source - 1) == sizeof source - 1);
    sm_report r = race_report_at(3, 4);
    r.at.path = r.other.path = path;
    strcpy(r.at.where, "lab.cu:3");
    strcpy(r.other.where, "lab.cu:4");
    strcpy(r.place, "byte 32 of tile");
    strcpy(r.sentence, "thread 1 wrote what thread 0 read");
    strcpy(r.other_text, "here thread 0 read it");
    san_report_set_text(&r, "It is so.");
    assert_string_equal(r.text,
                        "lab.cu:3: race on shared memory: thread 1 wrote what thread 0 read "
                        "(byte 32 of tile, block 0,0,0)\n"
                        "      3 |  tile[i] = 1;\n"
                        "        |  ^\n"
                        "lab.cu:4: here thread 0 read it\n"
                        "      4 |     x = tile[j];\n"
                        "        |     ^\n"
                        "It is so.");
    r.at.path = NULL;
    r.other_text[0] = '\0';
    r.remedy = "Put a barrier.";
    san_report_set_text(&r, NULL);
    assert_string_equal(r.text,
                        "lab.cu:3: race on shared memory: thread 1 wrote what thread 0 read "
                        "(byte 32 of tile, block 0,0,0)\n"
                        "Put a barrier.\n"
                        "nvcc -lineinfo makes reports name the line.");
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_is_reported_once),
        cmocka_unit_test(the_total_number_of_reports_is_limited),
        cmocka_unit_test(a_race_on_shared_memory_shows_its_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
