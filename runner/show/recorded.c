#include "recorded.h"

#include "../base/files.h"

#include <math.h>
#include <string.h>

table *recorded_run_read(installation *h, const chapter *c)
{
    return table_read(installation_path(h, "tests/hardware/chapters/h200/records/%s%s.tsv",
                                        c->assignment ? "labs-" : "", file_name_of(c->name)));
}

static bool is_row_of_kind(const table *t, size_t row, const char *kind)
{
    const char *is = table_get(t, row, "kind"), *source = table_get(t, row, "source");
    return is && source && strcmp(is, kind) == 0 && strcmp(source, "measured") == 0;
}

/* The last row of the device-to-device copy, or -1. */
static long row_of_device_copy(const table *t)
{
    for (size_t row = t ? t->rows : 0; row-- > 0;)
        if (is_row_of_kind(t, row, "copy"))
            return (long)row;
    return -1;
}

double recorded_percent_of_copy(const table *t, const char *name, const char *x)
{
    long copy = row_of_device_copy(t);
    double of, gbs;
    if (copy < 0 || !table_number(t, (size_t)copy, "gbs", &of) || of <= 0)
        return NAN;
    for (size_t row = t->rows; row-- > 0;) {
        const char *n = table_get(t, row, "name"), *at = table_get(t, row, "x");
        if (is_row_of_kind(t, row, "measure") && n && strcmp(n, name) == 0 &&
            strcmp(at ? at : "", x ? x : "") == 0 && table_number(t, row, "gbs", &gbs))
            return 100 * gbs / of;
    }
    return NAN;
}

const char *recorded_gpu_name(const table *t)
{
    long copy = row_of_device_copy(t);
    const char *device = copy < 0 ? NULL : table_get(t, (size_t)copy, "device");
    const char *last = device ? strrchr(device, ' ') : NULL;
    return last ? last + 1 : device ? device : "GPU";
}

double recorded_element_count(const table *t)
{
    long copy = row_of_device_copy(t);
    return copy >= 0 ? table_number_or(t, (size_t)copy, "n", 0) : 0;
}

char *recorded_size_note(const table *t, const verdict *v)
{
    double there = recorded_element_count(t), here = 0;
    for (size_t i = 0; i < v->measure_count; i++)
        here = v->measures[i].copy ? v->measures[i].n : here;
    if (there <= 0 || here <= 0 || there == here)
        return NULL;
    return xprintf("%s: measured with %.0f elements, %s here with %.0f. The shorter a run, the "
                   "larger the part of it that launches and first loads take, and the more of its "
                   "data a cache holds: shares of a copy differ. `run --full` takes that size.",
                   recorded_gpu_name(t), there, v->source ? v->source : "run", here);
}
