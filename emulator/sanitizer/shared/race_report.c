#include "race_report.h"

#include "../../core/code.h"
#include "../../core/observer.h"
#include "../../sm/array_name.h"
#include "../../sm/cluster.h"
#include "carved.h"
#include "loaded.h"

#include <stdio.h>
#include <string.h>

static void thread_text(const sm_warp *w, uint32_t thread, char *buf, size_t size)
{
    if (thread == SAN_THREAD_OF_COPY) {
        snprintf(buf, size, "an asynchronous copy");
        return;
    }
    const sm_block *b = w->block->cluster->block[thread / SAN_BLOCK_THREADS];
    san_thread_text(w->worker->grid->launch, thread % SAN_BLOCK_THREADS, buf, size);
    if (w->block->cluster->count > 1) {
        const size_t used = strlen(buf);
        snprintf(buf + used, size - used, " of block %u,%u,%u", b->id[0], b->id[1], b->id[2]);
    }
}

/* Advice for a race: what would have ordered the two accesses, how to correct the error, and the
 * chapter that teaches it. */
typedef struct race_advice {
    const char *would_order, *correction; /* what would order the accesses; correction */
    bool in_place;    /* both accesses belong to changes in place, of which one is lost */
    uint32_t chapter; /* chapter of the book that explains it */
} race_advice;

/* Do both accesses belong to a value that several threads change in place, as in `bins[k]++`? */
static bool is_lost_update(const sm_warp *w, const san_racing_thread *a, const san_racing_thread *b)
{
    const sm_unit *u = w->worker->grid->unit;
    return san_is_update_in_place(u, a->at, b->at) || san_is_update_in_place(u, b->at, a->at);
}

static race_advice advice_for_race(const sm_warp *w, const san_racing_thread *second,
                                   const san_racing_thread *first)
{
    const uint32_t thread = second->thread, other = first->thread;
    if (thread == SAN_THREAD_OF_COPY || other == SAN_THREAD_OF_COPY) {
        return (race_advice){.would_order = "wait for its barrier",
                             .correction = "Wait for the copy's barrier between the two."};
    }
    if (is_lost_update(w, second, first)) {
        return (race_advice){
            .would_order = "atomicAdd()",
            .in_place = true,
            .correction = "Use atomicAdd() or another atomic operation, or let each thread change "
                          "elements of its own.",
            .chapter = CHAPTER_SHUFFLE_REDUCTION};
    }
    if (thread / SAN_BLOCK_THREADS != other / SAN_BLOCK_THREADS) {
        return (race_advice){.would_order = "cluster.sync()",
                             .correction = "Put cluster.sync() between the two."};
    }
    if (thread / SM_LANES == other / SM_LANES && w->block->warp_count == 1) {
        return (race_advice){.would_order = "__syncwarp() or __syncthreads()",
                             .correction = "Put __syncwarp() or __syncthreads() between the two.",
                             .chapter = CHAPTER_WARP_SHUFFLES};
    }
    return (race_advice){.would_order = "__syncthreads()",
                         .correction = "Put __syncthreads() between the two.",
                         .chapter = CHAPTER_SHARED_REDUCTION};
}

/* The instruction whose line stands for access A, which races with B. */
static const ptx_insn *meant_access(const sm_grid *g, const san_racing_thread *a,
                                    const san_racing_thread *b)
{
    const bool by_others = a->did == SM_READS && b->did != SM_READS && a->thread != b->thread;
    const ptx_insn *use = by_others ? san_use_on_another_line(g->unit, a->at, b->at) : NULL;
    return use ? use : a->at;
}

