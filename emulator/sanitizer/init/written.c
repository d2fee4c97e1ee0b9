#include "written.h"

#include "../../base/list.h"
#include "../../base/lock.h"
#include "../../core/code.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- bit masks of written bytes --------------------------------------------------------------- */

/* The bits of 64-bit word number WORD that stand for bytes FROM to TO of the memory range; at least
 * one of these bytes is in the word. */
static uint64_t bits_in_word(uint64_t word, uint64_t from, uint64_t to)
{
    const uint64_t low = from > word * 64 ? from - word * 64 : 0;
    const uint64_t high = to < word * 64 + 64 ? to - word * 64 : 64;
    return (high - low == 64 ? UINT64_MAX : (UINT64_C(1) << (high - low)) - 1) << low;
}

bool san_is_any_bit_set(const uint64_t *bits, uint64_t at, uint64_t n)
{
    for (uint64_t w = at / 64; w * 64 < at + n; w++)
        if (bits[w] & bits_in_word(w, at, at + n))
            return true;
    return false;
}

void san_set_bits(uint64_t *bits, uint64_t at, uint64_t n, bool written)
{
    for (uint64_t w = at / 64; w * 64 < at + n; w++) {
        const uint64_t mask = bits_in_word(w, at, at + n);
        if (written && ~bits[w] & mask)
            bits[w] |= mask;
        else if (!written && bits[w] & mask)
            bits[w] &= ~mask;
    }
}

/* --- allocations ------------------------------------------------------------------------------ */

static pthread_mutex_t allocation_table_lock =
    PTHREAD_MUTEX_INITIALIZER;                   /* protects the table of allocations */
static san_device_allocation **allocation_table; /* device allocations, sorted by address */
static uint32_t allocation_count;                /* entries in the table */

static uint64_t bytes_of_bitmap(uint64_t size)
{
    return (size / 64 + 2) * sizeof(uint64_t);
}

static void drop_allocation_reference(san_device_allocation *f)
{
    if (--f->users == 0) {
        munmap(f->bits, bytes_of_bitmap(f->size));
        free(f->present);
        free(f);
    }
}

