/* Tests the file format of recordings: records are read as written, identical bytes are stored
 * once, and a damaged, foreign, truncated or newer file is refused with a message. */
#include "emulator/debugger/recording/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scratch.h"

static char path[4096], part[4104]; /* path of the recording; of the file until it is complete */

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s", scratch_template("recording.XXXXXX"));
    const int file = mkstemp(path);
    close(file);
    snprintf(part, sizeof part, "%s.part", path);
    return file < 0;
}

static int drop_path(void **state)
{
    (void)state;
    unlink(path);
    unlink(part);
    return 0;
}

static const rec_item start_record = {
    .kind = REC_start, .start = {.source = "emulator", .base = 0x700000000000, .size = 1 << 30}};

/* Write a recording with one record of each kind of field, and with 3 MB of data stored twice. */
static void write_sample(bool close_it)
{
    static uint8_t bytes[3 << 20];
    const uint64_t grid[] = {7, 1, UINT64_MAX};
    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (uint8_t)((k * k >> 7) + (k >> 20));
    rec_writer *w = rec_create_file(path);
    assert_non_null(w);
    assert_true(rec_write_item(w, &start_record));
    for (int k = 0; k < 2; k++) {
        const rec_item copy = {.kind = REC_copy,
                               .copy = {.op = 1 + k,
                                        .call = "cudaMemcpy",
                                        .bytes = rec_store_data(w, bytes, sizeof bytes)}};
        assert_true(rec_write_item(w, &copy));
    }
    const rec_item launch = {.kind = REC_launch,
                             .launch = {.op = 3,
                                        .kernel = "_Z1kv",
                                        .grid = {3, grid},
                                        .params = rec_store_data(w, "1234567", 7)}};
    const rec_item result = {.kind = REC_result, .result = {.op = 3, .ns = 1234.5}};
    assert_true(rec_write_item(w, &launch));
    assert_true(rec_write_item(w, &result));
    if (close_it) {
        assert_true(rec_close_file(w));
    } else {
        assert_true(rec_flush_frame(w));
        assert_true(rec_write_item(w, &result)); /* the record is not flushed */
        rec_abandon_file(w);
    }
}

static rec_reader *open_sample(void)
{
    char err[512] = "";
    rec_reader *r = rec_open_file(path, NULL, err, sizeof err);
    if (!r)
        print_message("%s\n", err);
    assert_non_null(r);
    return r;
}

static const rec_item *next_of_kind(rec_reader *r, rec_kind kind)
{
    const rec_item *i = rec_next_item(r);
    assert_non_null(i);
    assert_int_equal(i->kind, kind);
    return i;
}

static void reads_records_as_written(void **state)
{
    (void)state;
    write_sample(true);
    assert_int_not_equal(access(part, F_OK), 0);
    rec_reader *r = open_sample();
    assert_string_equal(next_of_kind(r, REC_start)->start.source, "emulator");
    const rec_item *i = next_of_kind(r, REC_copy);
    assert_string_equal(i->copy.call, "cudaMemcpy");
    uint8_t *bytes = rec_read_all_data(r, &i->copy.bytes);
    assert_non_null(bytes);
    for (size_t k = 0; k < 3 << 20; k++)
        assert_int_equal(bytes[k], (uint8_t)((k * k >> 7) + (k >> 20)));
    uint8_t some[4];
    assert_true(rec_read_data(r, &i->copy.bytes, (1 << 20) - 2, some, 4));
    assert_memory_equal(some, bytes + (1 << 20) - 2, 4);
    assert_false(rec_read_data(r, &i->copy.bytes, (3 << 20) - 2, some, 4));
    free(bytes);
    next_of_kind(r, REC_copy);
    const rec_position here = rec_read_position(r);
    for (int k = 0; k < 2; k++) {
        i = next_of_kind(r, REC_launch);
        assert_string_equal(i->launch.kernel, "_Z1kv");
        assert_int_equal(i->launch.grid.count, 3);
        assert_true(i->launch.grid.of[2] == UINT64_MAX);
        char *params = rec_read_all_data(r, &i->launch.params);
        assert_string_equal(params, "1234567");
        free(params);
        rec_set_position(r, k ? rec_read_position(r) : here);
    }
    assert_true(next_of_kind(r, REC_result)->result.ns == 1234.5);
    assert_int_equal(next_of_kind(r, REC_end)->end.cut, 0);
    assert_null(rec_next_item(r));
    rec_close_reader(r);
}

