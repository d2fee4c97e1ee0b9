/* Records which sectors of device memory a launch has touched, in two bitmaps with one bit per
 * sector of the window: one for reads and one for writes. For each bitmap, a second bitmap marks
 * the chunks in which a bit is set. */
#include "state.h"
#include "watcher.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SECTOR_BYTES 32u /* size of a sector, the unit of memory traffic */
/* A chunk is one megabyte of device memory: its bits fill this many words of a bitmap, one page. */
#define CHUNK_WORDS       512u
#define SECTORS_PER_CHUNK (CHUNK_WORDS * 64)
#define CHUNK_BYTES       (SECTORS_PER_CHUNK * SECTOR_BYTES)

static struct {
    uint64_t base;    /* first address of the window of device addresses */
    uint64_t sectors; /* number of sectors of the window */
    uint64_t *map[2]; /* bitmaps of the sectors [sectors / 64] that were read [0] and written [1] */
    uint64_t *used[2]; /* bitmaps of the chunks [chunks / 64] in which a bit of `map` is set */
    uint64_t chunks;   /* number of chunks of the window */
    uint64_t
        *last;     /* [chunks] 1 + `all` when the chunk was last touched; 0: not since allocation */
    uint64_t all;  /* bytes touched by all launches and copies so far */
} touched_sectors; /* which sectors have been touched */

