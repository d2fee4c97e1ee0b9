#include "race_flight.h"

#include "../../base/lock.h"
#include "../../core/code.h"
#include "../../sm/async/copies.h"
#include "race_shadow.h"

#include <stdio.h>
#include <string.h>

/* --- writes to the source of a copy ----------------------------------------------------------- */

static void fill_report_access(sm_report_access *side, sm_report *r, const sm_warp *w,
                               uint32_t lane, const ptx_insn *in)
{
    const sm_grid *g = w->worker->grid;
    san_report_set_source_line(r, side, g, in);
    san_thread_text(g->launch, w->index * SM_LANES + lane, side->thread_text,
                    sizeof side->thread_text);
}

static void report_overwritten_source(san_reports *reports, const sm_access *a, uint32_t lane,
                                      const sm_lane_copy *reader)
{
    /* number for a report that is separate from a race of the same two instructions */
    enum { HOW_SOURCE_WRITTEN = SM_UPDATES + 4 };
    const ptx_insn *copy = sm_site_insn(reader->warp, reader->copy->insn);
    const san_insn_pair pair = {a->insn, copy, HOW_SOURCE_WRITTEN, HOW_SOURCE_WRITTEN};
    sm_report *r = san_start_report(reports, &pair, a->warp->block->linear);
    if (r) {
        r->kind = "race";
        r->address = a->address[lane];
        r->chapter = CHAPTER_ASYNCHRONOUS_COPIES;
        memcpy(r->block, a->warp->block->id, sizeof r->block);
        fill_report_access(&r->at, r, a->warp, lane, a->insn);
        fill_report_access(&r->other, r, reader->warp, reader->lane, copy);
        r->at.access_name = sm_effect_in_past(a->effect);
        r->other.access_name = sm_effect_in_past(SM_READS);
        r->missing = "wait for the copy";
        r->remedy = "Let each thread that copies call __pipeline_wait_prior(N), where N newer "
                    "groups may still be in flight, before any thread overwrites the source of the "
                    "copy; if another thread overwrites it, put __syncthreads() between the two.";
        snprintf(r->other_text, sizeof r->other_text, "here %s started the copy",
                 r->other.thread_text);
        snprintf(r->sentence, sizeof r->sentence,
                 "race on global memory: %s %s at %s what the asynchronous copy of %s at %s may "
                 "still have to read: nobody had waited for the copy yet",
                 r->at.thread_text, r->at.access_name, r->at.where, r->other.thread_text,
                 r->other.where);
        san_report_to_observers(r, a->warp->block);
    }
    san_finish_report(reports);
}

void san_race_source_written(const sm_access *a)
{
    const race_shadow *race = san_race_shadow_of(a->warp->block);
    SM_EACH_LANE(lane, race ? a->mask : 0) {
        sm_lane_copy reader;
        if (sm_copies_find_copy_reading(a->warp->block, a->address[lane], a->bytes, &reader)) {
            report_overwritten_source(race->launch->reports, a, lane, &reader);
            return;
        }
    }
}

/* --- copies that nobody waits for ------------------------------------------------------------- */

typedef struct unwaited_copy_search {
    race_launch *launch;   /* receives the copies */
    const sm_block *block; /* the block whose copies are searched */
} unwaited_copy_search;

static void collect_unwaited_copy(void *context, const sm_warp *w, const sm_copy *c)
{
    const unwaited_copy_search *into = context;
    race_launch *l = into->launch;
    const ptx_insn *in = sm_site_insn(w, c->insn);
    const uint32_t lane = (uint32_t)__builtin_ctz(c->lanes);
    const san_unwaited_copy here = {.insn = in,
                                    .block = into->block->linear,
                                    .thread = w->index * SM_LANES + lane,
                                    .offset = (uint32_t)c->offset[lane]};
    uint32_t k = 0;
    while (k < l->unwaited_count && l->unwaited[k].insn != in)
        k++;
    if (k == l->unwaited_count && k < SAN_MAX_UNWAITED_COPIES)
        l->unwaited[l->unwaited_count++] = here;
    else if (k < l->unwaited_count && here.block < l->unwaited[k].block)
        l->unwaited[k] = here;
}

void san_race_block_ends(void *state)
{
    race_shadow *race = state;
    unwaited_copy_search into = {race->launch, race->block};
    if (!race->block->copies)
        return;
    HOLD_LOCK(&into.launch->lock);
    if (!into.launch->waited)
        sm_copies_visit_all(race->block, collect_unwaited_copy, &into);
}

void san_race_note_copy_wait(race_shadow *race, sm_landing why)
{
    if (why != SM_LANDS_WITHOUT_WAIT && !race->launch->waited) {
        HOLD_LOCK(&race->launch->lock);
        race->launch->waited = true;
    }
}

static void report_unwaited_copy(race_launch *l, const san_unwaited_copy *c)
{
    const san_insn_pair pair = {c->insn, c->insn, SM_READS,
                                SM_READS}; /* no race is reported with this pair of effects */
    sm_report *r = san_start_report(l->reports, &pair, c->block);
    if (r) {
        r->kind = "race";
        san_report_set_offset(r, l->grid, c->offset);
        r->chapter = CHAPTER_ASYNCHRONOUS_COPIES;
        san_block_id(l->grid->launch, c->block, r->block);
        san_report_set_source_line(r, &r->at, l->grid, c->insn);
        san_thread_text(l->grid->launch, c->thread, r->at.thread_text, sizeof r->at.thread_text);
        r->at.access_name = "started a copy";
        r->missing = "wait for the copy";
        r->remedy =
            "Call __pipeline_commit() after the copy and __pipeline_wait_prior(0) before what "
            "it brings is read; leave out a copy that nobody reads.";
        snprintf(
            r->sentence, sizeof r->sentence,
            "%s starts an asynchronous copy at %s that no thread of the launch waits for before "
            "the kernel ends",
            r->at.thread_text, r->at.where);
        san_report_set_text(r, NULL);
    }
    san_finish_report(l->reports);
}

void san_race_report_unwaited_copies(race_launch *l)
{
    for (uint32_t k = 0; !l->waited && k < l->unwaited_count; k++)
        if (!san_is_insn_reported(l->reports, l->unwaited[k].insn))
            report_unwaited_copy(l, &l->unwaited[k]);
}
