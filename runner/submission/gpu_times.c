#include "gpu_times.h"

#include "../judge/spread.h"
#include "../run/paired.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *judged_sentence(const table *t, const char *what)
{
    for (size_t i = 0; i < t->rows; i++)
        if (table_is(t, i, "what", what) && table_get(t, i, "sentence"))
            return table_get(t, i, "sentence");
    return NULL;
}

/* Kernel that a row of the record measures: lab_copy for a row `copy`, else the variant's name up
 * to a slash; NULL: the row measures no kernel. */
static const char *kernel_of_row(const gpu_times *g, size_t row)
{
    const char *kind = table_get(g->record, row, "kind"), *name = table_get(g->record, row, "name");
    if (kind && strcmp(kind, "copy") == 0)
        return "lab_copy";
    if (!kind || strcmp(kind, "measure") != 0 || !name)
        return NULL;
    return arena_strndup(g->memory, name, strcspn(name, "/"));
}

static bool is_launch(const table *judged, size_t row)
{
    return table_is(judged, row, "what", "launch") || table_is(judged, row, "what", "other");
}

/* Whether ROW is a launch of a kernel in the namespace NAME. */
static bool is_launch_in(const table *judged, size_t row, const char *name)
{
    const char *is = table_get(judged, row, "kernel");
    const size_t n = strlen(name);
    return is_launch(judged, row) && is && strncmp(is, name, n) == 0 &&
           strncmp(is + n, "::", 2) == 0;
}

/* Whether ROW is a launch of KERNEL, or the first of those that a library with the namespace KERNEL
 * makes for one call: CUB's sum has two. */
static bool begins_measured_work(const table *judged, size_t row, const char *kernel)
{
    return is_launch_in(judged, row, kernel)
               ? !row || !is_launch_in(judged, row - 1, kernel)
               : is_launch(judged, row) && table_is(judged, row, "kernel", kernel);
}

/* The time of work PLACE (from 0) among the last TOTAL of KERNEL, which are the measured ones, and
 * whether its results are judged. False: KERNEL has fewer launches, or one without a time. */
static bool time_of_measured_work(const table *t, const char *kernel, size_t place, size_t total,
                                  double *ns, bool *judged)
{
    size_t all = 0;
    for (size_t i = 0; i < t->rows; i++)
        all += begins_measured_work(t, i, kernel);
    if (all < total)
        return false;
    size_t first = 0;
    for (size_t skip = all - total + place;; first++)
        if (begins_measured_work(t, first, kernel) && skip-- == 0)
            break;
    *judged = table_is(t, first, "what", "launch");
    if (!table_number(t, first, "ns", ns))
        return false;
    double more;
    const bool several = is_launch_in(t, first, kernel);
    for (size_t i = first + 1; several && i < t->rows && is_launch_in(t, i, kernel); i++) {
        if (!table_number(t, i, "ns", &more))
            return false;
        *ns += more;
    }
    return true;
}

/* Store the time of row R in this round: the submission's if its kernels are judged, else the
 * reference's. */
static void store_time_of_row(const gpu_times *g, measured_row *r)
{
    const size_t row = r->row;
    const char *kernel = kernel_of_row(g, row);
    size_t place = 0, total = 0;
    double ns, reference_ns;
    bool judged, ignored;
    r->ms[g->round] = NAN;
    for (size_t i = 0; i < g->record->rows; i++) {
        const char *other = kernel_of_row(g, i);
        place += i < row && other && strcmp(other, kernel) == 0;
        total += other && strcmp(other, kernel) == 0;
    }
    if (!time_of_measured_work(g->judged[0], kernel, place, total, &reference_ns, &judged))
        return;
    ns = reference_ns;
    if (judged && !time_of_measured_work(g->judged[1], kernel, place, total, &ns, &ignored))
        return;
    if (ns > 0 && reference_ns > 0) {
        r->ms[g->round] = ns / 1e6;
        r->times[g->round] = ns / reference_ns;
    }
}

static void write_measured_time(const gpu_times *g, sb *out, const char *kind, size_t row,
                                double ms, const char *status)
{
    append_timed_row(out, g->record, row, kind, ms,
                     (const char *const[]){"status", status, "source", "measured", "device",
                                           g->device, "detail", "-", NULL});
}

static void choose_measured_rows(gpu_times *g)
{
    for (size_t i = 0; g->record && i < g->record->rows && g->row_count < MAX_MEASURED_ROWS; i++)
        if (kernel_of_row(g, i))
            g->rows[g->row_count++] = (measured_row){.row = i};
}

bool gpu_times_add_round(gpu_times *g)
{
    if (g->round == 0)
        choose_measured_rows(g);
    for (size_t i = 0; i < g->judged[0]->rows; i++)
        if (table_is(g->judged[0], i, "what", "device") && table_get(g->judged[0], i, "kernel"))
            snprintf(g->device, sizeof g->device, "%s", table_get(g->judged[0], i, "kernel"));
    for (size_t i = 0; i < g->row_count; i++)
        store_time_of_row(g, &g->rows[i]);
    return ++g->round < MEASURE_ROUNDS;
}

/* Add all rounds' times and their medians as rows of a record. */
static void add_measured_rows(gpu_times *g, sb *out)
{
    for (size_t i = 0; i < g->row_count; i++) {
        measured_row *r = &g->rows[i];
        char number[16];
        if (!isfinite(r->ms[0]))
            continue;
        for (int k = 0; k < MEASURE_ROUNDS; k++) {
            snprintf(number, sizeof number, "%d", k + 1);
            write_measured_time(g, out, "round", r->row, r->ms[k], number);
        }
        const double ms = median_and_interval(r->ms, MEASURE_ROUNDS).median;
        write_measured_time(g, out, table_get(g->record, r->row, "kind"), r->row, ms, "-");
        /* Both alternate, so the median of the ratios says more than the ratio of the medians. */
        write_measured_time(g, out, "reference", r->row,
                            ms / median_and_interval(r->times, MEASURE_ROUNDS).median, "-");
    }
}

char *gpu_times_in_record(gpu_times *g, const table *record)
{
    sb out = {0};
    for (size_t k = 0; k < record->columns; k++)
        sb_printf(&out, "%s%s", record->header[k], k + 1 < record->columns ? "\t" : "\n");
    for (size_t i = 0; i < record->rows; i++) {
        const char *kind = table_get(record, i, "kind");
        if (kind && (strcmp(kind, "copy") == 0 || strcmp(kind, "measure") == 0 ||
                     strcmp(kind, "round") == 0))
            continue;
        table_append_row(&out, record, i, NULL);
    }
    if (g->round == MEASURE_ROUNDS)
        add_measured_rows(g, &out);
    return sb_take(&out);
}

void gpu_times_free(gpu_times *g)
{
    table_free(g->record);
    table_free(g->judged[0]);
    table_free(g->judged[1]);
}
