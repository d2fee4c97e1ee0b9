/* Tests reading the submissions of a class: which student a file belongs to, which file is the lab,
 * and which archive contents are refused. */
#include "runner/class/submissions.h"
#include "runner/class/upload.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char lab[] = "#include \"lab.h\"\nint first_line;\n// TODO 1 (about 1 line): do it\n"
                          "answer();\n// END TODO 1\nint last_line;\n";
static const char submitted_lab[] =
    "#include \"lab.h\"\nint first_line;\n// TODO 1 (about 1 line): do it\n"
    "mine();\n// END TODO 1\nint last_line;\n";
/* The text of another lab, with a region of the same number. */
static const char other_lab[] =
    "#include \"other.h\"\nint another;\n// TODO 1 (about 2 lines): that\n"
    "that();\n// END TODO 1\nint the_end;\n";

/* --- archives made here --- */

typedef struct archive_writer {
    struct archive *a; /* libarchive's writer */
    char *bytes;       /* the archive; MAX_ARCHIVE_BYTES are allocated */
    size_t length;     /* bytes of the archive written so far */
} archive_writer;

enum { MAX_ARCHIVE_BYTES = 4 << 20 };

static void begin_archive(archive_writer *p, bool zip, bool gzip)
{
    *p = (archive_writer){.a = archive_write_new(), .bytes = malloc(MAX_ARCHIVE_BYTES)};
    if (zip)
        archive_write_set_format_zip(p->a);
    else
        archive_write_set_format_pax_restricted(p->a);
    if (gzip)
        archive_write_add_filter_gzip(p->a);
    archive_write_set_bytes_in_last_block(p->a, 1);
    assert_int_equal(archive_write_open_memory(p->a, p->bytes, MAX_ARCHIVE_BYTES, &p->length),
                     ARCHIVE_OK);
}

static void add_entry_as(archive_writer *p, const char *path, unsigned type, const char *link,
                         const char *text, size_t length)
{
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, path);
    archive_entry_set_filetype(e, type);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_mtime(e, 1000000, 0);
    if (link && type == AE_IFREG)
        archive_entry_set_hardlink(e, link);
    else if (link)
        archive_entry_set_symlink(e, link);
    archive_entry_set_size(e, (int64_t)length);
    assert_true(archive_write_header(p->a, e) >= ARCHIVE_WARN);
    if (length)
        assert_int_equal(archive_write_data(p->a, text, length), (long)length);
    archive_entry_free(e);
}

static void add_entry(archive_writer *p, const char *path, const char *text)
{
    add_entry_as(p, path, AE_IFREG, NULL, text, strlen(text));
}

static void end_archive(archive_writer *p)
{
    assert_int_equal(archive_write_close(p->a), ARCHIVE_OK);
    archive_write_free(p->a);
}

/* The submissions read from the archive P, as a class archive named class.zip. Closes P. */
static submissions read_class(archive_writer *p, roster *r)
{
    submissions h = {0};
    upload files = {0};
    char err[256] = "";
    end_archive(p);
    assert_true(upload_is_archive(p->bytes, p->length));
    if (!upload_archive(&files, p->bytes, p->length, "", 0, err, sizeof err))
        fail_msg("%s", err);
    free(p->bytes);
    submissions_add_upload(&h, &files, "class.zip", true, lab, r);
    upload_free(&files);
    return h;
}

static void expect_submission(const submissions *h, size_t i, const char *student, const char *text,
                              const char *problem)
{
    assert_true(i < h->count);
    assert_string_equal(h->list[i].student, student);
    if (text)
        assert_string_equal(h->list[i].text, text);
    else
        assert_null(h->list[i].text);
    if (problem)
        assert_non_null(strstr(h->list[i].problem, problem));
    else
        assert_null(h->list[i].problem);
}

/* --- which student a file belongs to --- */

