#include "written.h"

#include "../../core/code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- bits --------------------------------------------------------------------------------------
 */

/* A mask of the bits in one word for bytes FROM to TO (numbers in the whole array), of which at
 * least one is in the word. */
static uint64_t part(uint64_t word, uint64_t from, uint64_t to)
{
    const uint64_t low = from > word * 64 ? from - word * 64 : 0;
    const uint64_t high = to < word * 64 + 64 ? to - word * 64 : 64;
    return (high - low == 64 ? UINT64_MAX : (UINT64_C(1) << (high - low)) - 1) << low;
}

bool san_bits_all(const uint64_t *bits, uint64_t at, uint64_t n)
{
    for (uint64_t w = at / 64; w * 64 < at + n; w++) {
        if (~bits[w] & part(w, at, at + n)) {
            return false;
        }
    }
    return true;
}

bool san_bits_any(const uint64_t *bits, uint64_t at, uint64_t n)
{
    for (uint64_t w = at / 64; w * 64 < at + n; w++) {
        if (bits[w] & part(w, at, at + n)) {
            return true;
        }
    }
    return false;
}

void san_bits_set(uint64_t *bits, uint64_t at, uint64_t n, bool written)
{
    for (uint64_t w = at / 64; w * 64 < at + n; w++) {
        const uint64_t mask = part(w, at, at + n);
        if (written && ~bits[w] & mask) {
            bits[w] |= mask;
        } else if (!written && bits[w] & mask) {
            bits[w] &= ~mask;
        }
    }
}

/* --- allocations -------------------------------------------------------------------------------
 */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the table of allocations */
static san_fresh **table;                                /* device allocations, sorted by address */
static uint32_t table_count, table_room;

static uint64_t bits_bytes(uint64_t size)
{
    return (size / 64 + 2) * sizeof(uint64_t);
}

static void unref(san_fresh *f)
{
    if (--f->users == 0) {
        munmap(f->bits, bits_bytes(f->size));
        free(f);
    }
}

/* Index of the first allocation of LIST that begins after AT. */
static uint32_t first_after(san_fresh *const *list, uint32_t count, uint64_t at)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (list[mid]->at <= at) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

static san_fresh *fresh_new(uint64_t at, uint64_t size, const san_caller *by)
{
    san_fresh *f = malloc(sizeof *f);
    /* mmap allocates the pages of the bits when they are touched */
    void *bits = f ? mmap(NULL, bits_bytes(size), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                   : MAP_FAILED;
    if (bits == MAP_FAILED) {
        free(f);
        return NULL;
    }
    *f = (san_fresh){.at = at, .size = size, .by = *by, .bits = bits, .users = 1};
    return f;
}

void san_fresh_add(uint64_t at, uint64_t size, const san_caller *by)
{
    san_fresh_drop(at);
    san_fresh *f = fresh_new(at, size, by);
    pthread_mutex_lock(&lock);
    if (f && table_count == table_room) {
        const uint32_t room = table_room ? 2 * table_room : 16;
        san_fresh **more = realloc(table, room * sizeof(san_fresh *));
        if (more) {
            table = more;
            table_room = room;
        }
    }
    if (f && table_count < table_room) {
        const uint32_t k = first_after(table, table_count, at);
        memmove(table + k + 1, table + k, (table_count - k) * sizeof(san_fresh *));
        table[k] = f;
        table_count++;
    } else if (f) {
        unref(f);
    }
    pthread_mutex_unlock(&lock);
}

void san_fresh_drop(uint64_t at)
{
    pthread_mutex_lock(&lock);
    const uint32_t k = first_after(table, table_count, at);
    if (k && table[k - 1]->at == at) {
        unref(table[k - 1]);
        memmove(table + k - 1, table + k, (table_count - k) * sizeof(san_fresh *));
        table_count--;
    }
    pthread_mutex_unlock(&lock);
}

void san_fresh_drop_all(void)
{
    pthread_mutex_lock(&lock);
    while (table_count) {
        unref(table[--table_count]);
    }
    free(table);
    table = NULL;
    table_room = 0;
    pthread_mutex_unlock(&lock);
}

san_fresh **san_fresh_take(uint32_t *count)
{
    pthread_mutex_lock(&lock);
    san_fresh **list = malloc((table_count + 1) * sizeof(san_fresh *));
    *count = list ? table_count : 0;
    for (uint32_t k = 0; k < *count; k++) {
        list[k] = table[k];
        list[k]->users++;
    }
    pthread_mutex_unlock(&lock);
    return list;
}

void san_fresh_release(san_fresh **list, uint32_t count)
{
    pthread_mutex_lock(&lock);
    for (uint32_t k = 0; k < count; k++) {
        unref(list[k]);
    }
    pthread_mutex_unlock(&lock);
    free(list);
}

san_fresh **san_fresh_take_heap(uint64_t at, san_fresh **list, uint32_t *count)
{
    static const san_caller nobody;
    mem_range heap;
    if (!mem_find(at, &heap)) {
        return NULL;
    }
    san_fresh_add(heap.base, heap.size, &nobody);
    san_fresh_write(heap.base, heap.size);
    uint32_t more_count;
    san_fresh **more = san_fresh_take(&more_count);
    if (more) {
        san_fresh_release(list, *count);
        *count = more_count;
    }
    return more;
}

san_fresh *san_fresh_find(san_fresh *const *list, uint32_t count, uint64_t at)
{
    const uint32_t k = first_after(list, count, at);
    return k && at - list[k - 1]->at < list[k - 1]->size ? list[k - 1] : NULL;
}

/* --- copies and fills by the host ------------------------------------------------------------- */

static uint64_t within(const san_fresh *f, uint64_t at, uint64_t n)
{
    const uint64_t left = f->size - (at - f->at);
    return n < left ? n : left;
}

void san_fresh_write(uint64_t at, uint64_t n)
{
    pthread_mutex_lock(&lock);
    san_fresh *f = san_fresh_find(table, table_count, at);
    if (f) {
        san_bits_set(f->bits, at - f->at, within(f, at, n), true);
    }
    pthread_mutex_unlock(&lock);
}

void san_fresh_copy(uint64_t to, uint64_t from, uint64_t n)
{
    pthread_mutex_lock(&lock);
    san_fresh *t = san_fresh_find(table, table_count, to);
    const san_fresh *f = san_fresh_find(table, table_count, from);
    if (t && f && !san_bits_all(f->bits, from - f->at, within(f, from, n))) {
        const uint64_t most = within(t, to, within(f, from, n));
        const bool backwards = to > from;
        for (uint64_t k = 0; k < most; k++) {
            const uint64_t at = backwards ? most - 1 - k : k;
            san_bits_set(t->bits, to - t->at + at, 1, san_bits_any(f->bits, from - f->at + at, 1));
        }
    } else if (t) {
        san_bits_set(t->bits, to - t->at, within(t, to, n), true);
    }
    pthread_mutex_unlock(&lock);
}

bool san_fresh_untouched(uint64_t at, uint64_t n, san_caller *by)
{
    pthread_mutex_lock(&lock);
    const san_fresh *f = san_fresh_find(table, table_count, at);
    const bool untouched = f && !san_bits_any(f->bits, at - f->at, within(f, at, n));
    if (untouched && by) {
        *by = f->by;
    }
    pthread_mutex_unlock(&lock);
    return untouched;
}
