/* Tests diagrams of memory requests: banks, sectors and addresses of hand-made requests, diagrams
 * as text, the selection of a source line, and heat maps of arrays. */
#include "runner/show/diagram.h"
#include "runner/show/heat.h"
#include "runner/show/selector.h"

#include "scratch.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* --- requests made by hand ----------------------------------------------------------------------
 */

static memory_request make_request(access_space space, const char *effect, unsigned bytes,
                                   unsigned served)
{
    return (memory_request){.kernel = "k",
                            .file = "lab.cu",
                            .path = "",
                            .op = space == SPACE_SHARED ? "ld.shared.f32" : "ld.global.f32",
                            .effect = effect,
                            .of_block = "0,0,0",
                            .memory = space == SPACE_GLOBAL ? "argument 1" : "",
                            .space = space,
                            .line = 7,
                            .bytes = bytes,
                            .served = served,
                            .requests = 10,
                            .all_requests = 10};
}

static memory_request make_strided_request(access_space space, const char *effect, unsigned bytes,
                                           unsigned served, long long first, long long stride)
{
    memory_request r = make_request(space, effect, bytes, served);
    for (int lane = 0; lane < LANES; lane++) {
        r.on[lane] = true;
        r.at[lane] = first + lane * stride;
    }
    r.lanes = LANES;
    return r;
}

static void passes_are_words_of_the_busiest_bank(void **state)
{
    (void)state;
    static const struct {
        long long first, stride;
        unsigned bytes, served;
        const char *effect;
        unsigned passes;
    } cases[] = {
        {0, 4, 4, 32, "read", 1},   {4, 4, 4, 32, "read", 1},     {0, 8, 4, 32, "read", 2},
        {0, 12, 4, 32, "read", 1},  {0, 128, 4, 32, "read", 32},  {0, 132, 4, 32, "write", 1},
        {64, 0, 4, 32, "read", 1},  {64, 0, 4, 32, "update", 32}, {0, 2, 2, 32, "read", 1},
        {0, 8, 8, 16, "read", 2},   {0, 16, 16, 8, "write", 4},   {0, 128, 16, 8, "write", 32},
        {0, 4, 4, 32, "update", 1}, {0, 1, 1, 32, "read", 1},     {0, 8, 8, 16, "update", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memory_request r = make_strided_request(SPACE_SHARED, cases[i].effect, cases[i].bytes,
                                                cases[i].served, cases[i].first, cases[i].stride);
        unsigned load[BANKS];
        assert_int_equal(request_passes(&r, load), cases[i].passes);
    }
}

static void sectors_and_bytes_are_counted_once(void **state)
{
    (void)state;
    static const struct {
        long long first, stride;
        unsigned bytes, sectors, used;
    } cases[] = {{4096, 4, 4, 4, 128}, {4100, 4, 4, 5, 128},  {0, 8, 4, 8, 128},
                 {0, 32, 4, 32, 128},  {0, 4000, 4, 32, 128}, {96, 0, 4, 1, 4},
                 {0, 16, 16, 16, 512}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memory_request r = make_strided_request(SPACE_GLOBAL, "read", cases[i].bytes, 32,
                                                cases[i].first, cases[i].stride);
        unsigned used;
        assert_int_equal(request_sectors(&r, &used), cases[i].sectors);
        assert_int_equal(used, cases[i].used);
    }
    memory_request r = make_strided_request(SPACE_CONST, "read", 4, 32, 0, 0);
    assert_int_equal(request_addresses(&r), 1);
    r.at[9] = 12;
    assert_int_equal(request_addresses(&r), 2);
}

/* --- requests drawn as text ------------------------------------------------------------------- */

/* The text of a page without colours; checks that every line is at most MOST columns wide. The
 * caller frees the text. */
static char *page_as_text(page *p, size_t most)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    page_print(f, p, false, false);
    fclose(f);
    for (size_t i = 0; i < p->count; i++) {
        assert_true(utf8_width(p->lines[i].s, p->lines[i].len) <= most);
        assert_true(p->lines[i].len == 0 || p->lines[i].s[p->lines[i].len - 1] != ' ');
    }
    page_free(p);
    return text;
}

