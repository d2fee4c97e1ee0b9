#include "coverage.h"
#include "../base/list.h"
#include "../base/lock.h"
#include "../core/code.h"
#include "../counters/table.h"
#include "../ptx/traits.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* How often lanes came to an instruction. */
typedef struct cov_count {
    uint64_t taken; /* lanes that executed it */
    uint64_t left;  /* lanes that came to it, and whose guard was false */
} cov_count;

typedef struct cov_insn {
    const char *path; /* its source file; NULL: unknown */
    uint32_t line;    /* its line there */
    bool conditional; /* it has a guard */
    int stays;        /* column `stays` of the table */
    cov_count count;  /* of all launches */
} cov_insn;

/* A function that was in a module, of which the module may be gone. */
typedef struct cov_function {
    char *name;
    uint32_t insn_count;
    cov_insn *insn; /* [insn_count] */
    char **paths;   /* the files that `insn` names, NULL-terminated */
} cov_function;

static struct {
    const char *path;       /* file of the table; NULL: nothing is counted */
    bool stopped;           /* what is launched now is not counted */
    cov_function *function; /* [count] */
    size_t count;
    pthread_mutex_t lock; /* guards the functions and their counts */
} coverage = {.lock = PTHREAD_MUTEX_INITIALIZER};

void cov_configure(const char *path)
{
    coverage.path = path;
}

bool cov_is_on(void)
{
    return coverage.path && !coverage.stopped;
}

void cov_stop(void)
{
    coverage.stopped = true;
}

/* --- functions --- */

/* PATH as a string of function F; NULL: there is no memory. */
static const char *keep_path(cov_function *f, const char *path)
{
    size_t n = 0;
    for (; f->paths && f->paths[n]; n++)
        if (strcmp(f->paths[n], path) == 0)
            return f->paths[n];
    char **more = realloc(f->paths, (n + 2) * sizeof *more);
    if (!more)
        return NULL;
    f->paths = more;
    more[n] = strdup(path);
    more[n + 1] = NULL;
    return more[n];
}

static bool is_same_code(const cov_function *f, const ptx_module *m, const ptx_func *of)
{
    uint32_t line = 0;
    const ptx_insn *first = of->insns;
    const char *path = of->insn_count ? ptx_source_file(m, first, &line) : NULL;
    return f->insn_count == of->insn_count && strcmp(f->name, of->name) == 0 &&
           (!f->insn_count ||
            (f->insn->line == line &&
             (path ? f->insn->path && strcmp(f->insn->path, path) == 0 : !f->insn->path)));
}

static int how_it_stays(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    const bool loads = t->access == PTX_ACCESS_load;
    if (t->flow != PTX_FLOW__ || t->sync != PTX_SYNC__ || (t->access != PTX_ACCESS__ && !loads))
        return 2;
    return loads && ptx_space_of(in) != PTX_SPACE_PARAM;
}

/* The counts of function OF, new if there are none. NULL: no memory. Call with the lock held. */
static cov_function *counts_of(const ptx_module *m, const ptx_func *of)
{
    for (size_t k = 0; k < coverage.count; k++)
        if (is_same_code(&coverage.function[k], m, of))
            return &coverage.function[k];
    cov_function f = {.name = strdup(of->name),
                      .insn_count = of->insn_count,
                      .insn = calloc(of->insn_count + 1u, sizeof *f.insn)};
    cov_function *new = f.name &&f.insn ? LIST_ADD(coverage.function, coverage.count) : NULL;
    if (!new) {
        free(f.name);
        free(f.insn);
        return NULL;
    }
    for (uint32_t k = 0; k < of->insn_count; k++) {
        const char *path = ptx_source_file(m, &of->insns[k], &f.insn[k].line);
        f.insn[k].path = path ? keep_path(&f, path) : NULL;
        f.insn[k].stays = how_it_stays(&of->insns[k]);
        f.insn[k].conditional = of->insns[k].guard != PTX_NO_REGISTER;
    }
    *new = f;
    return new;
}

/* --- a launch --- */

/* The counts of the blocks of a slot. */
typedef struct cov_slot {
    const sm_unit *unit; /* what the launch runs */
    cov_count count[];   /* [site_count of the unit] */
} cov_slot;

