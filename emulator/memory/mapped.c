#include "mapped.h"

#include "../base/list.h"
#include "../base/lock.h"
#include "state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of this size for ever: a process that maps it cannot be surprised by the other. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static struct {
    mem_mapping *list; /* [count] all mappings, sorted by address */
    size_t count;
} mappings; /* guarded by mem_state_shared.lock */

/* --- physical memory -------------------------------------------------------------------------- */

static int new_file(uint64_t size)
{
    const int fd = memfd_create("warpbook device memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && ftruncate(fd, (off_t)size) == 0 && fcntl(fd, F_ADD_SEALS, SEALS) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Memory of SIZE bytes of the file FD, which it owns from now on; of no file if FD is negative.
 * NULL: the host is out of memory. */
static mem_physical *new_physical(int fd, uint64_t size, uint64_t charge)
{
    const int kind = MAP_SHARED | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0);
    mem_physical *p = malloc(sizeof *p);
    void *view = p ? mmap(NULL, size, PROT_READ | PROT_WRITE, kind, fd, 0) : MAP_FAILED;
    if (view == MAP_FAILED) {
        free(p);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    madvise(view, size, MADV_DONTDUMP);
    *p = (mem_physical){.size = size, .charge = charge, .view = view, .fd = fd, .users = 1};
    return p;
}

static mem_physical *physical_of_file(int fd, uint64_t size, uint64_t charge)
{
    return fd < 0 ? NULL : new_physical(fd, size, charge);
}

/* Close the file of P: a program may make more memory than a process may have files. */
static mem_physical *keep_no_file(mem_physical *p)
{
    if (p) {
        close(p->fd);
        p->fd = -1;
    }
    return p;
}

mem_physical *mem_physical_new(uint64_t size, bool shared)
{
    HOLD_LOCK(&mem_state_shared.lock);
    const bool fits = size <= mem_state_shared.total - mem_state_shared.used;
    mem_physical *p = !fits    ? NULL
                      : shared ? physical_of_file(new_file(size), size, size)
                               : new_physical(-1, size, size);
    if (p)
        mem_state_shared.used += size;
    return p;
}

mem_physical *mem_new_shared_page(void)
{
    return physical_of_file(new_file(mem_page_bytes()), mem_page_bytes(), 0);
}

mem_physical *mem_physical_open(int fd)
{
    struct stat is;
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &is) || is.st_size <= 0 ||
        (uint64_t)is.st_size % mem_page_bytes())
        return NULL;
    return keep_no_file(physical_of_file(fcntl(fd, F_DUPFD_CLOEXEC, 0), (uint64_t)is.st_size, 0));
}

void mem_physical_hold(mem_physical *p)
{
    HOLD_LOCK(&mem_state_shared.lock);
    p->users++;
}

/* With the lock held. */
static void drop_physical(mem_physical *p)
{
    if (--p->users)
        return;
    mem_state_shared.used -= p->charge;
    munmap(p->view, p->size);
    if (p->fd >= 0)
        close(p->fd);
    free(p);
}

void mem_physical_drop(mem_physical *p)
{
    HOLD_LOCK(&mem_state_shared.lock);
    drop_physical(p);
}

/* --- mappings --------------------------------------------------------------------------------- */

/* The index of the first mapping that ends after ADDRESS. */
static size_t first_ending_after(uint64_t address)
{
    size_t k = 0;
    while (k < mappings.count && mappings.list[k].at + mappings.list[k].size <= address)
        k++;
    return k;
}

/* The number of mappings from index FIRST on that fill the SIZE bytes at AT; 0: they do not. */
static size_t count_filling(size_t first, uint64_t at, uint64_t size)
{
    uint64_t end = at;
    size_t k = first;
    while (k < mappings.count && mappings.list[k].at == end && end - at < size)
        end += mappings.list[k++].size;
    return end - at == size ? k - first : 0;
}

