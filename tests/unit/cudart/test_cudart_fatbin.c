/* Tests fat binaries: every compression, the choice of the target, and damaged bytes. The test
 * builds the containers in nvcc's format; tests/api/runtime/run-programs reads containers made by
 * nvcc. */
#include "emulator/cudart/code/fatbin.h"

#include <lz4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

enum packing { PLAIN, ZSTD, LZ4 }; /* how the PTX text in a container is compressed */

static const char ptx_text[] =
    ".version 9.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k() { ret; }\n"
    "// filler filler filler filler filler filler filler filler filler\n";

typedef struct container {
    uint8_t bytes[4096]; /* a fat binary */
    size_t size;         /* bytes used in `bytes` */
} container;

static void put_number(uint8_t *at, uint64_t value, size_t bytes)
{
    memcpy(at, &value, bytes);
}

static void begin_container(container *c)
{
    memset(c, 0, sizeof *c);
    put_number(c->bytes, 0xBA55ED50, 4);
    put_number(c->bytes + 4, 1, 2);
    put_number(c->bytes + 6, 16, 2);
    c->size = 16;
}

static void add_entry(container *c, unsigned kind, unsigned target, enum packing packing,
                      const char *ptx)
{
    uint8_t packed[2048];
    size_t full = strlen(ptx) + 1, size = full;
    uint64_t flags = 0x11;
    if (packing == ZSTD) {
        size = ZSTD_compress(packed, sizeof packed, ptx, full, 3);
        assert_false(ZSTD_isError(size));
        flags |= 0x8000;
    } else if (packing == LZ4) {
        int n = LZ4_compress_default(ptx, (char *)packed, (int)full, sizeof packed);
        assert_true(n > 0);
        size = (size_t)n;
        flags |= 0x2000;
    } else {
        memcpy(packed, ptx, full);
    }
    size_t header = kind == 1 ? 80 : 64, padded = (size + 7) / 8 * 8;
    uint8_t *e = c->bytes + c->size;
    assert_true(c->size + header + padded <= sizeof c->bytes);
    put_number(e, kind, 2);
    put_number(e + 4, header, 4);
    put_number(e + 8, padded, 8);
    put_number(e + 16, packing == PLAIN ? 0 : size, 4);
    put_number(e + 24, 0, 2);
    put_number(e + 26, 9, 2);
    put_number(e + 28, target, 4);
    put_number(e + 40, flags, 8);
    put_number(e + 56, packing == PLAIN ? 0 : full, 8);
    memcpy(e + header, packed, size);
    c->size += header + padded;
    put_number(c->bytes + 8, c->size - 16, 8);
}

/* Choose an entry from a container placed right before an unreadable page, so that a read past its
 * end crashes. */
static fatbin_status choose_text(const container *c, size_t size, unsigned capability,
                                 fatbin_text *out)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *map = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + 2 * page, page, PROT_NONE), 0);
    uint8_t *at = map + 2 * page - size;
    memcpy(at, c->bytes, size);
    fatbin_status s = fatbin_choose_ptx(at, size, capability, out);
    munmap(map, 3 * page);
    return s;
}

static void unpacks_every_compression(void **state)
{
    (void)state;
    for (enum packing p = PLAIN; p <= LZ4; p++) {
        container c;
        begin_container(&c);
        add_entry(&c, 1, 80, p, ptx_text);
        fatbin_text out;
        assert_int_equal(choose_text(&c, c.size, 90, &out), FATBIN_OK);
        assert_string_equal(out.ptx, ptx_text);
        assert_int_equal(out.length, strlen(ptx_text));
        assert_int_equal(out.target, 80);
        assert_int_equal(out.major, 9);
        free(out.ptx);
    }
}

