/* Tests device profiles: built-in profiles, damaged profiles, and occupancy compared with the CUDA
 * toolkit's calculator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/timing/builtin.h"
#include "scratch.h"

#include <cuda_occupancy.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static device_profile load_profile(const char *name)
{
    device_profile p;
    char err[400] = "";
    if (!profile_load(name, &p, err, sizeof err))
        fail_msg("%s", err);
    return p;
}

static void every_built_in_profile_loads(void **state)
{
    (void)state;
    size_t n = 0;
    for (const char *const *id = profile_ids(); *id; id++, n++) {
        device_profile p = load_profile(*id);
        assert_string_equal(p.id, *id);
        assert_true(strlen(p.name) > 3);
        assert_true(timing_blocks_per_sm(&p, 256, 32, 0) >= 4);
    }
    assert_int_equal(n, 6);
    device_profile none = load_profile(NULL);
    assert_string_equal(none.id, "h200");
    assert_int_equal(none.memory_bytes >> 20, 143771);
}

/* Every profile in the directory must be in the list of built-in profiles. */
static void every_file_is_built_in(void **state)
{
    (void)state;
    DIR *d = opendir("emulator/timing/profiles");
    assert_non_null(d);
    size_t files = 0, ids = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char id[256];
        snprintf(id, sizeof id, "%s", e->d_name);
        char *dot = strrchr(id, '.');
        if (!dot || strcmp(dot, ".profile") != 0)
            continue;
        *dot = '\0';
        files++;
        assert_non_null(profile_builtin_text(id));
    }
    closedir(d);
    for (const char *const *id = profile_ids(); *id; id++)
        ids++;
    assert_int_equal(files, ids);
}

static void every_figure_has_a_source(void **state)
{
    (void)state;
    for (const char *const *id = profile_ids(); *id; id++) {
        for (const char *at = profile_builtin_text(*id); *at;) {
            size_t length = strcspn(at, "\n");
            const char *mark = memchr(at, '#', length);
            bool names = strncmp(at, "id ", 3) == 0 || strncmp(at, "name ", 5) == 0;
            if (length && !names && (!mark || at + length - mark < 4))
                fail_msg("%s: this line names no source: %.*s", *id, (int)length, at);
            at += length + (at[length] == '\n');
        }
    }
}

/* Replace FROM by TO in the H200's profile, and expect WANT in the error message. */
static void expect_refused(const char *from, const char *to, const char *want)
{
    char *path = scratch_template("test_profile_XXXXXX.profile"), err[400] = "";
    const char *text = profile_builtin_text("h200"), *at = strstr(text, from);
    device_profile p;

    assert_non_null(at);
    int fd = mkstemps(path, 8);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(f);
    bool ok = profile_load(path, &p, err, sizeof err);
    unlink(path);
    assert_false(ok);
    if (!strstr(err, want))
        fail_msg("'%s' is missing in the message: %s", want, err);
}

static void damage_is_named_by_line(void **state)
{
    (void)state;
    expect_refused("clock_mhz 1980", "clock_mhz 19x80",
                   ":10: clock_mhz needs a number, not '19x80'");
    expect_refused("clock_mhz 1980", "clock_mhz nan", ":10: clock_mhz needs a number");
    expect_refused("clock_mhz 1980", "clock_mhz 1e9",
                   ":10: clock_mhz is 1e+09, and must lie between");
    expect_refused("sm_count 132", "sm_count -132",
                   ":9: sm_count needs a whole number, not '-132'");
    expect_refused("sm_count 132", "sm_count 13.2", ":9: sm_count needs a whole number");
    expect_refused("sm_count 132", "sm_count 99999999999999999999999",
                   ":9: sm_count needs a whole");
    expect_refused("sm_count 132", "sm_count 0", ":9: sm_count is 0, and must lie between 1 and");
    expect_refused("sm_count 132", "sm_count", ":9: sm_count has no value");
    expect_refused("sm_count 132", "sm_cuont 132", ":9: there is no field 'sm_cuont'");
    expect_refused("sm_count 132", "compute_minor 0",
                   ":9: compute_minor is given twice, first in line 8");
    expect_refused("sm_count 132", "# 132",
                   "the field sm_count is missing: add a line \"sm_count VALUE");
    expect_refused("name NVIDIA H200", "#", "the field name is missing");
    expect_refused("shared_per_block 49152", "shared_per_block 233472", "shared_per_block <=");
    expect_refused("threads_per_sm 2048", "threads_per_sm 2047", "multiple of 32");
    expect_refused("dram_granule 64", "dram_granule 48", "must be 32 or 64");
    expect_refused("dram_read_gbs 4700", "dram_read_gbs 47", "at least dram_gbs");
    expect_refused("l1_latency_ns 16", "l1_latency_ns 700", "l1_latency_ns <= l2_latency_ns");
    expect_refused("l2_loses 0.85", "l2_loses 0.7", "l2_loses must be above l2_keeps");
    char longest[600];
    memset(longest, '#', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    expect_refused("sm_count 132", longest, ":9: the line is longer");
}

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    device_profile p;
    char err[400];
    assert_false(profile_load("./no-such.profile", &p, err, sizeof err));
    assert_non_null(strstr(err, "./no-such.profile: cannot be read: No such file"));
    assert_false(profile_load("/", &p, err, sizeof err));
    assert_false(profile_load("/dev/zero", &p, err, sizeof err));
    assert_non_null(strstr(err, "no device profile"));
    assert_false(profile_load("h2000", &p, err, sizeof err));
    assert_non_null(strstr(err, "there is no device profile 'h2000'; there are h200, a100"));
    /* A message must not overrun a small buffer. */
    char small[8] = "1234567";
    assert_false(profile_load("h2000", &p, small, 4));
    assert_string_equal(small + 4, "567");
}

