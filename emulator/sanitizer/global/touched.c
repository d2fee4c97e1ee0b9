#include "touched.h"

#include "../../base/list.h"
#include "../../base/lock.h"

#include "readers.h"
#include "view.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

san_touched *san_touched_new(void)
{
    return calloc(1, sizeof(san_touched));
}

void san_touched_free(san_touched *t)
{
    for (int way = 0; t && way < SAN_TOUCH_KINDS; way++)
        free(t->by[way].range);
    for (uint32_t k = 0; t && k < t->request_count; k++)
        san_touched_free(t->request[k].later);
    if (t) {
        free(t->request);
        san_touched_free(t->early);
    }
    free(t);
}

san_touched *san_touched_by_request(san_touched *t, uint32_t number)
{
    struct san_touched_request *r = LIST_ADD(t->request, t->request_count);
    if (!r)
        return NULL;
    *r = (struct san_touched_request){number, san_touched_new()};
    t->request_count -= !r->later;
    return r->later;
}

san_touched *san_touched_find_request(const san_touched *t, uint32_t number)
{
    for (uint32_t k = 0; k < t->request_count; k++)
        if (t->request[k].number == number)
            return t->request[k].later;
    return NULL;
}

/* A copy of PATH that stays valid after its module is unloaded. */
static const char *interned_path(const char *path)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct name {
        struct name *next;
        char text[];
    } * names;
    if (!path)
        return NULL;
    HOLD_LOCK(&lock);
    struct name *n = names;
    while (n && strcmp(n->text, path) != 0)
        n = n->next;
    if (!n && (n = malloc(sizeof *n + strlen(path) + 1))) {
        strcpy(n->text, path);
        n->next = names;
        names = n;
    }
    return n ? n->text : NULL;
}

void san_touched_add_range(san_touched *t, san_touch_kind way, uint64_t at, uint64_t bytes,
                           const char *path, uint32_t line)
{
    const uint32_t n = t->by[way].count;
    if (n) {
        san_range *last = &t->by[way].range[n - 1];
        if (last->at + last->bytes == at && last->path == path && last->line == line) {
            last->bytes += bytes;
            return;
        }
    }
    san_range *r = LIST_ADD(t->by[way].range, t->by[way].count);
    if (r)
        *r = (san_range){at, bytes, path, line};
    t->lost |= !r;
    t->by[way].sorted = false;
}

static int compare_by_address(const void *a, const void *b)
{
    const san_range *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Sort the ranges by address and make them disjoint: bytes in two ranges remain in the first. */
static void sort_ranges(san_touched *t, san_touch_kind way)
{
    san_range *r = t->by[way].range;
    if (t->by[way].sorted || t->by[way].count == 0)
        return;
    qsort(r, t->by[way].count, sizeof *r, compare_by_address);
    uint32_t n = 1;
    for (uint32_t k = 1; k < t->by[way].count; k++) {
        const uint64_t past = r[n - 1].at + r[n - 1].bytes, end = r[k].at + r[k].bytes;
        if (end > past) {
            san_range next = r[k];
            next.at = next.at < past ? past : next.at;
            next.bytes = end - next.at;
            r[n++] = next;
        }
    }
    t->by[way].count = n;
    t->by[way].sorted = true;
}

void san_touched_remove_range(san_touched *t, uint64_t at, uint64_t bytes)
{
    for (int way = 0; way < SAN_TOUCH_KINDS; way++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < t->by[way].count; k++) {
            const san_range *r = &t->by[way].range[k];
            if (r->at + r->bytes <= at || r->at >= at + bytes)
                t->by[way].range[n++] = *r;
        }
        t->by[way].count = n;
    }
    for (uint32_t k = 0; k < t->request_count; k++)
        san_touched_remove_range(t->request[k].later, at, bytes);
}

/* Find the first bytes that A touches with accesses of kind A_KIND and B with accesses of kind
 * B_KIND. False: there are none. */
static bool find_common_bytes(san_touched *a, san_touch_kind a_kind, san_touched *b,
                              san_touch_kind b_kind, san_touched_race *out)
{
    sort_ranges(a, a_kind);
    sort_ranges(b, b_kind);
    uint32_t i = 0, k = 0;
    while (i < a->by[a_kind].count && k < b->by[b_kind].count) {
        const san_range *x = &a->by[a_kind].range[i], *y = &b->by[b_kind].range[k];
        const uint64_t from = x->at > y->at ? x->at : y->at;
        const uint64_t x_end = x->at + x->bytes, y_end = y->at + y->bytes;
        const uint64_t to = x_end < y_end ? x_end : y_end;
        if (from < to) {
            *out = (san_touched_race){from, to - from, *x, *y, a_kind, b_kind};
            return true;
        }
        i += x_end <= y_end;
        k += x_end > y_end;
    }
    return false;
}

