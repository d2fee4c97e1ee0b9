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

/* Add up a counter over launches of KERNEL (LARGEST: only those with the most threads). COUNT: the
 * number of launches added, or NULL. */
static bool sum_over_launches(const table *t, const char *kernel, const char *counter, bool largest,
                              double *out, size_t *count)
{
    bool found = false;
    double most = 0, sum = 0, v;
    size_t launches = 0;
    for (size_t row = 0; t && row < t->rows; row++) {
        const char *full = table_get(t, row, "kernel"), *name = table_get(t, row, "metric");
        if (!full || !name || strcmp(name, counter) != 0 || !is_kernel_named(full, kernel) ||
            !table_number(t, row, "value", &v))
            continue;
        double threads = threads_in_launch(t, row);
        if (largest && found && threads < most)
            continue;
        if (largest && (!found || threads > most)) {
            most = threads;
            sum = 0;
            launches = 0;
        }
        sum += v;
        launches++;
        found = true;
    }
    *out = sum;
    if (count)
        *count = launches;
    return found;
}

bool counter_sum(const table *t, const char *kernel, const char *counter, bool largest, double *out)
{
    return sum_over_launches(t, kernel, counter, largest, out, NULL);
}

bool counter_mean(const table *t, const char *kernel, const char *counter, double *out)
{
    size_t launches;
    bool found = sum_over_launches(t, kernel, counter, true, out, &launches);
    if (found)
        *out /= (double)launches;
    return found;
}

static bool sum_of_counter_list(const table *t, const char *kernel, const char *fields,
                                bool largest, double *out)
{
    const char *name;
    *out = 0;
    while ((name = counter_next_name(&fields))) {
        double v;
        if (!counter_sum(t, kernel, name, largest, &v))
            return false;
        *out += v;
    }
    return true;
}

bool metric_value(const table *counters, const char *kernel, const metric *m, double *out)
{
    bool quotient = *m->denominator != '\0';
    double above, below;
    if (!sum_of_counter_list(counters, kernel, m->numerator, quotient, &above))
        return false;
    if (!quotient) {
        *out = above;
        return true;
    }
    if (!sum_of_counter_list(counters, kernel, m->denominator, true, &below))
        return false;
    *out = below > 0 ? above / below : 0;
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
