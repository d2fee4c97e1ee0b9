#include "accesses.h"

#include "../base/lock.h"
#include "../core/code.h"
#include "../profiler/collect.h"
#include "heat.h"
#include "seen.h"
#include "shape.h"
#include "tables.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- which launches are written --------------------------------------------------------------- */

enum {
    ACCESSES_TABLE, /* the table of WARPBOOK_ACCESSES */
    HEAT_TABLE,     /* the table of WARPBOOK_HEAT */
    TABLE_COUNT     /* number of tables */
};

/* The parsed value of WARPBOOK_ACCESSES or WARPBOOK_HEAT. */
typedef struct table_choice {
    char *path;         /* path of the table; NULL: the variable is not set */
    bool failed;        /* the file cannot be written, so nothing more is written to it */
    const char *kernel; /* name of the kernel to write; empty: all kernels */
    uint32_t line;      /* source line to write; 0: all lines */
    bool one_launch;    /* only the launch with the chosen number is written */
    uint64_t launch;    /* number of the chosen launch */
} table_choice;

static table_choice table_choices[TABLE_COUNT]; /* what each table is to contain */
static const char *const variable_names[TABLE_COUNT] = {"WARPBOOK_ACCESSES", "WARPBOOK_HEAT"};

static acc_seen_launches written_launches; /* launches whose repetitions are not written again */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER; /* guards failed_path */

static const char *failed_path; /* path of a table that could not be written; NULL: none */
static int failed_errno;        /* errno of the write to failed_path */

static __thread const char *next_kernel; /* name of the kernel that this thread launches next */

bool acc_is_configured(void)
{
    return table_choices[ACCESSES_TABLE].path || table_choices[HEAT_TABLE].path;
}

static bool parse_number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return !errno && !*end && *text >= '0' && *text <= '9';
}

/* Parse VALUE, the value of the environment variable VARIABLE. Returns false with a message in ERR.
 * */
static bool read_table_choice(table_choice *c, const char *value, const char *variable, char *err,
                              size_t size)
{
    free(c->path);
    *c = (table_choice){.path = value ? strdup(value) : NULL, .kernel = ""};
    if (!value)
        return true;
    char *field[4] = {c->path};
    uint32_t n = 1;
    for (char *colon = c->path; colon && (colon = strchr(colon, ':')) && n < 4; n++) {
        *colon++ = '\0';
        field[n] = colon;
    }
    uint64_t line = 0;
    const bool ok = c->path && *c->path && !strchr(field[n - 1], ':') &&
                    (!field[2] || !*field[2] || (parse_number(field[2], &line) && line)) &&
                    (!field[3] || !*field[3] || parse_number(field[3], &c->launch));
    if (!ok || line > UINT32_MAX) {
        snprintf(err, size,
                 "%s is \"%s\": give FILE, FILE:KERNEL, FILE:KERNEL:LINE or "
                 "FILE:KERNEL:LINE:LAUNCH; lines count from 1, launches from 0",
                 variable, value);
        return false;
    }
    c->kernel = field[1] ? field[1] : "";
    c->line = (uint32_t)line;
    c->one_launch = field[3] && *field[3];
    return true;
}

bool acc_configure(const char *accesses, const char *heat, char *err, size_t err_size)
{
    return read_table_choice(&table_choices[ACCESSES_TABLE], accesses,
                             variable_names[ACCESSES_TABLE], err, err_size) &&
           read_table_choice(&table_choices[HEAT_TABLE], heat, variable_names[HEAT_TABLE], err,
                             err_size);
}

/* Whether launch number LAUNCH of KERNEL is to be written to the table of C. */
static bool is_launch_chosen(const table_choice *c, const char *kernel, uint64_t launch)
{
    return c->path && !c->failed && (!*c->kernel || strcmp(c->kernel, kernel) == 0) &&
           (!c->one_launch || c->launch == launch);
}

static const sm_observer access_observer;

void acc_add_observer(const sm_observer *list[SM_OBSERVERS + 1], const sm_launch *l,
                      const char *kernel)
{
    bool wanted = false, one = false;
    for (int t = 0; t < TABLE_COUNT; t++) {
        const bool is = is_launch_chosen(&table_choices[t], kernel, l->number);
        wanted = wanted || is;
        one = one || (is && table_choices[t].one_launch);
    }
    if (!wanted || (!acc_is_first_launch(&written_launches, l) && !one))
        return;
    if (sm_observer_append(list, &access_observer))
        next_kernel = kernel;
}

const char *acc_failed_path(void)
{
    HOLD_LOCK(&table_lock);
    const char *path = failed_path;
    failed_path = NULL;
    errno = failed_errno;
    return path;
}

/* Note that the table of C could not be written, with the reason in errno. */
static void record_failed_write(table_choice *c)
{
    const int why = errno;
    HOLD_LOCK(&table_lock);
    failed_path = c->path;
    failed_errno = why;
    c->failed = true;
}

/* --- the observer that collects accesses ------------------------------------------------------ */

typedef struct observed_launch {
    const sm_grid *grid;     /* the launched grid */
    const char *kernel;      /* name of the kernel */
    bool wants[TABLE_COUNT]; /* tables to which this launch is written */
    bool faulted;            /* the launch was stopped by a fault */
    pthread_mutex_t lock;    /* guards the fields below */
    bool failed;             /* the host is out of memory */
    bool opened;             /* `heats` holds the list of allocations */
    acc_heat_maps heats;     /* counts of each piece of the allocations */
    acc_insn_requests *site; /* [ACC_REQUEST_LISTS * site_count of the unit] the requests of each
                       memory instruction */
    bool
        *of_line; /* [site_count] true: count this instruction for WARPBOOK_HEAT; NULL: count all */
} observed_launch;