bool san_touched_find_race(san_touched *a, san_touched *b, san_touched_race *out)
{
    static const san_touch_kind passing[][2] = {{SAN_STORED_STRONG, SAN_LOADED_STRONG},
                                                {SAN_LOADED_STRONG, SAN_STORED_STRONG},
                                                {SAN_STORED_STRONG, SAN_STORED_STRONG}};
    static const san_touch_kind racing[][2] = {
        {SAN_STORED, SAN_LOADED},        {SAN_LOADED, SAN_STORED},
        {SAN_STORED, SAN_STORED},        {SAN_STORED, SAN_STORED_STRONG},
        {SAN_STORED_STRONG, SAN_STORED}, {SAN_STORED, SAN_LOADED_STRONG},
        {SAN_LOADED_STRONG, SAN_STORED}, {SAN_STORED_STRONG, SAN_LOADED},
        {SAN_LOADED, SAN_STORED_STRONG}};
    san_touched_race found;
    for (size_t k = 0; k < sizeof passing / sizeof *passing; k++)
        if (find_common_bytes(a, passing[k][0], b, passing[k][1], &found))
            return false;
    bool some = false;
    for (size_t k = 0; k < sizeof racing / sizeof *racing && !some; k++)
        some = find_common_bytes(a, racing[k][0], b, racing[k][1], out);
    return some;
}

/* --- the accesses of a launch ----------------------------------------------------------------- */

static san_touch_kind touch_kind_of_record(const san_record *r)
{
    const bool strong = r->strong && !r->in_block;
    return r->effect == SM_READS ? (strong ? SAN_LOADED_STRONG : SAN_LOADED)
                                 : (strong ? SAN_STORED_STRONG : SAN_STORED);
}

typedef struct source_line_cache {
    const ptx_module *module; /* module of the code */
    const ptx_insn *insn;     /* the instruction whose source line was looked up last */
    const char *path;         /* source file of `insn` */
    uint32_t line;            /* line of `insn` in the source file `path` */
    const san_view *known; /* accesses that need not be added, because they are ordered before the
                              requested work */
} source_line_cache;

static void add_accesses_of_cells(san_touched *t, san_shadow *s, const san_page *p, san_cell kind,
                                  source_line_cache *last)
{
    const uint64_t base = p->number * SAN_PAGE_BYTES;
    const san_ref *cells = p->cell[kind];
    for (uint32_t c = 0; cells && c < (uint32_t)SAN_PAGE_BYTES >> p->shift; c++) {
        if (!cells[c])
            continue;
        const san_record *r = san_shadow_record(s, cells[c] / SM_LANES);
        if (last->known && san_view_contains(last->known, r->block,
                                             r->warp * SM_LANES + cells[c] % SM_LANES, r->time))
            continue;
        if (r->insn != last->insn) {
            last->insn = r->insn;
            last->line = 0;
            last->path = interned_path(ptx_source_file(last->module, r->insn, &last->line));
        }
        san_touched_add_range(t, touch_kind_of_record(r), base + ((uint64_t)c << p->shift),
                              UINT64_C(1) << p->shift, last->path, last->line);
    }
}

void san_touched_add_unordered(san_touched *t, san_shadow *s, const ptx_module *m,
                               const san_view *view, uint64_t *cells)
{
    uint32_t count = 0;
    source_line_cache last = {.module = m, .known = view};
    san_page **pages = san_shadow_pages(s, &count);
    for (uint32_t k = 0; pages && k < count && *cells; k++) {
        for (int kind = 0; kind < SAN_CELL_KINDS; kind++)
            add_accesses_of_cells(t, s, pages[k], (san_cell)kind, &last);
        *cells -= *cells < SAN_PAGE_BYTES ? *cells : SAN_PAGE_BYTES;
    }
    free(pages);
}

void san_touched_add_launch(san_touched *t, san_shadow *s, const ptx_module *m, uint64_t from,
                            uint64_t to)
{
    uint32_t count = 0;
    source_line_cache last = {.module = m};
    san_page **pages = san_shadow_pages(s, &count);
    t->lost |= pages == NULL;
    for (uint32_t k = 0; pages && k < count; k++) {
        san_page_list_to_cells(s, pages[k]);
        for (int kind = 0; kind < SAN_CELL_KINDS; kind++)
            add_accesses_of_cells(t, s, pages[k], (san_cell)kind, &last);
    }
    free(pages);
    if (from < to)
        san_touched_remove_range(t, from, to - from);
}
