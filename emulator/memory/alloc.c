/* Allocation of device memory: first fit among the gaps of the window. */
#include "describe.h"

#include "../base/list.h"
#include "../base/lock.h"
#include "mapped.h"
#include "state.h"
#include "watcher.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_FREED_RANGES 1024u /* maximum number of freed ranges that are kept for messages */
/* With mem_keep_freed_addresses, new allocations avoid the addresses of this many freed ranges,
 * each of at most MAX_KEPT_BYTES bytes. More would cost host memory. */
#define MAX_KEPT_RANGES 64u                  /* maximum number of avoided freed ranges */
#define MAX_KEPT_BYTES  (UINT64_C(16) << 20) /* maximum size of such a range in bytes */
/* Allocations of at least this size return their pages to the system when freed. */
#define MIN_BYTES_TO_RELEASE (UINT64_C(1) << 20)
/* A larger range has small pages, because a program may touch little of it here and there. */
#define MAX_BYTES_IN_HUGE_PAGES (UINT64_C(256) << 20)

size_t mem_first_above(const mem_range *range, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (range[mid].base <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool mem_list_insert(mem_list *list, size_t at, const mem_range *r)
{
    mem_range *new = LIST_INSERT(list->range, list->count, at);
    if (new)
        *new = *r;
    return new;
}

void mem_list_remove(mem_list *list, size_t at)
{
    list->count--;
    memmove(list->range + at, list->range + at + 1, (list->count - at) * sizeof *list->range);
}

/* Return a copy of NAME that is never freed, because snapshots and messages refer to it. */
static const char *permanent_copy_of_name(const char *name)
{
    static struct kept {
        struct kept *next;
        char text[];
    } * table[256];
    if (!name)
        return NULL;
    uint32_t hash = 5381;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (uint8_t)*c;
    struct kept **slot = &table[hash % 256];
    for (struct kept *k = *slot; k; k = k->next)
        if (strcmp(k->text, name) == 0)
            return k->text;
    struct kept *k = malloc(sizeof *k + strlen(name) + 1);
    if (!k)
        return NULL;
    strcpy(k->text, name);
    k->next = *slot;
    *slot = k;
    return k->text;
}

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

/* Add pinned or managed host range R to the adopted bytes (SIGN 1), or subtract it (SIGN -1). */
static void add_adopted_bytes(const mem_range *r, int sign)
{
    if (r->delta == 0 && (r->kind == MEM_PINNED || r->kind == MEM_MANAGED)) {
        const uint64_t bytes =
            sign > 0 ? mem_state_shared.adopted + r->size : mem_state_shared.adopted - r->size;
        __atomic_store_n(&mem_state_shared.adopted, bytes, __ATOMIC_RELAXED);
        mem_update_scarce();
    }
}

/* Bytes that range R occupies in the window, including the gap to the next allocation. */
static uint64_t occupied_bytes(const mem_range *r)
{
    return round_up(r->size, MEM_ALLOCATION_ALIGNMENT) + MEM_GAP_BYTES;
}

static bool are_near(const mem_range *r, uint64_t at, uint64_t size)
{
    return at < r->base + r->size + MEM_GAP_BYTES && r->base < at + size + MEM_GAP_BYTES;
}

/* The first range of addresses near the SIZE bytes at AT that must not be used: reserved by the
 * program, or freed and not to be used again yet; NULL: none. */
static const mem_range *find_kept_address(uint64_t at, uint64_t size)
{
    const mem_list *reserved = &mem_state_shared.reserved;
    for (size_t i = 0; i < reserved->count; i++)
        if (are_near(&reserved->range[i], at, size))
            return &reserved->range[i];
    const mem_list *gone = &mem_state_shared.freed;
    for (size_t i = 0; mem_state_shared.keeps_freed_addresses && i < gone->count; i++) {
        const mem_range *g = &gone->range[i];
        if (g->delta && g->size <= MAX_KEPT_BYTES && are_near(g, at, size))
            return g;
    }
    return NULL;
}

/* The first address from AT on, up to TO, whose SIZE bytes overlap no address that must not be used
 * again yet; or TO. */
static uint64_t skip_kept_addresses(uint64_t at, uint64_t to, uint64_t size, uint64_t align)
{
    const mem_range *g;
    while (at < to && (g = find_kept_address(at, size)))
        at = round_up(g->base + g->size + MEM_GAP_BYTES, align);
    return at < to ? at : to;
}

/* Find a free gap for SIZE bytes; set *INDEX to the position in the list of live ranges, and
 * *ADDRESS to the address. Returns false if there is no gap. */
static bool find_gap(uint64_t size, uint64_t align, size_t *index, uint64_t *address)
{
    const mem_list *live = &mem_state_shared.live;
    const uint64_t end = mem_state_shared.base + mem_state_shared.size;
    const uint64_t smallest = MEM_ALLOCATION_ALIGNMENT + MEM_GAP_BYTES;
    size_t first = mem_first_above(live->range, live->count, mem_state_shared.base - 1);
    size_t last = mem_first_above(live->range, live->count, end - 1);
    size_t i = mem_state_shared.packed > first && mem_state_shared.packed <= last
                   ? mem_state_shared.packed
                   : first;
    bool packed = true;
    for (;; i++) {
        uint64_t from = i > first ? live->range[i - 1].base + occupied_bytes(&live->range[i - 1])
                                  : mem_state_shared.base + MEM_GAP_BYTES;
        from = from > mem_state_shared.floor ? from : mem_state_shared.floor;
        uint64_t to = i < last ? live->range[i].base : end;
        uint64_t at = skip_kept_addresses(round_up(from, align), to, size, align);
        uint64_t need = round_up(size, MEM_ALLOCATION_ALIGNMENT) + MEM_GAP_BYTES;
        if (at >= from && at < to && to - at >= need) {
            *index = i;
            *address = at;
            if (packed)
                mem_state_shared.packed = i;
            return true;
        }
        if (i == last)
            return false;
        if (packed && to > from && to - from >= smallest) {
            mem_state_shared.packed = i;
            packed = false;
        }
    }
}

/* Remove freed ranges that are completely inside the new range of SIZE bytes at BASE. Partly
 * overlapped freed ranges are kept: describe.c checks live ranges first. */
static void forget_overlapped_freed_ranges(uint64_t base, uint64_t size)
{
    mem_list *gone = &mem_state_shared.freed;
    for (size_t i = gone->count; i-- > 0;) {
        const mem_range *g = &gone->range[i];
        if (base <= g->base && g->base + g->size <= base + size)
            mem_list_remove(gone, i);
    }
}

/* Give access rights to the backing pages of [BASE, BASE + SIZE). */
static bool commit_pages(uint64_t base, uint64_t size)
{
    const uint64_t page = mem_page_bytes();
    uint64_t from = base / page * page, to = round_up(base + size, page);
    return mprotect((void *)(uintptr_t)(from + (uint64_t)mem_state_shared.delta), to - from,
                    PROT_READ | PROT_WRITE) == 0;
}

/* Give R, which is large, small pages; or, when it has been freed, huge ones, as all others. */
static void advise_page_size(const mem_range *r, int advice)
{
    if (r->size > MAX_BYTES_IN_HUGE_PAGES) {
        const uint64_t page = mem_page_bytes();
        const uint64_t from = r->base / page * page, to = round_up(r->base + r->size, page);
        madvise((void *)(uintptr_t)(from + (uint64_t)r->delta), to - from, advice);
    }
}

/* True while this thread allocates memory of the device itself (mem_mark_emulator_memory). */
static __thread bool is_emulator_allocation;

void mem_mark_emulator_memory(bool begin)
{
    is_emulator_allocation = begin;
}

void mem_extend(uint64_t end)
{
    if (end - mem_state_shared.base > mem_state_shared.extent) {
        __atomic_store_n(&mem_state_shared.extent, end - mem_state_shared.base, __ATOMIC_RELAXED);
        mem_update_scarce();
    }
}

/* Insert a new range of SIZE bytes at ADDRESS into the list of live ranges, at position INDEX. */
static bool insert_live_range(size_t index, uint64_t address, uint64_t size, mem_kind kind,
                              const char *name)
{
    const uint64_t charge = round_up(size, MEM_ALLOCATION_ALIGNMENT);
    const mem_range r = {.base = address,
                         .size = size,
                         .delta = mem_state_shared.delta,
                         .kind = kind,
                         .serial = mem_state_shared.serial[kind] + 1,
                         .own = is_emulator_allocation,
                         .name = permanent_copy_of_name(name)};
    if ((mem_state_shared.commit && !commit_pages(address, size)) ||
        !mem_list_insert(&mem_state_shared.live, index, &r))
        return false;
    advise_page_size(&r, MADV_NOHUGEPAGE);
    mem_state_shared.serial[kind]++;
    mem_state_shared.used += charge;
    mem_state_shared.changes++;
    mem_extend(address + charge);
    forget_overlapped_freed_ranges(address, size);
    if (mem_current_watcher && !is_emulator_allocation)
        mem_current_watcher->added(&r);
    return true;
}

static bool is_size_available(uint64_t size)
{
    const uint64_t charge = round_up(size, MEM_ALLOCATION_ALIGNMENT);
    return mem_state_shared.size > 0 && size > 0 && charge >= size &&
           charge <= mem_state_shared.total - mem_state_shared.used;
}

uint64_t mem_alloc(uint64_t size, uint64_t align, mem_kind kind, const char *name)
{
    uint64_t address = 0;
    size_t index;
    align = align < MEM_ALLOCATION_ALIGNMENT ? MEM_ALLOCATION_ALIGNMENT : align;
    HOLD_LOCK(&mem_state_shared.lock);
    bool found = is_size_available(size) && find_gap(size, align, &index, &address);
    if (!found && mem_state_shared.keeps_freed_addresses && is_size_available(size)) {
        mem_state_shared.freed.count =
            0; /* the device is full: use the addresses of freed memory again */
        mem_state_shared.packed = 0;
        found = find_gap(size, align, &index, &address);
    }
    return found && insert_live_range(index, address, size, kind, name) ? address : 0;
}

const mem_range *mem_find_reserved(uint64_t address)
{
    const mem_list *reserved = &mem_state_shared.reserved;
    const size_t above = mem_first_above(reserved->range, reserved->count, address);
    const mem_range *r = above ? &reserved->range[above - 1] : NULL;
    return r && address - r->base < r->size ? r : NULL;
}

bool mem_find_addresses(uint64_t address, uint64_t *base, uint64_t *size)
{
    HOLD_LOCK(&mem_state_shared.lock);
    const mem_range *r = mem_find_reserved(address);
    if (r) {
        *base = r->base;
        *size = r->size;
    }
    return r;
}

/* Is nothing within the SIZE bytes at AT of the window? */
static bool are_free_addresses(uint64_t at, uint64_t size)
{
    const mem_list *live = &mem_state_shared.live;
    const uint64_t into = at - mem_state_shared.base;
    const size_t k = mem_first_above(live->range, live->count, at);
    return into < mem_state_shared.size && size <= mem_state_shared.size - into &&
           (k == 0 || live->range[k - 1].base + live->range[k - 1].size <= at) &&
           (k == live->count || at + size <= live->range[k].base);
}

uint64_t mem_reserve_addresses(uint64_t size, uint64_t align, uint64_t wish)
{
    size_t index;
    mem_range r = {.base = wish, .size = size};
    mem_list *reserved = &mem_state_shared.reserved;
    HOLD_LOCK(&mem_state_shared.lock);
    const bool granted = wish && wish % align == 0 && are_free_addresses(wish, size) &&
                         !find_kept_address(wish + MEM_GAP_BYTES, size - 2 * MEM_GAP_BYTES);
    if ((!granted && (size > mem_state_shared.size || !find_gap(size, align, &index, &r.base))) ||
        !mem_list_insert(reserved, mem_first_above(reserved->range, reserved->count, r.base), &r))
        r.base = 0;
    return r.base;
}

bool mem_free_addresses(uint64_t at, uint64_t size)
{
    HOLD_LOCK(&mem_state_shared.lock);
    const mem_range *r = mem_find_reserved(at);
    const bool good = r && r->base == at && r->size == size && !mem_is_mapped(at, size);
    if (good) {
        mem_list_remove(&mem_state_shared.reserved, (size_t)(r - mem_state_shared.reserved.range));
        mem_state_shared.packed = 0;
    }
    return good;
}

void mem_keep_freed_addresses(bool keep)
{
    mem_state_shared.keeps_freed_addresses = keep;
}

bool mem_alloc_at(uint64_t address, uint64_t size, mem_kind kind, const char *name)
{
    HOLD_LOCK(&mem_state_shared.lock);
    const mem_list *live = &mem_state_shared.live;
    const size_t at = mem_first_above(live->range, live->count, address);
    const bool inside = address >= mem_state_shared.base &&
                        address - mem_state_shared.base < mem_state_shared.size &&
                        size <= mem_state_shared.size - (address - mem_state_shared.base);
    const bool good =
        is_size_available(size) && inside &&
        (address % MEM_ALLOCATION_ALIGNMENT == 0 || (kind != MEM_DEVICE && kind != MEM_ARRAY)) &&
        (at == 0 || live->range[at - 1].base + live->range[at - 1].size <= address) &&
        (at == live->count || address + size <= live->range[at].base) &&
        insert_live_range(at, address, size, kind, name);
    if (good)
        mem_state_shared.packed = 0;
    return good;
}

bool mem_add_host_range(void *host, uint64_t size, mem_kind kind)
{
    uint64_t base = (uintptr_t)host;
    if (size == 0 || base == 0 || base + size < base)
        return false;
    HOLD_LOCK(&mem_state_shared.lock);
    mem_list *live = &mem_state_shared.live;
    const size_t at = mem_first_above(live->range, live->count, base);
    const bool clear = (at == 0 || live->range[at - 1].base + live->range[at - 1].size <= base) &&
                       (at == live->count || base + size <= live->range[at].base) &&
                       !(base < mem_state_shared.base + mem_state_shared.size &&
                         mem_state_shared.base < base + size);
    const mem_range r = {
        .base = base, .size = size, .kind = kind, .serial = mem_state_shared.serial[kind] + 1};
    if (!clear || !mem_list_insert(live, at, &r))
        return false;
    add_adopted_bytes(&r, 1);
    mem_state_shared.serial[kind]++;
    mem_state_shared.changes++;
    mem_state_shared.packed = 0;
    forget_overlapped_freed_ranges(base, size);
    if (mem_current_watcher)
        mem_current_watcher->added(&r);
    return true;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Clear the records of touched memory for the free megabytes around R, a range that has been freed.
 * R was element AT of the list of live ranges. */
static void forget_touched_sectors_around(size_t at, const mem_range *r)
{
    const mem_list *live = &mem_state_shared.live;
    const uint64_t from = r->base - MIN_BYTES_TO_RELEASE,
                   to = r->base + r->size + MIN_BYTES_TO_RELEASE;
    const mem_range *before = at > 0 ? &live->range[at - 1] : NULL;
    const mem_range *after = at < live->count ? &live->range[at] : NULL;

    mem_forget_recent_use(before ? max_u64(from, before->base + before->size) : from,
                          after ? min_u64(to, after->base) : to);
}

uint64_t mem_set_guard_zones(uint64_t at, uint64_t size)
{
    HOLD_LOCK(&mem_state_shared.lock);
    mem_list *live = &mem_state_shared.live;
    const size_t above = mem_first_above(live->range, live->count, at);
    mem_range *r = above > 0 ? &live->range[above - 1] : NULL;
    if (!r || at - r->base > r->size || size > r->size - (at - r->base))
        return 0;
    const bool had = r->front || r->back;
    r->front = at - r->base;
    r->back = r->size - r->front - size;
    __atomic_fetch_add(&mem_state_shared.zoned_count, (uint64_t)(r->front || r->back) - had,
                       __ATOMIC_RELAXED);
    mem_state_shared.changes++;
    return r->base;
}

bool mem_has_guard_zones(void)
{
    return __atomic_load_n(&mem_state_shared.zoned_count, __ATOMIC_RELAXED) > 0;
}

bool mem_free_range(uint64_t address)
{
    HOLD_LOCK(&mem_state_shared.lock);
    mem_list *live = &mem_state_shared.live, *freed = &mem_state_shared.freed;
    const size_t at = mem_first_above(live->range, live->count, address);
    if (at == 0 || live->range[at - 1].base != address)
        return false;
    mem_range r = live->range[at - 1];
    if (r.front || r.back)
        __atomic_fetch_sub(&mem_state_shared.zoned_count, 1, __ATOMIC_RELAXED);
    if (mem_current_watcher && !r.own)
        mem_current_watcher->freed(address);
    mem_end_sharing(address);
    mem_list_remove(live, at - 1);
    add_adopted_bytes(&r, -1);
    if (r.delta != 0) {
        mem_state_shared.used -= round_up(r.size, MEM_ALLOCATION_ALIGNMENT);
        forget_touched_sectors_around(at - 1, &r);
    }
    if (r.delta != 0 && r.size >= MIN_BYTES_TO_RELEASE) {
        const uint64_t page = mem_page_bytes();
        uint64_t from = round_up(r.base, page), to = (r.base + r.size) / page * page;
        madvise((void *)(uintptr_t)(from + (uint64_t)r.delta), to - from, MADV_DONTNEED);
        advise_page_size(&r, MADV_HUGEPAGE);
    }
    r.freed = true;
    if (freed->count ==
        (mem_state_shared.keeps_freed_addresses ? MAX_KEPT_RANGES : MAX_FREED_RANGES))
        mem_list_remove(freed, 0);
    /* If the host is out of memory, later messages do not know this range. */
    mem_list_insert(freed, freed->count, &r);
    mem_state_shared.packed = 0;
    mem_state_shared.changes++;
    return true;
}

void mem_free_and_total(uint64_t *free_bytes, uint64_t *total_bytes)
{
    HOLD_LOCK(&mem_state_shared.lock);
    *total_bytes = mem_state_shared.total;
    *free_bytes = mem_state_shared.total - mem_state_shared.used;
}

bool mem_find_range(uint64_t address, mem_range *out)
{
    HOLD_LOCK(&mem_state_shared.lock);
    const mem_list *live = &mem_state_shared.live;
    const size_t at = mem_first_above(live->range, live->count, address);
    if (at == 0 || address - live->range[at - 1].base >= live->range[at - 1].size)
        return false;
    *out = live->range[at - 1];
    return true;
}

void *mem_host_pointer(uint64_t address, uint64_t size)
{
    mem_range r;
    if (!mem_find_range(address, &r) || size > r.size - (address - r.base))
        return NULL;
    return (void *)(uintptr_t)(address + (uint64_t)r.delta);
}
