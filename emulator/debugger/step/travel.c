/* Moves between the moments of a run: forward by running the worker, back by waking a snapshot. */
#include "control.h"

#include "../../base/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SNAPSHOTS_PER_CHECK 16 /* new snapshots between two measurements of their memory */

/* --- snapshots --- */

static void end_worker_process(int socket)
{
    static const step_order quit = {.kind = STEP_QUIT};
    step_send_message(socket, 0, &quit, sizeof quit, -1);
    close(socket);
}

static void end_snapshot_process(step_snapshot *snapshot)
{
    end_worker_process(snapshot->socket);
}

/* The memory of a process in bytes, with its share of shared pages; 0: not known. */
static uint64_t memory_of_process(int pid)
{
    char path[64], line[128];
    unsigned long long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Pss: %llu kB", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb * 1024;
}

void step_limit_snapshot_memory(step_controller *c)
{
    do {
        c->memory = 0;
        for (uint32_t k = 0; k < c->kept.count; k++)
            c->memory += memory_of_process(c->kept.list[k].pid);
    } while (c->memory > c->max_snapshot_memory && step_snapshots_remove_one(&c->kept));
    c->snapshots_since_measured = 0;
}

/* Note the snapshot N that the worker has made; SOCKET leads to its process. */
static void add_snapshot(step_controller *c, const step_snapshot_note *n, int socket)
{
    const uint64_t before = c->kept.thinned;
    if (n->pid < 0 || socket < 0) {
        c->cannot_return = true;
        return;
    }
    c->kept.now = c->target == UINT64_MAX ? n->tick : c->target;
    step_snapshots_add(&c->kept, (step_snapshot){n->tick, socket, n->pid});
    if (++c->snapshots_since_measured == SNAPSHOTS_PER_CHECK)
        step_limit_snapshot_memory(c);
    c->thinned = c->thinned || c->kept.thinned != before;
}

/* --- messages of a worker to the controller --- */

/* Add launch N to the list of launches, or note that it has ended. */
static void store_launch_begin_or_end(step_controller *c, const step_launch_note *n)
{
    uint32_t k = 0;
    while (k < c->launches && c->launch[k].order != n->order)
        k++;
    step_launch_note *new = k == c->launches ? LIST_ADD(c->launch, c->launches) : NULL;
    if (new)
        *new = *n;
    else if (k < c->launches && n->insn_count != UINT64_MAX)
        c->launch[k].insn_count = n->insn_count;
}

/* Whether A and B are the same mistake. A mistake is reported at its moment and again, with more
 * details, at the end of its launch, so the texts may differ. */
static bool is_same_mistake(const step_mistake *a, const step_mistake *b)
{
    return a->launch == b->launch && a->line == b->line && a->other_line == b->other_line &&
           strcmp(a->kind, b->kind) == 0 && strcmp(a->path, b->path) == 0 &&
           strcmp(a->who, b->who) == 0 && strcmp(a->other_who, b->other_who) == 0;
}

/* Add mistake F to the list, sorted by moment, unless the list contains it. */
static void store_mistake(step_controller *c, const step_mistake *f)
{
    uint32_t at = c->mistake_count;
    for (uint32_t k = 0; k < c->mistake_count; k++)
        if (is_same_mistake(&c->mistakes[k], f))
            return;
    if (c->mistake_count == STEP_MAX_MISTAKES)
        return;
    while (at > 0 && c->mistakes[at - 1].tick > f->tick)
        at--;
    memmove(&c->mistakes[at + 1], &c->mistakes[at], (c->mistake_count - at) * sizeof *f);
    c->mistakes[at] = *f;
    c->mistake_count++;
}

/* Pass text of the worker on to the user, or to the file that captures it. */
static void print_worker_text(step_controller *c, const char *text, size_t size)
{
    fwrite(text, 1, size, c->capture ? c->capture : stdout);
}

static step_controller *session_controller; /* its choices of warps go into every order */

step_order step_order_new(int kind)
{
    step_order o = {.kind = kind, .until = UINT64_MAX, .after = UINT64_MAX, .times = 1};
    o.choices = session_controller->choices;
    memcpy(o.choice, session_controller->choice, sizeof o.choice);
    return o;
}

