#include "lock_order.h"

#include "../../core/code.h"
#include "../../memory/memory.h"
#include "../../observe/observe.h"
#include "../../ptx/traits.h"
#include "../../sm/array_name.h"
#include "../intent.h"
#include "../reported.h"
#include "../reports.h"
#include "locks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_EDGES = 256, /* most pairs of locks of a launch */
    MAX_REPORTS = 4  /* most circles of a launch that are reported */
};

typedef enum site_use { NOT_KNOWN, TAKES_NO_LOCK, TAKES_A_LOCK } site_use;

/* A thread took the lock TO while it held FROM. */
typedef struct lock_edge {
    uint64_t from, to;      /* the two locks */
    uint64_t gate;          /* a lock that the thread had taken before both; 0: none */
    uint64_t block;         /* the thread's block */
    uint32_t thread, epoch; /* its index in the block; barriers that the block had passed */
    bool several;           /* other threads did so, too */
    const ptx_insn *insn;   /* where it took TO */
    uint32_t before;        /* during a search: the edge before this one */
} lock_edge;

struct san_lock_order {
    const sm_grid *grid;
    uint8_t *site;             /* [sites of the unit] a site_use for each instruction */
    lock_edge list[MAX_EDGES]; /* the edges */
    uint32_t count;            /* entries used in `list` */
    sm_report *found;          /* circles of locks */
    uint32_t found_count;      /* number of reports in `found` */
};

san_lock_order *san_lock_order_new(const sm_grid *g)
{
    san_lock_order *o = calloc(1, sizeof *o);
    if (o) {
        o->grid = g;
        o->site = calloc(g->unit->site_count + 1u, sizeof *o->site);
    }
    if (o && !o->site) {
        free(o);
        return NULL;
    }
    return o;
}

sm_report *san_add_lock_order_reports(san_lock_order *o, sm_report *list)
{
    while (o->found) {
        sm_report *r = o->found;
        o->found = r->next;
        if (san_is_reported(r, o->grid->launch->name)) {
            free(r);
            continue;
        }
        r->next = list;
        list = r;
    }
    return list;
}

void san_lock_order_free(san_lock_order *o)
{
    if (o) {
        observe_free_reports(o->found);
        free(o->site);
    }
    free(o);
}

/* --- which instructions take locks ------------------------------------------------------------ */

/* Is instruction AT of F in a loop that tests its result, and of which it is the only one that
 * changes memory or calls? */
static bool is_alone_in_loop(const ptx_func *f, uint32_t at)
{
    const ptx_value *result = &f->insns[at].opd[0].v[0];
    bool found = false;
    uint32_t first = 0, last = UINT32_MAX;
    for (uint32_t k = at; k < f->insn_count; k++) {
        const uint32_t target = ptx_branch_target(&f->insns[k]);
        if (target <= at && k - target < last - first) {
            first = target;
            last = k;
        }
    }
    for (uint32_t k = first; last != UINT32_MAX && k <= last; k++) {
        if (k != at && (ptx_changes_memory(&f->insns[k]) ||
                        ptx_traits_of(&f->insns[k])->flow == PTX_FLOW_call))
            return false;
        PTX_EACH_READ(r, &f->insns[k])
            found |= result->kind == PTX_VAL_REG && r.reg == result->reg;
    }
    return found;
}

static bool may_be_lock(const ptx_insn *in)
{
    return (ptx_is_per_lane_atomic(in) && ptx_has_modifier(in, PTX_MOD_exch)) || san_takes_lock(in);
}

/* Do A and B access the same address, as far as their operands say? */
static bool has_same_address(const ptx_insn *a, const ptx_insn *b)
{
    const ptx_value *x = &a->opd[1].v[0], *y = &b->opd[1].v[0];
    return a->op == b->op && x->kind == y->kind && x->reg == y->reg && x->var == y->var &&
           x->offset == y->offset;
}

static site_use use_of_site(const sm_unit *u, const ptx_insn *in)
{
    enum { MAX_DISTANCE = 40 /* instructions from the first attempt to the loop of the others */ };
    const ptx_func *f = may_be_lock(in) ? san_function_of(u, in) : NULL;
    const uint32_t at = f ? (uint32_t)(in - f->insns) : 0;
    if (!f || is_alone_in_loop(f, at))
        return f ? TAKES_A_LOCK : TAKES_NO_LOCK;
    for (uint32_t k = at + 1; k < f->insn_count && k < at + MAX_DISTANCE; k++)
        if (may_be_lock(&f->insns[k]) && has_same_address(in, &f->insns[k]) &&
            is_alone_in_loop(f, k))
            return TAKES_A_LOCK;
    return TAKES_NO_LOCK;
}

/* Does LANE of A, whose site takes locks, succeed? An exchange takes a word that is zero. */
static bool takes_lock(const san_lock_order *o, const sm_access *a, uint32_t lane)
{
    const uint64_t zero = 0;
    if (!ptx_has_modifier(a->insn, PTX_MOD_exch))
        return san_may_take_lock(o->grid->unit, a, lane);
    const void *word = san_word_of_lock(a, lane);
    return word && a->bytes <= sizeof zero && memcmp(word, &zero, a->bytes) == 0;
}

/* --- circles ---------------------------------------------------------------------------------- */

/* The edges of the circle that EDGE closes, from its last one back by `before`; MAX_EDGES: none. */
static uint32_t find_circle(san_lock_order *o, uint32_t edge)
{
    uint32_t queue[MAX_EDGES], head = 0, tail = 0;
    bool seen[MAX_EDGES] = {false};
    queue[tail++] = edge;
    seen[edge] = true;
    while (head < tail) {
        const uint32_t at = queue[head++];
        if (o->list[at].to == o->list[edge].from)
            return at;
        for (uint32_t k = 0; k < o->count; k++) {
            if (!seen[k] && o->list[k].from == o->list[at].to) {
                seen[k] = true;
                o->list[k].before = at;
                queue[tail++] = k;
            }
        }
    }
    return MAX_EDGES;
}