static void chooses_the_highest_supported_target(void **state)
{
    (void)state;
    container c;
    begin_container(&c);
    add_entry(&c, 2, 90, PLAIN, "machine code");
    add_entry(&c, 1, 80, ZSTD, "eighty");
    add_entry(&c, 1, 100, ZSTD, "hundred");
    add_entry(&c, 1, 86, PLAIN, "eighty-six");
    const struct {
        unsigned capability;
        const char *want;
    } cases[] = {{90, "eighty-six"}, {86, "eighty-six"}, {80, "eighty"},
                 {120, "hundred"},   {61, "eighty"},     {35, "eighty"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fatbin_text out;
        assert_int_equal(choose_text(&c, c.size, cases[i].capability, &out), FATBIN_OK);
        assert_string_equal(out.ptx, cases[i].want);
        free(out.ptx);
    }
}

static void messages_say_how_to_build(void **state)
{
    (void)state;
    container c;
    fatbin_text out;
    begin_container(&c);
    add_entry(&c, 2, 90, PLAIN, "machine code");
    assert_int_equal(choose_text(&c, c.size, 90, &out), FATBIN_NO_PTX);
    assert_null(out.ptx);
    assert_non_null(strstr(out.message, "nvcc -cudart shared -arch=sm_90"));
    assert_non_null(strstr(out.message, "-gencode arch=compute_90,code=compute_90"));

    begin_container(&c);
    add_entry(&c, 1, 100, ZSTD, ptx_text);
    assert_int_equal(choose_text(&c, c.size, 75, &out), FATBIN_TOO_NEW);
    assert_non_null(strstr(out.message, "compute capability 10.0 and later"));
    assert_non_null(strstr(out.message, "-arch=sm_75"));

    begin_container(&c); /* an empty container */
    assert_int_equal(choose_text(&c, c.size, 90, &out), FATBIN_NO_PTX);
}

static void refuses_truncated_containers(void **state)
{
    (void)state;
    container c;
    begin_container(&c);
    add_entry(&c, 1, 80, ZSTD, ptx_text);
    for (size_t size = 0; size < c.size; size++) {
        fatbin_text out;
        assert_int_equal(choose_text(&c, size, 90, &out), FATBIN_DAMAGED);
        assert_null(out.ptx);
        assert_non_null(strstr(out.message, "build the program again"));
        assert_int_equal(fatbin_size(c.bytes, size), 0);
    }
    assert_int_equal(fatbin_size(c.bytes, c.size), c.size);
    assert_int_equal(fatbin_size(c.bytes, c.size + 8), c.size);
}

static void survives_damage_at_every_byte(void **state)
{
    (void)state;
    for (enum packing p = PLAIN; p <= LZ4; p++) {
        container good;
        begin_container(&good);
        add_entry(&good, 2, 80, PLAIN, "machine code");
        add_entry(&good, 1, 80, p, ptx_text);
        unsigned refused = 0;
        for (size_t at = 0; at < good.size; at++) {
            static const uint8_t change[] = {0x01, 0x80, 0xff};
            for (size_t i = 0; i < sizeof change; i++) {
                container c = good;
                c.bytes[at] ^= change[i];
                fatbin_text out;
                fatbin_status s = choose_text(&c, c.size, 90, &out);
                assert_true((s == FATBIN_OK) == (out.ptx != NULL));
                assert_true((s == FATBIN_OK) == (out.message[0] == 0));
                refused += s != FATBIN_OK;
                free(out.ptx);
            }
        }
        assert_true(refused > 20); /* at least every size up to the container's header */
    }
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    container c;
    fatbin_text out;
    begin_container(&c);
    add_entry(&c, 1, 80, LZ4, ptx_text);
    put_number(c.bytes + 16 + 56, UINT64_C(1) << 40, 8);
    assert_int_equal(choose_text(&c, c.size, 90, &out), FATBIN_DAMAGED);
    put_number(c.bytes + 16 + 56, 1 << 20, 8); /* more than LZ4 can decompress to */
    assert_int_equal(choose_text(&c, c.size, 90, &out), FATBIN_DAMAGED);
    put_number(c.bytes + 16 + 56, strlen(ptx_text) + 2, 8); /* one byte too many */
    assert_int_equal(choose_text(&c, c.size, 90, &out), FATBIN_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacks_every_compression),
        cmocka_unit_test(chooses_the_highest_supported_target),
        cmocka_unit_test(messages_say_how_to_build),
        cmocka_unit_test(refuses_truncated_containers),
        cmocka_unit_test(survives_damage_at_every_byte),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