static void expect_diagram(const memory_request *r, const char *name, size_t columns,
                           const char *wanted)
{
    page p = {0};
    draw_request_diagram(&p, r, "x = a[i];", name, columns);
    char *text = page_as_text(&p, columns);
    assert_string_equal(text, wanted);
    free(text);
}

static void diagram_of_bank_conflicts(void **state)
{
    (void)state;
    memory_request r = make_strided_request(SPACE_SHARED, "read", 4, 32, 0, 8);
    expect_diagram(&r, NULL, DIAGRAM_WIDE_COLUMNS,
                   "lab.cu:7 k ld.shared.f32\n"
                   "| x = a[i];\n"
                   "block 0,0,0, warp 0: 32 lanes, 4 bytes each, of shared memory\n"
                   "   bank 0       4       8       12      16      20      24      28\n"
                   "      0 0 . 1 . 2 . 3 . 4 . 5 . 6 . 7 . 8 . 9 . a . b . c . d . e . f .\n"
                   "    128 g . h . i . j . k . l . m . n . o . p . q . r . s . t . u . v .\n"
                   "  words 2 . 2 . 2 . 2 . 2 . 2 . 2 . 2 . 2 . 2 . 2 . 2 . 2 . 2 . 2 . 2 .\n"
                   "2 passes: bank 0 serves 2 words one after another. Without conflicts: 1.\n"
                   "All 10 requests of the launch are such.\n");
}

/* The array has its name, its first row begins in the middle of the banks, and bytes count from
 * its beginning. */
static void diagram_of_an_array_within_shared_memory(void **state)
{
    (void)state;
    memory_request r = make_strided_request(SPACE_SHARED, "read", 4, 32, 0, 4);
    r.memory = "tile";
    r.begins = 32;
    expect_diagram(&r, NULL, DIAGRAM_WIDE_COLUMNS,
                   "lab.cu:7 k ld.shared.f32\n"
                   "| x = a[i];\n"
                   "block 0,0,0, warp 0: 32 lanes, 4 bytes each, of tile\n"
                   "   bank 0       4       8       12      16      20      24      28\n"
                   "      0 . . . . . . . . 0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n\n"
                   "     96 o p q r s t u v . . . . . . . . . . . . . . . . . . . . . . . .\n"
                   "  words 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
                   "1 pass: no bank has to serve two words.\n"
                   "All 10 requests of the launch are such.\n");
}

static void diagram_of_a_column_is_cut_short(void **state)
{
    (void)state;
    memory_request r = make_strided_request(SPACE_SHARED, "read", 4, 32, 0, 128);
    r.requests = 5;
    r.all_cost = 200;
    expect_diagram(&r, NULL, DIAGRAM_NARROW_COLUMNS,
                   "lab.cu:7 k ld.shared.f32\n"
                   "| x = a[i];\n"
                   "block 0,0,0, warp 0: 32 lanes, 4\n"
                   "bytes each, of shared memory\n"
                   "  0   4   8   12  16  20  24  28\n"
                   "1 0...............................\n"
                   "2 1...............................\n"
                   "3 2...............................\n"
                   "4 3...............................\n"
                   "5 4...............................\n"
                   "6 5...............................\n"
                   "7 6...............................\n"
                   "8 7...............................\n"
                   "  ... 24 more rows of 128 bytes\n"
                   "= +...............................\n"
                   "32 passes: bank 0 serves 32 words one\n"
                   "after another. Without conflicts: 1.\n"
                   "5 of 10 requests of the launch are\n"
                   "such; on average one has 20 passes.\n");
}

