#include "reports.h"

#include "source_line.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct finding {
    san_pair pair;
    uint64_t block; /* index of the first block in which it was found */
    sm_report report;
} finding;

struct san_reports {
    pthread_mutex_t lock;
    finding *list;
    size_t count, room;
};

san_reports *san_reports_new(void)
{
    san_reports *r = calloc(1, sizeof *r);
    if (r) {
        pthread_mutex_init(&r->lock, NULL);
    }
    return r;
}

static int by_block(const void *a, const void *b)
{
    const finding *x = a, *y = b;
    return x->block != y->block ? (x->block > y->block) - (x->block < y->block)
                                : strcmp(x->report.text, y->report.text);
}

sm_report *san_reports_take(san_reports *r)
{
    sm_report *list = NULL, **end = &list;
    if (r->count) {
        qsort(r->list, r->count, sizeof *r->list, by_block);
    }
    for (size_t k = 0; k < r->count; k++) {
        /* Unrolled copies of an instruction give equal reports. */
        if (k && strcmp(r->list[k].report.text, r->list[k - 1].report.text) == 0) {
            continue;
        }
        *end = malloc(sizeof **end);
        if (!*end) {
            break;
        }
        **end = r->list[k].report;
        (*end)->next = NULL;
        end = &(*end)->next;
    }
    pthread_mutex_destroy(&r->lock);
    free(r->list);
    free(r);
    return list;
}

/* Whether the pairs are equal; the order of the two accesses does not matter. */
static bool same(const san_pair *a, const san_pair *b)
{
    return (a->at == b->at && a->other_at == b->other_at && a->how == b->how &&
            a->other_how == b->other_how) ||
           (a->at == b->other_at && a->other_at == b->at && a->how == b->other_how &&
            a->other_how == b->how);
}

sm_report *san_reports_open(san_reports *r, const san_pair *pair, uint64_t block)
{
    finding *f = NULL;
    pthread_mutex_lock(&r->lock);
    for (size_t k = 0; k < r->count && !f; k++) {
        f = same(&r->list[k].pair, pair) ? &r->list[k] : NULL;
    }
    if (!f && r->count == r->room) {
        const size_t room = r->room ? 2 * r->room : 16;
        finding *more = realloc(r->list, room * sizeof *more);
        if (!more) {
            return NULL;
        }
        r->list = more;
        r->room = room;
    }
    if (!f) {
        f = &r->list[r->count++];
        *f = (finding){.pair = *pair, .block = UINT64_MAX};
    }
    if (block >= f->block) {
        return NULL;
    }
    f->block = block;
    return &f->report;
}

void san_reports_close(san_reports *r)
{
    pthread_mutex_unlock(&r->lock);
}

/* --- words -------------------------------------------------------------------------------------
 */

void san_who_text(const sm_launch *l, uint64_t block, uint32_t thread, char *buf, size_t size)
{
    char t[40], b[40];
    if (l->block[1] == 1 && l->block[2] == 1) {
        snprintf(t, sizeof t, "%u", thread);
    } else {
        snprintf(t, sizeof t, "(%u,%u,%u)", thread % l->block[0],
                 thread / l->block[0] % l->block[1], thread / l->block[0] / l->block[1]);
    }
    if (l->grid[1] == 1 && l->grid[2] == 1) {
        snprintf(b, sizeof b, "%llu", (unsigned long long)block);
    } else {
        snprintf(b, sizeof b, "(%u,%u,%u)", (uint32_t)(block % l->grid[0]),
                 (uint32_t)(block / l->grid[0] % l->grid[1]),
                 (uint32_t)(block / l->grid[0] / l->grid[1]));
    }
    snprintf(buf, size, "thread %.28s of block %.33s", t, b);
}

void san_report_line(sm_report *r, const char *line)
{
    const size_t used = strlen(r->text);
    snprintf(r->text + used, sizeof r->text - used, "%s%s", used ? "\n" : "", line);
}

void san_report_source(sm_report *r, const sm_report_side *side)
{
    char lines[300];
    if (side->path && san_source_line(side->path, side->line, 0, lines, sizeof lines)) {
        san_report_line(r, lines);
    }
}
