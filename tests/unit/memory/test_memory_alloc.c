/* Tests device memory: allocation, snapshots, messages, footprints, and host code that dereferences
 * a device pointer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/memory/memory.h"
#include "emulator/memory/state.h"
#include "emulator/memory/touch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "places.h"

#define GB (UINT64_C(1) << 30)

static int reserve_device_memory(void **state)
{
    (void)state;
    return mem_reserve_window(141 * GB) ? 0 : -1;
}

static void allocations_are_apart_and_aligned(void **state)
{
    (void)state;
    uint64_t a = mem_alloc(1, 1, MEM_DEVICE, NULL), b = mem_alloc(1000, 4096, MEM_DEVICE, NULL);
    assert_true(a != 0 && b != 0);
    assert_int_equal(a % 256, 0);
    assert_int_equal(b % 4096, 0);
    assert_true(b >= a + 1 + 256 || a >= b + 1000 + 256);
    assert_true(mem_in_window(a));
    assert_non_null(mem_host_pointer(a, 1));
    assert_null(mem_host_pointer(a, 2));
    assert_null(mem_host_pointer(b + 1000, 1));
    memset(mem_host_pointer(b, 1000), 7, 1000);
    assert_true(mem_free_range(a));
    assert_false(mem_free_range(a));
    assert_false(mem_free_range(b + 1));
    assert_true(mem_free_range(b));
}

static void first_gap_is_used_again(void **state)
{
    (void)state;
    uint64_t p[16];
    for (int i = 0; i < 16; i++)
        p[i] = mem_alloc(10000, 256, MEM_DEVICE, NULL);
    mem_free_range(p[3]);
    mem_free_range(p[9]);
    assert_int_equal(mem_alloc(5000, 256, MEM_DEVICE, NULL), p[3]);
    assert_int_equal(mem_alloc(10000, 256, MEM_DEVICE, NULL), p[9]);
    assert_true(mem_alloc(10000, 256, MEM_DEVICE, NULL) > p[15]);
    uint64_t free_bytes, total;
    mem_free_and_total(&free_bytes, &total);
    assert_int_equal(total, 141 * GB);
    assert_int_equal(mem_alloc(free_bytes + 256, 256, MEM_DEVICE, NULL), 0);
}

static void many_allocations_never_overlap(void **state)
{
    (void)state;
    enum { N = 400 };
    struct {
        uint64_t at, size;
    } live[N] = {0};
    uint32_t seed = 12345;
    for (int step = 0; step < 20000; step++) {
        seed = seed * 1664525 + 1013904223;
        unsigned k = seed >> 8 & 0xffff;
        unsigned i = k % N;
        if (live[i].at) {
            assert_true(mem_free_range(live[i].at));
            live[i].at = 0;
        } else {
            live[i].size = 1 + (seed >> 12) % 30000;
            live[i].at = mem_alloc(live[i].size, UINT64_C(256) << (k % 5), MEM_DEVICE, NULL);
            assert_true(live[i].at != 0);
        }
    }
    const mem_map *map = mem_take_snapshot();
    for (uint32_t i = 1; i < map->count; i++)
        assert_true(map->range[i - 1].base + map->range[i - 1].size + 256 <= map->range[i].base);
    for (int i = 0; i < N; i++) {
        if (live[i].at) {
            const mem_range *r = mem_find_in_snapshot(map, live[i].at + live[i].size - 1);
            assert_non_null(r);
            assert_int_equal(r->base, live[i].at);
            assert_null(mem_find_in_snapshot(map, live[i].at + live[i].size));
            mem_free_range(live[i].at);
            assert_ptr_equal(mem_find_in_snapshot(map, live[i].at),
                             r); /* a snapshot does not change */
        }
    }
    mem_release_snapshot(map);
}

