#include "cost.h"

#include "spread.h"

#include <math.h>
#include <string.h>

/* A row of costs.def. */
typedef struct cost_kind {
    const char *name, *counters, *less;
    double share, slack, spare;
    const char *words;
} cost_kind;

static const cost_kind cost_kinds[] = {
#define COST(name, ...) {#name, __VA_ARGS__},
#include "costs.def"
#undef COST
};
enum {
#define COST(name, ...) COST_##name,
#include "costs.def"
#undef COST
    COSTS
};
/* A run moves no more than the solution if it moves at most this many times as much. */
static const double SAME_SHARE = 1.02;

/* What one timed row of the record costs, or all launches of a kernel that no row timed: in a run,
 * or in the reference. */
typedef struct cost {
    const char *name,
        *x;       /* name of the variant, and its sweep value or NULL; or name of the kernel */
    bool timed;   /* a row of the record timed it */
    double n, ms; /* number of elements, time; of a kernel 0 */
    double warps, of[COSTS];
} cost;

typedef struct cost_list {
    cost *rows;
    size_t count;
} cost_list;

/* What a counter adds to each cost, as a factor: 1, -1 or 0. */
typedef struct cost_factors {
    signed char of[COSTS][COUNTER_ID_COUNT];
} cost_factors;

static void set_factors(signed char of[COUNTER_ID_COUNT], const char *fields, signed char factor)
{
    for (const char *name; (name = counter_next_name(&fields));)
        for (size_t i = 0; i < COUNTER_ID_COUNT; i++)
            if (counter_names[i] == name)
                of[i] = factor;
}

static cost_factors factors_of_counters(void)
{
    cost_factors f = {0};
    for (int k = 0; k < COSTS; k++) {
        set_factors(f.of[k], cost_kinds[k].less, -1);
        set_factors(f.of[k], cost_kinds[k].counters, 1);
    }
    return f;
}

static void add_counter(cost *c, const cost_factors *f, const char *counter, double value)
{
    size_t i = 0;
    while (i < COUNTER_ID_COUNT && strcmp(counter_names[i], counter) != 0)
        i++;
    c->warps += i == COUNTED_warps ? value : 0;
    for (int k = 0; k < COSTS && i < COUNTER_ID_COUNT; k++)
        c->of[k] += f->of[k][i] * value;
}

static bool is_kernel_timed(const table *counters, const char *kernel)
{
    for (size_t row = 0; row < counters->rows; row++) {
        const char *name = table_get(counters, row, "kernel");
        if (name && strcmp(name, kernel) == 0 && table_get(counters, row, "timed"))
            return true;
    }
    return false;
}

/* Append what each kernel costs that no row timed: it runs in checks alone. */
static void add_untimed_kernels(cost_list *list, const cost_factors *f, const table *counters,
                                arena *a)
{
    size_t count;
    const char **names = kernels_in_counters(counters, a, &count);
    for (size_t i = 0; i < count; i++) {
        if (kernel_is_helper(names[i]) || is_kernel_timed(counters, names[i]))
            continue;
        cost *c = ARENA_PUSH(a, list->rows, list->count);
        *c = (cost){.name = names[i]};
        for (size_t row = 0; row < counters->rows; row++) {
            const char *kernel = table_get(counters, row, "kernel"),
                       *counter = table_get(counters, row, "metric");
            double value;
            if (kernel && counter && strcmp(kernel, names[i]) == 0 &&
                table_number(counters, row, "value", &value))
                add_counter(c, f, counter, value);
        }
    }
}

/* The costs of a run, in A: one for each row of V with a time, in their order, then the kernels. */
static cost_list costs_of_run(const verdict *v, arena *a)
{
    cost_list list = {0};
    for (size_t i = 0; i < v->measure_count; i++) {
        const measure_row *m = &v->measures[i];
        *ARENA_PUSH(a, list.rows, list.count) =
            (cost){.name = m->name, .x = m->x, .timed = true, .n = m->n, .ms = m->ms};
    }
    const table *counters = v->emulated ? v->emulated : v->counters;
    const cost_factors f = factors_of_counters();
    for (size_t row = 0; counters && row < counters->rows; row++) {
        const char *counter = table_get(counters, row, "metric");
        double number, value;
        /* Of launches whose rows are not known (judge/timed.h) the numbers are not those of V. */
        if (table_number(counters, row, "timed", &number) && number >= 1 &&
            number <= (double)v->measure_count && counter &&
            !table_is(counters, row, "variant", "?") &&
            table_number(counters, row, "value", &value))
            add_counter(&list.rows[(size_t)number - 1], &f, counter, value);
    }
    if (counters)
        add_untimed_kernels(&list, &f, counters, a);
    return list;
}

static bool is_text_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : !a && !b;
}

/* The cost of OWN in the reference TABLE, with the time NAN if it does not hold this size and
 * device. False: it is not there. The emulator counts runs on a GPU at a size of its own, and a
 * kernel runs in checks of any size. */