typedef struct block_accesses {
    observed_launch *of;     /* the launch of the block */
    acc_insn_requests *site; /* the block's requests, indexed as in observed_launch */
} block_accesses;

/* For each instruction of the grid's code, whether it belongs to source line LINE; malloc'ed. */
static bool *insns_of_line(const sm_grid *g, uint32_t line)
{
    bool *is = calloc(g->unit->site_count + 1u, sizeof *is);
    for (uint32_t c = 0; is && c < g->unit->code_count; c++) {
        const sm_code *code = g->unit->code[c];
        for (uint32_t k = 0; k < code->func->insn_count; k++) {
            char file[256];
            is[code->site_base + k] =
                profiler_source_line_of(g->unit->module, &code->func->insns[k], file,
                                        sizeof file) == line;
        }
    }
    return is;
}

static void *begin_launch(const sm_grid *g)
{
    observed_launch *me = calloc(1, sizeof *me);
    acc_insn_requests *site = calloc(ACC_REQUEST_LISTS * (g->unit->site_count + 1u), sizeof *site);
    if (!me || !site) {
        free(me);
        free(site);
        return NULL;
    }
    *me = (observed_launch){.grid = g, .kernel = next_kernel, .site = site};
    for (int t = 0; t < TABLE_COUNT; t++)
        me->wants[t] = is_launch_chosen(&table_choices[t], me->kernel, g->launch->number);
    if (me->wants[HEAT_TABLE] && table_choices[HEAT_TABLE].line) {
        me->of_line = insns_of_line(g, table_choices[HEAT_TABLE].line);
        me->failed = !me->of_line;
    }
    pthread_mutex_init(&me->lock, NULL);
    return me;
}

static void on_launch_fault(void *state, const sm_fault *fault)
{
    (void)fault;
    ((observed_launch *)state)->faulted = true;
}

/* Append the rows of a launch to the tables that want it. */
static void write_tables_of_launch(observed_launch *me)
{
    if (me->failed)
        errno = ENOMEM;
    for (uint32_t k = 0; k < ACC_REQUEST_LISTS * me->grid->unit->site_count; k++)
        acc_sort_request_groups(&me->site[k]);
    table_choice *c = &table_choices[ACCESSES_TABLE];
    if (me->wants[ACCESSES_TABLE] && !c->failed &&
        (me->failed ||
         !acc_write_accesses(c->path, me->grid, me->kernel, me->site, c->line, &me->heats)))
        record_failed_write(c);
    c = &table_choices[HEAT_TABLE];
    if (me->wants[HEAT_TABLE] && !c->failed &&
        (me->failed || !acc_write_heat(c->path, me->grid, me->kernel, &me->heats)))
        record_failed_write(c);
}

static sm_report *end_launch(void *state)
{
    observed_launch *me = state;
    if (!me->faulted)
        write_tables_of_launch(me);
    for (uint32_t k = 0; k < ACC_REQUEST_LISTS * me->grid->unit->site_count; k++)
        acc_free_requests(&me->site[k]);
    acc_heat_maps_close(&me->heats);
    pthread_mutex_destroy(&me->lock);
    free(me->of_line);
    free(me->site);
    free(me);
    return NULL;
}

/* Begin to collect the accesses of block B. Returns NULL when the host is out of memory. */
static void *open_block(void *state, const sm_block *b)
{
    observed_launch *me = state;
    HOLD_LOCK(&me->lock);
    if (!me->opened) { /* the list of allocations exists only after the launch has begun */
        me->opened = true;
        me->failed = !acc_heat_maps_open(&me->heats, b->grid->map) || me->failed;
    }
    block_accesses *p = calloc(1, sizeof *p);
    acc_insn_requests *site =
        calloc(ACC_REQUEST_LISTS * (me->grid->unit->site_count + 1u), sizeof *site);
    if (!p || !site) {
        free(p);
        free(site);
        return NULL;
    }
    p->of = me;
    p->site = site;
    return p;
}

/* Add the accesses of a block that has ended to those of its launch. */
static void close_block(void *state)
{
    block_accesses *p = state;
    observed_launch *me = p->of;
    pthread_mutex_lock(&me->lock);
    for (uint32_t k = 0; k < ACC_REQUEST_LISTS * me->grid->unit->site_count; k++) {
        me->failed = !acc_merge_requests(&me->site[k], &p->site[k]) || me->failed;
        acc_free_requests(&p->site[k]);
    }
    pthread_mutex_unlock(&me->lock);
    free(p->site);
    free(p);
}

static void ignore_event(void *state)
{
    (void)state;
}

/* Count memory request A of a block. */
static void on_access(void *state, const sm_access *a)
{
    block_accesses *p = state;
    observed_launch *me = p->of;
    bool ok = true;
    if (me->wants[ACCESSES_TABLE]) {
        const acc_cost c = acc_cost_of(a);
        ok = acc_add_request(&p->site[acc_request_list_index(a->site, a->space)], a, &c);
    }
    if (me->wants[HEAT_TABLE] && a->space == PTX_SPACE_GLOBAL &&
        (!me->of_line || me->of_line[a->site]))
        ok = acc_heat_maps_count_request(&me->heats, a) && ok;
    if (!ok) {
        HOLD_LOCK(&me->lock);
        me->failed = true;
    }
}

static const sm_observer access_observer = {
    .sees = SM_SEES_SHARED | SM_SEES_GLOBAL | SM_SEES_LOCAL | SM_SEES_CONST,
    .launch_begins = begin_launch,
    .launch_faults = on_launch_fault,
    .launch_ends = end_launch,
    .block_opens = open_block,
    .block_closes = close_block,
    .block_begins = ignore_event,
    .block_ends = ignore_event,
    .access = on_access,
};
