/* Tests the tables of WARPBOOK_ACCESSES and WARPBOOK_HEAT: the counts of a request equal the
 * profiler's counts for the line and a direct computation from the addresses; also tests which
 * launches are written. */
#include "sm_kernel.h"

#include "emulator/accesses/accesses.h"
#include "emulator/accesses/heat.h"
#include "scratch.h"

#include <unistd.h>

enum { SHARED_BYTES = 8192 };

static char path[2][4096]; /* paths of the two tables */
static uint64_t number;    /* number of the launch */

static void set_variables(const char *accesses, const char *heat)
{
    char err[512] = "";
    if (!acc_configure(accesses, heat, err, sizeof err))
        fail_msg("%s", err);
}

static int open_files(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        strcpy(path[t], scratch_template("warpbook-accesses-XXXXXX"));
        int fd = mkstemp(path[t]);
        if (fd < 0 || close(fd) != 0)
            return -1;
    }
    set_variables(path[0], path[1]);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    return unlink(path[0]) + unlink(path[1]);
}

/* Run a kernel in which each lane loads its own offset from a buffer and then executes BODY, which
 * accesses shared memory at `%rs` or global memory at `%rg`; a lane with the offset UINT32_MAX
 * skips BODY. OTHER is a further kernel parameter: launches with different values of it do not
 * count as repetitions. */
static void run_offsets(kernel_run *run, const char *body, const uint32_t *offset, uint32_t blocks,
                        uint64_t other, uint32_t workers)
{
    char text[2000];
    snprintf(text, sizeof text,
             ".extern .shared .align 16 .b8 tile[];\n"
             ".const .align 16 .b8 table[4096];\n"
             ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"
             ".reg .pred %%p<4>;\n.reg .f32 %%f<4>;\n.reg .b32 %%r<32>;\n.reg .b32 %%rs;\n.reg "
             ".b64 %%rd<16>;\n"
             ".reg .b64 %%rg;\n.reg .b64 %%rc;\n"
             "ld.param.u64 %%rd1, [k_0];\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd2, %%r1, 4;\n"
             "add.s64 %%rd3, %%rd1, %%rd2;\nld.global.u32 %%r4, [%%rd3];\n"
             "setp.eq.u32 %%p1, %%r4, 4294967295;\n@%%p1 bra DONE;\n"
             "mov.u32 %%r3, tile;\nadd.u32 %%rs, %%r3, %%r4;\ncvt.u64.u32 %%rd4, %%r4;\n"
             "add.s64 %%rg, %%rd1, %%rd4;\nadd.s64 %%rg, %%rg, 8192;\n"
             "mov.u64 %%rc, table;\nadd.s64 %%rc, %%rc, %%rd4;\n%s\nDONE:\nret;\n}\n",
             body);
    uint8_t fill[KERNEL_BYTES] = {0};
    memcpy(fill, offset, 32 * sizeof *offset);
    const sm_observer *list[SM_OBSERVERS + 1] = {NULL};
    const uint64_t params[2] = {0, other};
    ptx_func like = {.param_bytes = sizeof params};
    sm_launch shape = {.kernel = &like,
                       .params = params,
                       .grid = {blocks, 1, 1},
                       .block = {32, 1, 1},
                       .dynamic_shared = SHARED_BYTES,
                       .workers = workers,
                       .want_lines = true,
                       .number = number++};
    acc_add_observer(list, &shape, "k");
    shape.observers = list[0] ? list : NULL;
    if (!run_grid(run, text, &shape, fill, other))
        fail_msg("%s", run->result.fault.text);
    assert_null(acc_failed_path());
}

/* --- reading the tables ------------------------------------------------------------------------
 */

