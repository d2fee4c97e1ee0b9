#include "global_report.h"

#include "../../core/code.h"
#include "../../ptx/traits.h"
#include "../intent.h"
#include "../reported.h"
#include "../reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORTS_MOST = 20, SILENT_MOST = 16 };

/* A place in the source that races, whatever others it races with. */
typedef struct spot {
    const char *path;
    uint32_t line;
    uint64_t times;
    sm_report *report;
} spot;

struct san_races {
    spot list[REPORTS_MOST];
    uint32_t count;
    struct {
        const ptx_insn *at, *other;
        spot *spot;
    } last; /* the place that was found last */
    struct {
        const ptx_insn *at, *other;
    } silent[SILENT_MOST]; /* instructions that race and do no harm */
    uint32_t silent_count;
};

san_races *san_races_new(void)
{
    return calloc(1, sizeof(san_races));
}

/* --- words -------------------------------------------------------------------------------------
 */

static bool updates(const san_racer *s)
{
    return s->record.effect == SM_UPDATES;
}

static const char *verb(const san_racer *s)
{
    return updates(s) ? "updated atomically" : s->record.effect == SM_WRITES ? "wrote" : "read";
}

static void who_text(const sm_warp *w, const san_racer *s, char *buf, size_t size)
{
    san_who_text(w->worker->grid->launch, s->record.block, s->record.warp * SM_LANES + s->lane, buf,
                 size);
}

/* What it means that they race, what would order them, and what usually mends it. */
typedef struct advice {
    const char *means, *missing, *mend;
} advice;

static advice advice_of(const san_racer *a, const san_racer *b)
{
    const bool blocks = a->record.block != b->record.block;
    const bool warps = a->record.warp != b->record.warp;
    if (a->record.strong && b->record.strong) {
        return (advice){"an operation of block scope is atomic among the threads of its block "
                        "only, and these are in different blocks",
                        "a wider scope",
                        "Use the operation of device scope: the name without _block, or "
                        "cuda::thread_scope_device."};
    }
    if (updates(a) || updates(b)) {
        return (advice){"what is updated atomically must be read and written atomically too until "
                        "a barrier, a fence with a flag or the end of the kernel comes between",
                        blocks  ? "the end of the kernel"
                        : warps ? "__syncthreads()"
                                : "__syncwarp()",
                        "Make both accesses atomic, or let the other threads' updates end first."};
    }
    if (a->record.effect != SM_READS && b->record.effect != SM_READS) {
        return (advice){"whose value stays is left to chance, and the other is lost",
                        blocks  ? "the end of the kernel"
                        : warps ? "__syncthreads()"
                                : "__syncwarp()",
                        "Let each thread write elements of its own, or add up with atomicAdd()."};
    }
    if (blocks) {
        return (advice){
            "blocks run in any order and at the same time, so the value before or after "
            "may be read",
            "the end of the kernel",
            "Split the kernel in two, or publish the value with __threadfence() and a "
            "flag that is set and read by atomic operations of device scope; "
            "__syncthreads() and __threadfence_block() reach no other block."};
    }
    return (advice){"threads run in any order between barriers, so the value before or after may "
                    "be read",
                    warps ? "__syncthreads()" : "__syncwarp()",
                    warps ? "Put __syncthreads() between the two."
                          : "Put __syncwarp() or __syncthreads() between the two."};
}

/* --- reports -----------------------------------------------------------------------------------
 */

static sm_report *describe(const sm_warp *w, const san_racer *a, const san_racer *b,
                           uint64_t address, uint32_t bytes)
{
    sm_report *r = calloc(1, sizeof *r);
    if (!r) {
        return NULL;
    }
    const ptx_module *m = w->worker->grid->unit->module;
    const advice says = advice_of(a, b);
    char memory[200];
    r->kind = "race";
    r->address = address;
    r->any_other = true;
    r->missing = says.missing;
    r->mend = says.mend;
    memcpy(r->block, w->block->id, sizeof r->block);
    san_report_place(&r->at, m, a->record.insn);
    san_report_place(&r->other, m, b->record.insn);
    r->at.did = verb(a);
    r->other.did = verb(b);
    who_text(w, a, r->at.who, sizeof r->at.who);
    who_text(w, b, r->other.who, sizeof r->other.who);
    snprintf(r->sentence, sizeof r->sentence,
             "race on global memory: %s %s at %s what %s %s at %s, and nothing orders the two: %s",
             r->at.who, r->at.did, r->at.where, r->other.who, r->other.did, r->other.where,
             says.means);
    snprintf(r->other_says, sizeof r->other_says, "here %s %s it: %s", r->other.who, r->other.did,
             mem_describe(address, bytes, memory, sizeof memory));
    return r;
}

