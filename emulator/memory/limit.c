/* Limits how much memory a program may touch. An allocation uses no pages: the operating system
 * provides a page when it is first touched, and kills the process when no pages are left. Therefore
 * this file counts pages: the resident ones of device, managed and local memory, and all of pinned
 * memory. They are counted only if the allocations exceed the limit, and only if the whole process
 * is that large; other programs have no overhead. */
#include "state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MB (UINT64_C(1) << 20)
/* One part in MARGIN_DIVISOR of the available host memory is left to the program and others. */
#define MARGIN_DIVISOR 16u /* the limit is 15/16 of the available host memory */
/* A kernel is stopped when the host has less available memory than MIN_HOST_BYTES. */
#define MIN_HOST_BYTES (192 * MB)
/* How much memory the host has is checked again when the process has grown by CHECK_GROWTH_BYTES
 * bytes, or after CALLS_PER_CHECK calls. */
#define CHECK_GROWTH_BYTES (64 * MB)
#define CALLS_PER_CHECK    10 /* maximum number of calls of mem_start_host_watch per check */

/* Host memory that holds local memory of threads. */
typedef struct local_memory_range {
    uint64_t at;                     /* host address of the memory */
    uint64_t bytes;                  /* size of the memory in bytes */
    struct local_memory_range *next; /* next in the list of such memory */
} local_memory_range;

static struct {
    pthread_mutex_t lock;             /* guards all other fields */
    uint64_t limit;                   /* maximum number of bytes that may be touched */
    local_memory_range *local_memory; /* list of the local memory of threads */
    uint64_t local_bytes;             /* total size of the local memory of threads in bytes */
    uint64_t working_bytes;           /* registers and shared memory of running launches, bytes */
    uint64_t next_check_size;  /* size of the process at which its pages are counted again, bytes */
    bool exceeded;             /* the limit has been exceeded */
    bool is_host_memory_short; /* the host is almost out of memory */
} limit_state = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = UINT64_MAX};

bool mem_is_scarce; /* memory may run short, so kernels must check whether to stop */

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- what the host can provide ---------------------------------------------------------------- */

/* The number at the beginning of a file; UINT64_MAX if the file has no number ("max"). */
static uint64_t read_number_file(const char *path)
{
    unsigned long long n;
    FILE *f = fopen(path, "re");
    const bool good = f && fscanf(f, "%llu", &n) == 1;
    if (f)
        fclose(f);
    return good ? n : UINT64_MAX;
}

/* The value in the row NAME of a file of names and numbers, times UNIT; UINT64_MAX: none. */
static uint64_t read_number_row(const char *path, const char *name, uint64_t unit)
{
    char line[256];
    unsigned long long n = 0;
    bool found = false;
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f))
        found = !strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), "%llu", &n) == 1;
    if (f)
        fclose(f);
    return found ? n * unit : UINT64_MAX;
}

static uint64_t remaining_bytes(uint64_t most, uint64_t used)
{
    return most == UINT64_MAX || used == UINT64_MAX ? UINT64_MAX : most > used ? most - used : 0;
}

/* Bytes that a control group, for instance of a container, still allows (cgroup v2 memory.max; v1
 * memory.limit_in_bytes). Cached file pages count as available. */
static uint64_t cgroup_remaining_bytes(const char *limit, const char *used, const char *stat,
                                       const char *cached)
{
    const uint64_t most = read_number_file(limit), now = read_number_file(used);
    if (most >= UINT64_MAX / 2 || now == UINT64_MAX)
        return UINT64_MAX;
    const uint64_t cache = read_number_row(stat, cached, 1);
    return remaining_bytes(most, cache == UINT64_MAX || cache > now ? now : now - cache);
}

/* Bytes that `ulimit -d` still allows. `ulimit -v` is not queried, because it already limits the
 * size of the device window (mem_reserve_window). */
