/* Tests reading chapters from disk: lessons, labs and their comments. */
#include "runner/base/files.h"
#include "runner/book/chapter.h"
#include "runner/book/pristine.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char lab[] = "#include \"lab.h\"\n"
                          "    // TODO 1 (about 3 lines): load, and\n"
                          "    // store\n"
                          "    // Hint: not part of the task\n"
                          "    x();\n"
                          "    // END TODO 1\n"
                          "  // TODO 2: the rest\n"
                          "  // END TODO 2\n";

static void test_lab_regions(void **state)
{
    (void)state;
    chapter c = {0};
    arena a = {0};
    chapter_read_lab(&c, &a, lab);
    assert_int_equal(c.todo_count, 2);
    assert_int_equal(c.problem_count, 0);
    assert_int_equal(c.todos[0].number, 1);
    assert_int_equal(c.todos[0].lines, 3);
    assert_int_equal(c.todos[0].begin, 2);
    assert_int_equal(c.todos[0].end, 6);
    assert_string_equal(c.todos[0].text, "load, and store");
    assert_int_equal(c.todos[1].lines, 0);
    assert_string_equal(c.todos[1].text, "the rest");
    arena_free(&a);
}

/* An assignment with several programs: the program that a submission's text selects, and its
 * rubric. */
static void choice_of_a_program(void **state)
{
    (void)state;
    rubric one = {0}, two = {0}, all = {0};
    chapter several = {.program_rubrics = {&one, &two}}, single = {.rubric = &all};
    assert_int_equal(chapter_choice(&several, "x\nenum { CHOICE = 2 }; // yours to choose: 1, 2\n"),
                     2);
    assert_int_equal(chapter_choice(&several, "enum { CHOICE = 0 }; // yours to choose\n"), 0);
    assert_int_equal(chapter_choice(&several, "enum { CHOICE = 3 }; // yours to choose\n"), 0);
    assert_int_equal(chapter_choice(&several, "enum { CHOICE = 4294967298 }; // yours to choose\n"),
                     0);
    assert_int_equal(chapter_choice(&several, "int CHOICE = 2;\n"), 0);
    assert_int_equal(chapter_choice(&single, "enum { CHOICE = 1 }; // yours to choose\n"), 0);
    assert_ptr_equal(chapter_rubric(&several, 2), &two);
    assert_ptr_equal(chapter_rubric(&several, 0), &one);
    assert_ptr_equal(chapter_rubric(&several, 3), &one);
    assert_ptr_equal(chapter_rubric(&single, 2), &all);
    assert_null(chapter_rubric(&(chapter){0}, 1));
}

static void faults_in_lab_regions(void **state)
{
    (void)state;
    static const char *const texts[] = {"// TODO 1 (about 1 line): a\n", "// END TODO 3\n",
                                        "// TODO 1: a\n// TODO 2: b\n// END TODO 2\n"};
    for (size_t i = 0; i < 3; i++) {
        chapter c = {0};
        arena a = {0};
        chapter_read_lab(&c, &a, texts[i]);
        assert_true(c.problem_count >= 1);
        assert_non_null(strstr(c.problems[0], "lab.cu:"));
        arena_free(&a);
    }
}

static void test_lesson_parts(void **state)
{
    (void)state;
    static const char lesson[] = "# 4. Constant memory\n\n## Predict\n"
                                 "<!-- predict kernel=k<32> metric=const_addresses_per_request "
                                 "answers=\"1 4 32\" -->\n"
                                 "How many\naddresses?\n\nNot part of it.\n"
                                 "<!-- plot sweep x=\"stride (floats)\" y=ms -->\n"
                                 "```\n# not a title\n<!-- plot nothing -->\n```\n"
                                 "## Hints\n### TODO 1\n1. First.\n2. Second,\n   longer.\n"
                                 "3. Code:\n   ```\n   if (x)\n       y();\n   ```\n"
                                 "### TODO 2\n1. Other.\n## Further questions\n1. No hint.\n";
    chapter c = {.number = 4};
    arena a = {0};
    chapter_read_lab(&c, &a, lab);
    chapter_read_lesson(&c, &a, lesson);
    assert_string_equal(c.title, "Constant memory");
    assert_int_equal(c.problem_count, 0);
    assert_int_equal(c.prediction_count, 1);
    assert_string_equal(c.predictions[0].kernel, "k<32>");
    assert_string_equal(c.predictions[0].metric, "const_addresses_per_request");
    assert_string_equal(c.predictions[0].answers, "1 4 32");
    assert_string_equal(c.predictions[0].question, "How many addresses?");
    assert_int_equal(c.picture_count, 1);
    assert_string_equal(c.pictures[0].script, "sweep");
    assert_int_equal(c.pictures[0].arg_count, 2);
    assert_string_equal(c.pictures[0].args[0], "x=stride (floats)");
    assert_string_equal(c.pictures[0].args[1], "y=ms");
    assert_int_equal(c.todos[0].hint_count, 3);
    assert_string_equal(c.todos[0].hints[1], "Second, longer.");
    assert_string_equal(c.todos[0].hints[2], "Code:\n```\nif (x)\n    y();\n```");
    assert_int_equal(c.todos[1].hint_count, 1);
    arena_free(&a);
}

