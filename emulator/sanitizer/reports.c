#include "reports.h"

#include "../base/list.h"
#include "../base/lock.h"
#include "../core/code.h"
#include "../observe/observe.h"
#include "../sm/array_name.h"
#include "finding.h"
#include "reported.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct launch_finding {
    san_insn_pair pair; /* the two instructions that the report names */
    uint64_t block;     /* index of the first block in which it was found */
    sm_report report;   /* the report on them */
} launch_finding;

struct san_reports {
    const char *kernel;   /* name of the kernel */
    pthread_mutex_t lock; /* protects the fields below */
    launch_finding *list; /* findings of the launch */
    size_t count;
};

san_reports *san_reports_new(const sm_launch *l)
{
    san_reports *r = calloc(1, sizeof *r);
    if (r) {
        r->kernel = l->name;
        pthread_mutex_init(&r->lock, NULL);
    }
    return r;
}

static int compare_finding_blocks(const void *a, const void *b)
{
    const launch_finding *x = a, *y = b;
    return x->block != y->block ? (x->block > y->block) - (x->block < y->block)
                                : strcmp(x->report.text, y->report.text);
}

sm_report *san_take_reports(san_reports *r)
{
    sm_report *list = NULL, **end = &list;
    for (size_t k = 0; k < r->count; k++) {
        sm_report *f = &r->list[k].report;
        if (san_is_reported(f, r->kernel))
            r->list[k--] = r->list[--r->count];
    }
    if (r->count)
        qsort(r->list, r->count, sizeof *r->list, compare_finding_blocks);
    for (size_t k = 0; k < r->count; k++) {
        /* unrolled copies of an instruction give equal reports */
        if (k && strcmp(r->list[k].report.text, r->list[k - 1].report.text) == 0)
            continue;
        *end = malloc(sizeof **end);
        if (!*end)
            break;
        **end = r->list[k].report;
        (*end)->next = NULL;
        end = &(*end)->next;
    }
    pthread_mutex_destroy(&r->lock);
    free(r->list);
    free(r);
    return list;
}

/* Are the pairs A and B equal? The order of the two accesses does not matter. */
static bool is_same_pair(const san_insn_pair *a, const san_insn_pair *b)
{
    return (a->at == b->at && a->other_at == b->other_at && a->how == b->how &&
            a->other_how == b->other_how) ||
           (a->at == b->other_at && a->other_at == b->at && a->how == b->other_how &&
            a->other_how == b->how);
}

sm_report *san_start_report(san_reports *r, const san_insn_pair *pair, uint64_t block)
{
    launch_finding *f = NULL;
    pthread_mutex_lock(&r->lock);
    for (size_t k = 0; k < r->count && !f; k++)
        f = is_same_pair(&r->list[k].pair, pair) ? &r->list[k] : NULL;
    if (!f && (f = LIST_ADD(r->list, r->count)))
        *f = (launch_finding){.pair = *pair, .block = UINT64_MAX};
    if (!f || block >= f->block)
        return NULL;
    f->block = block;
    return &f->report;
}

void san_finish_report(san_reports *r)
{
    pthread_mutex_unlock(&r->lock);
}

bool san_is_insn_reported(san_reports *r, const ptx_insn *in)
{
    HOLD_LOCK(&r->lock);
    for (size_t k = 0; k < r->count; k++)
        if (r->list[k].pair.at == in || r->list[k].pair.other_at == in)
            return true;
    return false;
}

/* --- phrases that reports share --------------------------------------------------------------- */

void san_thread_text(const sm_launch *l, uint32_t thread, char *buf, size_t size)
{
    if (l->block[1] == 1 && l->block[2] == 1) {
        snprintf(buf, size, "thread %u", thread);
    } else {
        snprintf(buf, size, "thread (%u,%u,%u)", thread % l->block[0],
                 thread / l->block[0] % l->block[1], thread / l->block[0] / l->block[1]);
    }
}

