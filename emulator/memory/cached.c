/* When each megabyte of device memory was last touched, and so which data L2 still holds from
 * earlier launches.
 *
 * L2 is modelled as a cache that replaces the least recently used line, but lines of streamed
 * accesses before all others: data is found if few enough bytes were touched after it. Within a
 * launch, megabytes are assumed to be touched in the order of their addresses. */
#include "state.h"

#include <string.h>
#include <sys/mman.h>

enum { LINE_BYTES = 128 }; /* a cache line of L2 */

/* A last use: 1 plus the bytes touched until then, shifted by one bit, and in the lowest bit
 * whether the use was streamed. 0: not used since the memory was allocated. */
enum { USE_STREAMED = 1, USE_SHIFT = 1 };

static struct {
    uint64_t base, chunks; /* first address of the window of device addresses; its megabytes */
    uint64_t *use;         /* [chunks] last use of each megabyte */
    uint64_t touched[2];   /* bytes touched by launches so far: by accesses that are not streamed,
                              and by all [USE_STREAMED] */
    double sure, lost;     /* data is found for certain up to SURE bytes after its use, and not at
                              all from LOST bytes on */
} l2_contents;

bool mem_reserve_recent_use(uint64_t base, uint64_t chunks)
{
    void *at = mmap(NULL, chunks * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    l2_contents.base = base;
    l2_contents.chunks = chunks;
    l2_contents.use = at;
    return true;
}

void mem_release_recent_use(void)
{
    if (l2_contents.use)
        munmap(l2_contents.use, l2_contents.chunks * sizeof(uint64_t));
    l2_contents.use = NULL;
}

void mem_set_cache(uint64_t sure, uint64_t lost)
{
    l2_contents.sure = (double)sure;
    l2_contents.lost = (double)lost;
}

/* The bytes touched since the last use of CHUNK that count for it. 0: it has not been used. */
static uint64_t bytes_since_use(uint64_t chunk)
{
    const uint64_t use = __atomic_load_n(&l2_contents.use[chunk], __ATOMIC_RELAXED);
    const uint64_t *touched = &l2_contents.touched[use & USE_STREAMED];
    return use ? __atomic_load_n(touched, __ATOMIC_RELAXED) + 1 - (use >> USE_SHIFT) : 0;
}

static bool is_used(uint64_t chunk)
{
    return __atomic_load_n(&l2_contents.use[chunk], __ATOMIC_RELAXED);
}

/* The share of data that one of PARTS equal parts of L2 still holds BYTES bytes after its use. */
static double found_share(double bytes, double parts)
{
    const double sure = l2_contents.sure / parts, lost = l2_contents.lost / parts;
    return bytes <= sure ? 1 : bytes >= lost ? 0 : (lost - bytes) / (lost - sure);
}

static void add_touched_bytes(unsigned kind, uint64_t bytes)
{
    __atomic_store_n(&l2_contents.touched[kind], l2_contents.touched[kind] + bytes,
                     __ATOMIC_RELAXED);
}

void mem_use_chunk(uint64_t chunk, uint64_t lines, uint64_t streamed, mem_traffic *out)
{
    const unsigned kind = 2 * streamed > lines ? USE_STREAMED : 0;
    add_touched_bytes(0, (lines - streamed) * LINE_BYTES);
    add_touched_bytes(USE_STREAMED, lines * LINE_BYTES);
    if (is_used(chunk)) {
        const double since = (double)bytes_since_use(chunk), bytes = (double)(lines * LINE_BYTES);
        const double whole = found_share(since, 1), half = found_share(since, 2);
        out->found_bytes += (uint64_t)(bytes * whole);
        /* An SM reads through its half of L2, which keeps all that it reads; the other half keeps
         * the lines whose home it is. */
        out->found_side_bytes += (uint64_t)(bytes * (whole + half) / 2);
    }
    __atomic_store_n(&l2_contents.use[chunk], (l2_contents.touched[kind] + 1) << USE_SHIFT | kind,
                     __ATOMIC_RELAXED);
}

bool mem_recently_used(uint64_t address, uint64_t bytes)
{
    const uint64_t chunk = (address - l2_contents.base) / MEM_CHUNK_BYTES;
    return chunk < l2_contents.chunks && is_used(chunk) && bytes_since_use(chunk) < bytes;
}

bool mem_ever_used(uint64_t address, uint64_t page)
{
    if ((address - l2_contents.base) / MEM_CHUNK_BYTES >= l2_contents.chunks)
        return true;
    const uint64_t from = address / page * page, to = from + page, base = l2_contents.base;
    uint64_t chunk = from > base ? (from - base) / MEM_CHUNK_BYTES : 0;
    for (; chunk < l2_contents.chunks && base + chunk * MEM_CHUNK_BYTES < to; chunk++)
        if (is_used(chunk))
            return true;
    return false;
}

void mem_forget_recent_use(uint64_t from, uint64_t to)
{
    const uint64_t base = l2_contents.base;
    uint64_t chunk = from > base ? (from - base + MEM_CHUNK_BYTES - 1) / MEM_CHUNK_BYTES : 0;
    for (; chunk < l2_contents.chunks && base + (chunk + 1) * MEM_CHUNK_BYTES <= to; chunk++)
        if (is_used(chunk))
            __atomic_store_n(&l2_contents.use[chunk], 0, __ATOMIC_RELAXED);
}