/* Receive messages from the worker until the result of the order arrives. */
static bool wait_for_result(step_controller *c)
{
    static union {
        char bytes[STEP_MAX_PACKET_BYTES];
        step_result result;
        step_snapshot_note snapshot;
        step_launch_note launch;
        step_mistake mistake;
        step_wrong_value wrong;
    } m;
    for (;;) {
        step_message kind;
        int socket;
        const size_t size = step_receive_message(c->worker, &kind, &m, sizeof m, &socket);
        if (size == 0) {
            close(c->worker);
            c->worker = -1;
            return false;
        }
        switch (kind) {
        case STEP_MSG_TEXT: print_worker_text(c, m.bytes, size - sizeof kind); break;
        case STEP_MSG_SNAPSHOT: add_snapshot(c, &m.snapshot, socket); break;
        case STEP_MSG_LAUNCH: store_launch_begin_or_end(c, &m.launch); break;
        case STEP_MSG_MISTAKE: store_mistake(c, &m.mistake); break;
        case STEP_MSG_WRONG:
            if (!c->wrong.text[0] || m.wrong.tick < c->wrong.tick)
                c->wrong = m.wrong;
            break;
        case STEP_MSG_RESULT:
            c->at = m.result;
            c->stopped = c->stopped || c->at.stopped;
            c->reached = c->at.tick > c->reached ? c->at.tick : c->reached;
            c->whole = c->whole || c->at.ended;
            while (waitpid(-1, NULL, WNOHANG) > 0) { /* collect child processes that have ended */
            }
            return true;
        }
    }
}

bool step_send_order(step_controller *c, step_order *o)
{
    if (c->worker < 0 || !step_send_message(c->worker, 0, o, sizeof *o, -1))
        return false;
    return wait_for_result(c);
}

bool step_ask_question(step_controller *c, const char *text, const char *reason, const char *extra)
{
    step_order o = step_order_new(STEP_QUERY);
    snprintf(o.query, sizeof o.query, "%s", text);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    snprintf(o.extra, sizeof o.extra, "%s", extra);
    return step_send_order(c, &o);
}

char *step_ask_worker(step_controller *c, const char *question)
{
    char *text = NULL;
    size_t size = 0;
    c->capture = open_memstream(&text, &size);
    const bool asked = c->capture && step_ask_question(c, question, "", "");
    if (c->capture)
        fclose(c->capture);
    c->capture = NULL;
    if (!asked) {
        free(text);
        text = NULL;
    }
    return text;
}

/* --- going --- */

/* Replace the worker by a new one that continues from snapshot S. Returns false if that fails. */
static bool wake_snapshot(step_controller *c, const step_snapshot *s)
{
    int end[2];
    if (!s || !step_open_socket_pair(end))
        return false;
    step_order o = step_order_new(STEP_WAKE);
    const bool good = step_send_message(s->socket, 0, &o, sizeof o, end[1]);
    close(end[1]);
    if (!good) {
        close(end[0]);
        return false;
    }
    if (c->worker >= 0)
        end_worker_process(c->worker);
    c->worker = end[0];
    return true;
}

bool step_go_to_moment(step_controller *c, uint64_t tick)
{
    const step_snapshot *s = step_snapshots_before(&c->kept, tick);
    const bool must_go_back =
        c->worker < 0 || c->at.tick > tick || (c->at.ended && c->at.tick < tick);
    if (c->worker >= 0 && c->at.tick == tick)
        return true;
    if ((must_go_back || (s && s->tick > c->at.tick)) && !wake_snapshot(c, s))
        return false;
    c->target = tick;
    step_order o = step_order_new(STEP_RUN);
    o.until = tick;
    const bool good = step_send_order(c, &o);
    c->target = UINT64_MAX;
    return good;
}

bool step_run_to_goal(step_controller *c, const step_goal *goal, uint32_t times, step_result *r)
{
    if (c->at.ended) {
        *r = c->at;
        r->hits = 0;
        return true;
    }
    step_order o = step_order_new(STEP_RUN);
    o.goal = *goal;
    o.times = times;
    o.after = c->at.tick;
    if (!step_send_order(c, &o))
        return false;
    *r = c->at;
    return c->stopped || r->hits < times || step_go_to_moment(c, r->hit);
}