static void rescues_flushed_records(void **state)
{
    (void)state;
    char err[256];
    write_sample(false);
    assert_int_equal(access(part, F_OK), 0);
    /* Append half of a frame, as left by a program that is killed while it writes. */
    FILE *f = fopen(part, "a");
    fwrite("\x28\xb5\x2f\xfd\x24\x10", 1, 6, f);
    fclose(f);
    assert_true(rec_rescue_file(path, err, sizeof err));
    rec_reader *r = open_sample();
    const rec_item *i = NULL, *last = NULL;
    int count = 0;
    for (; (i = rec_next_item(r)); count++)
        last = i;
    assert_int_equal(count, 6);
    assert_int_equal(last->kind, REC_end);
    assert_int_equal(last->end.cut, 1);
    rec_close_reader(r);
    assert_false(rec_rescue_file(path, err, sizeof err)); /* the partial file no longer exists */
}

/* --- refused ---------------------------------------------------------------------------------- */

static uint8_t *read_contents(size_t *size)
{
    FILE *f = fopen(path, "r");
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    return bytes;
}

static void expect_refused(const void *bytes, size_t size, const char *why)
{
    char err[5000] = "";
    FILE *f = fopen(path, "w");
    fwrite(bytes, 1, size, f);
    fclose(f);
    rec_reader *r = rec_open_file(path, NULL, err, sizeof err);
    if (r || !strstr(err, why))
        print_message("expected the message: %s; got: %s\n", why, err);
    assert_null(r);
    assert_non_null(strstr(err, why));
}

/* What was recorded before a program was killed can be read where that is allowed. */
static void reads_unfinished_file(void **state)
{
    (void)state;
    char err[512];
    size_t size, whole = 0, before = SIZE_MAX;
    const rec_bounds most = {.unfinished = true};
    write_sample(true);
    uint8_t *bytes = read_contents(&size);
    for (size_t cut = size + 1; cut-- > 32;) {
        size_t count = 0;
        assert_int_equal(truncate(path, (off_t)cut), 0);
        rec_reader *r = rec_open_file(path, &most, err, sizeof err);
        while (r && rec_next_item(r))
            count++;
        assert_true(r || strstr(err, "is truncated"));
        assert_true(count <= before);
        whole = cut == size ? count : whole;
        before = count;
        if (r)
            rec_close_reader(r);
    }
    assert_true(whole > 1 && before < whole);
    expect_refused(bytes, size - 1, "is truncated");
    bytes[size / 2] ^= 1; /* damage is not an early end */
    expect_refused(bytes, size, "is damaged");
    assert_null(rec_open_file(path, &most, err, sizeof err));
    free(bytes);
}

static void refuses_other_files(void **state)
{
    (void)state;
    char err[512];
    size_t size;
    write_sample(true);
    uint8_t *bytes = read_contents(&size);
    expect_refused(bytes, 0, "is not a recording");
    expect_refused("#!/bin/sh\necho something that is longer than a head", 45,
                   "is not a recording");
    expect_refused(bytes, 32, "is truncated");
    expect_refused(bytes, size - 1, "is truncated");
    expect_refused(bytes, size / 2, "is truncated");
    bytes[24]++;
    char newer[80];
    snprintf(newer, sizeof newer, "of version %u, and this warpbook reads up to version %u",
             REC_VERSION + 1, REC_VERSION);
    expect_refused(bytes, size, newer);
    bytes[24] = 0;
    expect_refused(bytes, size, "is damaged");
    bytes[24] = 1;
    bytes[size / 2] ^= 4;
    expect_refused(bytes, size, "is damaged");
    bytes[size / 2] ^= 4;
    uint8_t *twice = malloc(2 * size);
    memcpy(twice, bytes, size);
    memcpy(twice + size, bytes + 32, size - 32);
    expect_refused(twice, 2 * size - 32, "it continues after its `end`");
    free(twice);
    const rec_bounds few = {.records = 5}, small = {.bytes = 1 << 20};
    write_sample(true);
    assert_null(rec_open_file(path, &few, err, sizeof err));
    assert_non_null(strstr(err, "more than 5 records"));
    assert_null(rec_open_file(path, &small, err, sizeof err));
    assert_non_null(strstr(err, "holds more than 1048576 bytes"));
    assert_null(rec_open_file("/nowhere/at/all", NULL, err, sizeof err));
    assert_non_null(strstr(err, "/nowhere/at/all cannot be read: No such file"));
    assert_null(rec_open_file("/", NULL, err, sizeof err));
    free(bytes);
}