static char *read_table(int table)
{
    static char text[1 << 22];
    FILE *f = fopen(path[table], "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

/* Field COLUMN of the row ROW (which ends at its newline), as text. */
static const char *text_field(int table, const char *row, const char *column)
{
    static char found[8][1024];
    static int turn;
    char header[1024];
    char *text = read_table(table);
    snprintf(header, sizeof header, "%.*s", (int)strcspn(text, "\n"), text);
    char *rest = header;
    for (const char *name = strsep(&rest, "\t"); name; name = strsep(&rest, "\t")) {
        const size_t n = strcspn(row, "\t\n");
        if (strcmp(name, column) == 0) {
            char *out = found[turn = (turn + 1) % 8];
            snprintf(out, sizeof found[0], "%.*s", (int)n, row);
            return out;
        }
        row += n + (row[n] == '\t');
    }
    fail_msg("the table has no column %s", column);
    return "";
}

static uint64_t number_field(int table, const char *row, const char *column)
{
    return strtoull(text_field(table, row, column), NULL, 10);
}

/* The last launch's row of operation OP with number SHAPE (from 1), which the caller frees; NULL:
 * no such row. */
static char *find_row(const char *op, uint32_t shape)
{
    char *text = strdup(read_table(0)), *found = NULL, *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        if (strchr(line, '\t') && strcmp(text_field(0, line, "op"), op) == 0 &&
            number_field(0, line, "launch") == number - 1 &&
            number_field(0, line, "shape") == shape) {
            free(found);
            found = strdup(line);
        }
    }
    free(text);
    return found;
}

/* --- comparing the tables with the profiler --------------------------------------------------- */

/* The number of passes computed from the addresses in ROW: for each group of lanes served together,
 * the largest number of different words in a bank. */
static uint32_t passes_from_addresses(const char *row)
{
    const uint32_t bytes = (uint32_t)number_field(0, row, "bytes");
    const uint32_t served = (uint32_t)number_field(0, row, "served");
    char *text = strdup(text_field(0, row, "addresses")), *rest = text;
    uint64_t at[32];
    bool is_on[32];
    for (uint32_t l = 0; l < 32; l++) {
        const char *one = strsep(&rest, ",");
        assert_non_null(one);
        is_on[l] = strcmp(one, "-") != 0;
        at[l] = strtoull(one, NULL, 10);
    }
    free(text);
    uint32_t passes = 0;
    for (uint32_t from = 0; from < 32; from += served) {
        uint32_t most = 0;
        for (uint32_t bank = 0; bank < 32; bank++) {
            uint64_t word[256];
            uint32_t words = 0;
            for (uint32_t l = from; l < from + served; l++) {
                for (uint32_t k = 0; is_on[l] && k < (bytes + 3) / 4; k++) {
                    const uint64_t w = at[l] / 4 + k;
                    bool seen = w % 32 != bank;
                    for (uint32_t j = 0; j < words; j++)
                        seen = seen || word[j] == w;
                    if (!seen)
                        word[words++] = w;
                }
            }
            most = words > most ? words : most;
        }
        passes += most;
    }
    return passes;
}

static const struct {
    const char *op, *body; /* operation as the table names it; the instruction */
    uint32_t bytes;        /* bytes that each lane accesses */
    bool words; /* shared memory: the cost depends on the words, not on the number of lanes */
} forms[] = {
    {"ld.shared.u32", "ld.shared.u32 %r6, [%rs];", 4, true},
    {"ld.shared.u16", "ld.shared.u16 %r6, [%rs];", 2, true},
    {"st.shared.u32", "st.shared.u32 [%rs], %r1;", 4, true},
    {"ld.shared.v2.u32", "ld.shared.v2.u32 {%r6, %r7}, [%rs];", 8, true},
    {"st.shared.v2.u32", "st.shared.v2.u32 [%rs], {%r6, %r7};", 8, true},
    {"ld.shared.v4.u32", "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%rs];", 16, true},
    {"atom.shared.u32", "atom.shared.add.u32 %r6, [%rs], %r1;", 4, false},
    {"ld.global.u32", "ld.global.u32 %r6, [%rg];", 4, false},
    {"ld.global.v4.u32", "ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rg];", 16, false},
    {"st.global.u8", "st.global.u8 [%rg], %r1;", 1, false},
    {"atom.global.u32", "atom.global.add.u32 %r6, [%rg], %r1;", 4, false},
    {"ld.const.u32", "ld.const.u32 %r6, [%rc];", 4, false},
};

/* Fill OFFSET with pattern P: multiples of UNIT below MOST. */
static void fill_offsets(uint32_t p, uint32_t offset[32], uint32_t unit, uint32_t most)
{
    static uint32_t seed = 12345;
    for (uint32_t l = 0; l < 32; l++) {
        seed = seed * 1664525 + 1013904223;
        const uint32_t any = seed >> 8;
        const uint32_t at[] = {l,     2 * l,  32 * l, 33 * l,   7,  l / 2,
                               l / 4, 31 - l, any,    any % 64, any};
        offset[l] = at[p % 11] * unit % most;
        if (p >= 10 && any >> 7 & 1)
            offset[l] = UINT32_MAX;
    }
    offset[5] = offset[5] == UINT32_MAX ? 0 : offset[5];
}

static void rows_say_what_the_profiler_counts(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        for (uint32_t p = 0; p < 14; p++) {
            uint32_t offset[32];
            fill_offsets(p, offset, forms[k].bytes, 4096);
            kernel_run run = {0};
            run_offsets(&run, forms[k].body, offset, 1, 100 * k + p, 1);
            char *row = find_row(forms[k].op, 1);
            const line_row *line = NULL;
            for (size_t n = 0; n < run.result.line_count; n++)
                if (strcmp(run.result.lines[n].op, forms[k].op) == 0 &&
                    (!line || strcmp(forms[k].op, "ld.global.u32") == 0))
                    line = &run.result.lines[n];
            if (!row || !line) {
                fail_msg(
                    "%s with address pattern %u has no row in the table or in the profiler's lines",
                    forms[k].op, p);
            }
            /* The kernel also loads the offsets with ld.global.u32, so the last row is the tested
             * one. */
            assert_int_equal(number_field(0, row, "all_requests"), line->s.requests);
            assert_int_equal(number_field(0, row, "all_cost"), line->s.sectors);
            assert_int_equal(number_field(0, row, "all_ideal"), line->s.ideal);
            assert_int_equal(number_field(0, row, "all_conflicts"), line->s.conflicts);
            assert_int_equal(number_field(0, row, "cost"), line->s.sectors);
            assert_int_equal(number_field(0, row, "lanes"), line->s.lanes);
            if (forms[k].words && passes_from_addresses(row) != number_field(0, row, "cost")) {
                fail_msg(
                    "%s with address pattern %u: the addresses make %u passes, but the row says %s",
                    forms[k].op, p, passes_from_addresses(row), row);
            }
            free(row);
            free_kernel_run(&run);
        }
    }
}