static void diagram_of_a_broadcast_and_of_groups(void **state)
{
    (void)state;
    memory_request r = make_strided_request(SPACE_SHARED, "read", 4, 32, 20, 0);
    char *sentence = describe_request(&r);
    assert_string_equal(sentence, "1 pass: all 32 lanes access one word, a broadcast.");
    free(sentence);
    r = make_strided_request(SPACE_SHARED, "read", 16, 8, 0, 16);
    page p = {0};
    draw_request_diagram(&p, &r, NULL, NULL, DIAGRAM_WIDE_COLUMNS);
    char *text = page_as_text(&p, DIAGRAM_WIDE_COLUMNS);
    assert_non_null(strstr(text, "lanes 8 to 15:\n    128 8 8 8 8 9 9 9 9 a a a a"));
    assert_non_null(strstr(text, "4 passes: 8 lanes at once, 4 groups, no conflict."));
    free(text);
}

static void diagram_of_sectors(void **state)
{
    (void)state;
    memory_request r = make_strided_request(SPACE_GLOBAL, "read", 4, 32, 4100, 4);
    expect_diagram(&r, "in", DIAGRAM_WIDE_COLUMNS,
                   "lab.cu:7 k ld.global.f32\n"
                   "| x = a[i];\n"
                   "block 0,0,0, warp 0: 32 lanes, 4 bytes each, of in\n"
                   "   word 0       4      |8       12     |16      20     |24      28\n"
                   "   4096 . 0 1 2 3 4 5 6|7 8 9 a b c d e|f g h i j k l m|n o p q r s t u\n"
                   "   4224 v . . . . . . .|               |               |\n"
                   "5 sectors of 32 bytes: 160 bytes fetched, 128 used (80 %). 4 sectors would\n"
                   "do.\n"
                   "All 10 requests of the launch are such.\n");
    r = make_strided_request(SPACE_GLOBAL, "write", 4, 32, 0, 64);
    r.on[1] = false;
    r.lanes = 31;
    expect_diagram(&r, "out", DIAGRAM_NARROW_COLUMNS,
                   "lab.cu:7 k ld.global.f32\n"
                   "| x = a[i];\n"
                   "block 0,0,0, warp 0: 31 lanes, 4\n"
                   "bytes each, of out\n"
                   "  0   4   |8   12  |16  20  |24  28\n"
                   "1 0.......|        |        |\n"
                   "2 2.......|        |3.......|\n"
                   "3 4.......|        |5.......|\n"
                   "4 6.......|        |7.......|\n"
                   "5 8.......|        |9.......|\n"
                   "6 a.......|        |b.......|\n"
                   "7 c.......|        |d.......|\n"
                   "8 e.......|        |f.......|\n"
                   "  ... 8 more lines of 128 bytes\n"
                   "31 sectors of 32 bytes: 992 bytes\n"
                   "sent, 124 used (12 %). 4 sectors\n"
                   "would do.\n"
                   "All 10 requests of the launch are\n"
                   "such.\n");
}

static void diagram_of_constants(void **state)
{
    (void)state;
    memory_request r = make_strided_request(SPACE_CONST, "read", 4, 32, 0, 0);
    for (int lane = 0; lane < LANES; lane++)
        r.at[lane] = lane % 3 * 4;
    expect_diagram(&r, "coef", DIAGRAM_WIDE_COLUMNS,
                   "lab.cu:7 k ld.global.f32\n"
                   "| x = a[i];\n"
                   "block 0,0,0, warp 0: 32 lanes, 4 bytes each, of coef\n"
                   "   lane 0       4       8       12      16      20      24      28\n"
                   "      0 0 . . 3 . . 6 . . 9 . . c . . f . . i . . l . . o . . r . . u .\n"
                   "      4 . 1 . . 4 . . 7 . . a . . d . . g . . j . . m . . p . . s . . v\n"
                   "      8 . . 2 . . 5 . . 8 . . b . . e . . h . . k . . n . . q . . t . .\n"
                   "3 different addresses: 3 passes, one after another.\n"
                   "All 10 requests of the launch are such.\n");
}

