/* Describes addresses of memory in messages: the allocation, and the distance to it. */
#include "describe.h"

#include "../base/lock.h"

#include "state.h"

#include <stdio.h>
#include <sys/mman.h>

static const char *ordinal_suffix(uint32_t n)
{
    if (n % 100 >= 11 && n % 100 <= 13)
        return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

void mem_describe_range(const mem_range *r, char *buf, size_t buf_size)
{
    unsigned long long size = r->size, base = r->base;
    const char *bytes = r->size == 1 ? "byte" : "bytes", *th = ordinal_suffix(r->serial);
    switch (r->kind) {
    case MEM_MODULE:
    case MEM_CONSTANT:
        snprintf(buf, buf_size, "the %llu %s of the %s variable %s (0x%llx)", size, bytes,
                 r->kind == MEM_MODULE ? "__device__" : "__constant__", r->name ? r->name : "?",
                 base);
        return;
    case MEM_PINNED:
        snprintf(buf, buf_size, "the %llu %s of the %u%s pinned host allocation (0x%llx)", size,
                 bytes, r->serial, th, base);
        return;
    case MEM_REGISTERED:
        snprintf(buf, buf_size, "the %llu %s of the %u%s cudaHostRegister (0x%llx)", size, bytes,
                 r->serial, th, base);
        return;
    case MEM_ARRAY:
        snprintf(buf, buf_size, "the %llu %s of the %u%s CUDA array (0x%llx)", size, bytes,
                 r->serial, th, base);
        return;
    case MEM_MAPPED:
        snprintf(buf, buf_size, "the %llu %s that %s (0x%llx)", size, bytes,
                 r->name ? r->name : "cuMemMap mapped", base);
        return;
    case MEM_MANAGED:
    case MEM_DEVICE: break;
    }
    snprintf(buf, buf_size, "the %llu %s that the %u%s %s returned (0x%llx)", size, bytes,
             r->serial, th, r->kind == MEM_MANAGED ? "cudaMallocManaged" : "cudaMalloc", base);
}

static const mem_range *find_freed_range(uint64_t address)
{
    for (size_t i = mem_state_shared.freed.count; i-- > 0;) {
        const mem_range *g = &mem_state_shared.freed.range[i];
        if (address - g->base < g->size)
            return g;
    }
    return NULL;
}

/* Describe an access of SIZE bytes at ADDRESS that begins in R and touches a guard zone. */
static bool describe_guard_zone_access(const mem_range *r, uint64_t address, uint64_t size,
                                       char *buf, size_t buf_size)
{
    const uint64_t first = r->base + r->front, end = r->base + r->size - r->back;
    const bool before = address < first;
    if (!r->front && !r->back)
        return false;
    if (!before && address < end && size <= end - address)
        return false;
    snprintf(buf, buf_size,
             "%llu bytes %s an array of %llu bytes (0x%llx), in the guard zone that the program "
             "set there",
             (unsigned long long)(before          ? first - address
                                  : address < end ? 0
                                                  : address - end),
             before ? "before" : "past the end of", (unsigned long long)(end - first),
             (unsigned long long)first);
    return true;
}

/* Whether the host has memory at ADDRESS. */
static bool is_host_page(uint64_t address)
{
    const uint64_t page = mem_page_bytes();
    return msync((void *)(uintptr_t)(address & ~(page - 1)), page, MS_ASYNC) == 0;
}

static const char *(*host_describer)(uint64_t address, char *out, size_t size);

void mem_set_host_describer(const char *(*describe)(uint64_t address, char *out, size_t size))
{
    host_describer = describe;
}

static void describe_host_address(uint64_t address, char *buf, size_t buf_size)
{
    char what[500];
    const char *is = host_describer ? host_describer(address, what, sizeof what) : NULL;
    if (is) {
        snprintf(buf, buf_size,
                 "a host address, %s. A kernel can use it only where the GPU can read pageable "
                 "memory",
                 is);
    } else {
        snprintf(buf, buf_size,
                 "a host address: the kernel was given a pointer that is not device memory; "
                 "allocate it with cudaMalloc and copy with cudaMemcpy");
    }
}

/* Describe ADDRESS if the program has reserved it and kernels may not touch it. */
static bool describe_reserved_address(uint64_t address, char *buf, size_t buf_size)
{
    mem_mapping m;
    const mem_range *r = mem_find_reserved(address);
    if (!r)
        return false;
    snprintf(buf, buf_size,
             "inside the %llu bytes of addresses that cuMemAddressReserve reserved "
             "(0x%llx), where %s",
             (unsigned long long)r->size, (unsigned long long)r->base,
             mem_find_mapping_locked(address, &m)
                 ? "memory is mapped that cuMemSetAccess has not made accessible"
                 : "no memory is mapped");
    return true;
}

/* Describe an access of SIZE bytes at ADDRESS in BUF. *NAMED: the range that it names, or NULL. */
static const char *describe_and_find_range(uint64_t address, uint64_t size, char *buf,
                                           size_t buf_size, const mem_range **named)
{
    char name[300];
    *named = NULL;
    const unsigned long long page = 4096;
    const mem_range *live = mem_state_shared.live.range;
    size_t at = mem_first_above(live, mem_state_shared.live.count, address);
    const mem_range *below = at > 0 ? &live[at - 1] : NULL;
    const mem_range *above = at < mem_state_shared.live.count ? &live[at] : NULL;
    if (below && address - below->base < below->size) {
        uint64_t left = below->size - (address - below->base);
        *named = below;
        if (describe_guard_zone_access(below, address, size, buf, buf_size))
            return buf;
        mem_describe_range(below, name, sizeof name);
        if (size > left) {
            snprintf(buf, buf_size, "its last %llu bytes lie past the end of %s",
                     (unsigned long long)(size - left), name);
        } else {
            snprintf(buf, buf_size, "inside %s%s", name,
                     below->read_only ? ", which cuMemSetAccess has made accessible to read only"
                                      : "");
        }
        return buf;
    }
    if (describe_reserved_address(address, buf, buf_size))
        return buf;
    uint64_t past = below ? address - (below->base + below->size) : UINT64_MAX;
    uint64_t ahead = above ? above->base - address : UINT64_MAX;
    /* A freed range is named only if no live range is near: that one has reused the addresses. */
    const mem_range *gone =
        past < MEM_GAP_BYTES || ahead < MEM_GAP_BYTES ? NULL : find_freed_range(address);
    if (gone) {
        *named = gone;
        mem_describe_range(gone, name, sizeof name);
        snprintf(buf, buf_size, "inside %s, which was freed before", name);
        return buf;
    }
    if (address < page) {
        if (address == 0)
            snprintf(buf, buf_size, "a null pointer");
        else
            snprintf(buf, buf_size, "a null pointer plus %llu bytes", (unsigned long long)address);
        return buf;
    }
    bool inside = mem_in_window(address);
    /* Name a host range only if the address is directly next to it: most host addresses have no
     * relation to a pinned range. */
    if (!inside && past >= page)
        past = UINT64_MAX;
    if (!inside && ahead >= page)
        ahead = UINT64_MAX;
    if (inside && below && !mem_in_window(below->base))
        past = UINT64_MAX;
    if (inside && above && !mem_in_window(above->base))
        ahead = UINT64_MAX;
    if (past == UINT64_MAX && ahead == UINT64_MAX) {
        if (!inside && is_host_page(address)) {
            describe_host_address(address, buf, buf_size);
        } else {
            snprintf(buf, buf_size, "%s",
                     inside ? "a device address where nothing is allocated"
                            : "an address that is no device memory: the pointer or the index is "
                              "wrong, or was never set");
        }
        return buf;
    }
    bool after = past <= ahead;
    *named = after ? below : above;
    mem_describe_range(*named, name, sizeof name);
    snprintf(buf, buf_size, "%llu bytes %s %s", (unsigned long long)(after ? past : ahead),
             after ? "past the end of" : "before", name);
    return buf;
}

const char *mem_describe_locked(uint64_t address, uint64_t size, char *buf, size_t buf_size)
{
    const mem_range *named;
    return describe_and_find_range(address, size, buf, buf_size, &named);
}

uint64_t mem_described_allocation(uint64_t address, uint64_t size, bool *freed)
{
    char text[500];
    const mem_range *named, *live = mem_state_shared.live.range;
    HOLD_LOCK(&mem_state_shared.lock);
    describe_and_find_range(address, size, text, sizeof text, &named);
    *freed = named && !(named >= live && named < live + mem_state_shared.live.count);
    return named ? named->base : 0;
}

const char *mem_describe(uint64_t address, uint64_t size, char *buf, size_t buf_size)
{
    HOLD_LOCK(&mem_state_shared.lock);
    mem_describe_locked(address, size, buf, buf_size);
    return buf;
}
