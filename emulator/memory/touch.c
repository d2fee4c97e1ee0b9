/* Records which sectors of device memory a launch has touched. Each host thread has three bitmaps
 * with one bit per sector of the window: for reads, for writes, and for reads and writes that are
 * streamed. For each bitmap, a second bitmap marks the chunks in which a bit is set. */
#include "touch.h"
#include "../base/lock.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SECTOR_BYTES 32u /* size of a sector, the unit of memory traffic */
/* A chunk is one megabyte of device memory: its bits fill this many words of a bitmap, one page. */
#define CHUNK_WORDS (MEM_CHUNK_MAP_BYTES / sizeof(uint64_t))
_Static_assert(MEM_CHUNK_MAP_BYTES == MEM_CHUNK_BYTES / SECTOR_BYTES / 8, "a bit for each sector");

mem_touched_window mem_touched;
static uint64_t chunk_count;                                  /* number of chunks of the window */
static pthread_mutex_t sets_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list of sets */
static mem_touched_set *all_sets; /* the first one gets the bits of the others */

/* A set of bitmaps for the window. NULL: no address space is available. */
static mem_touched_set *reserve_set(void)
{
    const uint64_t map_words = chunk_count * CHUNK_WORDS, used_words = chunk_count / 64 + 1;
    const uint64_t bytes = MEM_ACCESSES * (map_words + used_words) * sizeof(uint64_t);
    mem_touched_set *s = calloc(1, sizeof *s);
    uint64_t *at = s ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                     : MAP_FAILED;
    if (at == MAP_FAILED) {
        free(s);
        return NULL;
    }
    for (int how = 0; how < MEM_ACCESSES; how++, at += map_words)
        s->map[how] = at;
    for (int how = 0; how < MEM_ACCESSES; how++, at += used_words)
        s->used[how] = at;
    return s;
}

bool mem_reserve_touch_bitmaps(uint64_t base, uint64_t size)
{
    chunk_count = size / MEM_CHUNK_BYTES + 1;
    mem_touched = (mem_touched_window){.base = base, .sectors = size / SECTOR_BYTES};
    all_sets = mem_reserve_recent_use(base, chunk_count) ? reserve_set() : NULL;
    if (!all_sets)
        mem_release_recent_use();
    return all_sets;
}

/* The first set from *AT on that no thread uses, perhaps a new one. NULL: no address space is
 * available. Call this function with the lock held. */
static mem_touched_set *find_free_set(mem_touched_set **at)
{
    while (*at && (*at)->taken)
        at = &(*at)->next;
    if (!*at)
        *at = reserve_set();
    return *at;
}

uint32_t mem_prepare_marks(uint32_t threads)
{
    HOLD_LOCK(&sets_lock);
    uint32_t count = 0;
    for (mem_touched_set **at = &all_sets, *s; count < threads; at = &s->next, count++) {
        s = find_free_set(at);
        if (!s)
            break;
    }
    return count;
}

bool mem_begin_marks(mem_pending_touches *t)
{
    HOLD_LOCK(&sets_lock);
    *t = (mem_pending_touches){.set = find_free_set(&all_sets)};
    if (t->set)
        t->set->taken = t->set->marked = true;
    return t->set;
}

void mem_end_marks(mem_pending_touches *t)
{
    if (!t->set)
        return;
    mem_flush_marks(t);
    HOLD_LOCK(&sets_lock);
    t->set->taken = false;
    t->set = NULL;
}

static inline void set_bitmap_bits(mem_touched_set *set, mem_access how, uint64_t word,
                                   uint64_t bits)
{
    if (!bits)
        return;
    const uint64_t chunk = word / CHUNK_WORDS;
    set->map[how][word] |= bits;
    set->used[how][chunk / 64] |= UINT64_C(1) << chunk % 64;
}

static inline void add_pending_bits(mem_pending_touches *t, mem_access how, uint64_t word,
                                    uint64_t bits)
{
    if (t->word[how] != word) {
        set_bitmap_bits(t->set, how, t->word[how], t->bits[how]);
        t->word[how] = word;
        t->bits[how] = 0;
        t->from[how] = mem_touched.base + word * 64 * SECTOR_BYTES;
    }
    t->bits[how] |= bits;
}

void mem_count_host_write(mem_pending_touches *t, uint64_t at)
{
    enum {
        PAGE_SHIFT = 12,       /* base-2 logarithm of the size of a page of the host, 4 KB */
        LARGE_PAGE_SHIFT = 21, /* of a large page, 2 MB, into which Linux may merge pages */
        LARGE_PAGE_COUNT = 4,  /* number of pages for which a new large page counts */
        PAGES_PER_CHECK = 256  /* number of counted pages between two checks of the limit */
    };
    const uint64_t page = at >> PAGE_SHIFT;
    if (page == t->page)
        return;
    t->pages +=
        page >> (LARGE_PAGE_SHIFT - PAGE_SHIFT) == t->page >> (LARGE_PAGE_SHIFT - PAGE_SHIFT)
            ? 1
            : LARGE_PAGE_COUNT;
    t->page = page;
    if (t->pages >= PAGES_PER_CHECK) {
        t->pages = 0;
        if (mem_must_stop() && t->slice)
            *t->slice = 0;
    }
}

