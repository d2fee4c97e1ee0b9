#include "why.h"

#include "../book/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory requests of an access, the sectors they moved, and the fewest sectors possible. */
typedef struct traffic {
    double requests, sectors, ideal, conflicts, stride; /* sums over the requests */
    bool has_stride;                                    /* `stride` is known */
} traffic;

/* The accesses of one kind by a kernel at one source line. Launches of a sweep differ, so their
 * counts are not added: the launch that wastes most stands for the line, of those that cost at
 * least a quarter as much as the most expensive one. Small launches of the checks have many warps
 * that are not full, so what they waste says nothing. */
typedef struct access_site {
    const char *kernel, *file, *line, *op, *space;
    const char *launch; /* number of the launch to which `now` belongs */
    traffic now, t;     /* of the launch being read, and of the launch that wastes most */
    double excess;      /* of the instruction whose stride `now` has */
    double most;        /* what the most expensive launch cost */
    double waste;       /* sectors or passes more than needed, by which lines are sorted */
    const char *sentence;
} access_site;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Return true if two PTX instructions are the same operation for the reader, such as ld.global.f32
 * and ld.global.nc.f32: only the first word counts. */
static bool is_same_operation(const char *a, const char *b)
{
    size_t n = strcspn(a, "."), m = strcspn(b, ".");
    return n == m && strncmp(a, b, n) == 0;
}

static double excess_cost(const traffic *t)
{
    return t->sectors - t->ideal + t->conflicts;
}

static void end_launch(access_site *s, bool choose)
{
    if (!choose)
        s->most = fmax(s->most, s->now.sectors);
    else if (s->now.sectors >= s->most / 4 &&
             (s->t.requests == 0 || excess_cost(&s->now) > excess_cost(&s->t)))
        s->t = s->now;
    s->now = (traffic){0};
    s->excess = 0;
}

static access_site *find_site(access_site *sites, size_t n, const access_site *like)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(sites[i].kernel, like->kernel) == 0 && strcmp(sites[i].file, like->file) == 0 &&
            strcmp(sites[i].line, like->line) == 0 && strcmp(sites[i].space, like->space) == 0 &&
            is_same_operation(sites[i].op, like->op))
            return &sites[i];
    return NULL;
}

/* Add a row of the table of lines to its site. */
static void add_row(access_site *s, const table *t, size_t row)
{
    double v;
    traffic here = {0};
    table_number(t, row, "requests", &here.requests);
    table_number(t, row, "sectors", &here.sectors);
    here.ideal = table_number(t, row, "ideal", &v) ? v : here.sectors;
    here.conflicts = table_number(t, row, "conflicts", &v) ? v : 0;
    s->now.requests += here.requests;
    s->now.sectors += here.sectors;
    s->now.ideal += here.ideal;
    s->now.conflicts += here.conflicts;
    /* Several instructions of one line may have different strides: that of the worst is named. */
    if (table_number(t, row, "stride", &v) && excess_cost(&here) >= s->excess) {
        s->now.stride = v;
        s->now.has_stride = true;
        s->excess = excess_cost(&here);
    }
}

/* Return true if the check of KERNEL failed: then it was not measured, and has launched for small
 * sizes only. */
static bool check_failed(const verdict *v, const char *kernel)
{
    for (size_t i = 0; i < v->check_count; i++)
        if (!v->checks[i].pass && is_kernel_named(kernel, v->checks[i].name))
            return true;
    return false;
}

/* Read the table of lines into SITES: what their launches cost, or, if CHOOSE, the launch that
 * stands for each. */