static uint64_t resident_kb(void)
{
    unsigned long long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%llu %llu", &size, &resident), 2);
    fclose(f);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static void resident_memory_grows_when_touched(void **state)
{
    (void)state;
    uint64_t before = resident_kb();
    uint64_t p = mem_alloc(64 * GB, 256, MEM_DEVICE, NULL);
    assert_true(p != 0);
    memset(mem_host_pointer(p + 32 * GB, 1 << 20), 1, 1 << 20);
    assert_true(resident_kb() - before < 16 * 1024);
    mem_free_range(p);
    uint64_t q = mem_alloc(32 << 20, 256, MEM_DEVICE, NULL);
    memset(mem_host_pointer(q, 32 << 20), 1, 32 << 20);
    uint64_t full = resident_kb();
    mem_free_range(q);
    assert_true(resident_kb() + 24 * 1024 < full);
}

static void host_memory_can_be_adopted(void **state)
{
    (void)state;
    int x[4];
    assert_true(mem_add_host_range(x, sizeof x, MEM_PINNED));
    assert_false(mem_add_host_range(x + 1, 4, MEM_PINNED));
    assert_ptr_equal(mem_host_pointer((uintptr_t)&x[3], 4), &x[3]);
    assert_false(mem_in_window((uintptr_t)x));
    const mem_map *map = mem_take_snapshot();
    assert_int_equal(mem_find_in_snapshot(map, (uintptr_t)x)->kind, MEM_PINNED);
    mem_release_snapshot(map);
    assert_true(mem_free_range((uintptr_t)x));
    assert_null(mem_host_pointer((uintptr_t)x, 4));
}

static void sentences_name_the_allocation(void **state)
{
    (void)state;
    char text[400], want[400];
    uint64_t p = mem_alloc(132, 256, MEM_DEVICE, NULL);
    mem_range r;
    assert_true(mem_find_range(p, &r));
    unsigned long long base = p;
    const char *th = r.serial % 10 == 1 && r.serial % 100 != 11   ? "st"
                     : r.serial % 10 == 2 && r.serial % 100 != 12 ? "nd"
                     : r.serial % 10 == 3 && r.serial % 100 != 13 ? "rd"
                                                                  : "th";
    snprintf(want, sizeof want,
             "4 bytes past the end of the 132 bytes that the %u%s cudaMalloc returned (0x%llx)",
             r.serial, th, base);
    assert_string_equal(mem_describe(p + 136, 4, text, sizeof text), want);
    snprintf(want, sizeof want,
             "8 bytes before the 132 bytes that the %u%s cudaMalloc returned (0x%llx)", r.serial,
             th, base);
    assert_string_equal(mem_describe(p - 8, 4, text, sizeof text), want);
    snprintf(want, sizeof want,
             "its last 4 bytes lie past the end of the 132 bytes that the %u%s cudaMalloc "
             "returned (0x%llx)",
             r.serial, th, base);
    assert_string_equal(mem_describe(p + 128, 8, text, sizeof text), want);
    mem_free_range(p);
    assert_non_null(strstr(mem_describe(p + 4, 4, text, sizeof text), "freed before"));
    uint64_t big = mem_alloc(1 << 20, 256, MEM_DEVICE, NULL);
    mem_free_range(big);
    uint64_t small = mem_alloc(64, 256, MEM_DEVICE, NULL); /* reuses the freed range */
    assert_non_null(strstr(mem_describe(big + (1 << 19), 4, text, sizeof text), "freed before"));
    assert_non_null(strstr(mem_describe(small + 64, 4, text, sizeof text), "0 bytes past"));
    mem_free_range(small);
    assert_string_equal(mem_describe(0, 4, text, sizeof text), "a null pointer");
    int x;
    assert_non_null(strstr(mem_describe((uintptr_t)&x, 4, text, sizeof text), "a host address"));
    /* An address outside all memory, as from an index that was never set. */
    assert_non_null(strstr(mem_describe(0x7fc0fe9cbe8dd2dc, 4, text, sizeof text),
                           "an address that is no device memory"));
    uint64_t v = mem_alloc(16, 256, MEM_CONSTANT, "table");
    snprintf(want, sizeof want,
             "0 bytes past the end of the 16 bytes of the __constant__ variable "
             "table (0x%llx)",
             (unsigned long long)v);
    assert_string_equal(mem_describe(v + 16, 4, text, sizeof text), want);
    mem_free_range(v);
}

static void footprint_counts_each_sector_once(void **state)
{
    (void)state;
    mem_traffic t;
    mem_pending_touches touches;
    assert_true(mem_begin_marks(&touches));
    mem_take_footprint(&t);
    uint64_t p = mem_alloc(1 << 20, 4096, MEM_DEVICE, NULL);
    for (int twice = 0; twice < 2; twice++)
        for (uint32_t i = 0; i < 64; i += 4)
            mem_mark_sectors(&touches, MEM_READ, p + i * 32, 0xf);
    mem_mark_sectors(&touches, MEM_WRITE, p + 62 * 32, 0xffffffff);
    mem_mark_sectors(&touches, MEM_WRITE, p + 200 * 32, 1);
    mem_mark_sectors(&touches, MEM_READ, (uintptr_t)&t, 1); /* host memory is not counted */
    mem_flush_marks(&touches); /* as a launch that waits for others does */
    mem_take_footprint(&t);
    assert_int_equal(t.read_bytes, 64 * 32);
    assert_int_equal(t.write_bytes, 33 * 32);
    assert_int_equal(t.read_pairs, 32);
    assert_int_equal(t.write_pairs, 17);
    assert_int_equal(t.line_bytes, (16 + 8 + 1) * 128);
    mem_take_footprint(&t);
    assert_int_equal(t.read_bytes + t.write_bytes + t.read_pairs + t.write_pairs + t.line_bytes, 0);
    mem_mark_sectors(&touches, MEM_READ, p, 1);
    mem_end_marks(&touches);
    mem_take_footprint(&t);
    assert_int_equal(t.read_bytes, 32);
    mem_free_range(p);
}

/* Many lines at once are marked as one by one, also those outside of device memory; and by two host
 * threads as by one. */
static void lines_are_marked_as_one_by_one(void **state)
{
    (void)state;
    enum { LINES = 32, REQUESTS = 50, ONE_BY_ONE = 0, BY_TWO = 2, WAYS = 3 };
    const uint64_t p = mem_alloc(100 << 20, 4096, MEM_DEVICE, NULL);
    for (int scarce = 0; scarce < 2; scarce++) {
        mem_traffic marked[WAYS];
        for (int way = 0; way < WAYS; way++) {
            mem_pending_touches thread[2];
            assert_true(mem_begin_marks(&thread[0]) && mem_begin_marks(&thread[1]));
            assert_ptr_not_equal(thread[0].set, thread[1].set);
            uint32_t random = 1;
            mem_is_scarce = scarce;
            for (int request = 0; request < REQUESTS; request++) {
                mem_pending_touches *t = &thread[way == BY_TWO ? request / 2 % 2 : 0];
                const mem_access how = (mem_access)(request % MEM_ACCESSES),
                                 also = request / 3 % 2 ? MEM_READ : how;
                const uint32_t near = request % 5 ? 2000 : 100 << 13; /* lines apart */
                uint64_t line[LINES];
                uint8_t sectors[LINES];
                for (uint32_t k = 0; k < LINES; k++) {
                    random = random * 1664525 + 1013904223;
                    const bool beyond =
                        k == 7 && request % 4 == 0; /* the window of device memory */
                    line[k] = beyond ? (uintptr_t)&random / 128 : p / 128 + (random >> 8) % near;
                    sectors[k] = random >> 28;
                    if (way != ONE_BY_ONE)
                        continue;
                    mem_touch_line(t, how, line[k] * 128, sectors[k]);
                    mem_touch_line(t, also, line[k] * 128, sectors[k]);
                }
                if (way != ONE_BY_ONE)
                    mem_touch_lines(t, how, also, LINES, line, sectors);
            }
            mem_is_scarce = false;
            mem_end_marks(&thread[0]);
            mem_end_marks(&thread[1]);
            mem_take_footprint(&marked[way]);
            marked[way].found_bytes = marked[way].found_side_bytes = 0; /* of the way before */
            assert_memory_equal(&marked[way], &marked[ONE_BY_ONE], sizeof marked[way]);
        }
        assert_true(marked[BY_TWO].read_bytes > 0 && marked[BY_TWO].blind_bytes > 0);
    }
    mem_traffic rest;
    mem_take_footprint(&rest);
    assert_int_equal(rest.read_bytes + rest.write_bytes + rest.line_bytes, 0);
    mem_free_range(p);
}

/* Fewer threads mark sectors where a limit leaves no addresses for all. */
static void threads_are_as_many_as_have_bitmaps(void **state)
{
    (void)state;
    enum { MANY = 1 << 20 };
    struct rlimit before, now;
    mem_pending_touches first;
    assert_int_equal(mem_prepare_marks(3), 3);
    assert_true(mem_begin_marks(&first));
    getrlimit(RLIMIT_AS, &before);
    now = before;
    now.rlim_cur = 1 << 20; /* less than the process has */
    setrlimit(RLIMIT_AS, &now);
    const uint32_t count = mem_prepare_marks(MANY);
    setrlimit(RLIMIT_AS, &before);
    assert_true(count >= 2 && count < MANY);
    assert_int_equal(mem_prepare_marks(count + 1), count + 1);
    mem_end_marks(&first);
}

static void read_device_bytes(uint64_t p)
{
    mem_traffic t;
    mem_pending_touches touches;
    assert_true(mem_begin_marks(&touches));
    mem_mark_sectors(&touches, MEM_READ, p, 1);
    mem_end_marks(&touches);
    mem_take_footprint(&t);
}

enum { MEGABYTE = 1 << 20 };

/* What a launch finds in L2 that touches the COUNT megabytes from P on, streamed or not. */
static uint64_t found_of_launch(uint64_t p, uint64_t count, bool streamed)
{
    mem_traffic t;
    mem_pending_touches touches;
    assert_true(mem_begin_marks(&touches));
    for (uint64_t at = p; at < p + count * MEGABYTE; at += 32 * 32) {
        mem_mark_sectors(&touches, MEM_READ, at, UINT32_MAX);
        if (streamed)
            mem_mark_sectors(&touches, MEM_STREAM, at, UINT32_MAX);
    }
    mem_end_marks(&touches);
    mem_take_footprint(&t);
    assert_int_equal(t.line_bytes, count * MEGABYTE);
    return t.found_bytes / MEGABYTE;
}

/* Of an L2 in which 6 MB are safe and which has 10: a launch finds its own data, not that of
 * others; streamed data displaces none but streamed data; what was freed is gone. */
static void launches_find_what_l2_still_holds(void **state)
{
    (void)state;
    mem_set_cache(6 * MEGABYTE, 10 * MEGABYTE);
    const uint64_t p = mem_alloc(64 * MEGABYTE, MEGABYTE, MEM_DEVICE, NULL);
    const uint64_t other = p + 32 * MEGABYTE;
    assert_int_equal(found_of_launch(p, 4, false), 0);
    assert_int_equal(found_of_launch(other, 2, false), 0);
    assert_int_equal(found_of_launch(p, 4, false), 4);
    assert_int_equal(found_of_launch(p, 8, false), 4);
    assert_int_equal(found_of_launch(p, 8, false), 4); /* 8 bytes after: half of them */
    assert_int_equal(found_of_launch(p, 12, false), 4);
    assert_int_equal(found_of_launch(p, 12, false), 0);

    assert_int_equal(found_of_launch(p, 4, false), 0);
    assert_int_equal(found_of_launch(other, 20, true), 0);
    assert_int_equal(found_of_launch(p, 4, false), 4);
    assert_int_equal(found_of_launch(other, 2, true), 0);
    assert_int_equal(found_of_launch(other, 2, true), 2);
    assert_int_equal(found_of_launch(other, 20, false), 2);
    assert_int_equal(found_of_launch(p, 4, false), 0);
    mem_free_range(p);
    const uint64_t again = mem_alloc(64 * MEGABYTE, MEGABYTE, MEM_DEVICE, NULL);
    assert_int_equal(again, p);
    assert_int_equal(found_of_launch(again, 4, false), 0);
    mem_free_range(again);
}

/* Freeing an allocation removes its data from caches and TLBs, but no other data. */
static void freed_memory_is_not_recently_used(void **state)
{
    (void)state;
    const uint64_t MB = 1 << 20, whole = 64 * MB;
    const uint64_t kept = mem_alloc(3 * MB, 4096, MEM_DEVICE, NULL);
    const uint64_t p = mem_alloc(whole, 32 * MB, MEM_DEVICE, NULL);
    assert_false(mem_ever_used(p, 32 * MB) || mem_recently_used(p, GB));
    read_device_bytes(p + 5 * MB);
    assert_true(mem_ever_used(p, 32 * MB));
    assert_true(mem_ever_used(p + 31 * MB, 32 * MB));
    assert_false(mem_ever_used(p + 32 * MB, 32 * MB));
    assert_true(mem_recently_used(p + 5 * MB, GB));
    assert_false(mem_recently_used(p + 6 * MB, GB));
    read_device_bytes(kept + MB);
    mem_free_range(p);
    assert_true(mem_recently_used(kept + MB, GB));
    const uint64_t again = mem_alloc(whole, 32 * MB, MEM_DEVICE, NULL);
    assert_int_equal(again, p);
    assert_false(mem_ever_used(again, 32 * MB) || mem_recently_used(again + 5 * MB, GB));
    assert_true(mem_ever_used((uintptr_t)&p, 32 * MB)); /* host memory */
    mem_free_range(again);
    mem_free_range(kept);
}

/* Run BODY in a child process, and store its stderr in TEXT; returns the wait status. */
static int run_in_child(void (*body)(void), char *text, size_t size)
{
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fd[1], STDERR_FILENO);
        close(fd[0]);
        close(fd[1]);
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        body();
        _exit(0);
    }
    close(fd[1]);
    size_t used = 0;
    ssize_t n;
    while (used + 1 < size && (n = read(fd[0], text + used, size - 1 - used)) > 0)
        used += (size_t)n;
    text[used] = 0;
    close(fd[0]);
    int status;
    waitpid(pid, &status, 0);
    return status;
}