/* Make the live ranges between FROM and TO, and those that touch them, what the mappings there say:
 * one range for all adjacent mappings with the same access, because an array may lie in several. */
static bool renew_live_ranges(uint64_t from, uint64_t to)
{
    mem_list *live = &mem_state_shared.live;
    bool good = true;
    for (size_t k = live->count; k-- > 0;) {
        const mem_range r = live->range[k];
        if (r.kind == MEM_MAPPED && r.base <= to && r.base + r.size >= from) { /* touches */
            from = r.base < from ? r.base : from;
            to = r.base + r.size > to ? r.base + r.size : to;
            mem_list_remove(live, k);
        }
    }
    for (size_t k = first_ending_after(from); k < mappings.count && mappings.list[k].at < to;) {
        const mem_mapping first = mappings.list[k];
        uint64_t end = first.at;
        for (; k < mappings.count && mappings.list[k].at == end && mappings.list[k].at < to &&
               mappings.list[k].access == first.access && mappings.list[k].name == first.name;
             k++)
            end += mappings.list[k].size;
        const mem_range r = {.base = first.at + first.front,
                             .size = end - first.back - first.at - first.front,
                             .delta = mem_state_shared.delta,
                             .kind = MEM_MAPPED,
                             .serial = ++mem_state_shared.serial[MEM_MAPPED],
                             .read_only = first.access == MEM_ACCESS_READ,
                             .name = first.name};
        if (first.access == MEM_ACCESS_NONE)
            continue;
        good &= mem_list_insert(live, mem_first_above(live->range, live->count, r.base), &r);
        mem_extend(end);
    }
    mem_state_shared.packed = 0;
    mem_state_shared.changes++;
    return good;
}

static void *backing_of(uint64_t at)
{
    return (void *)(uintptr_t)(at + (uint64_t)mem_state_shared.delta);
}