/* Records that no recorder writes, each as the only bad record in an otherwise valid file. */
static void refuses_impossible_records(void **state)
{
    (void)state;
    static const struct {
        rec_kind kind;
        const char *bytes;
        size_t size;
        const char *why;
    } bad[] = {
        {REC_free, "", 0, "ends within a number"},
        {REC_free, "\x80", 1, "ends within a number"},
        {REC_free, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, "more than 64 bits"},
        {REC_free, "\x01\x02", 2, "longer than its fields"},
        {REC_mark, "\x05hell", 5, "a name is longer than its record"},
        {REC_mark, "\x05he\0lo", 6, "a name has a NUL byte"},
        {REC_memory, "\x7f\x01", 2, "a list is longer than its record"},
        {REC_poke, "\x00\x07\x01\x00", 4, "refers to bytes that the recording"},
        {REC_poke, "\x00\x07\x00", 3, "not the size that the record states"},
        {REC_result, "\x01\x00\x00\x00\x00\x00\x00\xf0\x7f\x00\x00\x00", 12,
         "floating-point number is not finite"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        rec_store store = {0};
        rec_item out;
        const char *why = rec_decode_item(bad[k].kind, (const uint8_t *)bad[k].bytes, bad[k].size,
                                          NULL, 0, &store, &out);
        if (!why || !strstr(why, bad[k].why))
            print_message("%zu: expected: %s; said: %s\n", k, bad[k].why, why ? why : "nothing");
        assert_non_null(why);
        assert_non_null(strstr(why, bad[k].why));
        free(store.word);
    }
}

static void names_are_printed_without_control_characters(void **state)
{
    (void)state;
    char line[256];
    const rec_item item = {.kind = REC_mark, .mark = {.text = "a\033[31mb\n"}};
    rec_format_item(&item, line, sizeof line);
    assert_string_equal(line, "mark text=a?[31mb?");
    assert_true(rec_format_item(&start_record, line, 10) > 10);
    assert_int_equal(strlen(line), 9);
}

/* The hash values are part of the file format: another hash would make old recordings
 * unreadable. */
static void hash_values_do_not_change(void **state)
{
    (void)state;
    uint8_t bytes[200];
    for (int k = 0; k < 200; k++)
        bytes[k] = (uint8_t)(3 * k);
    assert_true(rec_digest_bytes(0, bytes, 200) == rec_hash_of(bytes, 200).low);
    assert_true(rec_digest_bytes(0, bytes, 200) != rec_digest_bytes(0, bytes, 199));
    assert_true(rec_digest_bytes(0, bytes, 0) != rec_digest_bytes(1, bytes, 0));
    assert_true(rec_digest_bytes(0, "\0", 1) != rec_digest_bytes(0, "\0", 2));
    assert_true(rec_digest_bytes(0, bytes, 200) == UINT64_C(0xa70a02471ff43fcb));
    assert_true(rec_digest_bytes(5, "warpbook", 8) == UINT64_C(0xea797d630b1d0040));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_records_as_written, make_path, drop_path),
        cmocka_unit_test_setup_teardown(rescues_flushed_records, make_path, drop_path),
        cmocka_unit_test_setup_teardown(reads_unfinished_file, make_path, drop_path),
        cmocka_unit_test_setup_teardown(refuses_other_files, make_path, drop_path),
        cmocka_unit_test(refuses_impossible_records),
        cmocka_unit_test(names_are_printed_without_control_characters),
        cmocka_unit_test(hash_values_do_not_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
