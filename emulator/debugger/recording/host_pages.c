#include "host_pages.h"

#include "../../base/list.h"

#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES UINT64_C(4096) /* unit in which host memory is compared */

typedef struct host_range {
    uint64_t base, size; /* address of the first byte; bytes */
    uint8_t *shadow; /* [size] the contents that a replay has in this memory, zeros at first; NULL:
                        no kernel has used the memory yet */
    uint64_t launch; /* number of the last launch that used this memory */
} host_range;

static host_range *ranges; /* [range_count] host memory that kernels may use */
static size_t range_count;

void host_pages_add(uint64_t base, uint64_t size)
{
    host_range *r = LIST_ADD(ranges, range_count);
    if (r)
        *r = (host_range){.base = base, .size = size};
}

static host_range *host_range_at(uint64_t base)
{
    for (size_t k = 0; k < range_count; k++)
        if (ranges[k].base == base)
            return &ranges[k];
    return NULL;
}

void host_pages_remove(uint64_t base)
{
    host_range *r = host_range_at(base);
    if (r) {
        if (r->shadow)
            munmap(r->shadow, r->size);
        *r = ranges[--range_count];
    }
}

bool host_pages_contain(uint64_t address, uint64_t size)
{
    for (size_t k = 0; k < range_count; k++)
        if (address - ranges[k].base < ranges[k].size &&
            size <= ranges[k].size - (address - ranges[k].base))
            return true;
    return false;
}

/* Copy changed pages of R to its shadow; if RECORD_CHANGES, also append them to the recording. */
static void compare_with_shadow(rec_writer *w, host_range *r, bool record_changes)
{
    const uint8_t *now = (const uint8_t *)(uintptr_t)r->base;
    for (uint64_t at = 0, from = 0; at < r->size; at = from) {
        /* Find adjacent changed pages, of at most REC_MAX_PIECE_BYTES bytes. */
        uint64_t end = at;
        for (from = at; from < r->size && from - at < REC_MAX_PIECE_BYTES; from = end) {
            end = from + PAGE_BYTES < r->size ? from + PAGE_BYTES : r->size;
            if (!memcmp(now + from, r->shadow + from, end - from))
                break;
        }
        if (from > at)
            memcpy(r->shadow + at, now + at, from - at);
        if (from > at && record_changes) {
            /* Write the shadow's bytes: the host may change its own meanwhile. */
            const rec_item item = {
                .kind = REC_pages,
                .pages = {.address = r->base + at,
                          .bytes = rec_store_data(w, r->shadow + at, from - at)}};
            rec_write_item(w, &item);
        }
        from = from > at ? from : end;
    }
}

void host_pages_before_use(rec_writer *w, uint64_t base, uint64_t launch)
{
    host_range *r = host_range_at(base);
    if (!r || r->launch == launch)
        return;
    if (!r->shadow) {
        void *at = mmap(NULL, r->size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        r->shadow = at == MAP_FAILED ? NULL : at;
    }
    if (r->shadow) {
        r->launch = launch;
        compare_with_shadow(w, r, true);
    }
}

bool host_pages_were_used(uint64_t launch)
{
    for (size_t k = 0; k < range_count; k++)
        if (ranges[k].launch == launch)
            return true;
    return false;
}

void host_pages_after_launch(rec_writer *w, uint64_t launch, bool still)
{
    for (size_t k = 0; k < range_count; k++) {
        host_range *r = &ranges[k];
        if (r->launch == launch) {
            compare_with_shadow(w, r, !still);
            const uint64_t pair[] = {
                r->base, rec_digest_bytes(0, (const void *)(uintptr_t)r->base, (size_t)r->size)};
            const rec_item item = {.kind = REC_memory, .memory = {.ranges = {2, pair}}};
            if (still)
                rec_write_item(w, &item);
        }
    }
}
