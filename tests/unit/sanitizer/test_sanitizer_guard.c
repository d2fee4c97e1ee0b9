/* Tests guards on host memory: what is recorded, and which pages are unprotected while the device
 * works. */
#include "emulator/memory/host_access.h"
#include "emulator/memory/memory.h"
#include "emulator/sanitizer/guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { GUARDED_PAGES = 8 };

static char *first, *second;     /* two ranges of GUARDED_PAGES pages */
static int sink[2];              /* a pipe */
static struct sigaction handler; /* the emulator's handler, which cmocka replaces for each test */

/* A system call cannot read a protected page, and calls no signal handler. */
static bool is_protected(const char *at)
{
    return write(sink[1], at, 1) != 1;
}

static uint64_t address_of(const char *at)
{
    return (uint64_t)(uintptr_t)at;
}

static int set_up(void **state)
{
    const size_t bytes = GUARDED_PAGES * mem_page_bytes();
    (void)state;
    char *both = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(both, MAP_FAILED);
    first = both;
    second = both + bytes;
    return pipe(sink);
}

static void guard_both(void)
{
    sigaction(SIGSEGV, &handler, NULL);
    const size_t bytes = GUARDED_PAGES * mem_page_bytes();
    assert_true(san_guard_host_memory(address_of(first), bytes, SAN_MUST_NOT_TOUCH, &first));
    assert_true(san_guard_host_memory(address_of(second), bytes, SAN_MUST_NOT_TOUCH, &second));
}

static void unguard_both(void)
{
    san_unguard_host_memory(&first);
    san_unguard_host_memory(&second);
    assert_false(is_protected(first) || is_protected(second));
}

static void test_touch_is_recorded(void **state)
{
    san_guard_access touch;
    (void)state;
    guard_both();
    assert_true(is_protected(first) && is_protected(second));
    if (!mem_is_fault_hook_active()) {
        unguard_both();
        skip();
    }
    ((volatile char *)second)[5] = 1;
    assert_true(san_next_guard_access(&touch));
    assert_true(touch.wrote && touch.owner == &second && touch.address == address_of(second + 5));
    assert_false(san_next_guard_access(&touch));
    unguard_both();
}

/* The page is protected again after each such access. */
static void test_touch_beside_a_guard_is_none(void **state)
{
    enum { AT = 100, BYTES = 50 };
    san_guard_access touch;
    (void)state;
    sigaction(SIGSEGV, &handler, NULL);
    assert_true(san_guard_host_memory(address_of(first) + AT, BYTES, SAN_MUST_NOT_TOUCH, &first));
    if (!mem_is_fault_hook_active()) {
        san_unguard_host_memory(&first);
        skip();
    }
    volatile char *at = first;
    for (int k = 0; k < 3; k++) {
        at[k] = (char)(at[AT + BYTES + k] + k + 1);
        assert_true(is_protected(first));
    }
    assert_false(san_next_guard_access(&touch));
    (void)at[AT]; /* ++ may be one instruction, which is reported as a write */
    assert_true(san_next_guard_access(&touch));
    assert_true(!touch.wrote && touch.address == address_of(first + AT));
    assert_true(at[0] == 1 && at[1] == 2 && at[2] == 3);
    san_unguard_host_memory(&first);
}

static void test_guard_is_unprotected_when_touched(void **state)
{
    san_guard_access touch;
    (void)state;
    guard_both();
    if (!mem_is_fault_hook_active()) {
        unguard_both();
        skip();
    }
    san_unprotect_guarded_pages(false);
    ((volatile char *)first)[0] = 1;
    for (size_t page = 0; page < GUARDED_PAGES; page++)
        assert_false(is_protected(first + page * mem_page_bytes()));
    assert_true(is_protected(second));
    san_protect_guarded_pages();
    assert_false(san_next_guard_access(&touch)); /* the device may touch it */
    assert_true(is_protected(first) && is_protected(second));
    unguard_both();
}

static void test_all_are_unprotected_at_once(void **state)
{
    (void)state;
    guard_both();
    san_unprotect_guarded_pages(false);
    san_unprotect_guarded_pages(true); /* a host function within an operation */
    assert_false(is_protected(first) || is_protected(second));
    san_protect_guarded_pages();
    assert_false(is_protected(first));
    san_protect_guarded_pages();
    assert_true(is_protected(first) && is_protected(second));
    unguard_both();
}

/* Guards that begin and end while the device works. */
static void test_changes_while_unguarded(void **state)
{
    const size_t page = mem_page_bytes();
    (void)state;
    guard_both();
    san_unprotect_guarded_pages(false);
    assert_true(san_guard_host_memory(address_of(second + page), page, SAN_MUST_NOT_TOUCH, &sink));
    san_unguard_host_memory(&second);
    san_unguard_host_memory(&first);
    assert_false(is_protected(first) || is_protected(second));
    san_protect_guarded_pages();
    assert_false(is_protected(first) || is_protected(second));
    assert_true(is_protected(second + page));
    san_unguard_host_memory(&sink);
    assert_false(is_protected(second + page));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touch_is_recorded),
        cmocka_unit_test(test_touch_beside_a_guard_is_none),
        cmocka_unit_test(test_guard_is_unprotected_when_touched),
        cmocka_unit_test(test_all_are_unprotected_at_once),
        cmocka_unit_test(test_changes_while_unguarded),
    };
    mem_set_fault_hook(san_guard_fault, san_protect_stepped_page);
    if (!mem_reserve_window(UINT64_C(16) << 20) || sigaction(SIGSEGV, NULL, &handler) != 0)
        return 1;
    return cmocka_run_group_tests(tests, set_up, NULL);
}