static uint64_t freed_address; /* device address that the child process dereferences */

/* cmocka installs its own signal handler while a test runs. */
static void reserve_window_with_handler(void (*handler)(int))
{
    signal(SIGSEGV, handler);
    if (!mem_reserve_window(GB) || !(freed_address = mem_alloc(400, 256, MEM_DEVICE, NULL)))
        _exit(1);
}

static void dereference_device_pointer(void)
{
    reserve_window_with_handler(SIG_DFL);
    *(volatile int *)(uintptr_t)(freed_address + 8) = 1;
}

static void dereference_host_pointer(void)
{
    reserve_window_with_handler(SIG_DFL);
    volatile uintptr_t nothing = 8;
    *(volatile int *)nothing = 1;
}

static void program_signal_handler(int sig)
{
    (void)sig;
    _exit(42);
}

static void message_names_the_dereferenced_allocation(void **state)
{
    (void)state;
    skip_if(under_emulated_processor()); /* the emulated processor prints its own line about the
                                            signal */
    char text[2000];
    int status = run_in_child(dereference_device_pointer, text, sizeof text);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
    assert_non_null(strstr(text, "is byte 8 of the 400 bytes that the 1st cudaMalloc returned"));
    assert_non_null(strstr(text, "cudaMemcpy"));
    status = run_in_child(dereference_host_pointer, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    assert_string_equal(text, "");
}

static void access_freed_memory_with_own_handler(void)
{
    reserve_window_with_handler(program_signal_handler);
    *(volatile int *)(uintptr_t)freed_address = 1;
}

static void earlier_handler_is_called(void **state)
{
    (void)state;
    char text[2000];
    int status = run_in_child(access_freed_memory_with_own_handler, text, sizeof text);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    assert_non_null(strstr(text, "device memory directly"));
}

static void reserve_window_under_limit(void)
{
    /* Limit the address space to 1 GB more than is mapped now, because sanitizers map terabytes. */
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%llu", &pages) != 1)
        _exit(4);
    fclose(f);
    const rlim_t most = pages * (uint64_t)sysconf(_SC_PAGESIZE) + GB;
    struct rlimit limit = {most, most};
    setrlimit(RLIMIT_AS, &limit);
    uint64_t free_bytes = 0, total = 0;
    if (!mem_reserve_window(141 * GB))
        _exit(2);
    mem_free_and_total(&free_bytes, &total);
    uint64_t p = mem_alloc(1 << 20, 256, MEM_DEVICE, NULL);
    if (!p || total >= GB || mem_alloc(2 * GB, 256, MEM_DEVICE, NULL))
        _exit(3);
    memset(mem_host_pointer(p, 1 << 20), 1, 1 << 20);
}

/* What `ulimit -d` still allows is all that the device may have. */
static void set_limit_under_data_limit(void)
{
    char line[200];
    unsigned long long used = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && !used && fgets(line, sizeof line, f))
        sscanf(line, "VmData: %llu", &used);
    if (!f || !used)
        _exit(4);
    fclose(f);
    const rlim_t most = used * 1024 + GB / 4;
    struct rlimit limit = {most, most};
    setrlimit(RLIMIT_DATA, &limit);
    mem_set_limit(0);
    const uint64_t allowed = mem_get_limit();
    _exit(allowed <= GB / 4 && allowed > GB / 8 ? 0 : 3);
}