static void two_diagrams_stand_side_by_side(void **state)
{
    (void)state;
    page left = {0}, right = {0}, p = {0};
    memory_request a = make_strided_request(SPACE_SHARED, "read", 4, 32, 0, 128);
    memory_request b = make_strided_request(SPACE_SHARED, "read", 4, 32, 0, 4);
    draw_request_diagram(&left, &a, NULL, NULL, DIAGRAM_NARROW_COLUMNS);
    draw_request_diagram(&right, &b, NULL, NULL, DIAGRAM_NARROW_COLUMNS);
    place_diagrams_side_by_side(&p, "before", &left, "now", &right);
    page_free(&left);
    page_free(&right);
    char *text = page_as_text(&p, 76);
    assert_memory_equal(text, "before                                 now\n", 43);
    assert_non_null(strstr(text, "1 0...............................     1 "
                                 "0123456789abcdefghijklmnopqrstuv\n"));
    free(text);
}

static void cells_of_an_image(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    memory_request r = make_strided_request(SPACE_SHARED, "read", 4, 32, 0, 8);
    diagram_write_cells(f, 2, "now", &r, NULL, NULL);
    fclose(f);
    assert_non_null(strstr(text, "2\ttitle\t0\t0\tnow\n"));
    assert_non_null(strstr(text, "2\tlane\t0\t2\t1\n"));
    assert_non_null(strstr(text, "2\textra\t1\t30\tv\n"));
    assert_non_null(strstr(text, "2\tload\t2\t0\t2\n"));
    free(text);
}

/* --- tables --------------------------------------------------------------------------------------
 */

#define TABLE_HEADER                                                                              \
    "launch\tkernel\tgrid\tblock\tfile\tline\top\tspace\teffect\tbytes\tinsn\tshape\t"            \
    "all_requests\tall_cost\tall_ideal\tall_conflicts\tall_used\trequests\tcost\tlanes\tserved\t" \
    "of_block\twarp\tmemory\tsize\taddresses\tpath\n"
#define NO_ADDRESS_IN_31_LANES ",-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-"

static char path[4096]; /* path of the table of accesses */

static int remove_table(void **state)
{
    (void)state;
    return path[0] ? unlink(path) : 0;
}

