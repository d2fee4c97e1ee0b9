/* Tests memory that a program maps itself: reserved addresses, aliases, bounds, and memory of other
 * processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/memory/mapped.h"
#include "places.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MB2 (UINT64_C(2) << 20)

static int reserve_device_memory(void **state)
{
    (void)state;
    return mem_reserve_window(UINT64_C(4) << 30) ? 0 : -1;
}

static uint64_t free_bytes(void)
{
    uint64_t bytes, total;
    mem_free_and_total(&bytes, &total);
    return bytes;
}

static void allocations_avoid_reserved_addresses(void **state)
{
    (void)state;
    uint64_t base, size;
    const uint64_t at = mem_reserve_addresses(4 * MB2, MB2, 0);
    assert_true(at && at % MB2 == 0);
    for (int k = 0; k < 200; k++) {
        const uint64_t p = mem_alloc(1 << 20, 256, MEM_DEVICE, NULL);
        assert_true(p && (p + (1 << 20) <= at || at + 4 * MB2 <= p));
    }
    assert_true(mem_find_addresses(at + 4 * MB2 - 1, &base, &size));
    assert_true(base == at && size == 4 * MB2);
    assert_false(mem_find_addresses(at + 4 * MB2, &base, &size));
    assert_int_equal(mem_reserve_addresses(MB2, MB2, at + 400 * MB2), at + 400 * MB2);
    assert_int_not_equal(mem_reserve_addresses(MB2, MB2, at), at);
    assert_false(mem_free_addresses(at, MB2));
    assert_true(mem_free_addresses(at, 4 * MB2));
    assert_false(mem_free_addresses(at, 4 * MB2));
}

/* Linux maps pages of shared memory a second time if mremap is told that the old range is empty.
 * qemu (7.2) takes every empty range for one outside the address space, and answers ENOMEM. */
static bool mremap_maps_pages_twice(void)
{
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *one = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    void *other = mremap(one, 0, size, MREMAP_MAYMOVE);
    const bool twice = other != MAP_FAILED;
    if (twice)
        munmap(other, size);
    munmap(one, size);
    return twice;
}

static bool map(uint64_t at, mem_physical *p, mem_mapped_access access)
{
    return mem_map_physical(&(mem_mapping){.at = at, .size = p->size, .of = p, .access = access});
}

static void mappings_join_part_and_alias(void **state)
{
    (void)state;
    skip_if(!mremap_maps_pages_twice());
    mem_range r;
    char text[400];
    const uint64_t before = free_bytes(), at = mem_reserve_addresses(8 * MB2, MB2, 0);
    mem_physical *a = mem_physical_new(MB2, false), *b = mem_physical_new(2 * MB2, false);
    assert_int_equal(free_bytes(), before - 3 * MB2);
    assert_true(map(at, a, MEM_ACCESS_NONE) && map(at + MB2, b, MEM_ACCESS_NONE));
    assert_false(map(at + 2 * MB2, a, MEM_ACCESS_NONE)); /* where b is */
    assert_false(map(at + 7 * MB2, b, MEM_ACCESS_NONE)); /* past the end */
    assert_null(mem_host_pointer(at, 1));
    assert_non_null(strstr(mem_describe(at, 4, text, sizeof text), "has not made accessible"));
    assert_non_null(
        strstr(mem_describe(at + 5 * MB2, 4, text, sizeof text), "no memory is mapped"));
    assert_false(mem_set_mapped_access(at, 2 * MB2, MEM_ACCESS_ALL)); /* part of b */
    assert_true(mem_set_mapped_access(at, 3 * MB2, MEM_ACCESS_ALL));
    assert_true(mem_find_range(at + 2 * MB2, &r));
    assert_true(r.kind == MEM_MAPPED && r.base == at && r.size == 3 * MB2 && !r.read_only);

    assert_true(map(at + 4 * MB2, a, MEM_ACCESS_READ)); /* a second time */
    *(int *)mem_host_pointer(at + 8, 4) = 77;
    assert_int_equal(*(int *)mem_host_pointer(at + 4 * MB2 + 8, 4), 77);
    assert_true(mem_find_range(at + 4 * MB2, &r) && r.read_only);

    assert_false(mem_unmap_physical(at, 2 * MB2));
    assert_true(mem_unmap_physical(at, MB2));
    assert_null(mem_host_pointer(at, 1));
    assert_true(mem_find_range(at + MB2, &r) && r.base == at + MB2 && r.size == 2 * MB2);
    assert_false(mem_free_addresses(at, 8 * MB2));
    mem_physical_drop(a);
    assert_int_equal(*(int *)mem_host_pointer(at + 4 * MB2 + 8, 4), 77); /* its mapping holds it */
    mem_physical_drop(b);
    assert_int_equal(free_bytes(), before - 3 * MB2);
    assert_true(mem_unmap_physical(at, 8 * MB2));
    assert_int_equal(free_bytes(), before);
    assert_true(mem_free_addresses(at, 8 * MB2));
}