static access_site *read_launches(const verdict *v, arena *a, access_site *sites, size_t *n,
                                  bool choose)
{
    const table *t = v->lines;
    for (size_t row = 0; t && row < t->rows; row++) {
        const char *file = table_get(t, row, "file"), *line = table_get(t, row, "line");
        const char *launch = table_get(t, row, "launch");
        access_site here = {.kernel = table_get(t, row, "kernel"),
                            .file = file ? base_name(file) : "",
                            .line = line ? line : "",
                            .op = table_get(t, row, "op"),
                            .space = table_get(t, row, "space"),
                            .launch = launch ? launch : ""};
        double requests, sectors;
        if (!here.kernel || !here.op || !here.space || kernel_is_helper(here.kernel) ||
            check_failed(v, here.kernel) || !table_number(t, row, "requests", &requests) ||
            !table_number(t, row, "sectors", &sectors) || requests <= 0)
            continue;
        access_site *s = find_site(sites, *n, &here);
        if (!s) {
            s = ARENA_PUSH(a, sites, *n);
            *s = here;
        } else if (strcmp(s->launch, here.launch) != 0) {
            end_launch(s, choose);
            s->launch = here.launch;
        }
        add_row(s, t, row);
    }
    for (size_t i = 0; i < *n; i++)
        end_launch(&sites[i], choose);
    return sites;
}

static access_site *collect_sites(const verdict *v, arena *a, size_t *count)
{
    *count = 0;
    access_site *sites = read_launches(v, a, NULL, count, false);
    return read_launches(v, a, sites, count, true);
}

static const char *describe_place(arena *a, const access_site *s)
{
    return *s->line && *s->file ? arena_printf(a, " (%s:%s)", s->file, s->line) : "";
}