static uint64_t data_limit_remaining(void)
{
    struct rlimit data;
    if (getrlimit(RLIMIT_DATA, &data) || data.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return remaining_bytes(data.rlim_cur, read_number_row("/proc/self/status", "VmData:", 1024));
}

/* Bytes that the system can still commit if it does not overcommit (vm.overcommit_memory 2). */
static uint64_t commit_remaining_bytes(void)
{
    return read_number_file("/proc/sys/vm/overcommit_memory") == 2
               ? remaining_bytes(read_number_row("/proc/meminfo", "CommitLimit:", 1024),
                                 read_number_row("/proc/meminfo", "Committed_AS:", 1024))
               : UINT64_MAX;
}

/* Bytes of memory that the host can provide to this process now; UINT64_MAX if unknown. */
static uint64_t host_available(void)
{
    uint64_t gives = read_number_row("/proc/meminfo", "MemAvailable:", 1024);
    gives = min_u64(gives, cgroup_remaining_bytes("/sys/fs/cgroup/memory.max",
                                                  "/sys/fs/cgroup/memory.current",
                                                  "/sys/fs/cgroup/memory.stat", "inactive_file "));
    return min_u64(gives, cgroup_remaining_bytes("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                                 "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                                                 "/sys/fs/cgroup/memory/memory.stat",
                                                 "total_inactive_file "));
}

void mem_set_limit(uint64_t bytes)
{
    const uint64_t gives =
        min_u64(host_available(), min_u64(data_limit_remaining(), commit_remaining_bytes()));
    const uint64_t usual = gives == UINT64_MAX ? UINT64_MAX : gives - gives / MARGIN_DIVISOR;
    __atomic_store_n(&limit_state.limit, bytes ? bytes : usual, __ATOMIC_RELAXED);
    mem_update_scarce();
}

uint64_t mem_get_limit(void)
{
    return __atomic_load_n(&limit_state.limit, __ATOMIC_RELAXED);
}

/* --- counting --------------------------------------------------------------------------------- */

/* Do the allocations exceed the limit of memory that may be touched? */
static bool allocations_exceed_limit(void)
{
    const uint64_t owned = __atomic_load_n(&mem_state_shared.extent, __ATOMIC_RELAXED) +
                           __atomic_load_n(&mem_state_shared.adopted, __ATOMIC_RELAXED) +
                           __atomic_load_n(&limit_state.local_bytes, __ATOMIC_RELAXED) +
                           __atomic_load_n(&limit_state.working_bytes, __ATOMIC_RELAXED);
    return owned > mem_get_limit();
}

void mem_update_scarce(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* if two threads allocate at the same time, at least
                                                one of them sees both sizes */
    if (allocations_exceed_limit())
        __atomic_store_n(&mem_is_scarce, true, __ATOMIC_RELAXED);
}

void mem_count_local_memory(const void *at, uint64_t bytes)
{
    local_memory_range *p = bytes < MB ? NULL : malloc(sizeof *p);
    if (p) {
        pthread_mutex_lock(&limit_state.lock);
        *p = (local_memory_range){(uintptr_t)at, bytes, limit_state.local_memory};
        limit_state.local_memory = p;
        __atomic_store_n(&limit_state.local_bytes, limit_state.local_bytes + bytes,
                         __ATOMIC_RELAXED);
        pthread_mutex_unlock(&limit_state.lock);
        mem_update_scarce();
    }
}

void mem_uncount_local_memory(const void *at)
{
    pthread_mutex_lock(&limit_state.lock);
    local_memory_range **p = &limit_state.local_memory;
    while (*p && (*p)->at != (uintptr_t)at)
        p = &(*p)->next;
    local_memory_range *found = *p;
    if (found) {
        *p = found->next;
        __atomic_store_n(&limit_state.local_bytes, limit_state.local_bytes - found->bytes,
                         __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&limit_state.lock);
    free(found);
}

void mem_count_working_memory(int64_t bytes)
{
    __atomic_fetch_add(&limit_state.working_bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
    if (bytes > 0)
        mem_update_scarce();
}

uint64_t mem_page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Resident bytes of the process (proc(5), statm); UINT64_MAX if unknown. */
static uint64_t process_bytes(void)
{
    char text[128];
    unsigned long long all, there;
    const int f = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t n = f < 0 ? -1 : read(f, text, sizeof text - 1);
    if (f >= 0)
        close(f);
    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "%llu %llu", &all, &there) == 2 ? there * mem_page_bytes() : UINT64_MAX;
}

/* Bytes of the resident pages of [AT, AT + BYTES). Includes pages that have only been read,
 * although such pages use no memory. */
static uint64_t resident_page_bytes(uint64_t at, uint64_t bytes)
{
    unsigned char there[4096]; /* residency of some pages; small, because the stack of the calling
                                  thread may be small */
    const uint64_t page = mem_page_bytes(), end = at + bytes;
    uint64_t count = 0;
    for (at = at / page * page; at < end; at += sizeof there * page) {
        const uint64_t pages = min_u64((end - at + page - 1) / page, sizeof there);
        if (mincore((void *)(uintptr_t)at, pages * page, there) != 0) {
            count += pages;
            continue;
        }
        for (uint64_t k = 0; k < pages; k++)
            count += there[k] & 1;
    }
    return count * page;
}

/* Total bytes of memory that have been touched and count towards the limit. PROCESS is the resident
 * size of the process in bytes. */
static uint64_t resident_bytes_of(uint64_t process)
{
    uint64_t pinned = 0, pinned_there = 0, touched = 0;
    pthread_mutex_lock(&mem_state_shared.lock);
    if (mem_state_shared.extent) {
        touched = resident_page_bytes(mem_state_shared.base + (uint64_t)mem_state_shared.delta,
                                      mem_state_shared.extent);
    }
    for (size_t k = 0; k < mem_state_shared.live.count; k++) {
        const mem_range *r = &mem_state_shared.live.range[k];
        const bool counts = r->kind == MEM_PINNED || r->kind == MEM_MANAGED;
        const uint64_t there = counts ? resident_page_bytes(r->base, r->size) : 0;
        touched += r->kind == MEM_MANAGED ? there : 0;
        pinned += r->kind == MEM_PINNED ? r->size : 0;
        pinned_there += r->kind == MEM_PINNED ? there : 0;
    }
    pthread_mutex_unlock(&mem_state_shared.lock);
    pthread_mutex_lock(&limit_state.lock);
    for (const local_memory_range *p = limit_state.local_memory; p; p = p->next)
        touched += resident_page_bytes(p->at, p->bytes);
    pthread_mutex_unlock(&limit_state.lock);
    touched += __atomic_load_n(&limit_state.working_bytes, __ATOMIC_RELAXED);
    /* Pages only read do not count in the process's size: PROCESS is an upper bound. */
    return min_u64(touched, remaining_bytes(process, pinned_there)) + pinned;
}

/* Would touching BYTES more bytes exceed the limit of memory that may be touched? */
static bool would_exceed_limit(uint64_t bytes)
{
    const uint64_t limit = mem_get_limit(), process = process_bytes();
    const uint64_t adopted = __atomic_load_n(&mem_state_shared.adopted, __ATOMIC_RELAXED);
    if (process != UINT64_MAX && process + adopted + bytes <= limit)
        return false; /* `process + adopted` counts pinned pages twice, so it is an upper bound */
    const uint64_t touched = resident_bytes_of(process);
    const uint64_t left = remaining_bytes(limit, touched);
    __atomic_store_n(&limit_state.next_check_size, process + left / 2 + MB, __ATOMIC_RELAXED);
    return touched > limit || bytes > left;
}

bool mem_touched_too_much(void)
{
    return allocations_exceed_limit() && would_exceed_limit(0);
}

bool mem_may_write_within_limit(uint64_t address, uint64_t bytes, uint64_t most)
{
    mem_range r;
    if (!allocations_exceed_limit() || !bytes || !mem_find_range(address, &r) ||
        r.kind == MEM_PINNED || r.kind == MEM_REGISTERED)
        return true;
    const uint64_t missing =
        bytes - min_u64(bytes, resident_page_bytes(address + (uint64_t)r.delta, bytes));
    return !would_exceed_limit(min_u64(missing, most));
}

bool mem_has_room_for_pinned(uint64_t bytes)
{
    return bytes <= mem_get_limit() && !would_exceed_limit(bytes);
}

/* --- stopping --------------------------------------------------------------------------------- */

bool mem_must_stop_if_scarce(void)
{
    if (!__atomic_load_n(&limit_state.exceeded, __ATOMIC_RELAXED) && allocations_exceed_limit() &&
        process_bytes() >= __atomic_load_n(&limit_state.next_check_size, __ATOMIC_RELAXED) &&
        would_exceed_limit(0))
        __atomic_store_n(&limit_state.exceeded, true, __ATOMIC_RELAXED);
    return __atomic_load_n(&limit_state.exceeded, __ATOMIC_RELAXED);
}

void mem_start_simulated_host_watch(uint64_t now, uint64_t (*gives)(void))
{
    static uint64_t seen, looks;
    if (now <= seen + CHECK_GROWTH_BYTES && ++looks % CALLS_PER_CHECK)
        return;
    seen = now;
    if (gives() < MIN_HOST_BYTES) {
        __atomic_store_n(&mem_is_scarce, true, __ATOMIC_RELAXED);
        __atomic_store_n(&limit_state.is_host_memory_short, true, __ATOMIC_RELAXED);
        __atomic_store_n(&limit_state.exceeded, true, __ATOMIC_RELAXED);
    }
}

void mem_start_host_watch(void)
{
    mem_start_simulated_host_watch(process_bytes(), host_available);
}

void mem_clear_stop_request(void)
{
    __atomic_store_n(&limit_state.exceeded, false, __ATOMIC_RELAXED);
    __atomic_store_n(&limit_state.is_host_memory_short, false, __ATOMIC_RELAXED);
    __atomic_store_n(&limit_state.next_check_size, 0, __ATOMIC_RELAXED);
}

const char *mem_limit_text(char *buf, size_t size)
{
    if (__atomic_load_n(&limit_state.is_host_memory_short, __ATOMIC_RELAXED)) {
        snprintf(buf, size,
                 "The host has less than %llu MB of memory left. "
                 "Use smaller problem sizes, or end other programs.",
                 (unsigned long long)(MIN_HOST_BYTES / MB));
        return buf;
    }
    snprintf(buf, size,
             "The program uses more than the limit of %llu MB of device, managed, local and pinned "
             "memory (WARPBOOK_MEMORY, or what the host can provide). Use smaller problem sizes, "
             "free unused memory, or set WARPBOOK_MEMORY to a larger limit.",
             (unsigned long long)(mem_get_limit() / MB));
    return buf;
}