static void only_files_of_a_fixed_size_are_opened(void **state)
{
    (void)state;
    int none = open("/dev/zero", O_RDWR), open_ended = memfd_create("other", MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(open_ended, 4096), 0);
    assert_null(mem_physical_open(-1));
    assert_null(mem_physical_open(none));
    assert_null(mem_physical_open(open_ended)); /* its maker may make it shorter */
    mem_physical *p = mem_physical_new(MB2, true), *again = mem_physical_open(p->fd);
    assert_non_null(again);
    assert_int_not_equal(ftruncate(p->fd, 0), 0);
    *(int *)p->view = 5;
    assert_int_equal(*(int *)again->view, 5);
    mem_physical_drop(p);
    assert_int_equal(*(int *)again->view, 5);
    mem_physical_drop(again);
    close(none);
    close(open_ended);
}

static void an_allocation_keeps_its_bytes_when_it_is_shared(void **state)
{
    (void)state;
    skip_if(!mremap_maps_pages_twice());
    const uint64_t before = free_bytes(), p = mem_alloc(10000, 256, MEM_DEVICE, NULL);
    const uint64_t next = mem_alloc(10000, 256, MEM_DEVICE, NULL);
    memset(mem_host_pointer(p, 10000), 3, 10000);
    memset(mem_host_pointer(next, 10000), 4, 10000);
    const int fd = mem_share_allocation(p);
    assert_true(fd >= 0 && mem_share_allocation(p) == fd && mem_share_allocation(p + 256) < 0);
    mem_physical *other = mem_physical_open(fd);
    uint8_t *bytes = (uint8_t *)other->view + p % 4096;
    assert_true(bytes[0] == 3 && bytes[9999] == 3);
    memset(bytes, 5, 10000);
    assert_int_equal(*(uint8_t *)mem_host_pointer(p + 9999, 1), 5);
    assert_int_equal(*(uint8_t *)mem_host_pointer(next, 1), 4);
    assert_true(mem_free_range(p) && mem_free_range(next));
    assert_int_equal(free_bytes(), before);
    assert_int_equal(bytes[9999], 5);
    const uint64_t q = mem_alloc(10000, 256, MEM_DEVICE, NULL); /* the same addresses */
    assert_int_equal(q, p);
    memset(mem_host_pointer(q, 10000), 6, 10000);
    assert_int_equal(bytes[9999], 5);
    mem_physical_drop(other);
    assert_true(mem_free_range(q));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(allocations_avoid_reserved_addresses, reserve_device_memory),
        cmocka_unit_test(mappings_join_part_and_alias),
        cmocka_unit_test(only_files_of_a_fixed_size_are_opened),
        cmocka_unit_test(an_allocation_keeps_its_bytes_when_it_is_shared),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