static void test_folders(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, true, false);
    add_entry(&p, "submissions/bob/lab.cu", submitted_lab);
    add_entry(&p, "submissions/alice/deep/labs/01-x/lab.cu", submitted_lab);
    add_entry(&p, "submissions/alice/notes.txt", "hello");
    add_entry(&p, "__MACOSX/submissions/alice/._lab.cu", submitted_lab);
    submissions h = read_class(&p, NULL);
    assert_int_equal(h.count, 2);
    expect_submission(&h, 0, "alice", submitted_lab, NULL);
    expect_submission(&h, 1, "bob", submitted_lab, NULL);
    assert_string_equal(h.list[1].from, "class.zip:submissions/bob/lab.cu");
    assert_int_equal(h.list[1].submitted, 1000000);
    submissions_free(&h);
}

static void test_one_folder_alone(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, false, true);
    add_entry(&p, "alice/lab.cu", submitted_lab);
    submissions h = read_class(&p, NULL);
    assert_int_equal(h.count, 1);
    expect_submission(&h, 0, "alice", submitted_lab, NULL);
    submissions_free(&h);
}

static void test_learning_systems(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, true, false);
    add_entry(&p, "Ada Lovelace_12345_assignsubmission_file_/lab.cu", submitted_lab);
    add_entry(&p, "hopper_LATE_4711_815_my lab.cpp", submitted_lab);
    add_entry(&p, "Lab 1_turing_attempt_2026-11-20-10-11-12_lab.txt", submitted_lab);
    add_entry(&p, "Lab 1_turing_attempt_2026-11-20-10-11-12.txt", "Name: Alan");
    add_entry(&p, "team_12_x.cu", submitted_lab);
    add_entry(&p, "team_12_y.cu", submitted_lab);
    submissions h = read_class(&p, NULL);
    assert_int_equal(h.count, 5);
    expect_submission(&h, 0, "Ada Lovelace_12345", submitted_lab, NULL);
    expect_submission(&h, 1, "hopper_4711", submitted_lab, NULL);
    expect_submission(&h, 2, "team_12_x", submitted_lab, NULL);
    expect_submission(&h, 3, "team_12_y", submitted_lab, NULL);
    expect_submission(&h, 4, "turing", submitted_lab, NULL);
    assert_int_equal(h.list[4].submitted, parse_time("2026-11-20 10:11:12"));
    submissions_free(&h);
}

/* The forms of names that Moodle makes: with and without folders, of groups, graded blindly, and a
 * text beside the file. */
static void test_moodle(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, true, false);
    add_entry(&p, "Ada Lovelace_17_assignsubmission_file/lab.cu", submitted_lab);
    add_entry(&p, "Ada Lovelace_17_assignsubmission_onlinetext/onlinetext.html", "see my file");
    add_entry(&p, "Default group_assignsubmission_file/src/lab.cu", submitted_lab);
    add_entry(&p, "Grace Hopper_4712_assignsubmission_file_my lab.cu", submitted_lab);
    add_entry(&p, "Group A_3_assignsubmission_file/lab.cu", submitted_lab);
    add_entry(&p, "Participant_4711_assignsubmission_file_/lab.cu", submitted_lab);
    submissions h = read_class(&p, NULL);
    assert_int_equal(h.count, 5);
    expect_submission(&h, 0, "Ada Lovelace_17", submitted_lab, NULL);
    expect_submission(&h, 1, "Default group", submitted_lab, NULL);
    expect_submission(&h, 2, "Grace Hopper_4712", submitted_lab, NULL);
    expect_submission(&h, 3, "Group A_3", submitted_lab, NULL);
    expect_submission(&h, 4, "Participant_4711", submitted_lab, NULL);
    submissions_free(&h);
}