void san_block_thread_text(const sm_launch *l, uint64_t block, uint32_t thread, char *buf,
                           size_t size)
{
    char t[48], b[40];
    san_thread_text(l, thread, t, sizeof t);
    if (l->grid[1] == 1 && l->grid[2] == 1) {
        snprintf(b, sizeof b, "%llu", (unsigned long long)block);
    } else {
        snprintf(b, sizeof b, "(%u,%u,%u)", (uint32_t)(block % l->grid[0]),
                 (uint32_t)(block / l->grid[0] % l->grid[1]),
                 (uint32_t)(block / l->grid[0] / l->grid[1]));
    }
    snprintf(buf, size, "%.35s of block %.33s", t, b);
}

void san_report_set_source_line(sm_report *r, sm_report_access *side, const sm_grid *g,
                                const ptx_insn *in)
{
    const ptx_module *m = g->unit->module;
    char where[120];
    r->kernel = g->launch->name;
    side->path = ptx_source_file(m, in, &side->line);
    ptx_source_position(m, in, where, sizeof where);
    snprintf(side->where, sizeof side->where, side->path ? "%s" : "%s (%.30s)", where, in->text);
}

void san_report_set_host_access(sm_report *r, const san_caller *by, const char *did)
{
    san_call_position where;
    san_call_position_of(by, &where);
    san_call_position_text(&where, r->other.where, sizeof r->other.where);
    r->other.access_name = did;
    snprintf(r->other_text, sizeof r->other_text, "%s", did);
    if (where.place.line) {
        snprintf(r->host_path, sizeof r->host_path, "%s", where.place.path);
        r->other.path = r->host_path;
        r->other.line = where.place.line;
    }
}

void san_report_set_offset(sm_report *r, const sm_grid *g, uint32_t offset)
{
    r->offset = offset;
    sm_shared_name(g, offset, r->place, sizeof r->place);
}

void san_block_id(const sm_launch *l, uint64_t block, uint32_t id[3])
{
    id[0] = (uint32_t)(block % l->grid[0]);
    id[1] = (uint32_t)(block / l->grid[0] % l->grid[1]);
    id[2] = (uint32_t)(block / l->grid[0] / l->grid[1]);
}

static bool are_notes_wanted; /* the user also wants reports of harmless findings (notes) */

bool san_wants_notes(void)
{
    return are_notes_wanted;
}

void san_set_notes_wanted(bool wanted)
{
    are_notes_wanted = wanted;
}

void san_report_add_line(sm_report *r, const char *line)
{
    const size_t used = strlen(r->text);
    snprintf(r->text + used, sizeof r->text - used, "%s%s", used ? "\n" : "", line);
}

void san_report_set_text(sm_report *r, const char *after)
{
    const bool race = strcmp(r->kind, "race") == 0, sync = strcmp(r->kind, "sync") == 0;
    char phrase[SM_SENTENCE_BYTES + 100], unnamed[300];
    size_t n = (size_t)snprintf(phrase, sizeof phrase, "%s", r->sentence);
    if (race && !r->address) {
        snprintf(phrase + n, sizeof phrase - n, " (%s, block %u,%u,%u)", r->place, r->block[0],
                 r->block[1], r->block[2]);
    } else if (sync) {
        snprintf(phrase + n, sizeof phrase - n, " (block %u,%u,%u)", r->block[0], r->block[1],
                 r->block[2]);
    }
    snprintf(unnamed, sizeof unnamed, "%s%.150s%snvcc -lineinfo makes reports name the line.",
             r->kernel ? "In kernel " : "", r->kernel ? r->kernel : "", r->kernel ? ". " : "");
    const san_report_parts w = {/* sentences about global memory already say that there is a race */
                                .kind = r->note      ? "note"
                                        : !race      ? r->kind
                                        : r->address ? NULL
                                                     : "race on shared memory",
                                .at = {r->at.where, phrase, r->at.path, r->at.line, 0},
                                .other = {r->other.where, r->other_text[0] ? r->other_text : NULL,
                                          r->other.path, r->other.line, 0},
                                .after = after,
                                .fix = r->remedy,
                                .chapter = r->chapter,
                                .unnamed = unnamed};
    san_compose_report(&w, r->text, sizeof r->text);
}

void san_report_to_observers(sm_report *r, const sm_block *b)
{
    san_report_set_text(r, NULL);
    observe_report(b, r);
}