/* One instruction reads global memory and writes shared memory: a row for each, with addresses of
 * its own. */
static void a_copy_to_shared_memory_has_a_row_for_both(void **state)
{
    (void)state;
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++)
        offset[l] = 16 * l;
    kernel_run run = {0};
    run_offsets(&run, "cp.async.ca.shared.global [%rs], [%rg], 16;\ncp.async.wait_all;", offset, 1,
                7000, 1);
    char *text = strdup(read_table(0)), *rest = text;
    uint32_t found = 0;
    for (char *row = strsep(&rest, "\n"); row; row = strsep(&rest, "\n")) {
        if (!strchr(row, '\t') || strcmp(text_field(0, row, "op"), "cp.async.shared") != 0)
            continue;
        const bool shared = strcmp(text_field(0, row, "space"), "shared") == 0;
        assert_string_equal(text_field(0, row, "effect"), shared ? "write" : "read");
        assert_int_equal(number_field(0, row, "all_requests"), 1);
        assert_int_equal(number_field(0, row, "cost"), shared ? 4 : 16);
        assert_int_equal(atoi(text_field(0, row, "addresses")), shared ? 0 : 8192);
        found |= shared ? 1 : 2;
    }
    assert_int_equal(found, 3);
    free(text);
    free_kernel_run(&run);
}