bool step_find_last_hit(step_controller *c, const step_goal *goal, uint32_t times, uint64_t limit,
                        uint64_t *tick, step_result *r)
{
    const step_snapshot *s = limit ? step_snapshots_before(&c->kept, limit - 1) : NULL;
    while (s) {
        /* Search from the snapshot before: a hit exactly at a snapshot's moment is only recognised
         * with the state before it. */
        const uint64_t from = s->tick;
        const bool first = from == step_first_moment(c);
        step_order o = step_order_new(STEP_RUN);
        o.goal = *goal;
        o.last = true;
        o.times = times;
        o.after = first ? UINT64_MAX : from;
        o.until = limit;
        c->target = limit;
        const bool good = wake_snapshot(c, s) && step_send_order(c, &o);
        c->target = UINT64_MAX;
        if (!good || c->stopped)
            return false;
        *r = c->at;
        if (r->hits >= times) {
            *tick = r->hit;
            return true;
        }
        times -= r->hits;
        limit = from + 1;
        s = first ? NULL : step_snapshots_before(&c->kept, from - 1);
    }
    return false;
}

uint64_t step_first_moment(const step_controller *c)
{
    return c->launches ? c->launch[0].base : 0;
}

const step_launch_note *step_launch_of(const step_controller *c, uint64_t tick)
{
    const step_launch_note *found = NULL;
    for (uint32_t k = 0; k < c->launches; k++)
        if (c->launch[k].base <= tick && (!found || c->launch[k].base > found->base))
            found = &c->launch[k];
    return found;
}

uint64_t step_moment_before(const step_controller *c, uint64_t tick, uint32_t n)
{
    while (n-- && tick > step_first_moment(c)) {
        const step_launch_note *l = step_launch_of(c, --tick);
        /* skip the end of a launch, which is a moment without an instruction */
        tick -= l && l->insn_count != UINT64_MAX && l->insn_count > 0 &&
                tick == l->base + l->insn_count;
    }
    return tick;
}

void step_forget_run_after(step_controller *c, uint64_t tick)
{
    step_snapshots_remove_after(&c->kept, tick);
    while (c->choices && c->choice[c->choices - 1].tick > tick)
        c->choices--;
    while (c->mistake_count && c->mistakes[c->mistake_count - 1].tick > tick)
        c->mistake_count--;
    if (c->wrong.tick > tick)
        c->wrong.text[0] = '\0';
    while (c->launches && c->launch[c->launches - 1].base > tick)
        c->launches--;
    if (c->launches &&
        tick < c->launch[c->launches - 1].base + c->launch[c->launches - 1].insn_count)
        c->launch[c->launches - 1].insn_count = UINT64_MAX;
    c->reached = tick;
    c->whole = false;
}

/* The value of WARPBOOK_STEP_MEMORY: bytes, or a number with K, M or G. Others are ignored. */
static uint64_t snapshot_memory_limit(void)
{
    static const char units[] = "KMG";
    const char *text = getenv("WARPBOOK_STEP_MEMORY");
    char *end;
    const unsigned long long n = strtoull(text ? text : "", &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    return n && n << shift >> shift == n && !end[unit != NULL] ? n << shift : UINT64_C(1) << 30;
}

bool step_open_controller(step_controller *c, int worker)
{
    *c = (step_controller){.worker = worker,
                           .kept.give_up = end_snapshot_process,
                           .target = UINT64_MAX,
                           .max_snapshot_memory = snapshot_memory_limit(),
                           .mistakes = calloc(STEP_MAX_MISTAKES + 1, sizeof *c->mistakes)};
    session_controller = c;
    step_order o = step_order_new(STEP_RUN);
    o.until = 0;
    return c->mistakes && step_send_order(c, &o);
}

void step_close_controller(step_controller *c)
{
    if (c->worker >= 0)
        end_worker_process(c->worker);
    while (c->kept.count)
        end_worker_process(c->kept.list[--c->kept.count].socket);
    free(c->mistakes);
    free(c->launch);
}