void mem_mark_sectors(mem_pending_touches *t, mem_access how, uint64_t first_sector_address,
                      uint32_t sector_mask)
{
    uint64_t sector = (first_sector_address - mem_touched.base) / SECTOR_BYTES;
    if (__builtin_expect(how == MEM_WRITE && __atomic_load_n(&mem_is_scarce, __ATOMIC_RELAXED), 0))
        mem_count_host_write(t, first_sector_address);
    if (sector >= mem_touched.sectors)
        return; /* pinned or managed memory is not in the device's DRAM */
    unsigned shift = sector % 64;
    add_pending_bits(t, how, sector / 64, (uint64_t)sector_mask << shift);
    if (shift > 32 && sector_mask >> (64 - shift))
        add_pending_bits(t, how, sector / 64 + 1, sector_mask >> (64 - shift));
}

void mem_flush_marks(mem_pending_touches *t)
{
    for (int how = 0; how < MEM_ACCESSES; how++)
        set_bitmap_bits(t->set, (mem_access)how, t->word[how], t->bits[how]);
    *t = (mem_pending_touches){.set = t->set};
}

static uint64_t count_sector_pairs(uint64_t bits)
{
    return (uint64_t)__builtin_popcountll((bits | bits >> 1) & UINT64_C(0x5555555555555555));
}

static uint64_t count_touched_lines(uint64_t bits)
{
    bits |= bits >> 1;
    bits |= bits >> 2;
    return (uint64_t)__builtin_popcountll(bits & UINT64_C(0x1111111111111111));
}

/* Add the sectors of CHUNK that were touched to OUT, and forget them. */
static void take_chunk(mem_touched_set *set, uint64_t chunk, mem_traffic *out)
{
    uint64_t *map[MEM_ACCESSES], lines = 0, plain = 0;
    for (int how = 0; how < MEM_ACCESSES; how++)
        map[how] = &set->map[how][chunk * CHUNK_WORDS];
    const uint64_t *r = map[MEM_READ], *w = map[MEM_WRITE], *s = map[MEM_STREAM];
    for (uint32_t k = 0; k < CHUNK_WORDS; k++) {
        if (!(r[k] | w[k]))
            continue;
        const uint64_t here = count_touched_lines(r[k] | w[k]);
        lines += here;
        plain += s[k] ? count_touched_lines((r[k] | w[k]) & ~s[k]) : here;
        if (r[k]) {
            out->read_bytes += SECTOR_BYTES * (uint64_t)__builtin_popcountll(r[k]);
            out->read_pages++;
            out->read_pairs += count_sector_pairs(r[k]);
        }
        if (w[k]) {
            out->write_bytes += SECTOR_BYTES * (uint64_t)__builtin_popcountll(w[k]);
            out->blind_bytes += SECTOR_BYTES * (uint64_t)__builtin_popcountll(w[k] & ~r[k]);
            out->write_pages++;
            out->write_pairs += count_sector_pairs(w[k]);
        }
    }
    out->line_bytes += lines * 4 * SECTOR_BYTES;
    mem_use_chunk(chunk, lines, lines - plain, out);
    for (int how = 0; how < MEM_ACCESSES; how++) {
        uint64_t *used = &set->used[how][chunk / 64], bit = UINT64_C(1) << chunk % 64;
        if (*used & bit)
            memset(map[how], 0, CHUNK_WORDS * sizeof *map[how]);
        *used &= ~bit;
    }
}

/* The number of words of `used` that may have bits: a launch touches the guard zone of the highest
 * allocation at most, which is smaller than the memory that a word stands for. */
static uint64_t used_words(void)
{
    const uint64_t extent = __atomic_load_n(&mem_state_shared.extent, __ATOMIC_RELAXED);
    const uint64_t words = extent / MEM_CHUNK_BYTES / 64 + 2, all = chunk_count / 64 + 1;
    return words < all ? words : all;
}

/* Move the bits of FROM to TO. */
static void move_marks(mem_touched_set *to, mem_touched_set *from)
{
    const uint64_t words = used_words();
    for (int how = 0; how < MEM_ACCESSES; how++)
        for (uint64_t u = 0; u < words; u++) {
            if (!from->used[how][u])
                continue; /* leaves pages of the host untouched */
            to->used[how][u] |= from->used[how][u];
            for (uint64_t bits = from->used[how][u]; bits; bits &= bits - 1) {
                const uint64_t at = (u * 64 + (uint64_t)__builtin_ctzll(bits)) * CHUNK_WORDS;
                for (uint32_t k = 0; k < CHUNK_WORDS; k++)
                    to->map[how][at + k] |= from->map[how][at + k];
                memset(&from->map[how][at], 0, CHUNK_WORDS * sizeof(uint64_t));
            }
            from->used[how][u] = 0;
        }
}

void mem_take_footprint(mem_traffic *out)
{
    HOLD_LOCK(&sets_lock);
    *out = (mem_traffic){0};
    mem_touched_set *first = all_sets;
    for (mem_touched_set *s = first ? first->next : NULL; s; s = s->next) {
        if (s->marked)
            move_marks(first, s);
        s->marked = s->taken;
    }
    const uint64_t words = used_words();
    for (uint64_t u = 0; first && u < words; u++) {
        const uint64_t used = first->used[MEM_READ][u] | first->used[MEM_WRITE][u];
        for (uint64_t bits = used; bits; bits &= bits - 1)
            take_chunk(first, u * 64 + (uint64_t)__builtin_ctzll(bits), out);
    }
}
