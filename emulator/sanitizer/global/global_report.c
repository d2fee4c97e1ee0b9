#include "global_report.h"

#include "../../ptx/traits.h"
#include "../intent.h"
#include "../reported.h"
#include "../reports.h"
#include "../shared/loaded.h"
#include "actor.h"
#include "global_advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_RACE_REPORTS = 20,  /* most source lines with races that a launch reports */
    MAX_HARMLESS_INSNS = 16 /* most pairs of instructions remembered as harmless */
};

/* A source line with a racing access, and the report of its first race. */
typedef struct racing_line {
    const char *path;  /* source file */
    uint32_t line;     /* source line in `path`, from 1 */
    bool note;         /* both accesses store the same value */
    uint64_t times;    /* number of races found */
    sm_report *report; /* the report of the line's first race */
} racing_line;

struct san_races {
    racing_line list[MAX_RACE_REPORTS]; /* source lines with races */
    uint32_t count;                     /* entries used in `list` */
    struct {
        const ptx_insn *at, *other; /* the two instructions */
        bool note;                  /* both accesses store the same value */
        racing_line *line_entry;    /* entry of the source line of `at` in `list` */
    } last;                         /* the pair of accesses that was reported last */
    struct {
        const ptx_insn *at, *other;
    } harmless[MAX_HARMLESS_INSNS]; /* pairs of instructions whose races are found to do no harm */
    uint32_t harmless_count;        /* entries used in `harmless` */
};

san_races *san_races_new(void)
{
    return calloc(1, sizeof(san_races));
}

/* --- words ------------------------------------------------------------------------------------ */

static bool is_atomic_update(const san_racing_access *s)
{
    return s->record.effect == SM_UPDATES;
}

static void thread_text(const sm_warp *w, const san_racing_access *s, char *buf, size_t size)
{
    san_block_thread_text(w->worker->grid->launch, s->record.block,
                          s->record.warp * SM_LANES + s->lane, buf, size);
}

/* --- reports ---------------------------------------------------------------------------------- */

static bool is_same_path(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The instruction whose line stands for access A, which races with B. */
static const ptx_insn *meant_access(const sm_grid *g, const san_racing_access *a,
                                    const san_racing_access *b)
{
    const bool by_others = a->record.effect == SM_READS && b->record.effect != SM_READS &&
                           (a->record.block != b->record.block ||
                            a->record.warp != b->record.warp || a->lane != b->lane);
    const ptx_insn *use =
        by_others ? san_use_on_another_line(g->unit, a->record.insn, b->record.insn) : NULL;
    return use ? use : a->record.insn;
}

/* FENCE: the fence that is missing; NULL: other advice. */
static sm_report *new_race_report(const sm_warp *w, const san_racing_access *a,
                                  const san_racing_access *b, uint64_t address, uint32_t bytes,
                                  bool note, const san_missing_fence *fence)
{
    sm_report *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    const sm_grid *g = w->worker->grid;
    char memory[200];
    r->kind = "race";
    r->address = address;
    r->any_other = true;
    san_report_set_source_line(r, &r->at, g, meant_access(g, a, b));
    san_report_set_source_line(r, &r->other, g, meant_access(g, b, a));
    const bool one_line =
        r->at.path && r->at.line == r->other.line && is_same_path(r->at.path, r->other.path);
    san_fence_text text;
    const san_race_advice advice =
        fence ? san_advice_for_missing_fence(g, fence, a->record.block != b->record.block, &text)
              : san_advice_for_race(a, b, one_line, w->block->warp_count > 1);
    r->note = note;
    if (!note) {
        r->missing = advice.would_order;
        r->remedy = advice.correction;
        if (fence)
            r->remedy = memcpy(r->remedy_text, text.correction, sizeof r->remedy_text);
        r->chapter = advice.chapter;
    }
    memcpy(r->block, w->block->id, sizeof r->block);
    r->at.access_name = sm_effect_in_past(a->record.effect);
    r->other.access_name = sm_effect_in_past(b->record.effect);
    thread_text(w, a, r->at.thread_text, sizeof r->at.thread_text);
    thread_text(w, b, r->other.thread_text, sizeof r->other.thread_text);
    if (note) {
        snprintf(r->sentence, sizeof r->sentence,
                 "%s and %s store the same value at %s and %s, and nothing orders the two: either "
                 "order gives the same",
                 r->at.thread_text, r->other.thread_text, r->at.where, r->other.where);
    } else {
        snprintf(r->sentence, sizeof r->sentence,
                 "race on global memory: %s %s at %s what %s %s at %s, and nothing orders the two: "
                 "%s",
                 r->at.thread_text, r->at.access_name, r->at.where, r->other.thread_text,
                 r->other.access_name, r->other.where, advice.consequence);
    }
    snprintf(r->other_text, sizeof r->other_text, "here %s %s it: %s", r->other.thread_text,
             r->other.access_name, mem_describe(address, bytes, memory, sizeof memory));
    return r;
}

/* Should the report start with B instead of A? It starts with the access that is to be changed:
 * the plain access if the other is atomic, the access whose scope is too small, or else the
 * access later in the source. */
static bool should_swap_accesses(const ptx_module *m, const san_racing_access *a,
                                 const san_racing_access *b)
{
    if (a->record.strong && b->record.strong && a->record.in_block != b->record.in_block)
        return b->record.in_block;
    if (a->record.strong != b->record.strong)
        return a->record.strong;
    uint32_t line = a->record.insn->line, other = b->record.insn->line;
    const char *path = ptx_source_file(m, a->record.insn, &line);
    return is_same_path(path, ptx_source_file(m, b->record.insn, &other)) && other > line;
}

static racing_line *find_racing_line(san_races *r, const sm_warp *w, const san_racing_access *a,
                                     bool note)
{
    const ptx_module *m = w->worker->grid->unit->module;
    racing_line p = {.note = note};
    p.path = ptx_source_file(m, a->record.insn, &p.line);
    if (!p.path)
        p.line = a->record.insn->line;
    for (uint32_t k = 0; k < r->count; k++)
        if (r->list[k].line == p.line && r->list[k].note == note &&
            is_same_path(r->list[k].path, p.path))
            return &r->list[k];
    if (r->count == MAX_RACE_REPORTS)
        return NULL;
    r->list[r->count] = p;
    return &r->list[r->count++];
}

/* --- plain reads whose value an atomic operation checks afterwards ---------------------------- */

/* Is the register in operand O one of the COUNT registers of LIST? */
static bool is_listed_register(const uint32_t *list, uint32_t count, const ptx_operand *o)
{
    bool is = false;
    for (uint32_t k = 0; k < count && o->count == 1 && o->v[0].kind == PTX_VAL_REG; k++)
        is = is || list[k] == o->v[0].reg;
    return is;
}

/* Is the value that load IN reads, or a copy of it, compared by an atomicCAS? Then the value is
 * only a guess, and an outdated value does no harm. */
static bool is_atomic_cas_guess(const sm_warp *w, const ptx_insn *in)
{
    enum { COPIES = 16, ROUNDS = 3 };
    const ptx_func *f = san_function_of(w->worker->grid->unit, in);
    if (!f || !ptx_is_per_lane_load(in) || in->opd[0].count != 1)
        return false;
    uint32_t copy[COPIES] = {in->opd[0].v[0].reg}, count = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *i = &f->insns[k];
            if (ptx_is_per_lane_atomic(i) && ptx_has_modifier(i, PTX_MOD_cas) &&
                is_listed_register(copy, count, &i->opd[2]))
                return true;
            if (ptx_traits_of(i)->means == PTX_MEANS_copy && count < COPIES &&
                is_listed_register(copy, count, &i->opd[1]) &&
                !is_listed_register(copy, count, &i->opd[0]))
                copy[count++] = i->opd[0].v[0].reg;
        }
    }
    return false;
}