/* The number of blocks per SM by the CUDA toolkit's occupancy calculator. */
static int toolkit_blocks(const device_profile *d, int threads, int registers, size_t shared)
{
    cudaOccDeviceProp p = {.computeMajor = (int)d->compute_major,
                           .computeMinor = (int)d->compute_minor,
                           .maxThreadsPerBlock = 1024,
                           .maxThreadsPerMultiprocessor = (int)d->threads_per_sm,
                           .regsPerBlock = (int)d->registers_per_block,
                           .regsPerMultiprocessor = (int)d->registers_per_sm,
                           .warpSize = 32,
                           .sharedMemPerBlock = d->shared_per_block,
                           .sharedMemPerMultiprocessor = d->shared_per_sm,
                           .numSms = (int)d->sm_count,
                           .sharedMemPerBlockOptin = d->shared_per_block_optin,
                           .reservedSharedMemPerBlock = d->shared_reserved};
    cudaOccFuncAttributes f = {.maxThreadsPerBlock = 1024,
                               .numRegs = registers,
                               .sharedSizeBytes = 0,
                               .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                               .maxDynamicSharedSizeBytes = d->shared_per_block_optin};
    cudaOccDeviceState s = {.cacheConfig = CACHE_PREFER_SHARED, .carveoutConfig = 100};
    cudaOccResult r = {0};
    cudaOccError e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &s, threads, shared);
    assert_int_equal(e, CUDA_OCC_SUCCESS);
    return r.activeBlocksPerMultiprocessor;
}

static void occupancy_equals_the_toolkits(void **state)
{
    (void)state;
    static const char *const modern[] = {"h200", "a100", "t4", "rtx4090"};
    static const int threads[] = {1, 31, 32, 33, 64, 96, 128, 160, 256, 384, 512, 768, 1000, 1024};
    static const int registers[] = {8, 16, 24, 32, 33, 40, 64, 65, 96, 128, 168, 255};
    static const size_t shared[] = {0, 1, 128, 1024, 4096, 10000, 16384, 32768, 49152, 65536};
    size_t compared = 0;
    for (size_t d = 0; d < sizeof modern / sizeof *modern; d++) {
        device_profile p = load_profile(modern[d]);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
            for (size_t r = 0; r < sizeof registers / sizeof *registers; r++)
                for (size_t s = 0; s < sizeof shared / sizeof *shared; s++) {
                    int want = toolkit_blocks(&p, threads[t], registers[r], shared[s]);
                    int have = (int)timing_blocks_per_sm(&p, (uint32_t)threads[t],
                                                         (uint32_t)registers[r], shared[s]);
                    if (have != want)
                        fail_msg("%s: %d threads, %d registers, %zu bytes: %d blocks, not %d", p.id,
                                 threads[t], registers[r], shared[s], have, want);
                    compared++;
                }
    }
    assert_int_equal(compared, 4 * 14 * 12 * 10);
}

static void what_does_not_fit_has_no_blocks(void **state)
{
    (void)state;
    device_profile p = load_profile("h200");
    assert_int_equal(timing_blocks_per_sm(&p, 0, 32, 0), 0);
    assert_int_equal(timing_blocks_per_sm(&p, 1025, 32, 0), 0);
    assert_int_equal(timing_blocks_per_sm(&p, 256, 256, 0), 0);
    assert_int_equal(timing_blocks_per_sm(&p, 1024, 65, 0), 0);
    assert_int_equal(timing_blocks_per_sm(&p, 32, 32, p.shared_per_block_optin), 1);
    assert_int_equal(timing_blocks_per_sm(&p, 32, 32, p.shared_per_block_optin + 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_built_in_profile_loads),
        cmocka_unit_test(every_file_is_built_in),
        cmocka_unit_test(every_figure_has_a_source),
        cmocka_unit_test(damage_is_named_by_line),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(occupancy_equals_the_toolkits),
        cmocka_unit_test(what_does_not_fit_has_no_blocks),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