static const char *request_word(const char *op)
{
    return starts_with(op, "st")                               ? "a store"
           : starts_with(op, "atom") || starts_with(op, "red") ? "an atomic"
                                                               : "a request";
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

static void explain_global(access_site *s, arena *a)
{
    double have = s->t.sectors / s->t.requests, need = s->t.ideal / s->t.requests;
    if (have < need * 1.05)
        return;
    const char *reason;
    double step = fabs(s->t.stride);
    bool close = s->t.has_stride && step > 0 && step == bytes_per_lane(s->op);
    if (close && have < need + 1.05)
        /* The addresses are contiguous and take one sector too many: the first address is
         * misaligned. */
        reason = "the first address is not a multiple of 32 bytes";
    else if (s->t.has_stride && step > 0 && !close)
        reason =
            arena_printf(a, "neighbouring threads %s %.0f bytes apart", access_verb(s->op), step);
    else
        reason =
            arena_printf(a, "neighbouring threads %s at no fixed distance", access_verb(s->op));
    s->waste = s->t.sectors - s->t.ideal;
    s->sentence = arena_printf(a, "%s: %.1f sectors %s where %.1f would do: %s%s", s->kernel, have,
                               request_word(s->op), need, reason, describe_place(a, s));
}

static void explain_shared(access_site *s, arena *a)
{
    if (s->t.conflicts <= 0)
        return;
    double have = s->t.sectors / s->t.requests,
           need = (s->t.sectors - s->t.conflicts) / s->t.requests;
    const char *reason = "bank conflicts";
    if (s->t.has_stride && fabs(s->t.stride) >= 8)
        reason = arena_printf(a, "bank conflicts, for neighbouring threads %s %.0f bytes apart",
                              access_verb(s->op), fabs(s->t.stride));
    else if (s->t.has_stride && s->t.stride == 0 && !starts_with(s->op, "ld"))
        reason = arena_printf(a, "all threads %s one place", access_verb(s->op));
    s->waste = s->t.conflicts;
    s->sentence =
        arena_printf(a, "%s: %.1f passes over shared memory %s where %.1f would do: %s%s",
                     s->kernel, have, request_word(s->op), need, reason, describe_place(a, s));
}

static void explain_const(access_site *s, arena *a)
{
    double have = s->t.sectors / s->t.requests;
    if (have < 1.05)
        return;
    s->waste = s->t.sectors - s->t.requests;
    s->sentence = arena_printf(
        a,
        "%s: %.1f different addresses a constant load, served one after "
        "another: constant memory is fast when all threads of a warp read one address%s",
        s->kernel, have, describe_place(a, s));
}

static void explain_local(access_site *s, arena *a)
{
    s->waste = s->t.sectors;
    s->sentence =
        arena_printf(a,
                     "%s: %.0f %s of local memory: an array whose index is not known when "
                     "compiling lies there, not in registers%s",
                     s->kernel, s->t.requests, starts_with(s->op, "st") ? "stores" : "loads",
                     describe_place(a, s));
}

static int compare_by_waste(const void *x, const void *y)
{
    const access_site *a = x, *b = y;
    if (a->waste != b->waste)
        return a->waste > b->waste ? -1 : 1;
    int order = strcmp(a->kernel, b->kernel);
    return order ? order : atoi(a->line) - atoi(b->line);
}

static double sum_or_0(const table *t, const char *kernel, counter_id counter)
{
    double v;
    return counter_sum(t, kernel, counter_names[counter], true, &v) ? v : 0;
}

static void explain_divergence(verdict *v, arena *a, const table *counters, const char *kernel)
{
    double branches = sum_or_0(counters, kernel, COUNTED_branches);
    double divergent = sum_or_0(counters, kernel, COUNTED_divergent_branches);
    double warp = sum_or_0(counters, kernel, COUNTED_inst);
    double lanes = sum_or_0(counters, kernel, COUNTED_thread_inst);
    if (branches <= 0 || divergent < 0.05 * branches || warp <= 0 || lanes >= 0.9 * 32 * warp)
        return;
    *ARENA_PUSH(a, v->why, v->why_count) = arena_printf(
        a,
        "%s: a warp's threads diverge at %.0f %% of its branches, and %.1f of 32 are active "
        "on average",
        kernel, 100 * divergent / branches, lanes / warp);
}

/* Add a sentence on what is good about a kernel for which no other sentence was added. */
static void add_good_news(verdict *v, arena *a, const table *counters, const char *kernel)
{
    sb text = {0};
    static const char *const shown[] = {"load_sectors_per_request", "store_sectors_per_request",
                                        "shared_load_wavefronts_per_request",
                                        "const_addresses_per_request"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        double value;
        char number[32], words[128];
        const metric *m = metric_find(shown[i]);
        if (metric_value(counters, kernel, m, &value) && value > 0)
            sb_printf(&text, "%s%s", text.len ? ", " : "",
                      metric_text(m, nice_number(round(value * 100) / 100, number, sizeof number),
                                  words, sizeof words));
    }
    if (text.len)
        *ARENA_PUSH(a, v->why, v->why_count) =
            arena_printf(a, "%s: %s: none is wasted", kernel, text.s);
    sb_free(&text);
}

void explain_verdict(verdict *v, arena *a)
{
    size_t count, kernels;
    /* If the emulator counted the run too, use its counters: they include more than ncu's. */
    const table *counters = v->emulated ? v->emulated : v->counters;
    access_site *sites = collect_sites(v, a, &count);
    for (size_t i = 0; i < count; i++) {
        access_site *s = &sites[i];
        if (strcmp(s->space, "global") == 0)
            explain_global(s, a);
        else if (strcmp(s->space, "shared") == 0)
            explain_shared(s, a);
        else if (strcmp(s->space, "const") == 0)
            explain_const(s, a);
        else if (strcmp(s->space, "local") == 0)
            explain_local(s, a);
    }
    if (count)
        qsort(sites, count, sizeof *sites, compare_by_waste);
    for (size_t i = 0; i < count && v->why_count < 8; i++)
        if (sites[i].sentence)
            *ARENA_PUSH(a, v->why, v->why_count) = sites[i].sentence;
    const char **names = kernels_in_counters(counters, a, &kernels);
    for (size_t k = 0; k < kernels; k++) {
        if (kernel_is_helper(names[k]) || check_failed(v, names[k]))
            continue;
        size_t before = v->why_count;
        explain_divergence(v, a, counters, names[k]);
        bool accused = v->why_count > before;
        for (size_t i = 0; i < count && !accused; i++)
            accused = sites[i].sentence && is_kernel_named(sites[i].kernel, names[k]);
        if (!accused && v->lines)
            add_good_news(v, a, counters, names[k]);
    }
}