static bool cost_in_table(const verdict *v, const cost *own, const table *t, cost *out)
{
    for (size_t row = 0; t && row < t->rows; row++) {
        const char *device = table_get(t, row, "device");
        bool timed = table_number(t, row, "n", &out->n);
        bool same = is_text_equal(device, v->device) && out->n == own->n;
        bool counted = v->emulated && device && ends_with(device, "(warpbook)");
        if (timed != own->timed || !is_text_equal(table_get(t, row, "variant"), own->name) ||
            !is_text_equal(table_get(t, row, "x"), own->x) ||
            !(timed ? same || counted : is_text_equal(device, v->device) || counted))
            continue;
        bool good = table_number(t, row, "warps", &out->warps);
        if (!table_number(t, row, "ms", &out->ms) || !(out->ms > 0) || !same)
            out->ms = NAN;
        for (int k = 0; k < COSTS; k++)
            good &= table_number(t, row, cost_kinds[k].name, &out->of[k]);
        return good;
    }
    return false;
}

/* What OWN costs in the solution's run. False: nothing is known of it. */
static bool cost_in_reference(const verdict *v, const cost *own, const table *t, cost *out)
{
    *out = (cost){.ms = NAN};
    bool known = cost_in_table(v, own, t, out);
    for (size_t i = 0; i < v->reference_count && own->timed; i++)
        if (is_text_equal(v->references[i].name, own->name) &&
            is_text_equal(v->references[i].x, own->x)) {
            out->ms = v->references[i].ms;
            return true;
        }
    return known;
}

/* How much of K, of which the solution needs NEEDED, a run with WARPS warps may cost. Checks have
 * sizes of their own, so the costs of a kernel that only they launch are compared for each warp. */
static double most_allowed(const cost_kind *k, double needed, const cost *reference, double warps)
{
    double more_warps = reference->warps > 0 ? warps / reference->warps : 1;
    if (needed <= 0)
        return k->spare * warps;
    return k->share * needed * (isnan(reference->ms) ? more_warps : fmax(1, more_warps)) +
           k->slack * warps;
}

/* Append what OWN costs more than it may, in words. */
static void add_excess(sb *text, const cost *own, const cost *reference)
{
    for (int k = 0; k < COSTS; k++) {
        const cost_kind *kind = &cost_kinds[k];
        double needed = reference->of[k], most = most_allowed(kind, needed, reference, own->warps);
        char has[32], needs[32];
        if (!(kind->share > 0) || own->of[k] <= most * 1.001)
            continue;
        nice_number(own->of[k] / own->warps, has, sizeof has);
        nice_number(needed / fmax(reference->warps, 1), needs, sizeof needs);
        sb_printf(text, "%s%s %s per warp, where %s", text->len ? "; " : "", has, kind->words,
                  needed > 0 ? needs : "none is needed");
        sb_puts(text, needed <= 0 ? "" : strcmp(needs, "1") == 0 ? " is needed" : " are needed");
    }
}

enum { MAX_SWEEP = 64 }; /* rows of a variant whose times are compared */

/* The cost of all timed rows of one variant. */
typedef struct variant_cost {
    bool known;              /* the reference holds one of the rows */
    double times[MAX_SWEEP]; /* time of each row, in times the reference's */
    size_t count;            /* entries used in `times` */
    sb excess;               /* first excess of another cost, in words */
    bool more[COSTS];        /* a row costs more of that than in the solution's run */
} variant_cost;

static void add_row_cost(variant_cost *c, const verdict *v, const cost *own, const table *reference)
{
    cost needed;
    if (!cost_in_reference(v, own, reference, &needed))
        return;
    c->known = true;
    for (int k = 0; k < COSTS; k++)
        c->more[k] |= own->of[k] > SAME_SHARE * needed.of[k];
    if (!isnan(needed.ms) && c->count < MAX_SWEEP)
        c->times[c->count++] = own->ms / needed.ms;
    if (!c->excess.len && own->warps > 0 && needed.warps > 0)
        add_excess(&c->excess, own, &needed);
}

static bool is_same_variant(const cost *a, const cost *b)
{
    return a->timed == b->timed && strcmp(a->name, b->name) == 0;
}

static variant_cost cost_of_variant(const verdict *v, const table *reference, const cost_list *list,
                                    const cost *first)
{
    variant_cost c = {0};
    for (size_t i = 0; i < list->count; i++)
        if (is_same_variant(&list->rows[i], first))
            add_row_cost(&c, v, &list->rows[i], reference);
    return c;
}

static bool is_first_row_of_variant(const cost_list *list, size_t which)
{
    for (size_t i = 0; i < which; i++)
        if (is_same_variant(&list->rows[i], &list->rows[which]))
            return false;
    return true;
}

/* The time that variant NAME may take, in times the solution's: as a goal of the lab says of its
 * kernel, else MAX_TIMES_REFERENCE. */
