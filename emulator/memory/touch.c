/* Records which sectors of device memory a launch has touched, in three bitmaps with one bit per
 * sector of the window: for reads, for writes, and for reads and writes that are streamed. For each
 * bitmap, a second bitmap marks the chunks in which a bit is set. */
#include "touch.h"
#include "state.h"

#include <string.h>
#include <sys/mman.h>

#define SECTOR_BYTES 32u /* size of a sector, the unit of memory traffic */
/* A chunk is one megabyte of device memory: its bits fill this many words of a bitmap, one page. */
#define SECTORS_PER_CHUNK (MEM_CHUNK_BYTES / SECTOR_BYTES)
#define CHUNK_WORDS       (SECTORS_PER_CHUNK / 64)

mem_touched_window mem_touched;
static uint64_t chunk_count; /* number of chunks of the window */

static uint64_t *reserve_bitmap(uint64_t words)
{
    void *at = mmap(NULL, words * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

bool mem_reserve_touch_bitmaps(uint64_t base, uint64_t size)
{
    const uint64_t chunks = size / MEM_CHUNK_BYTES + 1;
    bool good = mem_reserve_recent_use(base, chunks);
    for (int how = 0; how < MEM_ACCESSES; how++) {
        mem_touched.map[how] = good ? reserve_bitmap(chunks * CHUNK_WORDS) : NULL;
        good = mem_touched.map[how];
        mem_touched.used[how] = good ? reserve_bitmap(chunks / 64 + 1) : NULL;
        good = mem_touched.used[how];
    }
    if (good) {
        mem_touched.base = base;
        chunk_count = chunks;
        mem_touched.sectors = size / SECTOR_BYTES;
        return true;
    }
    for (int how = 0; how < MEM_ACCESSES; how++) {
        if (mem_touched.map[how])
            munmap(mem_touched.map[how], chunks * CHUNK_WORDS * sizeof(uint64_t));
        if (mem_touched.used[how])
            munmap(mem_touched.used[how], (chunks / 64 + 1) * sizeof(uint64_t));
    }
    mem_release_recent_use();
    return false;
}

/* Set BITS of *WORD, in the only host thread that sets any (ALONE) or in one of several. */
static inline void set_bits(uint64_t *word, uint64_t bits, bool alone)
{
    if (alone)
        *word |= bits;
    else
        __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
}

static inline void set_bitmap_bits(mem_access how, uint64_t word, uint64_t bits, bool alone)
{
    if (!bits)
        return;
    uint64_t *at = &mem_touched.map[how][word];
    const uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
    if ((old & bits) == bits)
        return;
    set_bits(at, bits, alone);
    if (old == 0) {
        const uint64_t chunk = word / CHUNK_WORDS, bit = UINT64_C(1) << chunk % 64;
        uint64_t *used = &mem_touched.used[how][chunk / 64];
        if (!(__atomic_load_n(used, __ATOMIC_RELAXED) & bit))
            set_bits(used, bit, alone);
    }
}

static inline void add_pending_bits(mem_pending_touches *t, mem_access how, uint64_t word,
                                    uint64_t bits)
{
    if (t->word[how] != word) {
        set_bitmap_bits(how, t->word[how], t->bits[how], t->alone);
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
        set_bitmap_bits((mem_access)how, t->word[how], t->bits[how], t->alone);
    *t = (mem_pending_touches){.alone = t->alone};
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
static void take_chunk(uint64_t chunk, mem_traffic *out)
{
    uint64_t *map[MEM_ACCESSES], lines = 0, plain = 0;
    for (int how = 0; how < MEM_ACCESSES; how++)
        map[how] = &mem_touched.map[how][chunk * CHUNK_WORDS];
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
        uint64_t *used = &mem_touched.used[how][chunk / 64], bit = UINT64_C(1) << chunk % 64;
        if (*used & bit)
            memset(map[how], 0, CHUNK_WORDS * sizeof *map[how]);
        *used &= ~bit;
    }
}

void mem_take_footprint(mem_traffic *out)
{
    *out = (mem_traffic){0};
    for (uint64_t u = 0; u < chunk_count; u += 64) {
        const uint64_t used =
            mem_touched.used[MEM_READ][u / 64] | mem_touched.used[MEM_WRITE][u / 64];
        for (uint64_t bits = used; bits; bits &= bits - 1)
            take_chunk(u + (uint64_t)__builtin_ctzll(bits), out);
    }
}