/* Can the threads that made A and B hold their locks at the same time? */
static bool can_meet(const lock_edge *a, const lock_edge *b)
{
    if (a->gate && a->gate == b->gate)
        return false;
    return a->several || b->several || a->block != b->block ||
           (a->thread != b->thread && a->epoch == b->epoch);
}

static void lock_text(const sm_grid *g, uint64_t key, char *buf, size_t size)
{
    if (key >> 63) {
        sm_shared_name(g, key & 0xffffff, buf, size);
    } else {
        mem_range r;
        if (mem_find_range(key, &r) && r.name)
            snprintf(buf, size, "%.80s + %llu", r.name, (unsigned long long)(key - r.base));
        else
            snprintf(buf, size, "0x%llx", (unsigned long long)key);
    }
}

static void report_circle(san_lock_order *o, const lock_edge *e, const lock_edge *last,
                          uint32_t locks)
{
    sm_report *r = calloc(1, sizeof *r);
    if (!r)
        return;
    char from[200], to[200];
    const sm_launch *launch = o->grid->launch;
    r->kind = "race";
    r->chapter = CHAPTER_DIVERGENCE;
    r->address = e->to >> 63 ? 0 : e->to;
    if (e->to >> 63)
        san_report_set_offset(r, o->grid, (uint32_t)(e->to & 0xffffff));
    r->missing = "one order of the locks";
    r->remedy = "Take the locks in the same order everywhere, for instance by ascending index or "
                "address, or take one lock for both.";
    san_block_id(launch, e->block, r->block);
    san_report_set_source_line(r, &r->at, o->grid, e->insn);
    san_report_set_source_line(r, &r->other, o->grid, last->insn);
    r->at.access_name = r->other.access_name = "took";
    san_block_thread_text(launch, e->block, e->thread, r->at.thread_text, sizeof r->at.thread_text);
    san_block_thread_text(launch, last->block, last->thread, r->other.thread_text,
                          sizeof r->other.thread_text);
    lock_text(o->grid, e->from, from, sizeof from);
    lock_text(o->grid, e->to, to, sizeof to);
    if (locks == 2) {
        snprintf(r->sentence, sizeof r->sentence,
                 "race on locks: %s takes %s while it holds %s, and %s takes them in the opposite "
                 "order: when each has taken its first lock, both wait for ever",
                 r->at.thread_text, to, from, r->other.thread_text);
    } else {
        snprintf(r->sentence, sizeof r->sentence,
                 "race on locks: %s takes %s while it holds %s, and so close %u locks a circle: "
                 "when as many threads have each taken one, all wait for ever",
                 r->at.thread_text, to, from, locks);
    }
    snprintf(r->other_text, sizeof r->other_text, "%s took a lock here, while it held another",
             r->other.thread_text);
    san_report_set_text(r, NULL);
    r->next = o->found;
    o->found = r;
    o->found_count++;
}

static void check_circle(san_lock_order *o, uint32_t edge)
{
    const lock_edge *e = &o->list[edge];
    const uint32_t last = o->found_count < MAX_REPORTS ? find_circle(o, edge) : MAX_EDGES;
    uint32_t locks = 1;
    bool meets = false;
    for (uint32_t k = last; k != edge && k != MAX_EDGES; k = o->list[k].before) {
        locks++;
        meets = meets || can_meet(e, &o->list[k]);
    }
    if (meets)
        report_circle(o, e, &o->list[last], locks);
}

static void add_edge(san_lock_order *o, const lock_edge *new)
{
    uint32_t k = 0;
    while (k < o->count && (o->list[k].from != new->from || o->list[k].to != new->to))
        k++;
    if (k == MAX_EDGES)
        return;
    lock_edge *e = &o->list[k];
    if (k < o->count) {
        const bool other = e->block != new->block || e->thread != new->thread;
        if (e->several || !other)
            return;
        e->several = true;
        e->gate = e->gate == new->gate ? e->gate : 0;
    } else {
        *e = *new;
        o->count++;
    }
    check_circle(o, k);
}

/* --- taking and releasing --------------------------------------------------------------------- */

static void take(san_lock_order *o, san_locks *l, const sm_access *a, uint32_t thread, uint64_t key)
{
    uint64_t gate = 0;
    const san_held_list *h = san_locks_held(l);
    for (uint32_t k = 0; k < h->count; k++) {
        if (h->list[k].thread == thread) {
            const lock_edge e = {.from = h->list[k].key,
                                 .to = key,
                                 .gate = gate,
                                 .block = a->warp->block->linear,
                                 .thread = thread,
                                 .epoch = h->epoch,
                                 .insn = a->insn};
            add_edge(o, &e);
            gate = gate ? gate : e.from;
        }
    }
    san_locks_hold(l, thread, key);
}

void san_lock_order_access(san_lock_order *o, san_locks *l, const sm_access *a, uint32_t lane,
                           uint64_t key)
{
    uint8_t *use = &o->site[a->site];
    if (a->effect == SM_READS)
        return;
    *use = *use ? *use : (uint8_t)use_of_site(o->grid->unit, a->insn);
    const bool takes = *use == TAKES_A_LOCK && takes_lock(o, a, lane);
    if (takes || (*use != TAKES_A_LOCK && !san_takes_lock(a->insn)))
        san_locks_let_go(l, key);
    if (takes)
        take(o, l, a, a->warp->index * SM_LANES + lane, key);
}
