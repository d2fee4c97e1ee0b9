#include "shadow.h"

#include "../../base/lock.h"

#include "readers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ACCESS_RECORDS = 1 << 24, /* most access records of a launch: after that the shadow memory
                                     is cleared, and races with earlier accesses are missed */
    RECENT_RECORDS = 1 << 12      /* slots of the hash table of recent access records */
};

struct san_page_table {
    san_page **pages;              /* hash table of pages, by page number */
    uint32_t page_count, page_cap; /* pages in the table; slots */
    uint32_t arrays;   /* number of arrays of cells and lists of reads that the pages have */
    uint32_t launches; /* number of launches that this shadow memory has been used for */
    uint32_t records;  /* number of access records; the first has number 1 */
    struct recent_record {
        uint32_t number;      /* number of the record; 0: the slot is empty */
        uint32_t hash;        /* hash of the record's fields */
    } recent[RECENT_RECORDS]; /* hash table of records that were added recently */
};

/* The shadow of the last launch is kept for the next one, because programs often launch on the
 * same memory again. */
enum { MAX_ARRAYS_KEPT = 1 << 16 /* most arrays that are kept: 256 MB, if a cell is a word */ };
static san_shadow *reusable_shadow; /* shadow memory of the last launch, for the next one */
static pthread_mutex_t reusable_shadow_lock =
    PTHREAD_MUTEX_INITIALIZER; /* protects reusable_shadow */

/* Keep the shadow NEXT, and return the shadow kept before. */
static san_shadow *exchange_kept_shadow(san_shadow *next)
{
    HOLD_LOCK(&reusable_shadow_lock);
    san_shadow *was = reusable_shadow;
    reusable_shadow = next;
    return was;
}

san_shadow *san_shadow_new(void)
{
    san_shadow *s = exchange_kept_shadow(NULL);
    if (s) {
        s->own->launches++;
        return s;
    }
    s = calloc(1, sizeof *s);
    if (s) {
        s->chunk = calloc(MAX_ACCESS_RECORDS / SAN_RECORDS_PER_CHUNK, sizeof *s->chunk);
        s->own = calloc(1, sizeof *s->own);
    }
    if (s && (!s->chunk || !s->own)) {
        free(s->chunk);
        free(s->own);
        free(s);
        return NULL;
    }
    if (s)
        s->own->records = 1;
    return s;
}

/* --- cell arrays and read lists of pages ------------------------------------------------------ */

static void free_array_of_page(san_shadow *s, void *array)
{
    s->own->arrays -= array != NULL;
    free(array);
}

san_ref *san_page_cells(san_shadow *s, san_page *p, san_cell kind)
{
    const san_cell k = p->shift == 0 && kind == SAN_LAST_STRONG ? SAN_LAST_WRITE : kind;
    const size_t bytes = (SAN_PAGE_BYTES >> p->shift) * sizeof(san_ref);
    if (p->cell[k])
        return p->cell[k];
    if (p->spare[k]) {
        p->cell[k] = memset(p->spare[k], 0, bytes);
        p->spare[k] = NULL;
    } else {
        p->cell[k] = calloc(1, bytes);
        s->own->arrays += p->cell[k] != NULL;
    }
    return p->cell[k];
}

bool san_page_add_list(san_shadow *s, san_page *p, uint32_t k)
{
    if (!p->list[k]) {
        p->list[k] = malloc(SAN_LIST_BYTES);
        s->own->arrays += p->list[k] != NULL;
    }
    return p->list[k] != NULL;
}

static void free_cells_of_page(san_shadow *s, san_page *p)
{
    for (int k = 0; k < SAN_CELL_KINDS; k++) {
        free_array_of_page(s, p->cell[k]);
        free_array_of_page(s, p->spare[k]);
        p->cell[k] = p->spare[k] = NULL;
    }
}

static void free_all_pages(san_shadow *s)
{
    for (uint32_t k = 0; k < s->own->page_cap; k++) {
        san_page *p = s->own->pages[k];
        if (p) {
            free_cells_of_page(s, p);
            for (int n = 0; n < SAN_MAX_LISTS; n++)
                free_array_of_page(s, p->list[n]);
            free(p);
        }
    }
    free(s->own->pages);
    s->own->pages = NULL;
    memset(s->last, 0, sizeof s->last);
    s->own->page_count = s->own->page_cap = 0;
}

static void clear_records(san_shadow *s)
{
    memset(s->own->recent, 0, sizeof s->own->recent);
    s->own->records = 1;
}