static void the_row_holds_block_warp_addresses_and_memory(void **state)
{
    (void)state;
    uint32_t offset[32];
    fill_offsets(1, offset, 4, 4096);
    offset[3] = UINT32_MAX;
    kernel_run run = {0};
    run_offsets(&run, "ld.global.u32 %r6, [%rg];", offset, 3, 7000, 2);
    char *row = find_row("ld.global.u32", 1);
    assert_non_null(row);
    assert_string_equal(text_field(0, row, "kernel"), "k");
    assert_string_equal(text_field(0, row, "grid"), "3x1x1");
    assert_string_equal(text_field(0, row, "effect"), "read");
    assert_string_equal(text_field(0, row, "memory"), "argument 1");
    assert_string_equal(text_field(0, row, "of_block"), "0,0,0");
    assert_int_equal(number_field(0, row, "size"), KERNEL_BYTES);
    assert_int_equal(number_field(0, row, "requests"), 3);
    assert_int_equal(number_field(0, row, "all_used"), 3 * 31 * 4);
    assert_memory_equal(text_field(0, row, "addresses"), "8192,8200,8208,-,8224,", 22);
    free(row);
    free_kernel_run(&run);
}

static void expect_array(const char *op, const char *name, uint64_t size, uint64_t begins,
                         const char *addresses)
{
    char *row = find_row(op, 1);
    assert_non_null(row);
    assert_string_equal(text_field(0, row, "memory"), name);
    assert_int_equal(number_field(0, row, "size"), size);
    assert_int_equal(number_field(0, row, "begins"), begins);
    assert_memory_equal(text_field(0, row, "addresses"), addresses, strlen(addresses));
    free(row);
}

/* An array of shared memory has its name in the source, and its bytes count from its beginning;
 * lanes that meet in no array have the block's shared memory. */
static void an_array_of_shared_memory_is_named(void **state)
{
    (void)state;
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++)
        offset[l] = 4 * (31 - l);
    kernel_run run = {0};
    run_offsets(&run,
                ".shared .align 4 .b8 _ZZ13reduce_sharedPiPKiiE4part[136];\n"
                "mov.u32 %r10, _ZZ13reduce_sharedPiPKiiE4part;\nadd.u32 %r11, %r10, %r4;\n"
                "st.shared.u32 [%r11+8], %r1;\nld.shared.u32 %r6, [%rs+4];\n"
                "st.shared.f32 [%r11+40], %f1;",
                offset, 1, 7200, 1);
    expect_array("st.shared.u32", "part", 136, 0, "132,128,124,");
    expect_array("ld.shared.u32", "tile", SHARED_BYTES, 144, "128,124,120,");
    expect_array("st.shared.f32", "-", 144 + SHARED_BYTES, 0, "164,160,156,");
    free_kernel_run(&run);
}

/* The most expensive shape comes first: one request of 32 sectors before three requests of 4
 * sectors. */
static void access_patterns_are_ordered_by_their_total_cost(void **state)
{
    (void)state;
    uint32_t offset[32];
    fill_offsets(0, offset, 4, 4096);
    kernel_run run = {0};
    run_offsets(&run,
                "mov.u32 %r10, %ctaid.x;\nsetp.eq.u32 %p2, %r10, 3;\nshl.b64 %rd5, %rd4, 3;\n"
                "@%p2 add.s64 %rg, %rg, %rd5;\nld.global.f32 %r6, [%rg];",
                offset, 4, 7100, 2);
    char *first = find_row("ld.global.f32", 1), *second = find_row("ld.global.f32", 2);
    assert_non_null(first);
    assert_non_null(second);
    assert_int_equal(number_field(0, first, "cost"), 32);
    assert_int_equal(number_field(0, first, "requests"), 1);
    assert_string_equal(text_field(0, first, "of_block"), "3,0,0");
    assert_int_equal(number_field(0, second, "cost"), 4);
    assert_int_equal(number_field(0, second, "requests"), 3);
    assert_string_equal(text_field(0, second, "of_block"), "0,0,0");
    assert_int_equal(number_field(0, second, "all_requests"), 4);
    assert_null(find_row("ld.global.f32", 3));
    free(first);
    free(second);
    free_kernel_run(&run);
}