static uint64_t *reserve_bitmap(uint64_t words)
{
    void *at = mmap(NULL, words * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

bool mem_reserve_touch_bitmaps(uint64_t base, uint64_t size)
{
    touched_sectors.base = base;
    touched_sectors.chunks = size / SECTOR_BYTES / SECTORS_PER_CHUNK + 1;
    for (int how = 0; how < 2; how++) {
        touched_sectors.map[how] = reserve_bitmap(touched_sectors.chunks * CHUNK_WORDS);
        touched_sectors.used[how] = reserve_bitmap(touched_sectors.chunks / 64 + 1);
    }
    touched_sectors.last = reserve_bitmap(touched_sectors.chunks);
    if (touched_sectors.map[0] && touched_sectors.map[1] && touched_sectors.used[0] &&
        touched_sectors.used[1] && touched_sectors.last) {
        touched_sectors.sectors = size / SECTOR_BYTES;
        return true;
    }
    for (int how = 0; how < 2; how++) {
        if (touched_sectors.map[how]) {
            munmap(touched_sectors.map[how],
                   touched_sectors.chunks * CHUNK_WORDS * sizeof(uint64_t));
        }
        if (touched_sectors.used[how])
            munmap(touched_sectors.used[how], (touched_sectors.chunks / 64 + 1) * sizeof(uint64_t));
    }
    if (touched_sectors.last) {
        munmap(touched_sectors.last, touched_sectors.chunks * sizeof(uint64_t));
        touched_sectors.last = NULL;
    }
    return false;
}

static void set_bitmap_bits(mem_access how, uint64_t word, uint64_t bits)
{
    if (!bits)
        return;
    uint64_t *at = &touched_sectors.map[how][word];
    uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
    if ((old & bits) == bits)
        return;
    __atomic_fetch_or(at, bits, __ATOMIC_RELAXED);
    if (old == 0) {
        uint64_t chunk = word / CHUNK_WORDS, bit = UINT64_C(1) << chunk % 64;
        uint64_t *used = &touched_sectors.used[how][chunk / 64];
        if (!(__atomic_load_n(used, __ATOMIC_RELAXED) & bit))
            __atomic_fetch_or(used, bit, __ATOMIC_RELAXED);
    }
}

static void add_pending_bits(mem_pending_touches *t, mem_access how, uint64_t word, uint64_t bits)
{
    if (t->word[how] != word) {
        set_bitmap_bits(how, t->word[how], t->bits[how]);
        t->word[how] = word;
        t->bits[how] = 0;
        t->from[how] = touched_sectors.base + word * 64 * SECTOR_BYTES;
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
    uint64_t sector = (first_sector_address - touched_sectors.base) / SECTOR_BYTES;
    if (__builtin_expect(how == MEM_WRITE && __atomic_load_n(&mem_is_scarce, __ATOMIC_RELAXED), 0))
        mem_count_host_write(t, first_sector_address);
    if (sector >= touched_sectors.sectors)
        return; /* pinned or managed memory is not in the device's DRAM */
    unsigned shift = sector % 64;
    add_pending_bits(t, how, sector / 64, (uint64_t)sector_mask << shift);
    if (shift > 32 && sector_mask >> (64 - shift))
        add_pending_bits(t, how, sector / 64 + 1, sector_mask >> (64 - shift));
}

void mem_flush_marks(mem_pending_touches *t)
{
    set_bitmap_bits(MEM_READ, t->word[MEM_READ], t->bits[MEM_READ]);
    set_bitmap_bits(MEM_WRITE, t->word[MEM_WRITE], t->bits[MEM_WRITE]);
    *t = (mem_pending_touches){0};
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

static void set_last_touch(uint64_t chunk, uint64_t all)
{
    __atomic_store_n(&touched_sectors.last[chunk], all + 1, __ATOMIC_RELAXED);
}

bool mem_recently_used(uint64_t address, uint64_t bytes)
{
    const uint64_t sector = (address - touched_sectors.base) / SECTOR_BYTES;
    if (sector >= touched_sectors.sectors)
        return false;
    const uint64_t last =
        __atomic_load_n(&touched_sectors.last[sector / SECTORS_PER_CHUNK], __ATOMIC_RELAXED);
    return last && __atomic_load_n(&touched_sectors.all, __ATOMIC_RELAXED) + 1 - last < bytes;
}

bool mem_ever_used(uint64_t address, uint64_t page)
{
    const uint64_t at = address - touched_sectors.base;
    if (at / SECTOR_BYTES >= touched_sectors.sectors)
        return true;
    const uint64_t from = address / page * page, to = from + page;
    uint64_t chunk = from > touched_sectors.base ? (from - touched_sectors.base) / CHUNK_BYTES : 0;
    for (; chunk < touched_sectors.chunks && touched_sectors.base + chunk * CHUNK_BYTES < to;
         chunk++)
        if (__atomic_load_n(&touched_sectors.last[chunk], __ATOMIC_RELAXED))
            return true;
    return false;
}

void mem_forget_sector_marks(uint64_t from, uint64_t to)
{
    uint64_t chunk = from > touched_sectors.base
                         ? (from - touched_sectors.base + CHUNK_BYTES - 1) / CHUNK_BYTES
                         : 0;
    for (; chunk < touched_sectors.chunks && touched_sectors.base + (chunk + 1) * CHUNK_BYTES <= to;
         chunk++)
        if (__atomic_load_n(&touched_sectors.last[chunk], __ATOMIC_RELAXED))
            __atomic_store_n(&touched_sectors.last[chunk], 0, __ATOMIC_RELAXED);
}

void mem_take_footprint(mem_traffic *out)
{
    uint64_t reads = 0, writes = 0, lines = 0, blind = 0;
    const uint64_t before = touched_sectors.all;
    *out = (mem_traffic){0};
    for (uint64_t u = 0; u < touched_sectors.chunks; u += 64) {
        uint64_t *used_r = &touched_sectors.used[MEM_READ][u / 64],
                 *used_w = &touched_sectors.used[MEM_WRITE][u / 64];
        for (uint64_t bits = *used_r | *used_w; bits; bits &= bits - 1) {
            uint64_t chunk = u + (uint64_t)__builtin_ctzll(bits), bit = bits & -bits;
            uint64_t *r = &touched_sectors.map[MEM_READ][chunk * CHUNK_WORDS];
            uint64_t *w = &touched_sectors.map[MEM_WRITE][chunk * CHUNK_WORDS];
            for (uint32_t k = 0; k < CHUNK_WORDS; k++) {
                if (r[k] | w[k]) {
                    reads += (uint64_t)__builtin_popcountll(r[k]);
                    writes += (uint64_t)__builtin_popcountll(w[k]);
                    lines += count_touched_lines(r[k] | w[k]);
                    blind += (uint64_t)__builtin_popcountll(w[k] & ~r[k]);
                    out->read_pages += r[k] != 0;
                    out->write_pages += w[k] != 0;
                    out->read_pairs += count_sector_pairs(r[k]);
                    out->write_pairs += count_sector_pairs(w[k]);
                }
            }
            set_last_touch(chunk, before + lines * 4 * SECTOR_BYTES);
            if (*used_r & bit)
                memset(r, 0, CHUNK_WORDS * sizeof *r);
            if (*used_w & bit)
                memset(w, 0, CHUNK_WORDS * sizeof *w);
        }
        *used_r = *used_w = 0;
    }
    out->read_bytes = reads * SECTOR_BYTES;
    out->write_bytes = writes * SECTOR_BYTES;
    out->blind_bytes = blind * SECTOR_BYTES;
    out->line_bytes = lines * 4 * SECTOR_BYTES;
    __atomic_store_n(&touched_sectors.all, before + out->line_bytes, __ATOMIC_RELAXED);
}

void *mem_save_recent_use(void)
{
    uint64_t *saved = malloc((touched_sectors.chunks + 1) * sizeof *saved);
    if (saved) {
        saved[0] = touched_sectors.all;
        memcpy(saved + 1, touched_sectors.last, touched_sectors.chunks * sizeof *saved);
    }
    return saved;
}

void mem_restore_recent_use(const void *saved)
{
    const uint64_t *from = saved;
    if (from) {
        touched_sectors.all = from[0];
        memcpy(touched_sectors.last, from + 1, touched_sectors.chunks * sizeof *from);
    }
}
