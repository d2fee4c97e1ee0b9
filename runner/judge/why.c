#include "why.h"

#include "../base/files.h"
#include "../book/metrics.h"
#include "cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory requests of a warp, added up, and what they cost. */
typedef struct traffic {
    double requests;       /* number of requests */
    double sectors, ideal; /* sectors moved (shared, constant memory: passes); fewest possible */
    double conflicts;      /* extra passes over shared memory because of bank conflicts */
    double stride;         /* bytes between the addresses of neighbouring lanes */
    bool has_stride;       /* `stride` is known */
} traffic;

/* The accesses of one kind by a kernel at one source line. A lab launches a kernel with several
 * sizes, so the counts of its launches are not added: one launch represents the line, the most
 * wasteful of those that cost at least a quarter of the most expensive one. Smaller launches, for
 * checks, have many partly filled warps, so their waste means little. */
typedef struct line_accesses {
    const char *kernel, *file, *line; /* name of the kernel; source file; line number as text */
    const char *op, *space;           /* PTX instruction; memory space */
    const char *launch;               /* number of the launch being read */
    traffic current;                  /* requests of the launch being read */
    traffic worst;                    /* requests of the launch that wastes most */
    double excess; /* cost above the ideal, of the instruction that `current.stride` comes from */
    double most_sectors;  /* sectors that the most expensive launch moved */
    double waste;         /* sectors or passes beyond what is needed; lines are sorted by it */
    const char *sentence; /* explanation for the user, or NULL */
} line_accesses;

/* Have two PTX instructions the same first word, as ld.global.f32 and ld.global.nc.f32. */
static bool is_same_operation(const char *a, const char *b)
{
    size_t n = strcspn(a, "."), m = strcspn(b, ".");
    return n == m && strncmp(a, b, n) == 0;
}

static double excess_cost(const traffic *t)
{
    return t->sectors - t->ideal + t->conflicts;
}

static void finish_launch_of_line(line_accesses *s, bool choose)
{
    if (!choose)
        s->most_sectors = fmax(s->most_sectors, s->current.sectors);
    else if (s->current.sectors >= s->most_sectors / 4 &&
             (s->worst.requests == 0 || excess_cost(&s->current) > excess_cost(&s->worst)))
        s->worst = s->current;
    s->current = (traffic){0};
    s->excess = 0;
}

static line_accesses *find_line_accesses(line_accesses *accesses, size_t n,
                                         const line_accesses *like)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(accesses[i].kernel, like->kernel) == 0 &&
            strcmp(accesses[i].file, like->file) == 0 &&
            strcmp(accesses[i].line, like->line) == 0 &&
            strcmp(accesses[i].space, like->space) == 0 &&
            is_same_operation(accesses[i].op, like->op))
            return &accesses[i];
    return NULL;
}

/* Add a row of the table of source lines to S, the accesses of its line. */
static void add_row_to_line(line_accesses *s, const table *t, size_t row)
{
    double v;
    traffic here = {0};
    table_number(t, row, "requests", &here.requests);
    table_number(t, row, "sectors", &here.sectors);
    here.ideal = table_number(t, row, "ideal", &v) ? v : here.sectors;
    here.conflicts = table_number(t, row, "conflicts", &v) ? v : 0;
    s->current.requests += here.requests;
    s->current.sectors += here.sectors;
    s->current.ideal += here.ideal;
    s->current.conflicts += here.conflicts;
    /* Instructions of one line may have different strides: keep that of the most wasteful. */
    if (table_number(t, row, "stride", &v) && excess_cost(&here) >= s->excess) {
        s->current.stride = v;
        s->current.has_stride = true;
        s->excess = excess_cost(&here);
    }
}

/* Return true if the check of KERNEL failed. Then the kernel was launched for small sizes only, and
 * not measured. */
static bool has_failed_check(const verdict *v, const char *kernel)
{
    for (size_t i = 0; i < v->check_count; i++)
        if (!v->checks[i].pass && is_kernel_named(kernel, v->checks[i].name))
            return true;
    return false;
}

/* Return true if the lab times KERNEL or demands something of it, or does neither of any kernel.
 * The book's other kernels, which checks launch, are not the student's to better. */
