/* Maps host memory for a replay. Pages stay mapped until the process ends: a program may register
 * parts of one page one by one. */
#include "host_memory.h"

#include "../../base/list.h"

#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES UINT64_C(4096) /* size of a page of host memory */
/* A larger range has small pages, because a run may touch little of it here and there. */
#define MAX_BYTES_IN_HUGE_PAGES (UINT64_C(256) << 20)

typedef struct mapped_range {
    uint64_t from, to; /* first address and end */
} mapped_range;

static mapped_range *mapped_ranges; /* [mapped_count] addresses that are mapped already */
static size_t mapped_count;

static bool add_mapped_range(uint64_t from, uint64_t to)
{
    mapped_range *r = LIST_ADD(mapped_ranges, mapped_count);
    if (r)
        *r = (mapped_range){from, to};
    return r;
}

/* The end of the longest part of [AT, END) that begins at AT and is completely mapped (*HAVE true)
 * or completely unmapped (*HAVE false). */
static uint64_t mapped_part_end(uint64_t at, uint64_t end, bool *have)
{
    *have = false;
    for (size_t k = 0; k < mapped_count; k++) {
        if (at >= mapped_ranges[k].from && at < mapped_ranges[k].to) {
            *have = true;
            return mapped_ranges[k].to < end ? mapped_ranges[k].to : end;
        }
        if (mapped_ranges[k].from > at && mapped_ranges[k].from < end)
            end = mapped_ranges[k].from;
    }
    return end;
}

/* Fill [FIRST, LAST), which is mapped, with zeros. Pages that nobody has touched stay untouched. */
static void clear_mapped_bytes(uint64_t first, uint64_t last)
{
    const uint64_t from = (first + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES,
                   to = last / PAGE_BYTES * PAGE_BYTES;
    if (from < to && madvise((void *)(uintptr_t)from, to - from, MADV_DONTNEED) == 0) {
        memset((void *)(uintptr_t)first, 0, from - first);
        memset((void *)(uintptr_t)to, 0, last - to);
    } else {
        memset((void *)(uintptr_t)first, 0, last - first);
    }
}

bool host_memory_map(uint64_t base, uint64_t size)
{
    const uint64_t from = base / PAGE_BYTES * PAGE_BYTES,
                   to = (base + size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    for (uint64_t at = from, next; at < to; at = next) {
        bool have;
        next = mapped_part_end(at, to, &have);
        if (have) {
            const uint64_t first = at > base ? at : base;
            const uint64_t last = next < base + size ? next : base + size;
            clear_mapped_bytes(first, last);
            continue;
        }
        void *want = (void *)(uintptr_t)at;
        void *got = mmap(want, next - at, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got != want) {
            if (got != MAP_FAILED)
                munmap(got, next - at);
            return false;
        }
        if (next - at <= MAX_BYTES_IN_HUGE_PAGES)
            madvise(got, next - at, MADV_HUGEPAGE);
        if (!add_mapped_range(at, next)) {
            munmap(got, next - at);
            return false;
        }
    }
    return true;
}
