#include "why.h"

#include "metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A source line's accesses of one kind, summed over the launches of a kernel. */
typedef struct site {
    const char *kernel, *file, *line, *op, *space;
    double requests, sectors, ideal, conflicts, stride;
    bool has_stride;
    double waste; /* passes or sectors more than needed, for the order */
    const char *sentence;
} site;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ld.global.f32 and ld.global.nc.f32 on one line are one thing to a reader: the first word. */
static bool same_op(const char *a, const char *b)
{
    size_t n = strcspn(a, "."), m = strcspn(b, ".");
    return n == m && strncmp(a, b, n) == 0;
}

static site *collect(const table *t, arena *a, size_t *count)
{
    site *sites = NULL;
    size_t n = 0;
    for (size_t row = 0; t && row < t->rows; row++) {
        const char *kernel = table_get(t, row, "kernel"), *file = table_get(t, row, "file");
        const char *line = table_get(t, row, "line"), *op = table_get(t, row, "op");
        const char *space = table_get(t, row, "space");
        double requests, sectors, ideal, conflicts, stride;
        if (!kernel || !op || !space || !table_number(t, row, "requests", &requests) ||
            !table_number(t, row, "sectors", &sectors) || requests <= 0)
            continue;
        if (!table_number(t, row, "ideal", &ideal))
            ideal = sectors;
        if (!table_number(t, row, "conflicts", &conflicts))
            conflicts = 0;
        file = file ? base_name(file) : "";
        line = line ? line : "";
        site *s = NULL;
        for (size_t i = 0; i < n && !s; i++)
            if (strcmp(sites[i].kernel, kernel) == 0 && strcmp(sites[i].file, file) == 0 &&
                strcmp(sites[i].line, line) == 0 && strcmp(sites[i].space, space) == 0 &&
                same_op(sites[i].op, op))
                s = &sites[i];
        if (!s) {
            s = ARENA_PUSH(a, sites, n);
            *s = (site){.kernel = kernel, .file = file, .line = line, .op = op, .space = space};
        }
        s->requests += requests;
        s->sectors += sectors;
        s->ideal += ideal;
        s->conflicts += conflicts;
        if (table_number(t, row, "stride", &stride)) {
            s->stride = stride;
            s->has_stride = true;
        }
    }
    *count = n;
    return sites;
}

static const char *place(arena *a, const site *s)
{
    return *s->line && *s->file ? arena_printf(a, " (%s:%s)", s->file, s->line) : "";
}

static const char *request_word(const char *op)
{
    return starts_with(op, "st")                               ? "a store"
           : starts_with(op, "atom") || starts_with(op, "red") ? "an atomic"
                                                               : "a request";
}

static const char *verb(const char *op)
{
    return starts_with(op, "st")                               ? "write"
           : starts_with(op, "atom") || starts_with(op, "red") ? "update"
                                                               : "read";
}

static void explain_global(site *s, arena *a)
{
    double have = s->sectors / s->requests, need = s->ideal / s->requests;
    if (have < need * 1.05)
        return;
    const char *reason;
    double step = fabs(s->stride);
    if (s->has_stride && step > 0 && need * 32 >= step * 32 * 0.99)
        /* As close together as they can be: then it is where they begin. */
        reason = "the first address is not a multiple of 32 bytes";
    else if (s->has_stride && step > 0)
        reason = arena_printf(a, "neighbouring threads %s %.0f bytes apart", verb(s->op), step);
    else
        reason =
            arena_printf(a, "neighbouring threads %s far apart, at no fixed distance", verb(s->op));
    s->waste = s->sectors - s->ideal;
    s->sentence = arena_printf(a, "%s: %.1f sectors %s where %.1f would do: %s%s", s->kernel, have,
                               request_word(s->op), need, reason, place(a, s));
}

static void explain_shared(site *s, arena *a)
{
    if (s->conflicts <= 0)
        return;
    double have = s->sectors / s->requests, need = (s->sectors - s->conflicts) / s->requests;
    const char *reason = "bank conflicts";
    if (s->has_stride && fabs(s->stride) >= 8)
        reason = arena_printf(a, "bank conflicts, for neighbouring threads %s %.0f bytes apart",
                              verb(s->op), fabs(s->stride));
    else if (s->has_stride && s->stride == 0)
        reason = arena_printf(a, "all threads %s one place", verb(s->op));
    s->waste = s->conflicts;
    s->sentence = arena_printf(a, "%s: %.1f passes over shared memory %s where %.1f would do: %s%s",
                               s->kernel, have, request_word(s->op), need, reason, place(a, s));
}