typedef struct heat_sum {
    uint64_t rows, sectors, fetched, written, used;
} heat_sum;

/* The sums over the rows of the last launch's buffer from byte 8192 on, where bodies access it. */
static heat_sum sum_of_heat(void)
{
    heat_sum sum = {0};
    char *text = strdup(read_table(1)), *rest = text;
    for (char *row = strsep(&rest, "\n"); row; row = strsep(&rest, "\n")) {
        if (strchr(row, '\t') && number_field(1, row, "launch") == number - 1 &&
            strcmp(text_field(1, row, "launch"), "launch") != 0 &&
            number_field(1, row, "offset") >= 8192) {
            sum.rows++;
            sum.sectors += number_field(1, row, "sectors");
            sum.fetched += number_field(1, row, "fetched");
            sum.written += number_field(1, row, "written");
            sum.used += number_field(1, row, "used");
            assert_int_equal(number_field(1, row, "piece"), 64);
            assert_int_equal(number_field(1, row, "size"), KERNEL_BYTES);
            assert_string_equal(text_field(1, row, "memory"), "argument 1");
        }
    }
    free(text);
    return sum;
}

static void heat_counts_sectors_and_bytes_by_piece(void **state)
{
    (void)state;
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++) {
        /* each lane has its own sector, and every other sector is not touched */
        offset[l] = 64 * l;
    }
    kernel_run run = {0};
    run_offsets(&run, "ld.global.f32 %r6, [%rg];\nst.global.f32 [%rg + 32], %r6;", offset, 2, 7200,
                2);
    const heat_sum sum = sum_of_heat();
    assert_int_equal(sum.rows, 32);
    assert_int_equal(sum.sectors, 64);
    assert_int_equal(sum.fetched, 64); /* two blocks fetch each sector */
    assert_int_equal(sum.written, 64);
    assert_int_equal(sum.used, 2 * 2 * 32 * 4);
    free_kernel_run(&run);
}

static void heat_counts_an_atomic_operation_as_a_write(void **state)
{
    (void)state;
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++)
        offset[l] = 64 * l;
    kernel_run run = {0};
    run_offsets(&run, "atom.global.add.u32 %r6, [%rg], 1;\nred.global.add.u32 [%rg + 32], %r6;",
                offset, 1, 7300, 1);
    const heat_sum sum = sum_of_heat();
    assert_int_equal(sum.sectors, 64);
    assert_int_equal(sum.fetched, 0);
    assert_int_equal(sum.written, 64);
    free_kernel_run(&run);
}

static void guard_zones_are_no_part_of_an_array(void **state)
{
    (void)state;
    const mem_range array = {.base = 0x11000, .size = 1024, .front = 4096, .back = 4096};
    const mem_map map = {1, &array};
    acc_heat_maps h;
    const uint64_t at[32] = {array.base - 4, array.base + 32, array.base + array.size};
    const sm_access a = {.mask = 7, .bytes = 4, .effect = SM_READS, .address = at};
    assert_true(acc_heat_maps_open(&h, &map));
    assert_true(acc_heat_maps_count_request(&h, &a));
    assert_int_equal(acc_heat_maps_find_allocation(&h, array.base - 4096), 0);
    assert_int_equal(acc_heat_maps_find_allocation(&h, array.base - 4097), -1);
    assert_int_equal(acc_heat_maps_find_allocation(&h, array.base + 1024 + 4096), -1);
    const acc_heat_map *heat = h.slot[0].heat;
    assert_true(heat && heat->range.base == array.base && heat->range.size == 1024);
    assert_int_equal(heat->pieces, 32);
    for (uint32_t p = 0; p < heat->pieces; p++)
        assert_int_equal(heat->piece[p].fetched, p == 1);
    acc_heat_maps_close(&h);
}

/* --- which launches are written --------------------------------------------------------------- */

static bool is_written(const char *kernel, uint64_t launch, uint64_t other)
{
    static const ptx_func like = {.param_bytes = 8};
    const sm_observer *list[SM_OBSERVERS + 1] = {NULL};
    const sm_launch l = {.kernel = &like,
                         .params = &other,
                         .grid = {1, 1, 1},
                         .block = {32, 1, 1},
                         .number = launch};
    acc_add_observer(list, &l, kernel);
    return list[0] != NULL;
}