static bool is_kernel_judged(const verdict *v, const char *kernel)
{
    for (size_t i = 0; i < v->measure_count; i++)
        if (is_variant_of_kernel(v->measures[i].name, kernel))
            return true;
    for (size_t i = 0; i < v->goal_count; i++)
        if (is_variant_of_kernel(v->goals[i].kernel, kernel))
            return true;
    return v->measure_count + v->goal_count == 0;
}

/* Read the table of source lines into ACCESSES. The first pass finds the cost of each line's most
 * expensive launch; the second (CHOOSE) finds the launch that represents the line. */
static line_accesses *read_launches(const verdict *v, arena *a, line_accesses *accesses, size_t *n,
                                    bool choose)
{
    const table *t = v->lines;
    for (size_t row = 0; t && row < t->rows; row++) {
        const char *file = table_get(t, row, "file"), *line = table_get(t, row, "line");
        const char *launch = table_get(t, row, "launch");
        line_accesses here = {.kernel = table_get(t, row, "kernel"),
                              .file = file ? file_name_of(file) : "",
                              .line = line ? line : "",
                              .op = table_get(t, row, "op"),
                              .space = table_get(t, row, "space"),
                              .launch = launch ? launch : ""};
        double requests, sectors;
        if (!here.kernel || !here.op || !here.space || kernel_is_helper(here.kernel) ||
            has_failed_check(v, here.kernel) || !is_kernel_judged(v, here.kernel) ||
            !table_number(t, row, "requests", &requests) ||
            !table_number(t, row, "sectors", &sectors) || requests <= 0)
            continue;
        line_accesses *s = find_line_accesses(accesses, *n, &here);
        if (!s) {
            s = ARENA_PUSH(a, accesses, *n);
            *s = here;
        } else if (strcmp(s->launch, here.launch) != 0) {
            finish_launch_of_line(s, choose);
            s->launch = here.launch;
        }
        add_row_to_line(s, t, row);
    }
    for (size_t i = 0; i < *n; i++)
        finish_launch_of_line(&accesses[i], choose);
    return accesses;
}

static line_accesses *collect_line_accesses(const verdict *v, arena *a, size_t *count)
{
    *count = 0;
    line_accesses *accesses = read_launches(v, a, NULL, count, false);
    return read_launches(v, a, accesses, count, true);
}

static const char *place_in_words(arena *a, const line_accesses *s)
{
    return *s->line && *s->file ? arena_printf(a, " (%s:%s)", s->file, s->line) : "";
}

static const char *words_for_one_request(const char *op)
{
    return starts_with(op, "st")                               ? "per store"
           : starts_with(op, "atom") || starts_with(op, "red") ? "per atomic"
                                                               : "per request";
}

static const char *access_verb(const char *op)
{
    return starts_with(op, "st")                               ? "write"
           : starts_with(op, "atom") || starts_with(op, "red") ? "update"
                                                               : "read";
}

/* The bytes that one lane accesses by an instruction such as ld.global.v4.f32, or 0. */
static double bytes_per_lane(const char *op)
{
    const char *type = strrchr(op, '.');
    if (!type)
        return 0;
    type += strcspn(type, "0123456789");
    double vector = strstr(op, ".v8.") ? 8 : strstr(op, ".v4.") ? 4 : strstr(op, ".v2.") ? 2 : 1;
    return vector * atoi(type) / 8;
}

static bool is_near(double x, double y)
{
    return fabs(x - y) <= 0.01 * fabs(y);
}

/* True: a goal about the metric ABOUT of the kernel demands the value HAVE. */
static bool is_demanded(const verdict *v, const char *kernel, const char *about, double have)
{
    bool demanded = false, too_much = false;
    for (size_t i = 0; i < v->goal_count; i++) {
        const goal_row *g = &v->goals[i];
        if (strcmp(g->metric, about) != 0 || !is_kernel_named(kernel, g->kernel))
            continue;
        if (strcmp(g->relation, "at_most") == 0)
            too_much |= have > g->limit * 1.01;
        else
            demanded |= strcmp(g->relation, "equal") == 0 ? is_near(have, g->limit)
                                                          : have >= g->limit * 0.99;
    }
    return demanded && !too_much;
}

/* True: the book's solution moves as much, in global or in shared memory, for all variants of the
 * kernel that it times. */