static void explain_const(site *s, arena *a)
{
    double have = s->sectors / s->requests;
    if (have < 1.05)
        return;
    s->waste = s->sectors - s->requests;
    s->sentence = arena_printf(a,
                               "%s: %.1f different addresses a constant load, served one after "
                               "another: constant memory wants all threads of a warp at one%s",
                               s->kernel, have, place(a, s));
}

static void explain_local(site *s, arena *a)
{
    s->waste = s->sectors;
    s->sentence = arena_printf(
        a,
        "%s: %.0f %s of local memory: an array whose index is not known when "
        "compiling lies there, not in registers%s",
        s->kernel, s->requests, starts_with(s->op, "st") ? "stores" : "loads", place(a, s));
}

static int by_waste(const void *x, const void *y)
{
    const site *a = x, *b = y;
    if (a->waste != b->waste)
        return a->waste > b->waste ? -1 : 1;
    int order = strcmp(a->kernel, b->kernel);
    return order ? order : atoi(a->line) - atoi(b->line);
}

static double sum_or_0(const table *t, const char *kernel, const char *counter)
{
    double v;
    return counter_sum(t, kernel, counter, true, &v) ? v : 0;
}

static void explain_divergence(verdict *v, arena *a, const char *kernel)
{
    double branches = sum_or_0(v->counters, kernel, "ptx__branches.sum");
    double divergent = sum_or_0(v->counters, kernel, "ptx__divergent_branches.sum");
    double warp = sum_or_0(v->counters, kernel, "ptx__inst_executed.sum");
    double lanes = sum_or_0(v->counters, kernel, "ptx__thread_inst_executed.sum");
    if (branches <= 0 || divergent < 0.05 * branches || warp <= 0)
        return;
    *ARENA_PUSH(a, v->why, v->why_count) = arena_printf(
        a,
        "%s: a warp's threads part at %.0f %% of its branches, and %.1f of 32 are busy "
        "on average: threads of one warp take different ways",
        kernel, 100 * divergent / branches, lanes / warp);
}

/* For a kernel that no sentence accuses: what is good about it. */
static void praise(verdict *v, arena *a, const char *kernel)
{
    sb text = {0};
    static const char *const shown[] = {"load_sectors_per_request", "store_sectors_per_request",
                                        "shared_load_wavefronts_per_request",
                                        "const_addresses_per_request"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        double value;
        char number[32];
        const metric *m = metric_find(shown[i]);
        if (metric_value(v->counters, kernel, m, &value) && value > 0)
            sb_printf(&text, "%s%s %s", text.len ? ", " : "",
                      nice_number(round(value * 100) / 100, number, sizeof number), m->unit);
    }
    if (text.len)
        *ARENA_PUSH(a, v->why, v->why_count) =
            arena_printf(a, "%s: %s: as few as its accesses need", kernel, text.s);
    sb_free(&text);
}

void why_lines(verdict *v, arena *a)
{
    size_t count, kernels;
    site *sites = collect(v->lines, a, &count);
    for (size_t i = 0; i < count; i++) {
        site *s = &sites[i];
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
        qsort(sites, count, sizeof *sites, by_waste);
    for (size_t i = 0; i < count && v->why_count < 8; i++)
        if (sites[i].sentence)
            *ARENA_PUSH(a, v->why, v->why_count) = sites[i].sentence;
    const char **names = counted_kernels(v->counters, a, &kernels);
    for (size_t k = 0; k < kernels; k++) {
        size_t before = v->why_count;
        explain_divergence(v, a, names[k]);
        bool accused = v->why_count > before;
        for (size_t i = 0; i < count && !accused; i++)
            accused = sites[i].sentence && kernel_is(sites[i].kernel, names[k]);
        if (!accused && v->lines)
            praise(v, a, names[k]);
    }
}