/* Fill in the fields of a report that describe its two accesses. */
static void describe_accesses(sm_report *r, const sm_warp *w, uint32_t offset,
                              const san_racing_thread *second, const san_racing_thread *first)
{
    const sm_grid *g = w->worker->grid;
    r->kind = "race";
    san_report_set_offset(r, g, offset);
    memcpy(r->block, w->block->id, sizeof r->block);
    san_report_set_source_line(r, &r->at, g, meant_access(g, second, first));
    san_report_set_source_line(r, &r->other, g, meant_access(g, first, second));
    r->at.access_name = sm_effect_in_past(second->did);
    r->other.access_name = sm_effect_in_past(first->did);
    thread_text(w, second->thread, r->at.thread_text, sizeof r->at.thread_text);
    thread_text(w, first->thread, r->other.thread_text, sizeof r->other.thread_text);
    snprintf(r->other_text, sizeof r->other_text, "here %s %s it", r->other.thread_text,
             r->other.access_name);
}

/* Start a report of SECOND's access after FIRST's, and describe both. HOW and OTHER_HOW: the kind
 * of each access, an sm_effect or HOW_*. NULL: the pair has been reported. Call finish_race_report
 * in either case. */
static sm_report *start_race_report(san_reports *r, const sm_warp *w, uint32_t offset,
                                    const san_racing_thread *second, int how,
                                    const san_racing_thread *first, int other_how)
{
    const san_insn_pair pair = {second->at, first->at, how, other_how};
    sm_report *report = san_start_report(r, &pair, w->block->linear);
    if (report)
        describe_accesses(report, w, offset, second, first);
    return report;
}

static void finish_race_report(san_reports *r, sm_report *report, const sm_warp *w)
{
    if (report)
        san_report_to_observers(report, w->block);
    san_finish_report(r);
}

/* Values of san_insn_pair.how for reports separate from a race of the same two instructions. */
enum {
    HOW_UNFENCED = SM_UPDATES + 1,   /* a copy without its proxy fence */
    HOW_SAME_VALUE = SM_UPDATES + 2, /* both accesses store the same value */
    HOW_UNWAITED = SM_UPDATES + 3,   /* an access before the wait for a copy */
    HOW_OTHER_ARRAY = SM_UPDATES + 4 /* two `extern __shared__` arrays at one address */
};

/* Where the accesses of a race belong to two arrays, say so: a barrier would not separate them. */
static void name_carved_arrays(sm_report *r, const sm_warp *w, const san_racing_thread *second,
                               const san_racing_thread *first)
{
    const size_t used = strlen(r->sentence);
    if (second->thread == SAN_THREAD_OF_COPY || first->thread == SAN_THREAD_OF_COPY ||
        !san_describe_carved_arrays(r, w->worker->grid, second, first, r->sentence + used,
                                    sizeof r->sentence - used))
        return;
    snprintf(r->remedy_text, sizeof r->remedy_text,
             "Let each array begin where the one before it ends: count its elements, in its own "
             "type. If the two mean one array, put %s between the accesses.",
             r->missing);
    r->remedy = r->remedy_text;
    r->chapter = CHAPTER_DYNAMIC_SHARED_MEMORY;
}

void san_report_race(san_reports *r, const sm_warp *w, uint32_t offset, san_racing_thread second,
                     san_racing_thread first)
{
    sm_report *report =
        start_race_report(r, w, offset, &second, (int)second.did, &first, (int)first.did);
    if (report) {
        const race_advice by = advice_for_race(w, &second, &first);
        report->missing = by.would_order;
        report->remedy = by.correction;
        report->chapter = by.chapter;
        snprintf(report->sentence, sizeof report->sentence,
                 by.in_place ? "%s %s at %s what %s %s at %s: both read a value, change it and "
                               "write it back at the same time, and one change is lost without %s"
                             : "%s %s at %s what %s %s at %s with no %s between",
                 report->at.thread_text, report->at.access_name, report->at.where,
                 report->other.thread_text, report->other.access_name, report->other.where,
                 report->missing);
        if (!by.in_place)
            name_carved_arrays(report, w, &second, &first);
    }
    finish_race_report(r, report, w);
}