void san_shadow_free(san_shadow *s)
{
    if (s && s->own->arrays <= MAX_ARRAYS_KEPT) {
        clear_records(s);
        memset(s->last, 0, sizeof s->last);
        s = exchange_kept_shadow(s);
    }
    if (!s)
        return;
    free_all_pages(s);
    for (uint32_t k = 0; k < MAX_ACCESS_RECORDS / SAN_RECORDS_PER_CHUNK; k++)
        free(s->chunk[k]);
    free(s->chunk);
    free(s->own);
    free(s);
}

/* --- shadow pages ----------------------------------------------------------------------------- */

static san_page **page_table_slot(san_page **pages, uint32_t cap, uint64_t number)
{
    uint32_t at = (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (cap - 1);
    while (pages[at] && pages[at]->number != number)
        at = (at + 1) & (cap - 1);
    return &pages[at];
}

/* Reset P: no thread has touched it in this launch; a cell stands for 1 << SHIFT bytes. */
static void reset_page(san_shadow *s, san_page *p, uint32_t shift)
{
    if (p->shift != shift)
        free_cells_of_page(s, p);
    for (int k = 0; k < SAN_CELL_KINDS; k++) {
        if (p->cell[k]) {
            p->spare[k] = p->cell[k];
            p->cell[k] = NULL;
        }
    }
    p->launch = s->own->launches;
    p->shift = shift;
    p->listed = true;
    p->read_count = 0;
}

/* Split the cells of P into smaller ones of 1 << SHIFT bytes. Each keeps the accesses. */
static void split_cells(san_shadow *s, san_page *p, uint32_t shift)
{
    san_page_list_to_cells(s, p);
    san_page coarse = *p;
    memset(p->cell, 0, sizeof p->cell);
    memset(p->spare, 0, sizeof p->spare);
    p->shift = shift;
    for (int kind = SAN_CELL_KINDS; kind-- > 0;) {
        const san_ref *from = coarse.cell[kind];
        if (!from || (shift == 0 && kind == SAN_OTHER_READ))
            continue;
        san_ref *to = san_page_cells(s, p, (san_cell)kind);
        for (uint32_t k = 0; to && k < (uint32_t)SAN_PAGE_BYTES >> shift; k++) {
            const san_ref ref = from[k << shift >> coarse.shift];
            to[k] = ref ? ref : to[k];
        }
    }
    free_cells_of_page(s, &coarse);
}

static bool grow_page_table(san_shadow *s)
{
    const uint32_t cap = s->own->page_cap ? 2 * s->own->page_cap : 256;
    san_page **more = calloc(cap, sizeof *more);
    if (!more)
        return false;
    for (uint32_t k = 0; k < s->own->page_cap; k++)
        if (s->own->pages[k])
            *page_table_slot(more, cap, s->own->pages[k]->number) = s->own->pages[k];
    free(s->own->pages);
    s->own->pages = more;
    s->own->page_cap = cap;
    return true;
}

san_page *san_shadow_find(san_shadow *s, uint64_t address, uint32_t bytes)
{
    const uint64_t number = address / SAN_PAGE_BYTES;
    const uint32_t shift = bytes == 1 ? 0 : bytes == 2 ? 1 : 2;
    san_page **last = &s->last[number % SAN_CACHED_PAGES], *p = *last;
    if (!p || p->number != number) {
        if (2 * (s->own->page_count + 1) > s->own->page_cap && !grow_page_table(s))
            return NULL;
        san_page **slot = page_table_slot(s->own->pages, s->own->page_cap, number);
        if (!*slot) {
            san_page *new = calloc(1, sizeof *new);
            if (!new)
                return NULL;
            new->number = number;
            reset_page(s, new, shift);
            *slot = new;
            s->own->page_count++;
        }
        p = *last = *slot;
        if (p->launch != s->own->launches)
            reset_page(s, p, shift);
    }
    if (shift < p->shift)
        split_cells(s, p, shift);
    return p;
}

static int compare_page_numbers(const void *a, const void *b)
{
    const uint64_t x = (*(san_page *const *)a)->number, y = (*(san_page *const *)b)->number;
    return (x > y) - (x < y);
}

san_page **san_shadow_pages(const san_shadow *s, uint32_t *count)
{
    san_page **list = malloc((s->own->page_count + 1) * sizeof *list);
    *count = 0;
    for (uint32_t k = 0; list && k < s->own->page_cap; k++) {
        san_page *p = s->own->pages[k];
        if (p && p->launch == s->own->launches)
            list[(*count)++] = p;
    }
    if (list)
        qsort(list, *count, sizeof *list, compare_page_numbers);
    return list;
}

void san_shadow_forget(san_shadow *s, uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address; at < address + bytes;) {
        const uint64_t next = (at / SAN_PAGE_BYTES + 1) * SAN_PAGE_BYTES;
        const uint64_t end = next < address + bytes ? next : address + bytes;
        san_page *p = s->own->page_cap
                          ? *page_table_slot(s->own->pages, s->own->page_cap, at / SAN_PAGE_BYTES)
                          : NULL;
        if (p && p->launch == s->own->launches) {
            san_page_list_to_cells(s, p);
            const uint64_t first = at % SAN_PAGE_BYTES >> p->shift;
            const uint64_t past = ((end - 1) % SAN_PAGE_BYTES >> p->shift) + 1;
            for (int k = 0; k < SAN_CELL_KINDS; k++)
                if (p->cell[k])
                    memset(p->cell[k] + first, 0, (past - first) * sizeof(san_ref));
        }
        at = end;
    }
}

