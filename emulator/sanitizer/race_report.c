/* The sentences of racecheck. */
#include "race_report.h"

#include "../sm/cluster.h"
#include "../sm/translate.h"

#include <stdio.h>

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

/* What would have ordered two threads, or a copy and a thread. */
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

/* A side in words. */
typedef struct side_text {
    char who[80], where[160];
} side_text;

static side_text describe(const sm_warp *w, const san_side *s)
{
    side_text t;
    ptx_where(w->worker->grid->unit->module, s->at, t.where, sizeof t.where);
    thread_text(w, s->thread, t.who, sizeof t.who);
    return t;
}

void san_report_race(san_reports *r, const sm_warp *w, uint32_t offset, san_side second,
                     san_side first)
{
    const san_pair pair = {second.at, first.at, (int)second.did, (int)first.did};
    char *text = san_reports_open(r, &pair, w->block->linear);
    if (text) {
        const uint32_t *id = w->block->id;
        const side_text b = describe(w, &second), a = describe(w, &first);
        snprintf(text, SAN_REPORT_BYTES,
                 "race on shared memory: %s %s at %s what %s %s at %s with no %s between "
                 "(offset %u, block %u,%u,%u)",
                 b.who, verb(second.did), b.where, a.who, verb(first.did), a.where,
                 missing(second.thread, first.thread), offset, id[0], id[1], id[2]);
    }
    san_reports_close(r);
}

void san_report_unfenced(san_reports *r, const sm_warp *w, uint32_t offset, san_side copy,
                         san_side writer)
{
    enum { UNFENCED = SM_UPDATES + 1 }; /* a pair of its own, beside races of the same two */
    const san_pair pair = {copy.at, writer.at, UNFENCED, SM_WRITES};
    char *text = san_reports_open(r, &pair, w->block->linear);
    if (text) {
        const uint32_t *id = w->block->id;
        const side_text b = describe(w, &copy), a = describe(w, &writer);
        snprintf(text, SAN_REPORT_BYTES,
                 "race on shared memory: the asynchronous copy of %s at %s reads what %s "
                 "%s at %s with no fence.proxy.async between: such copies go a way of their own "
                 "(the async proxy), on which a barrier alone does not let them see what threads "
                 "wrote. Behind its writes and before the barrier, let each thread that writes "
                 "execute cuda::ptx::fence_proxy_async(cuda::ptx::space_shared), which is "
                 "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\") "
                 "(offset %u, block %u,%u,%u)",
                 b.who, b.where, a.who, verb(writer.did), a.where, offset, id[0], id[1], id[2]);
    }
    san_reports_close(r);
}
