/* How much device memory may be touched. Allocating costs nothing; pages appear where they are
 * touched, and a host that has no more of them kills the process. So what is touched is counted, by
 * chunks, and held against what the host can give. A chunk counts as a whole until that would be
 * too much; then the kernel is asked which pages there are. */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define CHUNK (UINT64_C(1) << 20)
#define MB    (UINT64_C(1) << 20)
/* Of what the host could give, left to the program and to others. */
#define MARGIN_PART 16u
/* Where the host has less than this left, a kernel is stopped. */
#define LEAST (192 * MB)

static struct {
    pthread_mutex_t lock;
    uint64_t limit;   /* bytes */
    uint64_t touched; /* at most; chunks that are counted may have pages that are not there */
    uint64_t pinned;
    uint8_t *counted; /* of each chunk of the window; NULL: not open */
    uint64_t chunks;
    bool doubtful; /* chunks have been counted since the pages were */
    bool exceeded, short_of;
} the = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = UINT64_MAX};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number at the beginning of a file, UINT64_MAX where there is none ("max"). */
static uint64_t number_in(const char *path)
{
    unsigned long long n;
    FILE *f = fopen(path, "re");
    const bool good = f && fscanf(f, "%llu", &n) == 1;
    if (f) {
        fclose(f);
    }
    return good ? n : UINT64_MAX;
}

/* What a row of a file of names and numbers says, times UNIT. */
static uint64_t row_of(const char *path, const char *name, uint64_t unit)
{
    char line[256];
    unsigned long long n = 0;
    bool found = false;
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        found = !strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), "%llu", &n) == 1;
    }
    if (f) {
        fclose(f);
    }
    return found ? n * unit : UINT64_MAX;
}

/* What a control group leaves (cgroup v2 memory.max; v1 memory.limit_in_bytes), as a container sees
 * it. Cached files are given back when memory is wanted. */
static uint64_t group_leaves(const char *limit, const char *used, const char *stat,
                             const char *cached)
{
    const uint64_t most = number_in(limit), now = number_in(used);
    if (most >= UINT64_MAX / 2 || now == UINT64_MAX) {
        return UINT64_MAX;
    }
    const uint64_t cache = row_of(stat, cached, 1);
    const uint64_t held = cache == UINT64_MAX || cache > now ? now : now - cache;
    return held < most ? most - held : 0;
}

