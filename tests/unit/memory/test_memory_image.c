/* Tests the table of texture and surface objects, and the memory layout of texels. */
#include "emulator/memory/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void handles_are_found_until_dropped(void **state)
{
    (void)state;
    const mem_object texture = {.kind = MEM_TEXTURE, .image = {.dims = 2}};
    const uint64_t a = mem_object_add(&texture), b = mem_object_add(&texture);
    assert_true(a != 0 && b != 0 && a != b);
    assert_int_equal(mem_object_find(a)->image.dims, 2);
    assert_true(mem_object_find(a)->handle == a);
    assert_true(mem_object_drop(a));
    assert_null(mem_object_find(a));
    assert_false(mem_object_drop(a));
    assert_non_null(mem_object_find(b));
    mem_object_drop_all();
    assert_null(mem_object_find(b));
}

/* A stale handle does not refer to the object that reuses its slot. */
static void slots_are_reused_with_new_handles(void **state)
{
    (void)state;
    const mem_object surface = {.kind = MEM_SURFACE};
    const uint64_t a = mem_object_add(&surface);
    assert_true(mem_object_drop(a));
    const uint64_t b = mem_object_add(&surface);
    assert_true(a != b);
    assert_null(mem_object_find(a));
    assert_non_null(mem_object_find(b));
    mem_object_drop_all();
}

static void invalid_handles_are_refused(void **state)
{
    (void)state;
    assert_null(mem_object_find(0));
    assert_null(mem_object_find(12345));
    assert_null(mem_object_find(UINT64_MAX));
}

static void thousands_of_objects(void **state)
{
    (void)state;
    enum { N = 5000 };
    uint64_t *handle = malloc(N * sizeof *handle);
    assert_non_null(handle);
    for (uint8_t round = 0; round < 2; round++) {
        for (uint32_t k = 0; k < N; k++) {
            const mem_object o = {.kind = MEM_TEXTURE, .image = {.levels = k + round}};
            handle[k] = mem_object_add(&o);
            assert_true(handle[k] != 0);
        }
        for (uint32_t k = 0; k < N; k++)
            assert_int_equal(mem_object_find(handle[k])->image.levels, k + round);
        mem_object_drop_all();
    }
    free(handle);
}

/* Each byte of a slice has its own position; 32 bytes hold 16 bytes of each of two rows, and 512
 * bytes hold 64 bytes of eight rows. */
static void texels_are_tiled(void **state)
{
    (void)state;
    enum { ROW = 192, ROWS = 24 };
    static uint8_t taken[ROW * ROWS];
    for (uint64_t y = 0; y < ROWS; y++) {
        for (uint64_t x = 0; x < ROW; x++) {
            const uint64_t at = mem_texel_tile_offset(x, y, ROW);
            assert_true(at < sizeof taken && !taken[at]);
            taken[at] = 1;
            assert_true(at / 32 == mem_texel_tile_offset(x / 16 * 16, y / 2 * 2, ROW) / 32);
            assert_true(at / 512 == mem_texel_tile_offset(x / 64 * 64, y / 8 * 8, ROW) / 512);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_are_found_until_dropped),
        cmocka_unit_test(slots_are_reused_with_new_handles),
        cmocka_unit_test(invalid_handles_are_refused),
        cmocka_unit_test(thousands_of_objects),
        cmocka_unit_test(texels_are_tiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