static bool same_path(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Is B rather than A the access that wants to be changed? That is the plain one beside an atomic
 * one, the one whose scope is too small, or else the one that stands later in the source. */
static bool swapped(const ptx_module *m, const san_racer *a, const san_racer *b)
{
    if (a->record.strong && b->record.strong && a->record.in_block != b->record.in_block) {
        return b->record.in_block;
    }
    if (a->record.strong != b->record.strong) {
        return a->record.strong;
    }
    uint32_t line = a->record.insn->line, other = b->record.insn->line;
    const char *path = ptx_where_path(m, a->record.insn, &line);
    return same_path(path, ptx_where_path(m, b->record.insn, &other)) && other > line;
}

static spot *spot_of(san_races *r, const sm_warp *w, const san_racer *a)
{
    const ptx_module *m = w->worker->grid->unit->module;
    spot p = {0};
    p.path = ptx_where_path(m, a->record.insn, &p.line);
    if (!p.path) {
        p.line = a->record.insn->line;
    }
    for (uint32_t k = 0; k < r->count; k++) {
        if (r->list[k].line == p.line && same_path(r->list[k].path, p.path)) {
            return &r->list[k];
        }
    }
    if (r->count == REPORTS_MOST) {
        return NULL;
    }
    r->list[r->count] = p;
    return &r->list[r->count++];
}

/* --- reads that an atomic operation checks -----------------------------------------------------
 */

/* Is REG one of the COUNT registers of LIST? */
static bool listed(const uint32_t *list, uint32_t count, const ptx_operand *o)
{
    bool is = false;
    for (uint32_t k = 0; k < count && o->count == 1 && o->v[0].kind == PTX_VAL_REG; k++) {
        is = is || list[k] == o->v[0].reg;
    }
    return is;
}

/* Does the value that load IN reads, or a copy of it, become what an atomicCAS compares with? It is
 * a guess then, and harmless where it is old. */
static bool is_guess(const sm_warp *w, const ptx_insn *in)
{
    enum { COPIES = 16, ROUNDS = 3 };
    const ptx_func *f = san_func_of(w->worker->grid->unit, in);
    if (!f || !ptx_is_lane_load(in) || in->opd[0].count != 1) {
        return false;
    }
    uint32_t copy[COPIES] = {in->opd[0].v[0].reg}, count = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *i = &f->insns[k];
            if (ptx_is_lane_atomic(i) && ptx_has(i, PTX_MOD_cas) &&
                listed(copy, count, &i->opd[2])) {
                return true;
            }
            if (ptx_traits_of(i)->means == PTX_MEANS_copy && count < COPIES &&
                listed(copy, count, &i->opd[1]) && !listed(copy, count, &i->opd[0])) {
                copy[count++] = i->opd[0].v[0].reg;
            }
        }
    }
    return false;
}

static bool is_silent(san_races *r, const sm_warp *w, const san_racer *a, const san_racer *b)
{
    const ptx_insn *at = a->record.insn, *other = b->record.insn;
    for (uint32_t k = 0; k < r->silent_count; k++) {
        if (r->silent[k].at == at && r->silent[k].other == other) {
            return true;
        }
    }
    const san_racer *load = updates(a) ? b : a, *update = updates(a) ? a : b;
    const bool silent = updates(update) && load->record.effect == SM_READS &&
                        ptx_has(update->record.insn, PTX_MOD_cas) && is_guess(w, load->record.insn);
    if (silent && r->silent_count < SILENT_MOST) {
        r->silent[r->silent_count].at = at;
        r->silent[r->silent_count++].other = other;
    }
    return silent;
}

void san_races_add(san_races *r, const sm_warp *w, const san_racer *second, const san_racer *first,
                   uint64_t address, uint32_t bytes)
{
    if (r->last.at == second->record.insn && r->last.other == first->record.insn) {
        if (r->last.spot) {
            r->last.spot->times++;
        }
        return;
    }
    if (is_silent(r, w, second, first)) {
        return;
    }
    const bool swap = swapped(w->worker->grid->unit->module, second, first);
    const san_racer *a = swap ? first : second, *b = swap ? second : first;
    spot *p = spot_of(r, w, a);
    r->last.at = second->record.insn;
    r->last.other = first->record.insn;
    r->last.spot = p;
    if (p && !p->times++) {
        p->report = describe(w, a, b, address, bytes);
        if (p->report && san_is_reported(p->report, w->worker->grid->launch->name)) {
            free(p->report);
            p->report = NULL;
        } else if (p->report) {
            san_report_found(p->report, w->block);
        }
    }
}

sm_report *san_races_take(san_races *r)
{
    sm_report *list = NULL, **end = &list;
    for (uint32_t k = 0; k < r->count; k++) {
        sm_report *found = r->list[k].report;
        if (!found) {
            continue;
        }
        char line[80];
        found->times = r->list[k].times;
        if (found->times > 1) {
            snprintf(line, sizeof line, "This happened %llu times in the launch.",
                     (unsigned long long)found->times);
            san_report_line(found, line);
        }
        *end = found;
        end = &found->next;
    }
    free(r);
    return list;
}
