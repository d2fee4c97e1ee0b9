#include "evidence.h"

#include "../book/metrics.h"

#include <math.h>
#include <string.h>

/* True: the name VARIANT is KERNEL or KERNEL/SUFFIX. */
static bool is_variant_of(const char *variant, const char *kernel)
{
    size_t n = strlen(kernel);
    return variant && strncmp(variant, kernel, n) == 0 && (!variant[n] || variant[n] == '/');
}

/* True: A and B are one kernel, or instances of one template, whose launches a sweep may time in
 * turn. */
static bool are_of_one_template(const char *a, const char *b)
{
    size_t n = strcspn(a, "<");
    return n == strcspn(b, "<") && strncmp(a, b, n) == 0;
}

static size_t count_launches(const table *judged, const char *kernel)
{
    size_t count = 0;
    for (size_t i = 0; i < judged->rows; i++) {
        const char *k = table_get(judged, i, "kernel");
        count += table_is(judged, i, "what", "launch") && k && are_of_one_template(k, kernel);
    }
    return count;
}

/* Row of launch NUMBER (from 0) of KERNEL's template; negative: no such launch. */
static long row_of_nth_launch(const table *judged, const char *kernel, size_t number)
{
    for (size_t i = 0; i < judged->rows; i++) {
        const char *k = table_get(judged, i, "kernel");
        if (table_is(judged, i, "what", "launch") && k && are_of_one_template(k, kernel) &&
            number-- == 0)
            return (long)i;
    }
    return -1;
}

/* The judged kernel that ROW of the record measures; NULL: the row measures no judged kernel. */
static const char *measured_kernel(const table *reference, const table *record, size_t row)
{
    const char *variant = table_get(record, row, "name");
    if (!table_is(record, row, "kind", "measure"))
        return NULL;
    for (size_t i = 0; i < reference->rows; i++) {
        const char *k = table_get(reference, i, "kernel");
        if (table_is(reference, i, "what", "launch") && k && variant &&
            is_variant_of_kernel(variant, k))
            return k;
    }
    return NULL;
}

/* Index of the launch, among those of its kernel, that ROW of the reference's record timed. */
static size_t index_of_timed_launch(const table *reference, const table *record, size_t row)
{
    const char *kernel = measured_kernel(reference, record, row);
    size_t rows = 0, before = 0, all = count_launches(reference, kernel);
    for (size_t i = 0; i < record->rows; i++) {
        const char *k = measured_kernel(reference, record, i);
        if (!k || !are_of_one_template(k, kernel))
            continue;
        before += i < row;
        rows++;
    }
    return rows <= all ? all - rows + before : all;
}

/* Upper bounds of the difference between an event-timed launch and its modelled time: the events
 * add at most MAX_EVENT_OVERHEAD_MS, and miss at most MAX_MISSED_TIME_SHARE of the time, because a
 * part of a launch overlaps the preceding kernel. */
static const double MAX_EVENT_OVERHEAD_MS = 0.02, MAX_MISSED_TIME_SHARE = 0.01;

long evidence_first_measured_row(const table *reference, const table *record)
{
    long first = (long)reference->rows;
    for (size_t i = 0; i < record->rows; i++) {
        const char *kernel = measured_kernel(reference, record, i);
        if (!kernel)
            continue;
        size_t timed = index_of_timed_launch(reference, record, i);
        long row = row_of_nth_launch(reference, kernel, timed);
        if (row < 0)
            return -1;
        double more = table_number_or(record, i, "ms", NAN) -
                      table_number_or(reference, (size_t)row, "ns", NAN) / 1e6;
        if (!(more >= -MAX_MISSED_TIME_SHARE * table_number_or(record, i, "ms", NAN) &&
              more <= MAX_EVENT_OVERHEAD_MS))
            return -1;
        long index = (long)table_number_or(reference, (size_t)row, "index", NAN);
        first = index < first ? index : first;
    }
    return first;
}

/* --- writing the record of checks and times that the judge confirmed --- */

static void write_table_cell(sb *out, const char *text, bool last)
{
    sb_puts(out, text ? text : "-");
    sb_puts(out, last ? "\n" : "\t");
}

