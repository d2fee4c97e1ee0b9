#include "metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const metric metric_table[] = {
#define METRIC(name, ...) {#name, __VA_ARGS__},
#include "metrics.def"
#undef METRIC
};
const char *const counter_names[COUNTER_ID_COUNT] = {
#define COUNTER(field, name, ...) name,
#include "../../emulator/counters/counters.def"
#undef COUNTER
};

const char *counter_next_name(const char **fields)
{
    static const char *const field_names[COUNTER_ID_COUNT] = {
#define COUNTER(field, ...) #field,
#include "../../emulator/counters/counters.def"
#undef COUNTER
    };
    const size_t n = strcspn(*fields, " ");
    for (size_t i = 0; n && i < COUNTER_ID_COUNT; i++)
        if (strlen(field_names[i]) == n && strncmp(field_names[i], *fields, n) == 0) {
            *fields += n + strspn(*fields + n, " ");
            return counter_names[i];
        }
    return NULL;
}

const size_t metric_count = sizeof metric_table / sizeof *metric_table;

const metric *metric_find(const char *name)
{
    for (size_t i = 0; i < metric_count; i++)
        if (strcmp(metric_table[i].name, name) == 0)
            return &metric_table[i];
    return NULL;
}

const char *metric_value_in_words(const metric *m, const char *number, char *buf, size_t size)
{
    static const struct {
        const char *many, *one;
    } words[] = {{"sectors", "sector"},
                 {"passes", "pass"},
                 {"addresses", "address"},
                 {"bank conflicts", "bank conflict"},
                 {"divergent branches", "divergent branch"},
                 {"instructions", "instruction"},
                 {"load requests", "load request"},
                 {"store requests", "store request"},
                 {"texture requests", "texture request"},
                 {"read-only loads", "read-only load"},
                 {"global atomics", "global atomic"},
                 {"lanes", "lane"},
                 {"block-wide barriers", "block-wide barrier"},
                 {"shuffles", "shuffle"},
                 {"asynchronous copies", "asynchronous copy"},
                 {"waits", "wait"},
                 {"groups of copies", "group of copies"},
                 {"matrix instructions", "matrix instruction"},
                 {"requests to other", "request to other"},
                 {"cluster barriers", "cluster barrier"},
                 {"bulk copies", "bulk copy"},
                 {"phases", "phase"},
                 {"flops", "flop"}};
    bool one = strcmp(number, "1") == 0;
    if (one && strcmp(m->name, "busiest_warp") == 0) {
        snprintf(buf, size, "the same work in all warps");
        return buf;
    }
    for (size_t i = 0; one && i < sizeof words / sizeof *words; i++)
        if (starts_with(m->unit, words[i].many)) {
            snprintf(buf, size, "1 %s%s", words[i].one, m->unit + strlen(words[i].many));
            return buf;
        }
    snprintf(buf, size, "%s %s", number, m->unit);
    return buf;
}

char *metric_difference(const metric *m, double said, double found)
{
    char times[32];
    if (said == 0 || found == 0 || (said < 0) != (found < 0))
        return xstrdup(found > said ? m->if_above : m->if_below);
    bool above = found > said;
    double ratio = above ? found / said : said / found;
    nice_number(ratio < 10 ? round(ratio * 10) / 10 : round(ratio), times, sizeof times);
    return above ? xprintf("%s times what you said: %s", times, m->if_above)
                 : xprintf("you said %s times that: %s", times, m->if_below);
}

bool is_kernel_named(const char *full, const char *name)
{
    size_t n = strlen(name);
    return strncmp(full, name, n) == 0 &&
           (full[n] == '\0' || full[n] == '(' || (full[n] == '<' && !strchr(name, '<')));
}

bool is_variant_of_kernel(const char *variant, const char *full)
{
    size_t n = strcspn(variant, "/");
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)n, variant);
    return is_kernel_named(full, name);
}

bool kernel_is_helper(const char *full)
{
    return starts_with(full, "lab_") || starts_with(full, "cub::") || starts_with(full, "thrust::");
}

/* The number of elements of a grid or block with dimensions such as "128x1x1". */
static double elements_of_shape(const char *shape)
{
    unsigned x = 0, y = 1, z = 1;
    if (!shape || sscanf(shape, "%ux%ux%u", &x, &y, &z) < 1)
        return 0;
    return (double)x * y * z;
}

static double threads_in_launch(const table *t, size_t row)
{
    return elements_of_shape(table_get(t, row, "grid")) *
           elements_of_shape(table_get(t, row, "block"));
}