/* --- access records --------------------------------------------------------------------------- */

/* The slot for a record with these fields in the hash table of recent records. Sets *HASH to the
 * hash that is stored in the slot if it holds this record. */
static inline struct recent_record *recent_record_slot(const san_shadow *s, uint64_t block,
                                                       const ptx_insn *insn, uint32_t time,
                                                       uint32_t warp, uint32_t *hash)
{
    const uint64_t mix = ((uintptr_t)insn >> 3) * UINT64_C(0x9e3779b97f4a7c15) + warp * 977u;
    *hash = (uint32_t)(mix >> 32) ^ (uint32_t)block * 0x9e3779b9u ^ time;
    return &s->own->recent[mix >> 20 & (RECENT_RECORDS - 1)];
}

uint32_t san_shadow_add_record(san_shadow *s, const san_record *r)
{
    uint32_t hash;
    struct recent_record *recent =
        recent_record_slot(s, r->block, r->insn, r->time, r->warp, &hash);
    if (recent->number && recent->hash == hash) {
        const san_record *was = san_shadow_record(s, recent->number);
        if (was->block == r->block && was->insn == r->insn && was->time == r->time &&
            was->warp == r->warp && was->effect == r->effect && was->lock == r->lock &&
            was->fenced == r->fenced)
            return recent->number;
    }
    if (s->own->records == MAX_ACCESS_RECORDS) {
        free_all_pages(s);
        clear_records(s);
    }
    san_record **chunk = &s->chunk[s->own->records / SAN_RECORDS_PER_CHUNK];
    if (!*chunk && !(*chunk = malloc(SAN_RECORDS_PER_CHUNK * sizeof **chunk)))
        return 0;
    const uint32_t number = s->own->records++;
    *recent = (struct recent_record){number, hash};
    (*chunk)[number % SAN_RECORDS_PER_CHUNK] = *r;
    return number;
}

static __attribute__((noinline)) uint32_t add_weak_record(san_shadow *s, uint64_t block,
                                                          const ptx_insn *insn, uint32_t time,
                                                          uint32_t warp, sm_effect effect)
{
    const san_record r = {.block = block,
                          .insn = insn,
                          .time = time,
                          .warp = (uint16_t)warp,
                          .effect = (uint8_t)effect};
    return san_shadow_add_record(s, &r);
}

uint32_t san_shadow_add_weak_record(san_shadow *s, uint64_t block, const ptx_insn *insn,
                                    uint32_t time, uint32_t warp, sm_effect effect)
{
    uint32_t hash;
    struct recent_record *recent = recent_record_slot(s, block, insn, time, warp, &hash);
    const uint32_t number = s->own->records;
    san_record *chunk =
        number < MAX_ACCESS_RECORDS ? s->chunk[number / SAN_RECORDS_PER_CHUNK] : NULL;
    if (!chunk || recent->hash == hash)
        return add_weak_record(s, block, insn, time, warp, effect);
    s->own->records++;
    *recent = (struct recent_record){number, hash};
    chunk[number % SAN_RECORDS_PER_CHUNK] = (san_record){.block = block,
                                                         .insn = insn,
                                                         .time = time,
                                                         .warp = (uint16_t)warp,
                                                         .effect = (uint8_t)effect};
    return number;
}