/* Canvas: family name first, in lower case; late; handed in again; graded anonymously; a text. */
static void test_canvas(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, true, false);
    add_entry(&p, "LATE_anon_x1Y2z_81523_lab.cu", submitted_lab);
    add_entry(&p, "anon_Qr7s8_81524_lab-1.cu", submitted_lab);
    add_entry(&p, "hoppergrace_LATE_4712_81525_lab-2.cu", submitted_lab);
    add_entry(&p, "hoppergrace_LATE_4712_text.html", "see my file");
    add_entry(&p, "lovelaceada_4711_81526_my_2nd_lab.cu", submitted_lab);
    submissions h = read_class(&p, NULL);
    assert_int_equal(h.count, 4);
    expect_submission(&h, 0, "anon_Qr7s8", submitted_lab, NULL);
    expect_submission(&h, 1, "anon_x1Y2z", submitted_lab, NULL);
    expect_submission(&h, 2, "hoppergrace_4712", submitted_lab, NULL);
    expect_submission(&h, 3, "lovelaceada_4711", submitted_lab, NULL);
    submissions_free(&h);
}

static const char export_list[] = "---\n"
                                  "submission_101:\n"
                                  "  :submitters:\n"
                                  "  - :name: Ada Lovelace\n"
                                  "    :sid: '4711'\n"
                                  "    :email: ada@x.org\n"
                                  "  :created_at: 2026-11-20 10:00:00.640812000 Z\n"
                                  "  :score: 10.0\n"
                                  "  :results:\n"
                                  "    tests:\n"
                                  "    - name: \"submission_102:\"\n"
                                  "      output: |\n"
                                  "        :submitters:\n"
                                  "        - :name: Nobody\n"
                                  "  :history:\n"
                                  "  - :id: 7\n"
                                  "    :name: Nobody\n"
                                  "    :created_at: 2026-11-19 10:00:00 Z\n"
                                  "submission_102:\r\n"
                                  "  :submitters:\r\n"
                                  "  - :name: Grace Hopper\r\n"
                                  "    :sid: \r\n"
                                  "    :email: grace@x.org\r\n"
                                  "  - :name: \"Alan Turing\"\r\n"
                                  "    :sid: ''\r\n"
                                  "    :email: \r\n"
                                  "  :created_at: 2026-11-20 02:00:00 -08:00\r\n";

static void test_gradescope(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, true, false);
    add_entry(&p, "assignment_9100_export/submission_101/lab.cu", submitted_lab);
    add_entry(&p, "assignment_9100_export/submission_101/submission_metadata.yml",
              "submission_102:\n  :submitters:\n  - :name: Ada Lovelace\n");
    add_entry(&p, "assignment_9100_export/submission_102/src/lab.cu", submitted_lab);
    add_entry(&p, "assignment_9100_export/submission_103/lab.cu", submitted_lab);
    add_entry(&p, "assignment_9100_export/submission_metadata.yml", export_list);
    submissions h = read_class(&p, NULL);
    assert_int_equal(h.count, 4);
    expect_submission(&h, 0, "4711", submitted_lab, NULL);
    assert_int_equal(h.list[0].submitted, 1795168800);
    expect_submission(&h, 1, "grace@x.org", submitted_lab, NULL);
    assert_int_equal(h.list[1].submitted, 1795168800);
    expect_submission(&h, 2, "Alan Turing", submitted_lab, NULL);
    expect_submission(&h, 3, "submission_103", submitted_lab, NULL);
    submissions_free(&h);
    begin_archive(&p, true, false); /* a student's file of that name in a class of folders */
    add_entry(&p, "bob/lab.cu", submitted_lab);
    add_entry(&p, "mallory/bob/lab.cu", submitted_lab);
    add_entry(&p, "mallory/submission_metadata.yml", export_list);
    h = read_class(&p, NULL);
    assert_int_equal(h.count, 2);
    expect_submission(&h, 0, "bob", submitted_lab, NULL);
    assert_string_equal(h.list[0].from, "class.zip:bob/lab.cu");
    expect_submission(&h, 1, "mallory", submitted_lab, NULL);
    submissions_free(&h);
    begin_archive(&p, true, false);
    add_entry(&p, "assignment_9100_export/submission_101/lab.cu", submitted_lab);
    add_entry(&p, "assignment_9100_export/submission_metadata.yml", export_list);
    h = read_class(&p, NULL);
    assert_int_equal(h.count, 1);
    expect_submission(&h, 0, "4711", submitted_lab, NULL);
    submissions_free(&h);
}