static const char *write_table(const char *text)
{
    strcpy(path, scratch_template("warpbook-card-XXXXXX"));
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

static const char table_text[] = TABLE_HEADER
    "3\tsum<4>\t1x1x1\t32x1x1\tlab.cu\t2\tld.global."
    "f32\tglobal\tread\t4\t5\t1\t10\t40\t40\t0\t1280\t"
    "10\t4\t1\t-\t0,0,0\t0\targument 2\t4096\t128" NO_ADDRESS_IN_31_LANES "\t-\n"
    "3\tsum<4>\t1x1x1\t32x1x1\tlab.cu\t2\tld.global."
    "f32\tglobal\tread\t4\t6\t1\t10\t50\t40\t0\t1280\t"
    "10\t4\t1\t-\t0,0,0\t0\targument 2\t4096\t256" NO_ADDRESS_IN_31_LANES "\t-\n"
    "3\tsum<4>\t1x1x1\t32x1x1\tlab.cu\t4\tst.shared."
    "f32\tshared\twrite\t4\t7\t1\t10\t10\t10\t0\t1280\t"
    "10\t1\t1\t32\t0,0,0\t0\t-\t4096\t-,0,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-"
    ",-\t-\n"
    "1\tsum<4>\t1x1x1\t32x1x1\tlab.cu\t2\tld.global.f32\tglobal\tread\t4\t5\t1\t1\t4\t4\t0\t128\t"
    "1\t4\t1\t-\t0,0,0\t0\targument 2\t4096\t128" NO_ADDRESS_IN_31_LANES "\t-\n"
    "1\tsum<4>\t1x1x1\t32x1x1\tlab.cu\t9\tld.global.f32\tglobal\tread\t4\t8\t1\t2\t4\t4\t0\t128\t"
    "2\t4\t1\t-\t0,0,0\t0\targument 2\t4096\t128" NO_ADDRESS_IN_31_LANES "\t-\n";

static const char source_text[] =
    "// x = 1;\n  x = in[i];\n\n  tile[t] = x;\n"
    "template <int N> __global__ void __launch_bounds__(256, 4)\n"
    "sum(float *__restrict__ out,\n    const float *in, int n)\n{ }\n";

static void a_line_is_found_by_number_and_text(void **state)
{
    (void)state;
    requests r;
    assert_true(requests_read(&r, write_table(table_text)));
    assert_int_equal(r.count, 5);
    char err[512];
    access_choice c = {.launch = -1};
    assert_true(selector_find(&r, source_text, "lab.cu", "2", &c, err, sizeof err));
    assert_int_equal(c.line, 2);
    assert_true(selector_find(&r, source_text, "lab.cu", "x", &c, err, sizeof err));
    assert_int_equal(c.line, 2); /* line 1 accesses no memory */
    assert_true(selector_find(&r, source_text, "lab.cu", "sum<4>:tile", &c, err, sizeof err));
    assert_int_equal(c.line, 4);
    assert_string_equal(c.kernel, "sum<4>");
    assert_false(selector_find(&r, source_text, "lab.cu", "3", &c, err, sizeof err));
    assert_non_null(
        strstr(err, "no line \"3\" of lab.cu accesses memory in the run; these do: 2, 4, 9"));
    assert_false(selector_find(&r, source_text, "lab.cu", "", &c, err, sizeof err));

    arena a = {0};
    size_t count;
    c = (access_choice){.line = 2, .launch = -1};
    memory_request *list = select_requests(&r, &a, &c, &count);
    /* two instructions with the same pattern are merged; the launch with more requests is used */
    assert_int_equal(count, 1);
    assert_int_equal(list[0].alike, 2);
    assert_true(list[0].all_requests == 20 && list[0].all_cost == 90 && list[0].insn == 6);
    c = (access_choice){.line = 9, .launch = -1};
    list = select_requests(&r, &a, &c, &count);
    /* the largest launch of the kernel does not reach the line, a smaller one does */
    assert_int_equal(count, 1);
    assert_true(list[0].launch == 1);
    assert_true(selector_match(&r, "\n\n\n\n", "lab.cu", "gone", &r.list[2], &c));
    assert_int_equal(c.line, 4);
    assert_string_equal(kernel_argument_name(&a, source_text, "sum<4>", 2), "in");
    assert_string_equal(kernel_argument_name(&a, source_text, "sum", 1), "out");
    assert_null(kernel_argument_name(&a, source_text, "sum", 4));
    assert_null(kernel_argument_name(&a, source_text, "um", 1));
    arena_free(&a);
    requests_free(&r);
}

static void a_damaged_table_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        TABLE_HEADER
        "3\tk\t1x1x1\t32x1x1\tlab.cu\t2\tld\tglobal\tread\t4\t5\t1\t1\t4\t4\t0\t128\t1\t4\t1\t-"
        "\t0,0,0\t0\t-\t-\t1,2,3\t-\n",
        TABLE_HEADER
        "3\tk\t1x1x1\t32x1x1\tlab.cu\t2\tld\tglobal\tread\t4\t5\t1\t1\t4\t4\t0\t128\t1\t4\t1\t-"
        "\t0,0,0\t0\t-\t-\tx" NO_ADDRESS_IN_31_LANES "\t-\n",
        TABLE_HEADER "3\tk\t1x1x1\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        requests r;
        assert_false(requests_read(&r, write_table(bad[i])));
        unlink(path);
    }
    path[0] = '\0';
}

