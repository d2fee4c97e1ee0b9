/* Synccheck: misuse of barriers and member masks (PTX ISA 9.7.13.1: bar.sync has all threads of
 * the block execute the same barrier; Programming Guide, "Synchronization Functions" and "Warp
 * Shuffle Functions"). */
#include "sync.h"

#include "../core/code.h"
#include "../ptx/traits.h"
#include "../sm/barrier.h"
#include "../sm/sync.h"
#include "init/flow.h"
#include "intent.h"
#include "reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ARRIVAL_INSNS = 8, /* most instructions of arrival recorded for a barrier phase */
    MAX_LANE_WAITS = 4,    /* most waits recorded of the lanes of one warp */
    MAX_ABSENT_READS = 16  /* most shuffles from absent lanes that are examined in a block */
};

/* Threads that have arrived at a barrier by one instruction. */
typedef struct barrier_arrival {
    const ptx_insn *at; /* the instruction at which the threads arrived */
    uint32_t expected;  /* number of threads that the barrier expects; 0: all */
    uint32_t threads;   /* number of threads that have arrived */
    uint32_t first;     /* index in the block of one thread that has arrived */
} barrier_arrival;

typedef struct barrier_phase {
    barrier_arrival arrivals[MAX_ARRIVAL_INSNS]; /* arrivals by each instruction at the barrier */
    uint32_t arrival_count;                      /* number of entries used in `arrivals` */
} barrier_phase;

/* Lanes of a warp that wait for other lanes at one instruction. */
typedef struct lane_wait {
    const ptx_insn *at;     /* the instruction at which the lanes wait */
    uint32_t member, lanes; /* member mask; lanes that wait */
    uint32_t missing;       /* lanes that have not arrived yet */
} lane_wait;

typedef struct sync_block {
    const sm_block *block; /* the block that is checked */
    san_reports *reports;  /* reports of the launch */
    bool is_reported; /* a barrier of this block has been reported; later errors follow from it */
    uint32_t exited;  /* threads of the block that have left the kernel */
    uint32_t first_exited; /* index in the block of one thread that has left */
    uint32_t arrived;      /* mask of the barriers at which threads of the block have arrived */
    bool waited;           /* lanes of the block have waited for others */
    const ptx_insn *absent[MAX_ABSENT_READS]; /* shuffles from absent lanes that were examined */
    uint32_t absent_count;                    /* entries used in `absent` */
    barrier_phase phase[SM_BAR_COUNT];        /* current phase of each barrier */
    lane_wait wait[][MAX_LANE_WAITS];         /* lanes of each warp that wait for other lanes */
} sync_block;

static uint32_t first_thread_of_lanes(const sm_warp *w, uint32_t lanes)
{
    return w->index * SM_LANES + (uint32_t)__builtin_ctz(lanes);
}

/* --- reports ---------------------------------------------------------------------------------- */

enum {
    REPORT_DIVERGENT_BARRIER, /* threads of a block wait at different instructions */
    REPORT_THREADS_EXITED,    /* threads that a barrier expects have exited */
    REPORT_DIFFERENT_COUNTS,  /* a barrier is given different numbers of threads */
    REPORT_MISSING_LANES,     /* lanes of a member mask have exited */
    REPORT_ABSENT_LANE        /* a shuffle reads from a lane that is not there */
};

typedef struct barrier_side {
    const ptx_insn *at; /* the instruction at the barrier */
    char who[80];       /* the threads at the barrier, as text */
    const char *did;    /* what the threads did there, for instance "waited" */
} barrier_side;

static void describe_threads(const sm_block *b, uint32_t first, uint32_t count, char *out,
                             size_t size)
{
    char thread[50];
    san_thread_text(b->grid->launch, first, thread, sizeof thread);
    if (count > 1)
        snprintf(out, size, "%s and %u other%s", thread, count - 1, count == 2 ? "" : "s");
    else
        snprintf(out, size, "%s", thread);
}

static void fill_report_side(sm_report *r, sm_report_access *side, const sm_grid *g,
                             const barrier_side *p)
{
    san_report_set_source_line(r, side, g, p->at);
    side->access_name = p->did;
    snprintf(side->thread_text, sizeof side->thread_text, "%s", p->who);
}

/* Report error HOW (REPORT_DIVERGENT_BARRIER and so on) at the positions A and B; B is NULL if the
 * error has one position. */
static void report_error(const sync_block *s, int how, const barrier_side *a, const barrier_side *b,
                         const char *what, const char *fix)
{
    const san_insn_pair pair = {a->at, b ? b->at : a->at, how, how};
    sm_report *r = san_start_report(s->reports, &pair, s->block->linear);
    if (r) {
        r->kind = "sync";
        r->remedy = fix;
        memcpy(r->block, s->block->id, sizeof r->block);
        r->chapter = how == REPORT_MISSING_LANES || how == REPORT_ABSENT_LANE
                         ? CHAPTER_WARP_SHUFFLES
                         : CHAPTER_SHARED_REDUCTION;
        fill_report_side(r, &r->at, s->block->grid, a);
        snprintf(r->sentence, sizeof r->sentence, "%s", what);
        if (b) {
            fill_report_side(r, &r->other, s->block->grid, b);
            snprintf(r->other_text, sizeof r->other_text, "%s %s here", b->who, b->did);
        }
        san_report_to_observers(r, s->block);
    }
    san_finish_report(s->reports);
}

