/* Composes the sentences of racecheck. */
#include "race_report.h"

#include "../core/code.h"
#include "../core/observer.h"
#include "../sm/cluster.h"

#include <stdio.h>
#include <string.h>

static void thread_text(const sm_warp *w, uint32_t thread, char *buf, size_t size)
{
    if (thread == SAN_COPIES) {
        snprintf(buf, size, "an asynchronous copy");
        return;
    }
    const uint32_t rank = thread / SAN_BLOCK_THREADS, local = thread % SAN_BLOCK_THREADS;
    const sm_block *b = w->block->cluster->block[rank];
    const sm_warp *of = &b->warp[local / SM_LANES];
    const uint32_t lane = local % SM_LANES;
    const uint32_t *shape = w->worker->grid->launch->block;
    char block[40] = "";
    if (w->block->cluster->count > 1) {
        snprintf(block, sizeof block, " of block %u,%u,%u", b->id[0], b->id[1], b->id[2]);
    }
    if (shape[1] == 1 && shape[2] == 1) {
        snprintf(buf, size, "thread %u%s", local, block);
    } else {
        snprintf(buf, size, "thread (%u,%u,%u)%s", of->tid[0][lane], of->tid[1][lane],
                 of->tid[2][lane], block);
    }
}

/* What would have ordered the two accesses. */
static const char *missing(uint32_t thread, uint32_t other)
{
    return thread == SAN_COPIES || other == SAN_COPIES               ? "wait for its barrier"
           : thread / SAN_BLOCK_THREADS != other / SAN_BLOCK_THREADS ? "cluster.sync()"
           : thread / SM_LANES == other / SM_LANES ? "__syncwarp() or __syncthreads()"
                                                   : "__syncthreads()";
}

static const char *verb(sm_effect did)
{
    return did == SM_READS ? "read" : did == SM_WRITES ? "wrote" : "updated atomically";
}

/* Fill in what both kinds of report say about the two accesses. */
static void describe(sm_report *r, const sm_warp *w, uint32_t offset, const san_side *second,
                     const san_side *first)
{
    const ptx_module *m = w->worker->grid->unit->module;
    r->kind = "race";
    r->offset = offset;
    memcpy(r->block, w->block->id, sizeof r->block);
    r->at.path = ptx_where_path(m, second->at, &r->at.line);
    r->other.path = ptx_where_path(m, first->at, &r->other.line);
    r->at.did = verb(second->did);
    r->other.did = verb(first->did);
    thread_text(w, second->thread, r->at.who, sizeof r->at.who);
    thread_text(w, first->thread, r->other.who, sizeof r->other.who);
}

static void compose(sm_report *r)
{
    snprintf(r->text, sizeof r->text, "race on shared memory: %s (offset %u, block %u,%u,%u)",
             r->sentence, r->offset, r->block[0], r->block[1], r->block[2]);
}

void san_report_race(san_reports *r, const sm_warp *w, uint32_t offset, san_side second,
                     san_side first)
{
    const san_pair pair = {second.at, first.at, (int)second.did, (int)first.did};
    const ptx_module *m = w->worker->grid->unit->module;
    sm_report *report = san_reports_open(r, &pair, w->block->linear);
    if (report) {
        char at[160], other[160];
        describe(report, w, offset, &second, &first);
        report->missing = missing(second.thread, first.thread);
        snprintf(report->sentence, sizeof report->sentence,
                 "%s %s at %s what %s %s at %s with no %s between", report->at.who, report->at.did,
                 ptx_where(m, second.at, at, sizeof at), report->other.who, report->other.did,
                 ptx_where(m, first.at, other, sizeof other), report->missing);
        compose(report);
        sm_observe_finds(w->block, report);
    }
    san_reports_close(r);
}

void san_report_unfenced(san_reports *r, const sm_warp *w, uint32_t offset, san_side copy,
                         san_side writer)
{
    /* Reported separately from a race of the same two instructions. */
    enum { UNFENCED = SM_UPDATES + 1 };
    const san_pair pair = {copy.at, writer.at, UNFENCED, SM_WRITES};
    const ptx_module *m = w->worker->grid->unit->module;
    sm_report *report = san_reports_open(r, &pair, w->block->linear);
    if (report) {
        char at[160], other[160];
        describe(report, w, offset, &copy, &writer);
        report->missing = "fence.proxy.async";
        snprintf(report->sentence, sizeof report->sentence,
                 "the asynchronous copy of %s at %s reads what %s "
                 "%s at %s with no fence.proxy.async between: such copies access memory through "
                 "the async proxy, and a barrier alone does not make writes of threads visible to "
                 "it. After its writes and before the barrier, each thread that writes must "
                 "execute cuda::ptx::fence_proxy_async(cuda::ptx::space_shared), which is "
                 "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\")",
                 report->at.who, ptx_where(m, copy.at, at, sizeof at), report->other.who,
                 report->other.did, ptx_where(m, writer.at, other, sizeof other));
        compose(report);
        sm_observe_finds(w->block, report);
    }
    san_reports_close(r);
}