/* Index of the first allocation of LIST that begins after AT. */
static uint32_t first_allocation_after(san_device_allocation *const *list, uint32_t count,
                                       uint64_t at)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (list[mid]->at <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static san_device_allocation *new_device_allocation(uint64_t at, uint64_t size,
                                                    const san_caller *by)
{
    san_device_allocation *f = malloc(sizeof *f);
    /* mmap allocates the pages of the bits when they are touched */
    void *bits = f ? mmap(NULL, bytes_of_bitmap(size), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                   : MAP_FAILED;
    if (bits == MAP_FAILED) {
        free(f);
        return NULL;
    }
    *f = (san_device_allocation){
        .at = at, .size = size, .by = *by, .bits = bits, .mixed = UINT64_MAX, .users = 1};
    return f;
}

/* The range known to be written is extended to a newly examined piece if the piece and the gap
 * between both have at most this many bytes together. */
enum { MAX_WRITTEN_GAP = 16 * SAN_WRITTEN_PIECE };

bool san_examine_written_bits(san_device_allocation *f, uint64_t at, uint64_t n)
{
    if (!san_are_all_bits_set(f->bits, at, n))
        return false;
    const uint64_t piece = at / SAN_WRITTEN_PIECE, from = piece * SAN_WRITTEN_PIECE;
    const uint64_t to = f->size - from < SAN_WRITTEN_PIECE ? f->size : from + SAN_WRITTEN_PIECE;
    if (piece == f->mixed || (from >= f->written_from && to <= f->written_to))
        return true;
    /* FIRST to END: the piece, and the gap between it and the range that is known to be written */
    const uint64_t near = f->written_to && from > f->written_to ? f->written_to
                          : f->written_from > to                ? f->written_from
                                                                : from;
    const uint64_t first = near < from ? near : from, end = near > to ? near : to;
    const bool is_near = end - first <= MAX_WRITTEN_GAP;
    if (is_near && san_are_all_bits_set(f->bits, first, end - first)) {
        const bool joins = first <= f->written_to && end >= f->written_from;
        f->written_from = joins && f->written_from < first ? f->written_from : first;
        f->written_to = joins && f->written_to > end ? f->written_to : end;
    } else if (san_are_all_bits_set(f->bits, from, to - from)) {
        f->written_from = from;
        f->written_to = to;
    } else {
        f->mixed = piece;
    }
    return true;
}

void san_mark_unwritten(san_device_allocation *f, uint64_t at, uint64_t n)
{
    f->written_from = f->written_to = 0;
    san_set_bits(f->bits, at, n, false);
}

void san_note_copied_unwritten(san_device_allocation *f, uint64_t at, uint64_t n, uint64_t source)
{
    const bool first = f->copied_to == 0;
    f->source = first ? source : f->source;
    f->copied_from = first || at < f->copied_from ? at : f->copied_from;
    f->copied_to = at + n > f->copied_to ? at + n : f->copied_to;
}

bool san_is_copied_unwritten(uint64_t at, uint64_t *source)
{
    HOLD_LOCK(&allocation_table_lock);
    const san_device_allocation *f =
        san_find_tracked_allocation(allocation_table, allocation_count, at);
    const bool is = f && at - f->at >= f->copied_from && at - f->at < f->copied_to;
    *source = is ? f->source : 0;
    return is;
}

/* Add F, which may be NULL, to the table of allocations. */
static void add_to_allocation_table(san_device_allocation *f)
{
    HOLD_LOCK(&allocation_table_lock);
    san_device_allocation **new =
        f ? LIST_INSERT(allocation_table, allocation_count,
                        first_allocation_after(allocation_table, allocation_count, f->at))
          : NULL;
    if (new)
        *new = f;
    else if (f)
        drop_allocation_reference(f);
}

void san_add_unwritten(uint64_t at, uint64_t size, const san_caller *by)
{
    san_forget_tracked_allocation(at);
    add_to_allocation_table(new_device_allocation(at, size, by));
}

void san_add_unset_variable(uint64_t at, uint64_t size)
{
    static const san_caller nobody;
    san_device_allocation *f = new_device_allocation(at, size, &nobody);
    if (f)
        f->is_variable = true;
    san_forget_tracked_allocation(at);
    add_to_allocation_table(f);
}

void san_forget_tracked_allocation(uint64_t at)
{
    HOLD_LOCK(&allocation_table_lock);
    const uint32_t k = first_allocation_after(allocation_table, allocation_count, at);
    if (k && allocation_table[k - 1]->at == at) {
        drop_allocation_reference(allocation_table[k - 1]);
        memmove(allocation_table + k - 1, allocation_table + k,
                (allocation_count - k) * sizeof(san_device_allocation *));
        allocation_count--;
    }
}

void san_forget_all_tracked_allocations(void)
{
    HOLD_LOCK(&allocation_table_lock);
    while (allocation_count)
        drop_allocation_reference(allocation_table[--allocation_count]);
    free(allocation_table);
    allocation_table = NULL;
}

san_device_allocation **san_take_tracked_allocations(uint32_t *count)
{
    HOLD_LOCK(&allocation_table_lock);
    san_device_allocation **list = malloc((allocation_count + 1) * sizeof(san_device_allocation *));
    *count = list ? allocation_count : 0;
    for (uint32_t k = 0; k < *count; k++) {
        list[k] = allocation_table[k];
        list[k]->users++;
    }
    return list;
}

void san_release_tracked_allocations(san_device_allocation **list, uint32_t count)
{
    pthread_mutex_lock(&allocation_table_lock);
    for (uint32_t k = 0; k < count; k++)
        drop_allocation_reference(list[k]);
    pthread_mutex_unlock(&allocation_table_lock);
    free(list);
}

san_device_allocation **san_add_heap_of_device(uint64_t at, san_device_allocation **list,
                                               uint32_t *count)
{
    static const san_caller nobody;
    mem_range heap;
    if (!mem_find_range(at, &heap))
        return NULL;
    san_add_unwritten(heap.base, heap.size, &nobody);
    san_mark_written(heap.base, heap.size);
    uint32_t more_count;
    san_device_allocation **more = san_take_tracked_allocations(&more_count);
    if (more) {
        san_release_tracked_allocations(list, *count);
        *count = more_count;
    }
    return more;
}

san_device_allocation *san_find_tracked_allocation(san_device_allocation *const *list,
                                                   uint32_t count, uint64_t at)
{
    const uint32_t k = first_allocation_after(list, count, at);
    return k && at - list[k - 1]->at < list[k - 1]->size ? list[k - 1] : NULL;
}

/* --- managed memory --------------------------------------------------------------------------- */

static uint64_t pages_of_size(uint64_t size)
{
    return (size + mem_page_bytes() - 1) / mem_page_bytes();
}

void san_add_managed_unwritten(uint64_t at, uint64_t size, const san_caller *by)
{
    san_forget_tracked_allocation(at);
    san_device_allocation *f = new_device_allocation(at, size, by);
    if (f) {
        f->absent = pages_of_size(size);
        f->present = calloc(f->absent, 1);
        if (!f->present) {
            san_set_bits(f->bits, 0, size,
                         true); /* the host is out of memory: treat all bytes as written */
        }
#ifdef MADV_NOHUGEPAGE
        madvise((void *)(uintptr_t)at, size,
                MADV_NOHUGEPAGE); /* touching a byte should make only one page present */
#endif
    }
    add_to_allocation_table(f);
}

/* Mark as written those of the COUNT pages of F from page FIRST on that have memory now; mark all
 * of them if PAGEMAP, a file descriptor of /proc/self/pagemap, cannot be read. */
static void mark_present_pages(san_device_allocation *f, uint64_t first, uint64_t count,
                               int pagemap)
{
    enum { PAGES_AT_ONCE = 512 };
    const uint64_t has_memory =
        UINT64_C(3) << 62; /* bits of an entry of pagemap: page is present; page is swapped out */
    uint64_t entry[PAGES_AT_ONCE];
    const uint64_t page = mem_page_bytes();
    for (uint64_t from = first; from < first + count; from += PAGES_AT_ONCE) {
        const uint64_t n =
            first + count - from < PAGES_AT_ONCE ? first + count - from : PAGES_AT_ONCE;
        const off_t at = (off_t)((f->at / page + from) * sizeof *entry);
        const bool unknown =
            pread(pagemap, entry, n * sizeof *entry, at) != (ssize_t)(n * sizeof *entry);
        for (uint64_t k = 0; k < n; k++) {
            const uint64_t begin = (from + k) * page;
            if (unknown || entry[k] & has_memory) {
                san_set_bits(f->bits, begin, f->size - begin < page ? f->size - begin : page, true);
                f->present[from + k] = 1;
                f->absent--;
            }
        }
    }
}

void san_mark_pages_touched_by_host(bool all)
{
    int pagemap = -1;
    pthread_mutex_lock(&allocation_table_lock);
    for (uint32_t k = 0; k < allocation_count; k++) {
        san_device_allocation *f = allocation_table[k];
        const uint64_t pages = f->present && f->absent ? pages_of_size(f->size) : 0;
        if (pages && pagemap < 0 && !all)
            pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
        for (uint64_t first = 0, end; first < pages && f->absent; first = end) {
            const uint8_t *gap = memchr(f->present + first, 0, pages - first);
            first = gap ? (uint64_t)(gap - f->present) : pages;
            for (end = first; end < pages && !f->present[end]; end++) {
            }
            mark_present_pages(f, first, end - first, pagemap);
        }
    }
    pthread_mutex_unlock(&allocation_table_lock);
    if (pagemap >= 0)
        close(pagemap);
}

/* --- bytes written by copies, fills and the host ---------------------------------------------- */

static uint64_t count_bytes_in_allocation(const san_device_allocation *f, uint64_t at, uint64_t n)
{
    const uint64_t left = f->size - (at - f->at);
    return n < left ? n : left;
}

void san_mark_written(uint64_t at, uint64_t n)
{
    HOLD_LOCK(&allocation_table_lock);
    san_device_allocation *f = san_find_tracked_allocation(allocation_table, allocation_count, at);
    if (f) {
        f->is_set = true;
        san_set_bits(f->bits, at - f->at, count_bytes_in_allocation(f, at, n), true);
    }
}

void san_copy_written_marks(uint64_t to, uint64_t from, uint64_t n)
{
    HOLD_LOCK(&allocation_table_lock);
    san_device_allocation *t = san_find_tracked_allocation(allocation_table, allocation_count, to);
    const san_device_allocation *f =
        san_find_tracked_allocation(allocation_table, allocation_count, from);
    if (t)
        t->is_set = true;
    if (t && f &&
        !san_are_all_bits_set(f->bits, from - f->at, count_bytes_in_allocation(f, from, n))) {
        const uint64_t most =
            count_bytes_in_allocation(t, to, count_bytes_in_allocation(f, from, n));
        const bool backwards = to > from;
        for (uint64_t k = 0; k < most; k++) {
            const uint64_t at = backwards ? most - 1 - k : k;
            if (san_is_any_bit_set(f->bits, from - f->at + at, 1)) {
                san_set_bits(t->bits, to - t->at + at, 1, true);
            } else {
                san_mark_unwritten(t, to - t->at + at, 1);
                san_note_copied_unwritten(t, to - t->at + at, 1, from + at);
            }
        }
    } else if (t) {
        san_set_bits(t->bits, to - t->at, count_bytes_in_allocation(t, to, n), true);
    }
}

bool san_is_allocation_tracked(uint64_t at)
{
    HOLD_LOCK(&allocation_table_lock);
    return san_find_tracked_allocation(allocation_table, allocation_count, at) != NULL;
}

/* Is the range of unwritten bytes from AT to END more than padding of structures? Padding is short,
 * and other structures have it too: SHORT_RUNS has a bit for each short length seen so far. */
static bool is_more_than_padding(uint64_t at, uint64_t end, bool last, uint32_t *short_runs)
{
    enum { LONGEST_PADDING = 15 };
    const uint64_t n = end - at;
    if (n > LONGEST_PADDING)
        return true;
    const bool seen = *short_runs >> n & 1;
    *short_runs |= UINT32_C(1) << n;
    return last && !seen;
}

bool san_find_unwritten_elements(uint64_t at, uint64_t n, uint64_t *from, uint64_t *to,
                                 san_caller *by)
{
    enum { WORD = 4, FEWEST_BYTES = 64 };
    HOLD_LOCK(&allocation_table_lock);
    san_device_allocation *f = san_find_tracked_allocation(allocation_table, allocation_count, at);
    const uint64_t base = f ? at - f->at : 0;
    const uint64_t end = f ? base + count_bytes_in_allocation(f, at, n) : 0;
    uint64_t k = (base + WORD - 1) / WORD * WORD;
    uint32_t short_runs = n < FEWEST_BYTES ? UINT32_MAX : 0;
    if (!f || san_is_all_written(f, base, end - base))
        return false;
    if (end > base && !san_is_any_bit_set(f->bits, base, end - base)) {
        *from = 0; /* nothing at all, however short: no padding */
        *to = end - base;
        *by = f->by;
        return true;
    }
    for (; k + WORD <= end; k = k / WORD * WORD + WORD) {
        const uint64_t first = k;
        while (k < end && !san_is_any_bit_set(f->bits, k, 1))
            k++;
        if (k - first >= WORD && is_more_than_padding(first, k, k == end, &short_runs)) {
            *from = first - base;
            *to = k - base;
            *by = f->by;
            return true;
        }
    }
    return false;
}