/* --- mistakes with barriers of the block ------------------------------------------------------ */

static void on_threads_arrive(void *block, const sm_warp *w, const ptx_insn *in, uint32_t id,
                              uint32_t expected)
{
    sync_block *s = block;
    barrier_phase *p = &s->phase[id];
    uint32_t k = 0;
    s->arrived |= 1u << id;
    while (k < p->arrival_count && (p->arrivals[k].at != in || p->arrivals[k].expected != expected))
        k++;
    if (k == MAX_ARRIVAL_INSNS)
        return;
    if (k == p->arrival_count) {
        p->arrivals[p->arrival_count++] = (barrier_arrival){
            .at = in, .expected = expected, .first = first_thread_of_lanes(w, w->mask)};
    }
    p->arrivals[k].threads += (uint32_t)__builtin_popcount(w->mask);
}

static barrier_side side_of_arrival(const sync_block *s, const barrier_arrival *a, const char *did)
{
    barrier_side p = {.at = a->at, .did = did};
    describe_threads(s->block, a->first, a->threads, p.who, sizeof p.who);
    return p;
}

static void report_divergent_barrier(const sync_block *s, const barrier_arrival *first,
                                     const barrier_arrival *second)
{
    char what[400];
    const barrier_side a = side_of_arrival(s, second, "waited"),
                       b = side_of_arrival(s, first, "waited");
    snprintf(what, sizeof what,
             "%s wait%s at this __syncthreads() while others of the block wait at another one: the "
             "two act as one barrier only by luck",
             a.who, second->threads == 1 ? "s" : "");
    report_error(
        s, REPORT_DIVERGENT_BARRIER, &a, &b, what,
        "Put __syncthreads() where all threads of the block reach it, outside of branches and "
        "loops that differ from thread to thread.");
}

static void report_exited_threads(const sync_block *s, const barrier_arrival *at)
{
    char what[500], gone[100];
    const barrier_side a = side_of_arrival(s, at, "waited");
    describe_threads(s->block, s->first_exited, s->exited, gone, sizeof gone);
    snprintf(what, sizeof what,
             "%s wait%s at this barrier, but %s of the block %s left the kernel without it", a.who,
             at->threads == 1 ? "s" : "", gone, s->exited == 1 ? "has" : "have");
    report_error(
        s, REPORT_THREADS_EXITED, &a, NULL, what,
        "Let all threads of the block reach the barrier: guard the work with if, and do not "
        "return before it.");
}

static void report_different_counts(const sync_block *s, const barrier_arrival *first,
                                    const barrier_arrival *second)
{
    char what[300];
    const barrier_side a = side_of_arrival(s, second, "arrived"),
                       b = side_of_arrival(s, first, "arrived");
    snprintf(what, sizeof what,
             "%s arrive%s at a barrier for %u threads, at which others arrived for %u", a.who,
             second->threads == 1 ? "s" : "", second->expected, first->expected);
    report_error(s, REPORT_DIFFERENT_COUNTS, &a, &b, what,
                 "All threads must give a barrier the same number of threads.");
}

static void on_barrier_complete(void *block, uint32_t id)
{
    sync_block *s = block;
    barrier_phase *p = &s->phase[id];
    const barrier_arrival *first = &p->arrivals[0];
    for (uint32_t k = 1; k < p->arrival_count && !s->is_reported; k++) {
        const barrier_arrival *other = &p->arrivals[k];
        if (other->expected != first->expected) {
            report_different_counts(s, first, other);
            s->is_reported = true;
        } else if (!first->expected && other->at != first->at && ptx_needs_whole_warp(other->at) &&
                   ptx_needs_whole_warp(first->at)) {
            report_divergent_barrier(s, first, other);
            s->is_reported = true;
        }
    }
    if (p->arrival_count && !first->expected && s->exited && !s->is_reported) {
        report_exited_threads(s, first);
        s->is_reported = true;
    }
    p->arrival_count = 0;
}

/* --- mistakes among the lanes of a warp ------------------------------------------------------- */

static void on_lanes_wait(void *block, const sm_warp *w, const ptx_insn *in, uint32_t member,
                          uint32_t missing)
{
    sync_block *s = block;
    lane_wait *list = s->wait[w->index], *free_one = NULL;
    s->waited = true;
    for (uint32_t k = 0; k < MAX_LANE_WAITS; k++) {
        if (list[k].at && list[k].member == member) {
            list[k].missing &= ~w->mask;
            list[k].lanes |= w->mask;
            return;
        }
        free_one = list[k].at ? free_one : &list[k];
    }
    if (free_one)
        *free_one = (lane_wait){in, member, w->mask, missing};
}

