/* Tests that the parser reports an allocation failure at any point, without leaking memory. Linked
 * with
 * --wrap for malloc, calloc, realloc and free (make/ptx.mk). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

static long fail_at = -1; /* index of the allocation that fails, counted from now; negative: none */
static long live_allocations; /* allocations that have not been freed */

static bool should_next_allocation_fail(void)
{
    return fail_at >= 0 && fail_at-- == 0;
}

void *__wrap_malloc(size_t size)
{
    void *p = should_next_allocation_fail() ? NULL : __real_malloc(size);
    live_allocations += p != NULL;
    return p;
}

void *__wrap_calloc(size_t n, size_t size)
{
    void *p = should_next_allocation_fail() ? NULL : __real_calloc(n, size);
    live_allocations += p != NULL;
    return p;
}

void *__wrap_realloc(void *old, size_t size)
{
    void *p = should_next_allocation_fail() ? NULL : __real_realloc(old, size);
    live_allocations += p && !old;
    return p;
}

void __wrap_free(void *p)
{
    live_allocations -= p != NULL;
    __real_free(p);
}

/* PTX text large enough to need more than one arena chunk and to make every list grow. */
static char *make_source(void)
{
    enum { ROOM = 1 << 18 };
    char *text = __real_malloc(ROOM), *at = text;
    assert_non_null(text);
    at += sprintf(at, ".version 9.0\n.target sm_90\n.file 1 \"a.cu\"\n.func f();\n"
                      ".global .u64 t[] = {f, 1, 2, 3, 4, 5, 6, 7, 8};\n.func f() { ret; }\n");
    for (int k = 0; k < 40; k++) {
        at += sprintf(at,
                      ".global .b32 g%d = %d;\n.entry k%d(.param .u64 a) {\n"
                      ".reg .b32 %%r<40>; .reg .pred p; .shared .b32 s%d[4];\n",
                      k, k, k, k);
        for (int i = 0; i < 30; i++) {
            at += sprintf(at, ".loc 1 %d %d\nadd.s32 %%r%d, %%r1, %d; @p bra L%d;\nL%d:\n", k, i, i,
                          i, i, i);
        }
        at += sprintf(at, "ret; }\n");
    }
    return text;
}

static void test_each_failing_allocation(void **state)
{
    (void)state;
    char *text = make_source();
    size_t len = strlen(text);
    long before = live_allocations, failures = 0;
    for (;; failures++) {
        ptx_error err;
        fail_at = failures;
        ptx_module *m = ptx_parse(text, len, &err);
        bool failed = fail_at < 0;
        fail_at = -1;
        if (m) {
            assert_false(failed);
            assert_int_equal(m->func_count, 41);
            ptx_free(m);
            assert_int_equal(live_allocations, before);
            break;
        }
        assert_int_equal(err.kind, PTX_ERR_MEMORY);
        assert_non_null(strstr(err.text, "out of memory"));
        assert_int_equal(live_allocations, before);
    }
    assert_true(failures > 10);
    __real_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