/* How well a launch represents its kernel in goals: the greatest of all its launches counts. */
typedef enum launch_rank {
    RANK_UNTIMED,    /* no row of the record timed it */
    RANK_OF_OTHER,   /* a row with another name timed it, such as a pipeline of several kernels */
    RANK_OF_VARIANT, /* the row KERNEL/WHAT */
    RANK_OF_KERNEL,  /* the row KERNEL */
} launch_rank;

static launch_rank rank_of_launch(const char *kernel, const char *variant)
{
    size_t n = strcspn(kernel, "<(");
    if (!variant)
        return RANK_UNTIMED;
    if (strncmp(variant, kernel, n) != 0)
        return RANK_OF_OTHER;
    return !variant[n] ? RANK_OF_KERNEL : variant[n] == '/' ? RANK_OF_VARIANT : RANK_OF_OTHER;
}

/* Launches of a kernel, and the sum of a counter over them. */
typedef struct launch_sum {
    launch_rank rank;   /* of the launches that are added */
    double threads;     /* of the launches that are added, if nothing timed them */
    double sum;         /* of the counter */
    size_t launches;    /* number of launches */
    size_t timed;       /* number of rows of the record that timed them */
    const char *newest; /* number of the row that timed the launch added last */
} launch_sum;

/* Add ROW to S; forget what was added before if the launch represents its kernel better. */
static void add_launch(launch_sum *s, const table *t, size_t row, const char *kernel, double value)
{
    const char *timed = table_get(t, row, "timed");
    launch_rank rank = rank_of_launch(kernel, table_get(t, row, "variant"));
    double threads = rank == RANK_UNTIMED ? threads_in_launch(t, row) : 0;
    if (s->launches && (rank < s->rank || (rank == s->rank && threads < s->threads)))
        return;
    if (rank > s->rank || threads > s->threads)
        *s = (launch_sum){0};
    s->rank = rank;
    s->threads = threads;
    s->sum += value;
    s->launches++;
    s->timed += !timed || !s->newest || strcmp(timed, s->newest) != 0;
    s->newest = timed;
}

/* Add up a counter over launches of KERNEL: over all, or over those that goals are about. */
static launch_sum sum_over_launches(const table *t, const char *kernel, const char *counter,
                                    bool all)
{
    launch_sum s = {0};
    double v;
    for (size_t row = 0; t && row < t->rows; row++) {
        const char *full = table_get(t, row, "kernel"), *name = table_get(t, row, "metric");
        if (!full || !name || strcmp(name, counter) != 0 || !is_kernel_named(full, kernel) ||
            !table_number(t, row, "value", &v))
            continue;
        if (!all) {
            add_launch(&s, t, row, kernel, v);
            continue;
        }
        s.sum += v;
        s.launches++;
    }
    return s;
}

bool counter_sum(const table *t, const char *kernel, const char *counter, bool all, double *out)
{
    launch_sum s = sum_over_launches(t, kernel, counter, all);
    *out = s.sum;
    return s.launches;
}

bool counter_mean(const table *t, const char *kernel, const char *counter, double *out)
{
    launch_sum s = sum_over_launches(t, kernel, counter, false);
    *out = s.timed ? s.sum / (double)s.timed : 0;
    return s.launches;
}

static bool sum_of_counter_list(const table *t, const char *kernel, const char *fields, bool all,
                                double *out)
{
    const char *name;
    *out = 0;
    while ((name = counter_next_name(&fields))) {
        double v;
        if (!counter_sum(t, kernel, name, all, &v))
            return false;
        *out += v;
    }
    return true;
}

bool metric_value(const table *counters, const char *kernel, const metric *m, double *out)
{
    bool quotient = *m->denominator != '\0';
    double above, below;
    if (!sum_of_counter_list(counters, kernel, m->numerator, !quotient, &above))
        return false;
    if (!quotient) {
        *out = above;
        return true;
    }
    if (!sum_of_counter_list(counters, kernel, m->denominator, false, &below))
        return false;
    *out = below > 0 ? above / below : NAN;
    return true;
}

const char **kernels_in_counters(const table *t, arena *a, size_t *count)
{
    const char **names = NULL;
    size_t n = 0;
    for (size_t row = 0; t && row < t->rows; row++) {
        const char *kernel = table_get(t, row, "kernel");
        bool known = !kernel;
        for (size_t i = 0; i < n && !known; i++)
            known = strcmp(names[i], kernel) == 0;
        if (!known)
            *ARENA_PUSH(a, names, n) = kernel;
    }
    *count = n;
    return names;
}