static void test_roster(void **state)
{
    (void)state;
    char err[256];
    roster r;
    char *path = scratch_template("roster-XXXXXX");
    int fd = mkstemp(path);
    static const char text[] = "\xEF\xBB\xBFUser Name;Name;E-Mail;Submitted\r\n"
                               "al1;Lovelace, Ada;ada@x.org;2026-11-20T10:00:00Z\r\n"
                               "gh2;\"Hopper; Grace\";grace@x.org;\r\n";
    assert_int_equal(write(fd, text, strlen(text)), (long)strlen(text));
    close(fd);
    assert_true(roster_read(&r, path, err, sizeof err));
    unlink(path);
    assert_int_equal(r.count, 2);
    assert_string_equal(r.people[0].name, "Ada Lovelace");
    assert_string_equal(r.people[1].name, "Hopper; Grace");
    archive_writer p;
    begin_archive(&p, true, false);
    add_entry(&p, "Ada Lovelace_12345_assignsubmission_file_/lab.cu", submitted_lab);
    add_entry(&p, "grace/lab.cu", submitted_lab);
    add_entry(&p, "nobody/lab.cu", submitted_lab);
    submissions h = read_class(&p, &r);
    assert_int_equal(h.count, 3);
    expect_submission(&h, 0, "al1", submitted_lab, NULL);
    assert_int_equal(h.list[0].submitted, 1795168800);
    expect_submission(&h, 1, "gh2", submitted_lab, NULL);
    expect_submission(&h, 2, "nobody", submitted_lab, NULL);
    assert_int_equal(h.note_count, 1);
    assert_string_equal(h.notes[0], "nobody is not in the roster");
    assert_true(r.people[0].seen && r.people[1].seen);
    submissions_free(&h);
    roster_free(&r);
}

static void test_last_one_counts(void **state)
{
    (void)state;
    submissions h = {0};
    const struct {
        const char *student;
        int64_t time;
    } all[] = {{"a", 5}, {"b", 1}, {"a", 9}, {"a", 7}};
    for (size_t i = 0; i < 4; i++)
        *ARENA_PUSH(&h.memory, h.list, h.count) =
            (submission){.student = all[i].student, .from = "x", .submitted = all[i].time};
    submissions_keep_last(&h);
    assert_int_equal(h.count, 2);
    assert_int_equal(h.list[0].submitted, 9);
    assert_int_equal(h.list[1].submitted, 1);
    assert_int_equal(h.note_count, 2);
    submissions_free(&h);
}

/* --- which file is the lab --- */

static void test_finding_the_lab_file(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, true, false);
    add_entry(&p, "a/one.cu", other_lab);
    add_entry(&p, "a/two.txt", submitted_lab);
    add_entry(&p, "b/one.cu", other_lab);
    add_entry(&p, "b/notes.md", "no region");
    add_entry(&p, "c/main.cu", "int main() {}");
    add_entry(&p, "d/x.cu", submitted_lab);
    add_entry(&p, "d/y.cu", lab);
    add_entry(&p, "e/x.cu", submitted_lab);
    add_entry(&p, "e/lab.cu", lab);
    add_entry(&p, "f/x.cu", submitted_lab);
    add_entry(&p, "f/copy.cu", submitted_lab);
    submissions h = read_class(&p, NULL);
    assert_int_equal(h.count, 6);
    expect_submission(&h, 0, "a", submitted_lab, NULL);
    expect_submission(&h, 1, "b", NULL, "has the TODO regions of another lab");
    expect_submission(&h, 2, "c", NULL, "no file with the lab's TODO regions among 1");
    expect_submission(&h, 3, "d", NULL, "hand in only one");
    expect_submission(&h, 4, "e", lab, NULL);
    expect_submission(&h, 5, "f", submitted_lab, NULL);
    submissions_free(&h);
}

/* --- archive contents that are refused --- */