uint64_t mem_host_gives(void)
{
    uint64_t gives = row_of("/proc/meminfo", "MemAvailable:", 1024);
    gives = least(gives, group_leaves("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                                      "/sys/fs/cgroup/memory.stat", "inactive_file "));
    return least(gives, group_leaves("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                     "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                                     "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file "));
}

void mem_limit(uint64_t bytes)
{
    const uint64_t gives = mem_host_gives();
    pthread_mutex_lock(&the.lock);
    the.limit = bytes ? bytes : gives == UINT64_MAX ? UINT64_MAX : gives - gives / MARGIN_PART;
    pthread_mutex_unlock(&the.lock);
}

uint64_t mem_limit_now(void)
{
    pthread_mutex_lock(&the.lock);
    const uint64_t limit = the.limit;
    pthread_mutex_unlock(&the.lock);
    return limit;
}

bool mem_limit_open(uint64_t size)
{
    the.chunks = size / CHUNK + 1;
    void *at = mmap(NULL, the.chunks, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    the.counted = at == MAP_FAILED ? NULL : at;
    return the.counted != NULL;
}

/* --- counting -----------------------------------------------------------------------------------
 */

/* Bytes of chunk INDEX that are there. */
static uint64_t pages_of(uint64_t index)
{
    unsigned char there[CHUNK / 4096];
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t window = mem_the.size - index * CHUNK;
    const uint64_t bytes = least(CHUNK, window / page * page);
    uint8_t *at = (uint8_t *)(uintptr_t)(mem_the.base + index * CHUNK + (uint64_t)mem_the.delta);
    uint64_t count = 0;
    if (page < 4096 || mincore(at, bytes, there) != 0) {
        return CHUNK;
    }
    for (uint64_t k = 0; k < bytes / page; k++) {
        count += there[k] & 1;
    }
    return count * page;
}

/* Count pages instead of chunks: a chunk that is not full counts again when it is touched again. */
static void recount(void)
{
    uint64_t touched = 0;
    for (uint64_t k = 0; k < the.chunks; k++) {
        if (the.counted[k]) {
            const uint64_t bytes = pages_of(k);
            touched += bytes;
            __atomic_store_n(&the.counted[k], bytes == CHUNK, __ATOMIC_RELAXED);
        }
    }
    the.touched = touched;
    the.doubtful = false;
}

bool mem_charge(uint64_t address, uint64_t bytes)
{
    if (!the.counted || !bytes || address - mem_the.base >= mem_the.size) {
        return true;
    }
    const uint64_t first = (address - mem_the.base) / CHUNK;
    const uint64_t last = least(address - mem_the.base + bytes - 1, mem_the.size - 1) / CHUNK;
    bool good = true;
    uint64_t fresh = 0;
    for (uint64_t k = first; k <= last; k++) {
        fresh += !__atomic_load_n(&the.counted[k], __ATOMIC_RELAXED);
    }
    if (!fresh) {
        return true;
    }
    pthread_mutex_lock(&the.lock);
    const uint64_t room = least(fresh * CHUNK, bytes > CHUNK ? bytes : CHUNK);
    if (the.touched + the.pinned + room > the.limit && the.doubtful) {
        recount();
    }
    good = the.touched + the.pinned + least(room, bytes) <= the.limit;
    for (uint64_t k = first; good && k <= last; k++) {
        if (!the.counted[k]) {
            __atomic_store_n(&the.counted[k], 1, __ATOMIC_RELAXED);
            the.touched += CHUNK;
            the.doubtful = true;
        }
    }
    pthread_mutex_unlock(&the.lock);
    return good;
}

void mem_uncharge(uint64_t address, uint64_t bytes)
{
    if (!the.counted || bytes < CHUNK) {
        return;
    }
    const uint64_t first = (address - mem_the.base + CHUNK - 1) / CHUNK;
    const uint64_t end = (address - mem_the.base + bytes) / CHUNK;
    pthread_mutex_lock(&the.lock);
    for (uint64_t k = first; k < end; k++) {
        if (the.counted[k]) {
            __atomic_store_n(&the.counted[k], 0, __ATOMIC_RELAXED);
            the.touched -= least(CHUNK, the.touched);
        }
    }
    the.doubtful = true;
    pthread_mutex_unlock(&the.lock);
}

bool mem_charge_pinned(uint64_t bytes)
{
    pthread_mutex_lock(&the.lock);
    if (the.counted && the.doubtful && the.touched + the.pinned + bytes > the.limit) {
        recount();
    }
    const bool good = bytes <= the.limit && the.touched + the.pinned <= the.limit - bytes;
    the.pinned += good ? bytes : 0;
    pthread_mutex_unlock(&the.lock);
    return good;
}

void mem_uncharge_pinned(uint64_t bytes)
{
    pthread_mutex_lock(&the.lock);
    the.pinned -= least(bytes, the.pinned);
    pthread_mutex_unlock(&the.lock);
}

/* --- stopping -----------------------------------------------------------------------------------
 */

void mem_exceed(void)
{
    __atomic_store_n(&the.exceeded, true, __ATOMIC_RELAXED);
}

void mem_watch_host(void)
{
    if (mem_host_gives() < LEAST) {
        __atomic_store_n(&the.short_of, true, __ATOMIC_RELAXED);
        mem_exceed();
    }
}

bool mem_exceeded(void)
{
    return __atomic_load_n(&the.exceeded, __ATOMIC_RELAXED);
}

void mem_exceed_not(void)
{
    __atomic_store_n(&the.exceeded, false, __ATOMIC_RELAXED);
    __atomic_store_n(&the.short_of, false, __ATOMIC_RELAXED);
}

const char *mem_limit_text(char *buf, size_t size)
{
    if (__atomic_load_n(&the.short_of, __ATOMIC_RELAXED)) {
        snprintf(buf, size,
                 "The host has less than %llu MB of memory left: what is touched has no place. "
                 "Take smaller sizes, or end other programs.",
                 (unsigned long long)(LEAST / MB));
        return buf;
    }
    snprintf(buf, size,
             "More than %llu MB of device and pinned memory would be touched, which is what the "
             "host can give. Take smaller sizes, free what is not needed, or set WARPBOOK_MEMORY "
             "to what this machine can spare.",
             (unsigned long long)(mem_limit_now() / MB));
    return buf;
}
