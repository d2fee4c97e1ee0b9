/* Detects loop iterations that only wait (poll), and removes them from the counters. */
#include "waits.h"

#include "../compile/ptxas/facts.h"
#include "../core/sched.h"

#include <stdlib.h>
#include <string.h>

/* State of a host thread: the counts at the end of the last iteration of the waiting loop, and the
 * sums to subtract from the counts when the launch ends. */
struct sm_waits {
    const sm_warp
        *warp; /* the warp that has run since the last iteration; NULL: no iteration is recorded */
    const sm_insn *branch; /* the branch that ends the loop in which the warp waits */
    bool is_comparable;    /* `hash` and `site` are saved, as the last iteration stored nothing */
    uint64_t hash;         /* hash of the loop's values at the end of the last iteration */
    uint64_t changes;      /* number of changes to global memory at the end of the last iteration */
    uint64_t shared_changes;           /* number of changes to shared memory at that time */
    counters extra, extra_to_subtract; /* counters at the start of the iteration; counts to subtract
                                  at the end of the launch */
    uint32_t effort[WORK_FIELDS];      /* copy of the warp's effort at the start of the iteration */
    uint64_t sched_effort[WORK_FIELDS]; /* the scheduler's effort when the iteration began */
    insn_stats *site; /* [site_count] statistics of each instruction when the iteration began */
    insn_stats *site_to_subtract; /* [site_count] statistics to subtract when the launch ends */
    struct sm_visits *visit; /* [visit_count] counts of each basic block when the iteration began */
    struct sm_visits *visits_to_subtract; /* [visit_count] counts to subtract at the launch's end */
};

/* The instructions and the basic blocks that belong to a loop, as ranges of their numbers. */
typedef struct loop_range {
    uint32_t site;   /* number of the loop's first instruction */
    uint32_t sites;  /* how many instructions the loop has */
    uint32_t visit;  /* number of the loop's first basic block */
    uint32_t visits; /* how many basic blocks the loop has */
} loop_range;

static loop_range range_of_loop(const sm_insn *branch)
{
    const sm_insn *first = branch->extra;
    return (loop_range){.site = first->site,
                        .sites = branch->site - first->site + 1,
                        .visit = (uint32_t)first->imm,
                        .visits = branch->b - (uint32_t)first->imm + 1};
}

static struct sm_waits *new_wait_state(sm_worker *k)
{
    const sm_unit *u = k->grid->unit;
    struct sm_waits *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    k->waits = m;
    m->site = calloc(u->site_count + 1u, sizeof *m->site);
    m->site_to_subtract = calloc(u->site_count + 1u, sizeof *m->site_to_subtract);
    m->visit = calloc(u->visit_count + 1u, sizeof *m->visit);
    m->visits_to_subtract = calloc(u->visit_count + 1u, sizeof *m->visits_to_subtract);
    if (!m->site || !m->site_to_subtract || !m->visit || !m->visits_to_subtract)
        sm_waits_free(k);
    return k->waits;
}

void sm_waits_free(sm_worker *k)
{
    struct sm_waits *m = k->waits;
    if (m) {
        free(m->site);
        free(m->site_to_subtract);
        free(m->visit);
        free(m->visits_to_subtract);
        free(m);
    }
    k->waits = NULL;
}

/* Independent hash lanes: the CPU overlaps their multiplications. */
enum { HASH_LANES = 8 /* independent parts of the hash that is computed */ };

static void hash_words(uint64_t h[HASH_LANES], const uint64_t *word, uint32_t words)
{
    for (uint32_t k = 0; k < words; k += HASH_LANES) {
        for (uint32_t n = 0; n < HASH_LANES; n++) {
            h[n] = (h[n] ^ word[k + n]) * UINT64_C(0x9e3779b97f4a7c15);
            h[n] ^= h[n] >> 29;
        }
    }
}

static uint64_t combine_hash_lanes(const uint64_t h[HASH_LANES])
{
    uint64_t all = 0;
    for (uint32_t n = 0; n < HASH_LANES; n++) {
        all = (all ^ h[n]) * UINT64_C(0x9e3779b97f4a7c15);
        all ^= all >> 29;
    }
    return all;
}

uint64_t sm_registers_hash(const sm_warp *w, const sm_insn *pc)
{
    uint64_t h[HASH_LANES] = {(uintptr_t)pc};
    hash_words(h, (const uint64_t *)w->r, w->sched->frame->code->const_offset / 8);
    return combine_hash_lanes(h);
}

/* Hash the values that the loop ending at BRANCH carries into its next iteration. */
static uint64_t hash_of_loop_values(const sm_warp *w, const sm_insn *branch)
{
    const compile_loop *l = &w->sched->frame->code->facts->loop[branch->c];
    uint64_t h[HASH_LANES] = {(uint64_t)w->mask << 32 ^ w->carry};
    for (uint32_t k = 0; k < l->carried_count; k++) {
        const struct compile_window_bytes *s = &l->carried[k];
        const uint8_t *at = w->r + s->at;
        if (s->bytes >= sizeof h) {
            hash_words(h, (const uint64_t *)at, s->bytes / 8);
        } else {
            const uint64_t predicate[HASH_LANES] = {*(const uint32_t *)at};
            hash_words(h, predicate, HASH_LANES);
        }
    }
    return combine_hash_lanes(h);
}

/* Save the counts at the end of an iteration. COMPARABLE: also save the state with which the next
 * iteration is compared to find out whether it only waited. */