static void test_links_and_devices(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, false, false);
    add_entry_as(&p, "a/lab.cu", AE_IFLNK, "/etc/passwd", "", 0);
    add_entry_as(&p, "b/lab.cu", AE_IFIFO, NULL, "", 0);
    add_entry_as(&p, "c/lab.cu", AE_IFCHR, NULL, "", 0);
    add_entry(&p, "d/lab.cu", submitted_lab);
    add_entry_as(&p, "e/lab.cu", AE_IFREG, "d/lab.cu", "", 0);
    submissions h = read_class(&p, NULL);
    assert_int_equal(h.count, 5);
    expect_submission(&h, 0, "a", NULL, "is a link");
    expect_submission(&h, 1, "b", NULL, "is not a regular file");
    expect_submission(&h, 2, "c", NULL, "is not a regular file");
    expect_submission(&h, 3, "d", submitted_lab, NULL);
    expect_submission(&h, 4, "e", NULL, "is a link");
    submissions_free(&h);
}

static void test_paths_that_lead_out(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, false, false);
    add_entry(&p, "/etc/lab.cu", submitted_lab);
    add_entry(&p, "a/../../lab.cu", submitted_lab);
    add_entry(&p, "..", submitted_lab);
    add_entry(&p, "C:\\a\\lab.cu", submitted_lab);
    add_entry(&p, "b\\..\\lab.cu", submitted_lab);
    add_entry(&p, "./c/./lab.cu", submitted_lab);
    add_entry(&p, "d//lab.cu", submitted_lab);
    submissions h = read_class(&p, NULL);
    assert_int_equal(h.count, 2);
    expect_submission(&h, 0, "c", submitted_lab, NULL);
    expect_submission(&h, 1, "d", submitted_lab, NULL);
    assert_int_equal(h.note_count, 1);
    assert_non_null(strstr(h.notes[0], "5 paths lead out"));
    submissions_free(&h);
}

static void test_archive_in_archive(void **state)
{
    (void)state;
    archive_writer inner;
    begin_archive(&inner, true, false);
    add_entry(&inner, "lab.cu", submitted_lab);
    end_archive(&inner);
    archive_writer p;
    begin_archive(&p, true, false);
    add_entry_as(&p, "a/lab.zip", AE_IFREG, NULL, inner.bytes, inner.length);
    add_entry(&p, "b/lab.cu", submitted_lab);
    free(inner.bytes);
    submissions h = read_class(&p, NULL);
    expect_submission(&h, 0, "a", NULL, "is an archive in an archive");
    expect_submission(&h, 1, "b", submitted_lab, NULL);
    submissions_free(&h);
}

/* Check that an archive is refused as a whole; frees BYTES. */
static void expect_archive_refused(const char *bytes, size_t length, const char *why)
{
    upload files = {0};
    char err[256] = "";
    assert_false(upload_archive(&files, bytes, length, "", 0, err, sizeof err));
    assert_non_null(strstr(err, why));
    upload_free(&files);
}

static void test_archive_bombs(void **state)
{
    (void)state;
    enum { ZEROS = 40 << 20 };
    char *zeros = calloc(1, ZEROS);
    archive_writer p;
    begin_archive(&p, false, true);
    add_entry_as(&p, "a/lab.cu", AE_IFREG, NULL, zeros, ZEROS);
    end_archive(&p);
    assert_true(p.length < ZEROS / UPLOAD_RATIO);
    expect_archive_refused(p.bytes, p.length, "unpacks to more");
    free(p.bytes);
    free(zeros);

    begin_archive(&p, false, true);
    for (int i = 0; i <= UPLOAD_FILES; i++)
        add_entry(&p, "a/x", "");
    end_archive(&p);
    expect_archive_refused(p.bytes, p.length, "more than 20000 files");
    free(p.bytes);
}

static void test_compressed_twice(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, false, true);
    add_entry(&p, "a/lab.cu", submitted_lab);
    archive_write_add_filter_gzip(p.a);
    end_archive(&p);
    archive_writer twice = {.a = archive_write_new(), .bytes = malloc(MAX_ARCHIVE_BYTES)};
    archive_write_set_format_raw(twice.a);
    archive_write_add_filter_gzip(twice.a);
    archive_write_open_memory(twice.a, twice.bytes, MAX_ARCHIVE_BYTES, &twice.length);
    add_entry_as(&twice, "x", AE_IFREG, NULL, p.bytes, p.length);
    end_archive(&twice);
    expect_archive_refused(twice.bytes, twice.length, "compressed more than once");
    free(p.bytes);
    free(twice.bytes);
}