static void a_limit_of_data_is_a_limit_of_the_device(void **state)
{
    (void)state;
    skip_if(under_emulated_processor()); /* the emulated processor ignores the limit */
    char text[2000];
    int status = run_in_child(set_limit_under_data_limit, text, sizeof text);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_limit_makes_the_device_smaller(void **state)
{
    (void)state;
    skip_if(under_emulated_processor()); /* the emulated processor ignores the limit */
    char text[2000];
    int status = run_in_child(reserve_window_under_limit, text, sizeof text);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define MB (UINT64_C(1) << 20)

static uint64_t fake_free_bytes; /* free host memory that the emulator is made to see */
static unsigned query_count;     /* how often the emulator has asked for the free host memory */

static uint64_t return_fake_free_bytes(void)
{
    query_count++;
    return fake_free_bytes;
}

/* The emulator asks for the host's free memory when the process has grown by 64 MB, or at every
 * tenth check. A kernel stops if less than 192 MB are left, until the next launch. */
static void a_host_almost_out_of_memory_stops_kernels(void **state)
{
    (void)state;
    char text[400];
    fake_free_bytes = 192 * MB;
    mem_start_simulated_host_watch(1024 * MB, return_fake_free_bytes);
    assert_int_equal(query_count, 1);
    for (int look = 0; look < 10; look++)
        mem_start_simulated_host_watch(1088 * MB, return_fake_free_bytes);
    assert_int_equal(query_count, 2);
    mem_start_simulated_host_watch(1300 * MB, return_fake_free_bytes);
    assert_int_equal(query_count, 3);
    assert_false(mem_must_stop());
    fake_free_bytes = 192 * MB - 1;
    mem_start_simulated_host_watch(1364 * MB, return_fake_free_bytes);
    assert_false(mem_must_stop());
    mem_start_simulated_host_watch(1365 * MB, return_fake_free_bytes);
    assert_int_equal(query_count, 4);
    assert_true(mem_must_stop());
    assert_non_null(strstr(mem_limit_text(text, sizeof text), "less than 192 MB"));
    mem_clear_stop_request();
    assert_false(mem_must_stop());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* Must run before the window is reserved in this process. */
        cmocka_unit_test(earlier_handler_is_called),
        cmocka_unit_test(message_names_the_dereferenced_allocation),
        cmocka_unit_test(a_limit_makes_the_device_smaller),
        cmocka_unit_test(a_limit_of_data_is_a_limit_of_the_device),
        cmocka_unit_test_setup(allocations_are_apart_and_aligned, reserve_device_memory),
        cmocka_unit_test(first_gap_is_used_again),
        cmocka_unit_test(many_allocations_never_overlap),
        cmocka_unit_test(resident_memory_grows_when_touched),
        cmocka_unit_test(host_memory_can_be_adopted),
        cmocka_unit_test(a_host_almost_out_of_memory_stops_kernels),
        cmocka_unit_test(sentences_name_the_allocation),
        cmocka_unit_test(footprint_counts_each_sector_once),
        cmocka_unit_test(lines_are_marked_as_one_by_one),
        cmocka_unit_test(threads_are_as_many_as_have_bitmaps),
        cmocka_unit_test(launches_find_what_l2_still_holds),
        cmocka_unit_test(freed_memory_is_not_recently_used),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