static void on_lanes_complete(void *block, const sm_warp *w, uint32_t member)
{
    lane_wait *list = ((sync_block *)block)->wait[w->index];
    for (uint32_t k = 0; k < MAX_LANE_WAITS; k++)
        if (list[k].member == member)
            list[k].at = NULL;
}

static void report_missing_lanes(const sync_block *s, const sm_warp *w, const lane_wait *x,
                                 uint32_t gone)
{
    char what[500], waiting[100], left[100];
    barrier_side a = {.at = x->at, .did = "waited"};
    sm_lanes_text(x->lanes, waiting, sizeof waiting);
    sm_lanes_text(gone, left, sizeof left);
    snprintf(a.who, sizeof a.who, "lane%s %.60s of warp %u", sm_lane_plural(x->lanes), waiting,
             w->index);
    snprintf(
        what, sizeof what,
        "lane%s %s of a warp came here with member mask 0x%08x, but lane%s %s of the mask left the "
        "kernel before",
        sm_lane_plural(x->lanes), waiting, x->member, sm_lane_plural(gone), left);
    report_error(
        s, REPORT_MISSING_LANES, &a, NULL, what,
        "Pass the mask of the lanes that take this branch: compute it with __ballot_sync() "
        "before the branch, or let all lanes reach this line.");
}

/* Does no result of the kernel depend on the value of shuffle IN, as far as can be told? */
static bool may_drop_value(const sm_unit *u, const ptx_insn *in)
{
    const ptx_func *f = san_function_of(u, in);
    san_flow flow;
    if (!f || !san_flow_analyse(&flow, f))
        return true;
    const bool drops =
        san_flow_may_drop_element(&flow, in, 0) || !san_flow_is_result_used(&flow, in);
    san_flow_clear(&flow);
    return drops;
}

static void on_absent_lane_read(void *block, const sm_warp *w, const ptx_insn *in, uint32_t lane,
                                uint32_t source)
{
    sync_block *s = block;
    for (uint32_t k = 0; k < s->absent_count; k++)
        if (s->absent[k] == in)
            return;
    if (s->absent_count == MAX_ABSENT_READS)
        return;
    s->absent[s->absent_count++] = in;
    if (may_drop_value(s->block->grid->unit, in))
        return;
    char what[300];
    barrier_side a = {.at = in, .did = "read"};
    snprintf(a.who, sizeof a.who, "lane %u of warp %u", lane, w->index);
    snprintf(
        what, sizeof what,
        "%s reads with this shuffle from lane %u, which %s: the value is undefined", a.who, source,
        w->lanes >> source & 1 ? "has left the kernel" : "is past the last thread of the block");
    report_error(s, REPORT_ABSENT_LANE, &a, NULL, what,
                 "Let the block have a multiple of 32 threads that all reach this line, with a "
                 "value that changes nothing in those past the end of the data, or use the value "
                 "only where the lane that it comes from exists.");
}

static void on_lanes_exit(void *block, const sm_warp *w, uint32_t lanes)
{
    sync_block *s = block;
    if (!s->exited)
        s->first_exited = first_thread_of_lanes(w, lanes);
    s->exited += (uint32_t)__builtin_popcount(lanes);
    for (uint32_t k = 0; k < MAX_LANE_WAITS; k++) {
        lane_wait *x = &s->wait[w->index][k];
        if (x->at && x->missing & lanes) {
            report_missing_lanes(s, w, x, x->missing & lanes);
            x->at = NULL;
        }
    }
}

/* --- observer functions ----------------------------------------------------------------------- */

static void *on_launch_begin(const sm_grid *g)
{
    return san_reports_new(g->launch);
}

static sm_report *on_launch_end(void *launch)
{
    return san_take_reports(launch);
}

static void *on_block_open(void *launch, const sm_block *b)
{
    sync_block *s = calloc(1, sizeof *s + b->warp_count * sizeof s->wait[0]);
    if (s) {
        s->block = b;
        s->reports = launch;
    }
    return s;
}

static void on_block_begin(void *block)
{
    sync_block *s = block;
    s->exited = 0;
    s->is_reported = false;
    for (uint32_t m = s->arrived; m; m &= m - 1)
        s->phase[__builtin_ctz(m)].arrival_count = 0;
    if (s->waited)
        memset(s->wait, 0, s->block->warp_count * sizeof s->wait[0]);
    s->arrived = 0;
    s->absent_count = 0;
    s->waited = false;
}

const sm_observer san_sync_observer = {.launch_begins = on_launch_begin,
                                       .launch_ends = on_launch_end,
                                       .block_opens = on_block_open,
                                       .block_closes = free,
                                       .block_begins = on_block_begin,
                                       .threads_arrive = on_threads_arrive,
                                       .barrier_completes = on_barrier_complete,
                                       .lanes_wait = on_lanes_wait,
                                       .lanes_complete = on_lanes_complete,
                                       .reads_absent_lane = on_absent_lane_read,
                                       .lanes_exit = on_lanes_exit};