static void a_launch_that_repeats_another_is_not_written(void **state)
{
    (void)state;
    set_variables("a.tsv", NULL);
    assert_true(is_written("one", 900, 1));
    assert_false(is_written("one", 901, 1));
    assert_true(is_written("one", 902, 2));
}

static void kernel_and_launch_can_be_chosen(void **state)
{
    (void)state;
    set_variables("a.tsv:one", NULL);
    assert_true(is_written("one", 910, 10));
    assert_false(is_written("two", 911, 11));
    set_variables("a.tsv:one:7:912", NULL);
    assert_false(is_written("one", 911, 12));
    assert_true(is_written("one", 912, 10)); /* a repetition, but this launch was chosen */
    set_variables("a.tsv:::913", NULL);
    assert_true(is_written("two", 913, 13));
    set_variables(NULL, "h.tsv:two");
    assert_false(is_written("one", 914, 14));
    assert_true(is_written("two", 915, 15));
    set_variables(NULL, NULL);
    assert_false(is_written("two", 916, 16));
}

static void malformed_values_of_the_variable_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",       ":k",       "f:k:x",    "f:k:0",
                                      "f:k:3:", "f:k:3:-1", "f:k:3:4:5"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char err[512] = "";
        const bool fine = acc_configure(NULL, bad[k], err, sizeof err);
        if (k == 4) {
            assert_true(fine); /* an empty field selects all launches */
            continue;
        }
        assert_false(fine);
        assert_non_null(strstr(err, "WARPBOOK_HEAT is \""));
    }
    set_variables(NULL, NULL);
}

static void a_file_that_cannot_be_written_is_reported_once(void **state)
{
    (void)state;
    set_variables("/dev/full", NULL);
    const sm_observer *list[SM_OBSERVERS + 1] = {NULL};
    const uint64_t params[2] = {0, 8000};
    const ptx_func like = {.param_bytes = sizeof params};
    sm_launch shape = {.kernel = &like,
                       .params = params,
                       .grid = {1, 1, 1},
                       .block = {32, 1, 1},
                       .workers = 1,
                       .number = number++};
    acc_add_observer(list, &shape, "k");
    shape.observers = list;
    kernel_run run = {0};
    assert_true(run_grid(&run,
                         ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"
                         ".reg .b32 %r<3>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [k_0];\n"
                         "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret;\n}\n",
                         &shape, NULL, 8000));
    assert_string_equal(acc_failed_path(), "/dev/full");
    assert_null(acc_failed_path());
    assert_false(is_written("k", 1000, 20));
    set_variables(NULL, NULL);
    free_kernel_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_say_what_the_profiler_counts, open_files,
                                        remove_files),
        cmocka_unit_test_setup_teardown(a_copy_to_shared_memory_has_a_row_for_both, open_files,
                                        remove_files),
        cmocka_unit_test_setup_teardown(the_row_holds_block_warp_addresses_and_memory, open_files,
                                        remove_files),
        cmocka_unit_test_setup_teardown(an_array_of_shared_memory_is_named, open_files,
                                        remove_files),
        cmocka_unit_test_setup_teardown(access_patterns_are_ordered_by_their_total_cost, open_files,
                                        remove_files),
        cmocka_unit_test(guard_zones_are_no_part_of_an_array),
        cmocka_unit_test_setup_teardown(heat_counts_an_atomic_operation_as_a_write, open_files,
                                        remove_files),
        cmocka_unit_test_setup_teardown(heat_counts_sectors_and_bytes_by_piece, open_files,
                                        remove_files),
        cmocka_unit_test(a_launch_that_repeats_another_is_not_written),
        cmocka_unit_test(kernel_and_launch_can_be_chosen),
        cmocka_unit_test(malformed_values_of_the_variable_are_refused),
        cmocka_unit_test(a_file_that_cannot_be_written_is_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