static void save_statistics(struct sm_waits *m, const sm_warp *w, const sm_insn *branch,
                            bool comparable)
{
    sm_worker *k = w->worker;
    const loop_range s = range_of_loop(branch);
    m->is_comparable = comparable;
    if (comparable)
        memcpy(m->site + s.site, k->site + s.site, s.sites * sizeof *m->site);
    memcpy(m->visit + s.visit, k->visits + s.visit, s.visits * sizeof *m->visit);
    m->extra = k->extra;
    memcpy(m->effort, w->effort, sizeof m->effort);
    memcpy(m->sched_effort, w->sched->effort, sizeof m->sched_effort);
    m->changes = k->changes;
    m->shared_changes = k->shared_changes;
    k->grid->rollback->mark(k);
}

static bool has_iteration_stored(const struct sm_waits *m, const sm_warp *w, const sm_insn *branch)
{
    const sm_worker *k = w->worker;
    const sm_code *code = w->sched->frame->code;
    const loop_range s = range_of_loop(branch);
    for (uint32_t v = s.visit; v < s.visit + s.visits; v++)
        if (k->visits[v].times != m->visit[v].times && code->block[v - code->visit_base].stores)
            return true;
    return k->changes != m->changes || k->shared_changes != m->shared_changes;
}

/* Whether the first block of the loop has been entered exactly once, by BRANCH. Then nothing
 * outside the loop has run since. */
static bool has_loop_run_alone(const struct sm_waits *m, const sm_worker *k, const sm_insn *branch)
{
    const uint64_t first = ((const sm_insn *)branch->extra)->imm;
    return k->visits[first].times == m->visit[first].times + 1;
}

static void restore_statistics(struct sm_waits *m, sm_warp *w, const sm_insn *branch)
{
    sm_worker *k = w->worker;
    const loop_range s = range_of_loop(branch);
    for (uint32_t n = s.site; n < s.site + s.sites; n++) {
        const insn_stats *now = &k->site[n], *then = &m->site[n];
        m->site_to_subtract[n].requests += now->requests - then->requests;
        m->site_to_subtract[n].lanes += now->lanes - then->lanes;
        m->site_to_subtract[n].sectors += now->sectors - then->sectors;
        m->site_to_subtract[n].ideal += now->ideal - then->ideal;
        m->site_to_subtract[n].conflicts += now->conflicts - then->conflicts;
        m->site_to_subtract[n].even += now->even - then->even;
        m->site_to_subtract[n].far += now->far - then->far;
    }
    for (uint32_t n = s.visit; n < s.visit + s.visits; n++) {
        m->visits_to_subtract[n].times += k->visits[n].times - m->visit[n].times;
        m->visits_to_subtract[n].lanes += k->visits[n].lanes - m->visit[n].lanes;
    }
    for (uint32_t n = 0; n < CTR_COUNT; n++)
        m->extra_to_subtract.v[n] += k->extra.v[n] - m->extra.v[n];
    memcpy(w->effort, m->effort, sizeof m->effort);
    memcpy(w->sched->effort, m->sched_effort, sizeof m->sched_effort);
    k->grid->rollback->undo(k);
}

bool sm_iteration_only_waited(sm_warp *w, const sm_insn *i)
{
    sm_worker *k = w->worker;
    struct sm_waits *m = k->waits ? k->waits : new_wait_state(k);
    if (!m)
        return false;
    const bool again = m->warp == w && m->branch == i && has_loop_run_alone(m, k, i);
    const bool moved = again && has_iteration_stored(m, w, i);
    /* An iteration that stored something differs from a later one that only waits: it is not
     * hashed. */
    const uint64_t hash = moved ? 0 : hash_of_loop_values(w, i);
    const bool waited = again && !moved && m->is_comparable && m->hash == hash;
    if (waited)
        restore_statistics(m, w, i);
    m->warp = w;
    m->branch = i;
    m->hash = hash;
    save_statistics(m, w, i, !moved);
    return waited;
}

void sm_iteration_begins(sm_warp *w, const sm_insn *i, uint64_t hash)
{
    struct sm_waits *m = w->worker->waits;
    if (!m)
        return;
    m->warp = i ? w : NULL;
    if (i) {
        m->branch = i;
        m->hash = hash;
        save_statistics(m, w, i, true);
    }
}

uint64_t sm_iteration_hash(const sm_worker *k)
{
    return k->waits ? k->waits->hash : 0;
}

void sm_waits_end(sm_worker *k)
{
    const sm_unit *u = k->grid->unit;
    const struct sm_waits *m = k->waits;
    if (!m)
        return;
    for (uint32_t n = 0; n < u->site_count; n++) {
        k->site[n].requests -= m->site_to_subtract[n].requests;
        k->site[n].lanes -= m->site_to_subtract[n].lanes;
        k->site[n].sectors -= m->site_to_subtract[n].sectors;
        k->site[n].ideal -= m->site_to_subtract[n].ideal;
        k->site[n].conflicts -= m->site_to_subtract[n].conflicts;
        k->site[n].even -= m->site_to_subtract[n].even;
        k->site[n].far -= m->site_to_subtract[n].far;
    }
    for (uint32_t n = 0; n < u->visit_count; n++) {
        k->visits[n].times -= m->visits_to_subtract[n].times;
        k->visits[n].lanes -= m->visits_to_subtract[n].lanes;
    }
    for (uint32_t n = 0; n < CTR_COUNT; n++)
        k->extra.v[n] -= m->extra_to_subtract.v[n];
}