void san_report_unwaited(san_reports *r, const sm_warp *w, uint32_t offset,
                         san_racing_thread second, san_racing_thread copy)
{
    sm_report *report =
        start_race_report(r, w, offset, &second, HOW_UNWAITED, &copy, (int)second.did);
    if (report) {
        snprintf(report->other_text, sizeof report->other_text, "here %s started the copy",
                 report->other.thread_text);
        report->missing = "wait for the copy";
        report->remedy =
            second.thread == copy.thread
                ? "Before it, call __pipeline_commit() and __pipeline_wait_prior(N), "
                  "where N newer groups may be on their way."
                : "Before it, let each thread that copies call "
                  "__pipeline_wait_prior(N), where N newer groups may be on their way, "
                  "and then __syncthreads(); or wait at the copy's mbarrier.";
        report->chapter = CHAPTER_ASYNCHRONOUS_COPIES;
        snprintf(report->sentence, sizeof report->sentence,
                 "%s %s at %s what the asynchronous copy of %s at %s was still to write: nobody "
                 "had waited for the copy yet",
                 report->at.thread_text, report->at.access_name, report->at.where,
                 report->other.thread_text, report->other.where);
    }
    finish_race_report(r, report, w);
}

void san_report_other_array(san_reports *r, const sm_warp *w, uint32_t offset,
                            san_racing_thread second, san_racing_thread first, const ptx_var *array,
                            const ptx_var *other)
{
    sm_report *report =
        start_race_report(r, w, offset, &second, HOW_OTHER_ARRAY, &first, HOW_OTHER_ARRAY);
    if (report) {
        char mine[SM_ARRAY_NAME_BYTES], others[SM_ARRAY_NAME_BYTES];
        sm_variable_name(array, mine, sizeof mine);
        sm_variable_name(other, others, sizeof others);
        report->remedy = "Declare one extern __shared__ array, and let each array begin where the "
                         "one before it ends, as in `float *b = (float *)(a + n)`.";
        report->chapter = CHAPTER_DYNAMIC_SHARED_MEMORY;
        snprintf(report->sentence, sizeof report->sentence,
                 "%s %s through %s at %s what %s %s through %s at %s: all extern __shared__ arrays "
                 "begin at the same address, so the two overwrite each other",
                 report->at.thread_text, report->at.access_name, mine, report->at.where,
                 report->other.thread_text, report->other.access_name, others, report->other.where);
    }
    finish_race_report(r, report, w);
}

void san_report_same_value(san_reports *r, const sm_warp *w, uint32_t offset,
                           san_racing_thread second, san_racing_thread first)
{
    sm_report *report =
        start_race_report(r, w, offset, &second, HOW_SAME_VALUE, &first, HOW_SAME_VALUE);
    if (report) {
        report->note = true;
        snprintf(report->sentence, sizeof report->sentence,
                 "%s and %s store the same value at %s and %s, and nothing orders the two: either "
                 "order gives the same",
                 report->at.thread_text, report->other.thread_text, report->at.where,
                 report->other.where);
    }
    finish_race_report(r, report, w);
}

void san_report_unfenced(san_reports *r, const sm_warp *w, uint32_t offset, san_racing_thread copy,
                         san_racing_thread writer)
{
    sm_report *report = start_race_report(r, w, offset, &copy, HOW_UNFENCED, &writer, SM_WRITES);
    if (report) {
        report->missing = "fence.proxy.async";
        snprintf(report->sentence, sizeof report->sentence,
                 "the asynchronous copy of %s at %s reads what %s "
                 "%s at %s with no fence.proxy.async between: such copies access memory through "
                 "the async proxy, and a barrier alone does not make writes of threads visible to "
                 "it. After its writes and before the barrier, each thread that writes must "
                 "execute cuda::ptx::fence_proxy_async(cuda::ptx::space_shared), which is "
                 "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\")",
                 report->at.thread_text, report->at.where, report->other.thread_text,
                 report->other.access_name, report->other.where);
    }
    finish_race_report(r, report, w);
}