/* Put anonymous memory, the device's own, where something was mapped. */
static void put_own_pages(uint64_t at, uint64_t size)
{
    const int protection = mem_state_shared.commit ? PROT_NONE : PROT_READ | PROT_WRITE;
    (void)mmap(backing_of(at), size, protection,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    madvise(backing_of(at), size, MADV_DONTDUMP);
    madvise(backing_of(at), size, MADV_HUGEPAGE);
    mem_forget_recent_use(at, at + size);
}

/* Put the first SIZE bytes of P at AT, in place of the device's own. */
static bool put_pages(const mem_physical *p, uint64_t at, uint64_t size)
{
    return mremap(p->view, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, backing_of(at)) != MAP_FAILED;
}

static bool is_reserved(uint64_t at, uint64_t size)
{
    const mem_range *r = mem_find_reserved(at);
    return r && size <= r->size - (at - r->base);
}

bool mem_map_physical(const mem_mapping *m)
{
    HOLD_LOCK(&mem_state_shared.lock);
    const size_t k = first_ending_after(m->at);
    if (!is_reserved(m->at, m->size) || m->size > m->of->size ||
        (k < mappings.count && mappings.list[k].at < m->at + m->size) ||
        !put_pages(m->of, m->at, m->size))
        return false;
    mem_mapping *new = LIST_INSERT(mappings.list, mappings.count, k);
    if (!new) {
        put_own_pages(m->at, m->size);
        return false;
    }
    *new = *m;
    m->of->users++;
    return m->access == MEM_ACCESS_NONE || renew_live_ranges(m->at, m->at + m->size);
}

bool mem_unmap_physical(uint64_t at, uint64_t size)
{
    HOLD_LOCK(&mem_state_shared.lock);
    const size_t first = first_ending_after(at);
    size_t n = 0;
    bool good = mem_find_reserved(at);
    for (const mem_mapping *m;
         first + n < mappings.count && (m = &mappings.list[first + n])->at < at + size; n++)
        good = good && m->at >= at && m->at + m->size <= at + size;
    for (size_t k = first; good && k < first + n; k++) {
        put_own_pages(mappings.list[k].at, mappings.list[k].size);
        drop_physical(mappings.list[k].of);
    }
    if (good && n) {
        mappings.count -= n;
        memmove(mappings.list + first, mappings.list + first + n,
                (mappings.count - first) * sizeof *mappings.list);
        renew_live_ranges(at, at + size);
    }
    return good;
}

bool mem_set_mapped_access(uint64_t at, uint64_t size, mem_mapped_access access)
{
    HOLD_LOCK(&mem_state_shared.lock);
    const size_t first = first_ending_after(at), n = count_filling(first, at, size);
    for (size_t k = first; k < first + n; k++)
        mappings.list[k].access = access;
    return n && renew_live_ranges(at, at + size);
}

bool mem_find_mapping(uint64_t address, mem_mapping *out)
{
    HOLD_LOCK(&mem_state_shared.lock);
    return mem_find_mapping_locked(address, out);
}

bool mem_find_mapping_locked(uint64_t address, mem_mapping *out)
{
    const size_t k = first_ending_after(address);
    const bool found = k < mappings.count && mappings.list[k].at <= address;
    if (found)
        *out = mappings.list[k];
    return found;
}

bool mem_is_mapped(uint64_t at, uint64_t size)
{
    const size_t k = first_ending_after(at);
    return k < mappings.count && mappings.list[k].at < at + size;
}

/* --- allocations that other processes use ----------------------------------------------------- */

/* An allocation whose bytes are in a file. */
typedef struct shared_allocation {
    uint64_t base, from, size; /* its address; the pages that hold it, and their bytes */
    mem_physical *of;          /* these pages */
} shared_allocation;
static struct {
    shared_allocation *list; /* [count] */
    size_t count;
} shared_allocations; /* guarded by mem_state_shared.lock */

static shared_allocation *find_shared(uint64_t base)
{
    for (size_t k = 0; k < shared_allocations.count; k++)
        if (shared_allocations.list[k].base == base)
            return &shared_allocations.list[k];
    return NULL;
}

/* Copy the pages of the backing that hold anything: the file stays as small as they are. */
static void copy_pages_in_use(uint8_t *to, const uint8_t *from, uint64_t size)
{
    static const uint8_t zeros[4096];
    for (uint64_t k = 0; k < size; k += sizeof zeros)
        if (memcmp(from + k, zeros, sizeof zeros) != 0)
            memcpy(to + k, from + k, sizeof zeros);
}

int mem_share_allocation(uint64_t base)
{
    const uint64_t page = mem_page_bytes();
    HOLD_LOCK(&mem_state_shared.lock);
    const mem_list *live = &mem_state_shared.live;
    const size_t k = mem_first_above(live->range, live->count, base);
    const mem_range *r = k ? &live->range[k - 1] : NULL;
    shared_allocation *s = find_shared(base);
    /* Allocations are a page apart, if pages are small: none shares a page with another. */
    if (!s && r && r->base == base && r->kind == MEM_DEVICE && page <= MEM_GAP_BYTES) {
        const uint64_t from = base / page * page;
        const uint64_t size = (base + r->size + page - 1) / page * page - from;
        mem_physical *p = physical_of_file(new_file(size), size, 0);
        if (p) {
            copy_pages_in_use(p->view, backing_of(from), size);
            s = LIST_ADD(shared_allocations.list, shared_allocations.count);
            if (s && put_pages(p, from, size)) {
                *s = (shared_allocation){base, from, size, p};
            } else {
                drop_physical(p);
                shared_allocations.count -= s != NULL;
                s = NULL;
            }
        }
    }
    return s ? s->of->fd : -1;
}

void mem_end_sharing(uint64_t base)
{
    shared_allocation *s = find_shared(base);
    if (s) {
        put_own_pages(s->from, s->size);
        drop_physical(s->of);
        *s = shared_allocations.list[--shared_allocations.count];
    }
}