static void heat_is_drawn_by_piece(void **state)
{
    (void)state;
    heat_table h;
    assert_true(heat_read(
        &h,
        write_table("launch\tkernel\tgrid\tblock\tmemory\tnumber\tsize\tpiece\toffset\tsectors\t"
                    "fetched\twritten\tused\n"
                    "0\tk\t1x1x1\t32x1x1\targument 1\t0\t8192\t128\t0\t4\t4\t0\t128\n"
                    "1\tk\t1x1x1\t32x1x1\targument 1\t0\t8192\t128\t128\t4\t4\t0\t128\n"
                    "1\tk\t1x1x1\t32x1x1\targument 1\t0\t8192\t128\t256\t4\t28\t4\t128\n"
                    "1\tk\t1x1x1\t32x1x1\targument 1\t0\t8192\t128\t384\t2\t40\t0\t160\n")));
    assert_int_equal(h.count, 1); /* only the launch with more sectors is kept */
    assert_int_equal(h.maps[0].count, 3);
    page p = {0};
    heat_draw(&p, &h.maps[0], "in", 79);
    char *text = page_as_text(&p, 79);
    assert_string_equal(text,
                        "k: in, 8192 B\n"
                        "     0 B  .#@\n"
                        "10 sectors, each requested 7.6 times on average; 5.47 of its 32 bytes "
                        "used each\ntime.\n");
    free(text);
    heat_free(&h);
    assert_false(heat_read(&h, "no such file")); /* this leaves nothing to free */
    assert_null(h.memory.blocks);
}

static void line_costs_are_drawn_beside_the_source(void **state)
{
    (void)state;
    requests r;
    assert_true(requests_read(&r, write_table(table_text)));
    page p = {0};
    heat_draw_line_costs(&p, &r, "sum<4>", 3, "lab.cu", source_text, 79);
    char *text = page_as_text(&p, 79);
    assert_non_null(strstr(text, " 69 %  1.12 x ##########   2 | x = in[i];\n"));
    assert_non_null(strstr(text, " 31 %     1 x ####         4 | tile[t] = x;\n"));
    free(text);
    requests_free(&r);
}

/* Tables from real runs: the costs that the runner computes equal those that the emulator
 * counted. */
static void recorded_requests_cost_what_the_emulator_counts(void **state)
{
    (void)state;
    glob_t g;
    size_t seen = 0;
    assert_int_equal(glob("tests/book/pictures/*.accesses.tsv", 0, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        requests r;
        assert_true(requests_read(&r, g.gl_pathv[i]));
        for (size_t k = 0; k < r.count; k++, seen++) {
            const memory_request *q = &r.list[k];
            unsigned load[BANKS], used;
            unsigned mine = q->space == SPACE_SHARED   ? request_passes(q, load)
                            : q->space == SPACE_GLOBAL ? request_sectors(q, &used)
                            : q->space == SPACE_CONST  ? request_addresses(q)
                                                       : q->cost;
            if (mine != q->cost && strcmp(q->effect, "update") != 0)
                fail_msg(
                    "%s: %s, line %d: the runner computes a cost of %u, the emulator counted %u",
                    g.gl_pathv[i], q->kernel, q->line, mine, q->cost);
        }
        requests_free(&r);
    }
    globfree(&g);
    assert_true(seen > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_words_of_the_busiest_bank),
        cmocka_unit_test(sectors_and_bytes_are_counted_once),
        cmocka_unit_test(diagram_of_bank_conflicts),
        cmocka_unit_test(diagram_of_an_array_within_shared_memory),
        cmocka_unit_test(diagram_of_a_column_is_cut_short),
        cmocka_unit_test(diagram_of_a_broadcast_and_of_groups),
        cmocka_unit_test(diagram_of_sectors),
        cmocka_unit_test(diagram_of_constants),
        cmocka_unit_test(two_diagrams_stand_side_by_side),
        cmocka_unit_test(cells_of_an_image),
        cmocka_unit_test_teardown(a_line_is_found_by_number_and_text, remove_table),
        cmocka_unit_test_teardown(a_damaged_table_is_refused, remove_table),
        cmocka_unit_test_teardown(heat_is_drawn_by_piece, remove_table),
        cmocka_unit_test_teardown(line_costs_are_drawn_beside_the_source, remove_table),
        cmocka_unit_test(recorded_requests_cost_what_the_emulator_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