static void copy_table_row(sb *out, const table *t, size_t row)
{
    static const char *const columns[] = {"kind", "name",   "x",      "n",      "bytes", "ms",
                                          "gbs",  "status", "source", "device", "detail"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    for (size_t k = 0; k < COLUMNS; k++)
        write_table_cell(out, table_get(t, row, columns[k]), k + 1 == COLUMNS);
}

/* Write a measured row of a judged kernel. If the repeated launch was right, the row gets the time
 * that the judge measured for that launch. */
static void write_measured_row(sb *out, const evidence *e, size_t row, const char *kernel)
{
    size_t timed = index_of_timed_launch(e->reference, e->record, row);
    long ref = row_of_nth_launch(e->reference, kernel, timed),
         own = row_of_nth_launch(e->judged, kernel, timed);
    if (ref < 0 || own < 0 || table_get(e->judged, (size_t)own, "sentence"))
        return;
    double bytes = table_number_or(e->record, row, "bytes", NAN);
    double ms = table_number_or(e->record, row, "ms", NAN) +
                (table_number_or(e->judged, (size_t)own, "ns", NAN) -
                 table_number_or(e->reference, (size_t)ref, "ns", NAN)) /
                    1e6;
    const char *const texts[] = {"name", "x", "n", "bytes"};
    write_table_cell(out, "measure", false);
    for (size_t k = 0; k < 4; k++)
        write_table_cell(out, table_get(e->record, row, texts[k]), false);
    sb_printf(out, "%.9g\t%.9g\t-\t", ms, bytes / ms / 1e6);
    write_table_cell(out, table_get(e->record, row, "source"), false);
    write_table_cell(out, table_get(e->record, row, "device"), false);
    write_table_cell(out, table_get(e->record, row, "detail"), true);
}

static bool is_passed_row(const table *t, size_t row)
{
    const char *status = table_get(t, row, "status");
    return status && strcmp(status, "pass") == 0;
}

enum { MAX_LAUNCH_GROUPS = 16 }; /* groups of launches, at most */

/* Counts of launches of the submission and of the reference. */
typedef struct launch_tally {
    size_t reference_launches; /* launches of the reference */
    size_t reference_checks;   /* launches of the reference that its checks make */
    size_t launches;           /* launches of the submission */
    size_t right_checks;       /* launches that the submission's checks make, and that are right */
    const char *first_wrong;   /* what is wrong with the first wrong launch, or NULL */
} launch_tally;

/* A group of launches is given by a kernel's name, by ANY_KERNEL (all launches), or by
 * UNNAMED_KERNELS (launches of the kernels that no check is named after). */
static const char ANY_KERNEL[] = "", UNNAMED_KERNELS[] = "-";

static bool is_named_by_a_check(const table *record, const char *kernel)
{
    for (size_t i = 0; i < record->rows; i++)
        if (table_is(record, i, "kind", "check") &&
            is_variant_of(table_get(record, i, "name"), kernel))
            return true;
    return false;
}

static bool is_launch_in_group(const evidence *e, const table *t, size_t row, const char *group)
{
    const char *kernel = table_get(t, row, "kernel");
    if (!table_is(t, row, "what", "launch") || !kernel)
        return false;
    return group == ANY_KERNEL ||
           (group == UNNAMED_KERNELS ? !is_named_by_a_check(e->record, kernel)
                                     : strcmp(kernel, group) == 0);
}

static launch_tally tally_launches(const evidence *e, const char *group, arena *a)
{
    launch_tally n = {0};
    long until = evidence_first_measured_row(e->reference, e->record);
    for (size_t i = 0; i < e->reference->rows; i++) {
        /* A row of another name may time launches of a kernel, too. */
        const double timed = table_number_or(e->reference, i, "index", 0);
        if (table_is(e->reference, i, "what", "timed") && timed > 0 && timed < (double)until)
            until = (long)timed;
    }
    for (size_t i = 0; i < e->reference->rows; i++)
        if (is_launch_in_group(e, e->reference, i, group)) {
            n.reference_launches++;
            n.reference_checks += table_number_or(e->reference, i, "index", NAN) < (double)until;
        }
    for (size_t i = 0; i < e->judged->rows; i++) {
        const char *sentence = table_get(e->judged, i, "sentence");
        bool check = table_number_or(e->judged, i, "index", NAN) < (double)until;
        if (!is_launch_in_group(e, e->judged, i, group))
            continue;
        n.launches++;
        n.right_checks += check && !sentence;
        if (sentence && !n.first_wrong)
            n.first_wrong =
                arena_printf(a, "%s of %s: %s", check ? "a launch" : "the launch that is timed",
                             table_get(e->judged, i, "kernel"), sentence);
    }
    return n;
}

/* The row of the judge's table about the check NAME whose column `what` is WHAT; negative: none. */
static long row_of_judged_check(const evidence *e, const char *what, const char *name)
{
    for (size_t i = 0; i < e->judged->rows; i++) {
        const char *about = table_get(e->judged, i, "kernel");
        if (table_is(e->judged, i, "what", what) && about && name && strcmp(about, name) == 0)
            return (long)i;
    }
    return -1;
}

/* Why a check that the submission reports as passed does not count; NULL: it counts. *LEFT: how
 * many more checks may pass because their launches were right. */
static const char *reason_to_refute(const evidence *e, const char *name, const launch_tally *n,
                                    size_t *left)
{
    long timed = row_of_judged_check(e, "check", name);
    if (row_of_judged_check(e, "host", name) >= 0)
        return NULL;
    if (timed >= 0)
        return table_get(e->judged, (size_t)timed, "sentence");
    if (*left) {
        (*left)--;
        return NULL;
    }
    return n->first_wrong ? n->first_wrong : "the run ended before this check";
}

/* Whether the check NAME is a further one of KERNEL: KERNEL_SUFFIX. */
static bool is_further_check_of(const char *name, const char *kernel)
{
    const size_t n = strlen(kernel);
    return strncmp(name, kernel, n) == 0 && name[n] == '_';
}

/* Which launches decide a check: those of the kernel that the check is named after, or all launches
 * (ANY_KERNEL) if the reference solution launches one kernel only. */
static const char *launch_group_of_check(const evidence *e, const char *check)
{
    const char *own = NULL, *first = NULL, *longest = NULL;
    bool several = false, rest = false;
    for (size_t i = 0; i < e->reference->rows; i++) {
        const char *kernel = table_get(e->reference, i, "kernel");
        if (!table_is(e->reference, i, "what", "launch") || !kernel)
            continue;
        first = first ? first : kernel;
        several |= strcmp(kernel, first) != 0;
        own = is_variant_of(check, kernel) ? kernel : own;
        if (is_further_check_of(check, kernel) && (!longest || strlen(kernel) > strlen(longest)))
            longest = kernel;
        rest |= !is_named_by_a_check(e->record, kernel);
    }
    own = own ? own : longest;
    return !several ? ANY_KERNEL : own ? own : rest ? UNNAMED_KERNELS : ANY_KERNEL;
}

/* A group of launches, and how many of the checks that these launches decide may still pass. */
typedef struct launch_group {
    const char *name; /* a kernel's name, ANY_KERNEL or UNNAMED_KERNELS */
    launch_tally n;
    size_t checks_left; /* how many more checks may pass because of these launches */
} launch_group;

static launch_group *find_launch_group(launch_group *list, size_t *count_of, const evidence *e,
                                       const char *check, arena *a)
{
    const char *of = launch_group_of_check(e, check);
    for (size_t i = 0; i < *count_of; i++)
        if (list[i].name == of || strcmp(list[i].name, of) == 0)
            return &list[i];
    launch_group *g = &list[*count_of];
    size_t shown = 0;
    *g = (launch_group){.name = of, .n = tally_launches(e, of, a)};
    for (size_t i = 0; i < e->record->rows; i++) {
        const char *name = table_get(e->record, i, "name");
        shown += table_is(e->record, i, "kind", "check") &&
                 row_of_judged_check(e, "host", name) < 0 &&
                 row_of_judged_check(e, "check", name) < 0 &&
                 strcmp(launch_group_of_check(e, name), of) == 0;
    }
    double share =
        g->n.reference_checks ? (double)g->n.right_checks / (double)g->n.reference_checks : 0;
    g->checks_left = (size_t)floor(share * (double)shown + 1e-6);
    *count_of += *count_of + 1 < MAX_LAUNCH_GROUPS;
    return g;
}

/* Write the rows of checks as the submission reports them. Where launches decide a check, no more
 * checks pass than launches were right. */
static void write_check_rows(sb *out, const evidence *e, arena *a)
{
    launch_group groups[MAX_LAUNCH_GROUPS];
    size_t all = 0, count_of = 0;
    for (size_t i = 0; i < e->record->rows; i++)
        all += table_is(e->record, i, "kind", "check");
    for (size_t i = 0; e->claims && i < e->claims->rows && all; i++) {
        if (!table_is(e->claims, i, "kind", "check"))
            continue;
        all--; /* ignore checks beyond the number that the reference has */
        const char *name = table_get(e->claims, i, "name"), *why = NULL;
        if (is_passed_row(e->claims, i)) {
            launch_group *g = find_launch_group(groups, &count_of, e, name, a);
            why = reason_to_refute(e, name, &g->n, &g->checks_left);
        }
        if (!why) {
            copy_table_row(out, e->claims, i);
            continue;
        }
        write_table_cell(out, "check", false);
        write_table_cell(out, table_get(e->claims, i, "name"), false);
        write_table_cell(out, NULL, false);
        write_table_cell(out, table_get(e->claims, i, "n"), false);
        sb_puts(out, "-\t-\t-\tfail\tmodelled\t");
        write_table_cell(out, table_get(e->claims, i, "device"), false);
        sb_printf(out,
                  "it passes in the lab's own run; in the grader's, with inputs of its own, %s\n",
                  why);
    }
}

static bool do_claims_all_pass(const evidence *e)
{
    size_t checks = 0, own = 0, failed = 0;
    for (size_t i = 0; i < e->record->rows; i++)
        checks += table_is(e->record, i, "kind", "check");
    for (size_t i = 0; e->claims && i < e->claims->rows; i++)
        if (table_is(e->claims, i, "kind", "check")) {
            own++;
            failed += !is_passed_row(e->claims, i);
        }
    return own >= checks && !failed;
}

char *evidence_record(const evidence *e, arena *a, const char **wrong, const char **policy)
{
    sb out = {0};
    launch_tally n = tally_launches(e, ANY_KERNEL, a);
    bool passes = do_claims_all_pass(e);
    *wrong = passes ? n.first_wrong : NULL;
    *policy = NULL;
    for (size_t i = 0; i < e->judged->rows && !*policy; i++)
        if (table_is(e->judged, i, "what", "policy") ||
            (passes && table_is(e->judged, i, "what", "asked")))
            *policy = arena_strdup(a, table_get(e->judged, i, "sentence"));
    if (passes && !*policy && !e->unfinished && n.launches < n.reference_launches)
        *policy = arena_printf(a, "its record passes, but it made %zu launches of %zu", n.launches,
                               n.reference_launches);
    sb_puts(&out, "kind\tname\tx\tn\tbytes\tms\tgbs\tstatus\tsource\tdevice\tdetail\n");
    write_check_rows(&out, e, a);
    for (size_t i = 0; i < e->record->rows; i++) {
        const char *kernel = measured_kernel(e->reference, e->record, i);
        /* Goals are about measured launches, which may be missing. */
        if (e->unfinished && !table_is(e->record, i, "kind", "seed"))
            continue;
        if (kernel)
            write_measured_row(&out, e, i, kernel);
        else if (table_is(e->record, i, "kind", "seed") || table_is(e->record, i, "kind", "goal") ||
                 table_is(e->record, i, "kind", "copy") ||
                 table_is(e->record, i, "kind", "measure") ||
                 table_is(e->record, i, "kind", "left_out"))
            copy_table_row(&out, e->record, i);
    }
    return sb_take(&out);
}