static bool is_harmless_race(san_races *r, const sm_warp *w, const san_racing_access *a,
                             const san_racing_access *b)
{
    const ptx_insn *at = a->record.insn, *other = b->record.insn;
    for (uint32_t k = 0; k < r->harmless_count; k++)
        if (r->harmless[k].at == at && r->harmless[k].other == other)
            return true;
    const san_racing_access *load = is_atomic_update(a) ? b : a,
                            *update = is_atomic_update(a) ? a : b;
    const bool harmless = is_atomic_update(update) && load->record.effect == SM_READS &&
                          ptx_has_modifier(update->record.insn, PTX_MOD_cas) &&
                          is_atomic_cas_guess(w, load->record.insn);
    if (harmless && r->harmless_count < MAX_HARMLESS_INSNS) {
        r->harmless[r->harmless_count].at = at;
        r->harmless[r->harmless_count++].other = other;
    }
    return harmless;
}

/* Would fences prevent the race? Not where an access itself is of the wrong kind or scope. */
static bool lacks_fence(const sm_warp *w, const san_racing_access *second,
                        const san_racing_access *first, san_missing_fence *out)
{
    const san_resident_block *at = san_resident_block_of(w->block);
    return at && !(second->record.strong && first->record.strong) &&
           second->record.intent != SAN_TEXTURE_READ &&
           !(second->record.lock && second->record.lock == first->record.lock) &&
           san_find_missing_fence(at->launch->uses, at->block, second, first, out);
}

void san_report_global_race(san_races *r, const sm_warp *w, const san_racing_access *second,
                            const san_racing_access *first, uint64_t address, uint32_t bytes,
                            bool note)
{
    if (r->last.at == second->record.insn && r->last.other == first->record.insn &&
        r->last.note == note) {
        if (r->last.line_entry)
            r->last.line_entry->times++;
        return;
    }
    if (is_harmless_race(r, w, second, first))
        return;
    const bool swap = should_swap_accesses(w->worker->grid->unit->module, second, first);
    const san_racing_access *a = swap ? first : second, *b = swap ? second : first;
    racing_line *p = find_racing_line(r, w, a, note);
    r->last.at = second->record.insn;
    r->last.other = first->record.insn;
    r->last.note = note;
    r->last.line_entry = p;
    if (p && !p->times++) {
        san_missing_fence fence;
        const bool fences = lacks_fence(w, second, first, &fence);
        p->report = new_race_report(w, a, b, address, bytes, note, fences ? &fence : NULL);
        if (p->report && san_is_reported(p->report, w->worker->grid->launch->name)) {
            free(p->report);
            p->report = NULL;
        } else if (p->report) {
            san_report_to_observers(p->report, w->block);
        }
    }
}

sm_report *san_take_race_reports(san_races *r)
{
    sm_report *list = NULL, **end = &list;
    for (uint32_t k = 0; k < r->count; k++) {
        sm_report *found = r->list[k].report;
        if (!found)
            continue;
        char line[80];
        found->times = r->list[k].times;
        if (found->times > 1) {
            snprintf(line, sizeof line, "This happened %llu times in the launch.",
                     (unsigned long long)found->times);
            san_report_add_line(found, line);
        }
        *end = found;
        end = &found->next;
    }
    free(r);
    return list;
}