static bool is_as_lean_as_solution(const verdict *v, const char *kernel, bool shared)
{
    bool lean = false;
    for (size_t i = 0; i < v->goal_count; i++) {
        const goal_row *g = &v->goals[i];
        if (strcmp(g->metric, COST_METRIC) != 0 || !is_variant_of_kernel(g->kernel, kernel))
            continue;
        if (!(shared ? g->lean_shared : g->lean))
            return false;
        lean = true;
    }
    return lean;
}

static bool misses_a_goal(const verdict *v, const char *kernel)
{
    for (size_t i = 0; i < v->goal_count; i++)
        if (v->goals[i].state == GOAL_MISSED && is_variant_of_kernel(v->goals[i].kernel, kernel))
            return true;
    return false;
}

/* The metric that a goal about accesses of S would be about. */
static const char *metric_of_access(const line_accesses *s, arena *a)
{
    const char *op = starts_with(s->op, "st")                                  ? "store"
                     : starts_with(s->op, "atom") || starts_with(s->op, "red") ? "atomic"
                                                                               : "load";
    bool shared = strcmp(s->space, "shared") == 0;
    return arena_printf(a, "%s%s_%s_per_request", shared ? "shared_" : "", op,
                        shared ? "wavefronts" : "sectors");
}

static void explain_global_access(const verdict *v, line_accesses *s, arena *a)
{
    double have = s->worst.sectors / s->worst.requests, need = s->worst.ideal / s->worst.requests;
    if (have < need * 1.05 || is_demanded(v, s->kernel, metric_of_access(s, a), have) ||
        is_as_lean_as_solution(v, s->kernel, false))
        return;
    const char *reason;
    double step = fabs(s->worst.stride);
    bool close = s->worst.has_stride && step > 0 && step == bytes_per_lane(s->op);
    if (close && have < need + 1.05)
        /* Contiguous addresses that take one sector more than needed begin inside a sector. */
        reason = "the first address is not a multiple of 32 bytes";
    else if (s->worst.has_stride && step > 0 && !close)
        reason =
            arena_printf(a, "neighbouring threads %s %.0f bytes apart", access_verb(s->op), step);
    else
        reason =
            arena_printf(a, "neighbouring threads %s at no fixed distance", access_verb(s->op));
    s->waste = s->worst.sectors - s->worst.ideal;
    s->sentence = arena_printf(a, "%s: %.1f sectors %s where %.1f would do: %s%s", s->kernel, have,
                               words_for_one_request(s->op), need, reason, place_in_words(a, s));
}

static void explain_shared_access(const verdict *v, line_accesses *s, arena *a)
{
    if (s->worst.conflicts <= 0 || is_as_lean_as_solution(v, s->kernel, true))
        return;
    double have = s->worst.sectors / s->worst.requests,
           need = (s->worst.sectors - s->worst.conflicts) / s->worst.requests;
    if (is_demanded(v, s->kernel, metric_of_access(s, a), have))
        return;
    const char *reason = "bank conflicts";
    if (s->worst.has_stride && fabs(s->worst.stride) >= 8)
        reason = arena_printf(a, "bank conflicts, for neighbouring threads %s %.0f bytes apart",
                              access_verb(s->op), fabs(s->worst.stride));
    else if (s->worst.has_stride && s->worst.stride == 0 && !starts_with(s->op, "ld"))
        reason = arena_printf(a, "all threads %s one place", access_verb(s->op));
    s->waste = s->worst.conflicts;
    s->sentence = arena_printf(a, "%s: %.1f passes over shared memory %s where %.1f would do: %s%s",
                               s->kernel, have, words_for_one_request(s->op), need, reason,
                               place_in_words(a, s));
}

static void explain_constant_access(const verdict *v, line_accesses *s, arena *a)
{
    double have = s->worst.sectors / s->worst.requests;
    if (have < 1.05 || is_demanded(v, s->kernel, "const_addresses_per_request", have))
        return;
    s->waste = s->worst.sectors - s->worst.requests;
    s->sentence = arena_printf(
        a,
        "%s: %.1f different addresses per constant load, served one after "
        "another: constant memory is fast when all threads of a warp read one address%s",
        s->kernel, have, place_in_words(a, s));
}