static void test_lesson_faults(void **state)
{
    (void)state;
    chapter c = {.number = 1};
    arena a = {0};
    chapter_read_lesson(&c, &a,
                        "# 3D stencils\n<!-- predict metric=x -->\n<!-- plot ../evil -->\n"
                        "## Hints\n### TODO 9\n1. For nobody.\n");
    assert_string_equal(c.title, "3D stencils");
    assert_int_equal(c.problem_count, 3);
    assert_int_equal(c.prediction_count, 0);
    assert_int_equal(c.picture_count, 0);
    arena_free(&a);
}

static void put_file(const char *root, const char *path, const char *text)
{
    char *full = xprintf("%s/%s", root, path), *slash = strrchr(full, '/');
    *slash = '\0';
    assert_true(make_directories(full));
    *slash = '/';
    assert_true(write_whole_file(full, text, strlen(text)));
    free(full);
}

static void changes_outside_regions_are_found(void **state)
{
    (void)state;
    static const char text[] = "one\n// TODO 1 (about 1 line): a\nx\n// END TODO 1\ntwo\n";
    static const struct {
        const char *lab;
        int line;
    } cases[] = {
        {text, 0},
        {"one\n// TODO 1 (about 1 line): a\n// END TODO 1\ntwo\n", 0},
        {"one  \r\n// TODO 1 (about 1 line): a\ny\nz\n// END TODO 1\ntwo", 0},
        {"own\n// TODO 1 (about 1 line): a\nx\n// END TODO 1\ntwo\n", 1},
        {"one\n// TODO 1 (about 1 line): a\nx\n// END TODO 1\ntwo\nthree\n", 6},
        {"one\n// TODO 1 (about 1 line): a\nx\n// END TODO 1\n", 4},
        {"one\n// TODO 1 (about 1 line): b\nx\n// END TODO 1\ntwo // mine\n", 0},
        {"one /*\n// TODO 1 (about 1 line): a\nx\n// END TODO 1\ntwo\n", 5},
        {"// TODO 1 (about 1 line): a\nx\n// END TODO 1\none\ntwo\n", 1},
        {"one\n// TODO 1 (about 1 line): a\nx\ntwo\n",
         4}, /* a region without END lasts to the end of the text */
        {"one\n// TODO 1 (about 1 line): a\n// END TODO 1\nx\n// TODO 1\n// END TODO 1\ntwo\n", 4},
        {"", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(first_changed_line(cases[i].lab, text), cases[i].line);
}

static void test_choices(void **state)
{
    (void)state;
    static const char text[] = "int f;\n"
                               "enum { A = 4, B2 = 8, C = A * B2 }; // yours to choose: small\n"
                               "enum { D = 1, E = 2, F = 3 }; // D and E are yours to choose\n"
                               "// TODO 1 (about 1 line): a\n// END TODO 1\nint g;\n";
    static const char region[] = "// TODO 1 (about 1 line): a\n// END TODO 1\nint g;\n";
    static const struct {
        const char *lab;  /* the lab's text before its region */
        int line;         /* the line that is left out */
        long long own[6]; /* values of A, B2, C, D, E and F; 0: not given */
    } cases[] = {
        {"int f; enum{A=4,B2=8,C=32}; enum { D = 1, E = 2, F = 3 };", 0, {4, 8, 32, 1, 2, 3}},
        {"int f;\nenum {\n    A = 0x10, // sixteen\n    B2 = 1'000,\n    C = A / 2 + (B2 - 1) % "
         "5\n};\nconstexpr int E = 1 << 3;\nstatic const unsigned long D = 0b11u, F = 3;\n",
         0,
         {16, 1000, 12, 3, 8, 3}},
        {"enum : unsigned { F = 3, E = 4, D = 5, };\nint f; constexpr auto A = 7; /* b */ "
         "constexpr "
         "size_t B2 = 2, C = 3;\n",
         0,
         {7, 2, 3, 5, 4, 3}},
        /* no number, a call, a macro, a constant that is not the student's, one twice, too large */
        {"int f;\nenum { A = x, B2 = 8, C = 1 };\nenum { D = 1, E = 2, F = 3 };\n",
         2,
         {0, 0, 0, 1, 2, 3}},
        {"int f;\nenum { D = 1, E = 2, F = 3 };\nenum { A = g(), B2 = 8, C = 1 };\n",
         3,
         {0, 0, 0, 1, 2, 3}},
        {"int f;\n#define A 4\nenum { B2 = 8, C = 1 };\nenum { D = 1, E = 2, F = 3 };\n",
         2,
         {0, 8, 1, 1, 2, 3}},
        {"int f;\nenum { A = 1, B2 = 8, C = 1 };\nenum { D = 1, E = 2, F = 4 };\n", 3, {1, 8, 1}},
        {"int f;\nenum { A = 1, B2 = 8, C = 1 };\nenum { D = 1, E = 2, F = 3 };\nenum { A = 2 };\n",
         4,
         {1, 8, 1, 1, 2, 3}},
        {"int f;\nenum { A = 1, B2 = 1 << 31, C = 1 };\nenum { D = 1, E = 2, F = 3 };\n",
         2,
         {0, 0, 0, 1, 2, 3}},
        {"int f;\nenum { A = 1, B2 = 9223372036854775807 + 1, C = 1 };\n", 2, {0}},
        {"int f;\nenum { A = 1, B2 = 8 / 0, C = 1 };\n", 2, {0}},
        {"int f;\nenum { A = 1, B2 = 1.5, C = 1 };\n", 2, {0}},
        {"int f;\nenum { A = 1, B2 = 1, C = 1 } g;\n", 2, {0}},
        {"int f;\nenum { A = 1, B2 = 1, C = 1 };\n", 1, {1, 1, 1}}, /* D to F are missing */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arena a = {0};
        char *mine = xprintf("%s\n%s", cases[i].lab, region);
        const free_constants c = chosen_values(mine, text, &a);
        assert_int_equal(first_changed_line(mine, text), cases[i].line);
        assert_int_equal(c.count, 6);
        for (size_t k = 0; k < 6; k++)
            assert_int_equal(c.list[k].given ? c.list[k].own : 0, cases[i].own[k]);
        free(mine);
        arena_free(&a);
    }
}

static void test_chapters_are_found(void **state)
{
    (void)state;
    char *root = scratch_template("warpbook-test-XXXXXX"), err[256];
    assert_non_null(mkdtemp(root));
    put_file(root, "chapters/10-ten/lab.cu", lab);
    put_file(root, "chapters/02-two-things/lab.cu", lab);
    put_file(root, "chapters/02-two-things/README.md", "no title\n");
    put_file(root, "chapters/03-empty/README.md", "# Empty\n");
    put_file(root, "chapters/notes/lab.cu", lab);
    put_file(root, "chapters/7up/lab.cu", lab);
    put_file(root, "labs/01-join/lab.cu", lab);
    installation h;
    book b;
    assert_true(installation_open(&h, root, err, sizeof err));
    book_open(&b, &h);
    assert_int_equal(b.count, 4);
    assert_string_equal(b.chapters[0].name, "02-two-things");
    assert_string_equal(b.chapters[0].title, "Two things");
    assert_string_equal(b.chapters[2].name, "10-ten");
    assert_string_equal(b.chapters[3].name, "labs/01-join");
    assert_false(b.chapters[1].has_lab);
    assert_string_equal(b.chapters[1].problems[0], "chapters/03-empty has no lab.cu");
    assert_ptr_equal(book_find(&b, "2", err, sizeof err), &b.chapters[0]);
    assert_ptr_equal(book_find(&b, "002", err, sizeof err), &b.chapters[0]);
    assert_ptr_equal(book_find(&b, "02-two-things", err, sizeof err), &b.chapters[0]);
    assert_ptr_equal(book_find(&b, "two", err, sizeof err), &b.chapters[0]);
    assert_ptr_equal(book_find(&b, "chapters/10-ten/", err, sizeof err), &b.chapters[2]);
    assert_ptr_equal(book_find(&b, "join", err, sizeof err), &b.chapters[3]);
    assert_null(book_find(&b, "t", err, sizeof err));
    assert_non_null(strstr(err, "2 chapters"));
    assert_null(book_find(&b, "99", err, sizeof err));
    assert_null(book_find(&b, "", err, sizeof err));
    book_close(&b);
    installation_close(&h);
    char *command = xprintf("rm -rf %s", root);
    assert_int_equal(system(command), 0);
    free(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice_of_a_program),
        cmocka_unit_test(test_lab_regions),
        cmocka_unit_test(faults_in_lab_regions),
        cmocka_unit_test(test_lesson_parts),
        cmocka_unit_test(test_lesson_faults),
        cmocka_unit_test(changes_outside_regions_are_found),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_chapters_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