/* Functions that are not called are in the table too. */
static void *on_launch_begin(const sm_grid *g)
{
    const ptx_module *m = g->unit->module;
    HOLD_LOCK(&coverage.lock);
    bool known = true;
    for (uint32_t k = 0; k < m->func_count; k++)
        known = (!m->funcs[k]->insn_count || counts_of(m, m->funcs[k])) && known;
    static char launch; /* a launch needs no object */
    return known ? &launch : NULL;
}

static sm_report *on_launch_end(void *state)
{
    (void)state;
    return NULL;
}

static void *on_block_open(void *state, const sm_block *b)
{
    (void)state;
    const sm_unit *u = b->grid->unit;
    cov_slot *s = calloc(1, sizeof *s + u->site_count * sizeof *s->count);
    if (s)
        s->unit = u;
    return s;
}

static void on_block_close(void *state)
{
    cov_slot *s = state;
    const sm_unit *u = s->unit;
    pthread_mutex_lock(&coverage.lock);
    for (uint32_t c = 0; c < u->code_count; c++) {
        const sm_code *code = u->code[c];
        cov_function *f = counts_of(u->module, code->func);
        for (uint32_t k = 0; f && k < f->insn_count; k++) {
            f->insn[k].count.taken += s->count[code->site_base + k].taken;
            f->insn[k].count.left += s->count[code->site_base + k].left;
        }
    }
    pthread_mutex_unlock(&coverage.lock);
    free(s);
}

/* The active lanes of W whose guard at I is true; all if I has none. */
static uint32_t guarded_lanes(const sm_warp *w, const sm_insn *i)
{
    const sm_unit *u = w->block->grid->unit;
    const sm_code *code = u->code[u->site_code[i->site]];
    const ptx_insn *in = sm_site_insn(w, i);
    uint32_t predicate = 0;
    if (in->guard == PTX_NO_REGISTER || !code->reg_slot)
        return w->mask;
    const uint32_t slot = code->reg_slot[in->guard]; /* 0: nothing has set it, so it is false */
    if (slot)
        memcpy(&predicate, w->r + slot, sizeof predicate);
    return w->mask & (in->guard_negate ? ~predicate : predicate);
}

static bool on_insn_begin(void *state, const sm_warp *w, const sm_insn *i, uint32_t mask)
{
    (void)mask; /* a branch has all active lanes */
    cov_count *c = &((cov_slot *)state)->count[i->site];
    const uint32_t taken = guarded_lanes(w, i);
    c->taken += (uint64_t)__builtin_popcount(taken);
    c->left += (uint64_t)__builtin_popcount(w->mask & ~taken);
    return true;
}

static const sm_observer observer = {.launch_begins = on_launch_begin,
                                     .launch_ends = on_launch_end,
                                     .block_opens = on_block_open,
                                     .block_closes = on_block_close,
                                     .insn_begins = on_insn_begin};

void cov_add_observer(const sm_observer *list[SM_OBSERVERS + 1])
{
    if (cov_is_on())
        sm_observer_append(list, &observer);
}

/* --- the table --- */

static void write_rows(FILE *to, const cov_function *f)
{
    bool entry = true;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const cov_insn *i = &f->insn[k];
        if (!i->path)
            continue;
        table_write_field(to, f->name);
        fputc('\t', to);
        table_write_field(to, i->path);
        fprintf(to, "\t%u\t%u\t%d\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%d\n", i->line, k,
                entry, i->conditional, i->count.taken + i->count.left, i->count.taken,
                i->count.left, i->stays);
        entry = false;
    }
}

bool cov_write_table(void)
{
    table_rows rows;
    if (!coverage.path)
        return true;
    HOLD_LOCK(&coverage.lock);
    bool written = table_begin_rows(&rows);
    for (size_t k = 0; written && k < coverage.count; k++)
        write_rows(rows.to, &coverage.function[k]);
    written = written &&
              table_end_rows(
                  &rows, coverage.path,
                  "function\tpath\tline\tinsn\tentry\tconditional\tlanes\ttaken\tleft\tstays\n");
    return written;
}