static void test_large_text(void **state)
{
    (void)state;
    char *text = malloc(UPLOAD_TEXT + 1);
    for (size_t i = 0; i < UPLOAD_TEXT; i++)
        text[i] = (char)(' ' + (i * 2654435761u >> 13) % 90);
    memcpy(text, submitted_lab, strlen(submitted_lab));
    text[UPLOAD_TEXT] = '\0';
    archive_writer p;
    begin_archive(&p, true, false);
    add_entry_as(&p, "a/lab.cu", AE_IFREG, NULL, text, UPLOAD_TEXT + 1);
    add_entry_as(&p, "b/lab.cu", AE_IFREG, NULL, text, UPLOAD_TEXT);
    submissions h = read_class(&p, NULL);
    expect_submission(&h, 0, "a", NULL, "larger than 1 MiB");
    expect_submission(&h, 1, "b", text, NULL);
    submissions_free(&h);
    free(text);
}

static void test_damaged_archives(void **state)
{
    (void)state;
    archive_writer p;
    begin_archive(&p, true, false);
    add_entry(&p, "a/lab.cu", submitted_lab);
    end_archive(&p);
    expect_archive_refused(p.bytes, p.length / 2, "is damaged");
    expect_archive_refused("PK\3\4", 4, "is damaged");
    free(p.bytes);
    assert_false(upload_is_archive(submitted_lab, strlen(submitted_lab)));
    assert_false(upload_is_archive("", 0));
}

/* --- times and names --- */

static void test_times(void **state)
{
    (void)state;
    char buf[32];
    assert_int_equal(parse_time("1970-01-02T00:00:01Z"), 86401);
    assert_int_equal(parse_time("2026-11-20 10:00:00 +0130"), parse_time("2026-11-20T08:30:00Z"));
    assert_int_equal(parse_time("2026-11-20 10:00:00.5 UTC"), parse_time("2026-11-20T10:00:00Z"));
    assert_int_equal(parse_time("2026-11-20"), parse_time("2026-11-20 23:59:59"));
    assert_int_equal(parse_time("yesterday"), 0);
    assert_int_equal(parse_time("2026-13-20"), 0);
    assert_int_equal(parse_time("2026-11-20 10:00 whenever"), 0);
    assert_string_equal(time_to_text(86401, buf), "1970-01-02T00:00:01Z");
    assert_string_equal(time_to_text(0, buf), "");
}

static void test_similarity_to_the_lab(void **state)
{
    (void)state;
    assert_true(likeness_to_original(submitted_lab, lab) == 1);
    assert_true(likeness_to_original(other_lab, lab) < 0.3);
    assert_true(likeness_to_original("", lab) == 0);
    assert_int_equal(length_without_extension("alice.tar.gz"), 5);
    assert_int_equal(length_without_extension("alice.CU"), 5);
    assert_int_equal(length_without_extension(".cu"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_one_folder_alone),
        cmocka_unit_test(test_learning_systems),
        cmocka_unit_test(test_moodle),
        cmocka_unit_test(test_canvas),
        cmocka_unit_test(test_gradescope),
        cmocka_unit_test(test_roster),
        cmocka_unit_test(test_last_one_counts),
        cmocka_unit_test(test_finding_the_lab_file),
        cmocka_unit_test(test_links_and_devices),
        cmocka_unit_test(test_paths_that_lead_out),
        cmocka_unit_test(test_archive_in_archive),
        cmocka_unit_test(test_archive_bombs),
        cmocka_unit_test(test_compressed_twice),
        cmocka_unit_test(test_large_text),
        cmocka_unit_test(test_damaged_archives),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_similarity_to_the_lab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