static void explain_local_access(line_accesses *s, arena *a)
{
    s->waste = s->worst.sectors;
    s->sentence =
        arena_printf(a,
                     "%s: %.0f %s of local memory: an array whose index is not known when "
                     "compiling lies there, not in registers%s",
                     s->kernel, s->worst.requests, starts_with(s->op, "st") ? "stores" : "loads",
                     place_in_words(a, s));
}

static int compare_by_waste(const void *x, const void *y)
{
    const line_accesses *a = x, *b = y;
    if (a->waste != b->waste)
        return a->waste > b->waste ? -1 : 1;
    int order = strcmp(a->kernel, b->kernel);
    return order ? order : atoi(a->line) - atoi(b->line);
}

static double counter_sum_or_0(const table *t, const char *kernel, counter_id counter)
{
    double v;
    return counter_sum(t, kernel, counter_names[counter], false, &v) ? v : 0;
}

static void explain_divergence(verdict *v, arena *a, const table *counters, const char *kernel)
{
    double branches = counter_sum_or_0(counters, kernel, COUNTED_branches);
    double divergent = counter_sum_or_0(counters, kernel, COUNTED_divergent_branches);
    double warp = counter_sum_or_0(counters, kernel, COUNTED_inst);
    double lanes = counter_sum_or_0(counters, kernel, COUNTED_thread_inst);
    if (branches <= 0 || divergent < 0.05 * branches || warp <= 0 || lanes >= 0.9 * 32 * warp)
        return;
    *ARENA_PUSH(a, v->why, v->why_count) = arena_printf(
        a,
        "%s: a warp's threads diverge at %.0f %% of its branches, and %.1f of 32 are active "
        "on average",
        kernel, 100 * divergent / branches, lanes / warp);
}

/* Add a sentence on what is good about a kernel for which no other sentence was added. */
static void add_sentence_of_praise(verdict *v, arena *a, const table *counters, const char *kernel)
{
    CLEANUP(sb_free) sb text = {0};
    static const char *const shown[] = {"load_sectors_per_request", "store_sectors_per_request",
                                        "shared_load_wavefronts_per_request",
                                        "const_addresses_per_request"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        double value;
        char number[32], words[128];
        const metric *m = metric_find(shown[i]);
        if (metric_value(counters, kernel, m, &value) && value > 0)
            sb_printf(&text, "%s%s", text.len ? ", " : "",
                      metric_value_in_words(
                          m, nice_number(round(value * 100) / 100, number, sizeof number), words,
                          sizeof words));
    }
    if (text.len)
        *ARENA_PUSH(a, v->why, v->why_count) =
            arena_printf(a, "%s: %s: none is wasted", kernel, text.s);
}

void explain_verdict(verdict *v, arena *a)
{
    size_t count, kernels;
    /* If the emulator counted the run too, use its counters: they include more than ncu's. */
    const table *counters = v->emulated ? v->emulated : v->counters;
    line_accesses *accesses = collect_line_accesses(v, a, &count);
    for (size_t i = 0; i < count; i++) {
        line_accesses *s = &accesses[i];
        if (strcmp(s->space, "global") == 0)
            explain_global_access(v, s, a);
        else if (strcmp(s->space, "shared") == 0)
            explain_shared_access(v, s, a);
        else if (strcmp(s->space, "const") == 0)
            explain_constant_access(v, s, a);
        else if (strcmp(s->space, "local") == 0)
            explain_local_access(s, a);
    }
    if (count)
        qsort(accesses, count, sizeof *accesses, compare_by_waste);
    for (size_t i = 0; i < count && v->why_count < 8; i++)
        if (accesses[i].sentence)
            *ARENA_PUSH(a, v->why, v->why_count) = accesses[i].sentence;
    const char **names = kernels_in_counters(counters, a, &kernels);
    for (size_t k = 0; k < kernels; k++) {
        if (kernel_is_helper(names[k]) || has_failed_check(v, names[k]) ||
            !is_kernel_judged(v, names[k]))
            continue;
        size_t before = v->why_count;
        explain_divergence(v, a, counters, names[k]);
        bool accused = v->why_count > before;
        for (size_t i = 0; i < count && !accused; i++)
            accused = accesses[i].sentence && is_kernel_named(accesses[i].kernel, names[k]);
        if (!accused && v->lines && !misses_a_goal(v, names[k]))
            add_sentence_of_praise(v, a, counters, names[k]);
    }
}