static double time_limit_of(const verdict *v, const char *name)
{
    size_t n = strcspn(name, "/");
    for (size_t i = 0; i < v->cost_limit_count; i++)
        if (strlen(v->cost_limits[i].kernel) == n &&
            strncmp(v->cost_limits[i].kernel, name, n) == 0)
            return v->cost_limits[i].limit;
    return MAX_TIMES_REFERENCE;
}

/* A goal for variant NAME, whose cost is C. Of a sweep the median of the times counts. */
static void add_cost_goal(verdict *v, const char *name, variant_cost *c)
{
    arena *a = &v->memory;
    double times = c->count ? median_and_interval(c->times, c->count).median : NAN;
    double limit = time_limit_of(v, name);
    char most[32];
    bool slow = times > limit;
    nice_number(limit, most, sizeof most);
    const char *time =
        isnan(times) ? arena_printf(a, "%s: its time was not compared", name)
        : slow
            ? arena_printf(a, "%s: %.2f times the time of the book's solution, at most %s required",
                           name, times, most)
            : arena_printf(a, "%s: %.2f times the time of the book's solution", name, times);
    *ARENA_PUSH(a, v->goals, v->goal_count) = (goal_row){
        .kernel = name,
        .metric = COST_METRIC,
        .relation = "at_most",
        .limit = limit,
        .value = times,
        .excess = c->excess.len,
        .lean = !c->more[COST_sectors],
        .lean_shared = !c->more[COST_shared_wavefronts],
        .state = slow || c->excess.len ? GOAL_MISSED : GOAL_MET,
        .sentence = !c->excess.len ? time
                    : slow         ? arena_printf(a, "%s; %s", time, c->excess.s)
                                   : arena_printf(a, "%s: %s", name, c->excess.s),
    };
}

/* VARIANT may be NULL: any. */
static bool has_cost_row(const rubric *r, const char *variant)
{
    for (size_t i = 0; r && i < r->count; i++)
        if (r->rows[i].kind == RUBRIC_COST && (!variant || strcmp(r->rows[i].name, variant) == 0))
            return true;
    return false;
}

static bool is_cost_judged(const chapter *c, const char *variant)
{
    bool judged = !c->assignment || has_cost_row(c->rubric, variant);
    for (int k = 0; k < CHAPTER_MAX_PROGRAMS; k++)
        judged |= has_cost_row(c->program_rubrics[k], variant);
    return judged;
}

bool are_costs_judged(const chapter *c)
{
    return is_cost_judged(c, NULL);
}

/* Say that no time is compared, because REFERENCE holds none of this device. An assignment says so
 * in the rows of its points. */
static void note_other_device(verdict *v, const chapter *c, const table *reference)
{
    const char *known = reference && reference->rows ? table_get(reference, 0, "device") : NULL;
    if (!known || !v->device || !v->measure_count || v->reference_count || c->assignment)
        return;
    for (size_t row = 0; row < reference->rows; row++)
        if (table_is(reference, row, "device", v->device))
            return;
    v->uncompared = arena_printf(&v->memory,
                                 "times are not compared with the solution's: those are known on "
                                 "%s, and this is %s",
                                 known, v->device);
}

void judge_costs(verdict *v, const chapter *c, const table *reference)
{
    CLEANUP(arena_free) arena a = {0};
    cost_list list = costs_of_run(v, &a);
    note_other_device(v, c, reference);
    for (size_t i = 0; i < list.count; i++) {
        const char *name = list.rows[i].name;
        bool copy = i < v->measure_count && v->measures[i].copy;
        if (copy || !is_first_row_of_variant(&list, i) || !is_cost_judged(c, name))
            continue;
        variant_cost own = cost_of_variant(v, reference, &list, &list.rows[i]);
        if (own.known && (list.rows[i].timed || own.excess.len))
            add_cost_goal(v, arena_strdup(&v->memory, name), &own);
        sb_free(&own.excess);
    }
}

char *cost_header(void)
{
    sb text = {0};
    sb_puts(&text, "device\tvariant\tx\tn\tms\twarps");
    for (int k = 0; k < COSTS; k++)
        sb_printf(&text, "\t%s", cost_kinds[k].name);
    sb_puts(&text, "\n");
    return sb_take(&text);
}

char *cost_rows(const verdict *v)
{
    CLEANUP(arena_free) arena a = {0};
    sb text = {0};
    cost_list list = costs_of_run(v, &a);
    for (size_t i = 0; i < list.count; i++) {
        const cost *c = &list.rows[i];
        if (i < v->measure_count && v->measures[i].copy)
            continue;
        sb_printf(&text, "%s\t%s\t%s\t", v->device, c->name, c->x ? c->x : "-");
        if (c->timed)
            sb_printf(&text, "%.0f\t%.6g", c->n, c->ms);
        else
            sb_puts(&text, "-\t-");
        sb_printf(&text, "\t%.0f", c->warps);
        for (int k = 0; k < COSTS; k++)
            sb_printf(&text, "\t%.0f", c->of[k]);
        sb_puts(&text, "\n");
    }
    return sb_take(&text);
}
