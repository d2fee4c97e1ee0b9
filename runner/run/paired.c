#include "paired.h"

#include "../base/files.h"
#include "../judge/cost.h"
#include "../judge/spread.h"
#include "attempt_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run may be disturbed by so much and still be within MAX_TIMES_REFERENCE. */
static const double CLEARLY_RIGHT = 1.1;

/* The time of the first row of T that measures what ROW of RECORD measures. False: none. */
static bool find_time(const table *t, const table *record, size_t row, double *ms)
{
    static const char *const columns[] = {"kind", "name", "x", "n"};
    for (size_t i = 0; t && i < t->rows; i++) {
        bool same = true;
        for (size_t k = 0; k < 4 && same; k++) {
            const char *wanted = table_get(record, row, columns[k]),
                       *is = table_get(t, i, columns[k]);
            same = wanted && is ? strcmp(wanted, is) == 0 : wanted == is;
        }
        if (same)
            return table_number(t, i, "ms", ms) && *ms > 0;
    }
    return false;
}

/* Numbers of the timed rows of RECORD, at most MAX_PAIRED_ROWS. */
static size_t timed_rows(const table *record, size_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < record->rows && count < MAX_PAIRED_ROWS; i++)
        if (table_is(record, i, "kind", "measure"))
            rows[count++] = i;
    return count;
}

bool paired_is_clear(paired_times *p, const table *record, const table *solution)
{
    size_t rows[MAX_PAIRED_ROWS];
    const size_t count = timed_rows(record, rows);
    paired_times once = {.rounds = 1};
    for (size_t i = 0; i < count; i++) {
        double own, reference;
        if (!table_number(record, rows[i], "ms", &own) ||
            !find_time(solution, record, rows[i], &reference) || own > CLEARLY_RIGHT * reference ||
            reference > MAX_TIMES_REFERENCE * own)
            return false;
        once.times[i][once.counts[i]++] = own / reference;
    }
    *p = once;
    return true;
}

bool paired_add_round(paired_times *p, const table *record, const table *solution, const table *lab)
{
    size_t rows[MAX_PAIRED_ROWS];
    const size_t count = timed_rows(record, rows);
    for (size_t i = 0; i < count; i++) {
        double own, reference;
        if (find_time(lab, record, rows[i], &own) &&
            find_time(solution, record, rows[i], &reference))
            p->times[i][p->counts[i]++] = own / reference;
    }
    if (++p->rounds % PAIRED_ROUNDS)
        return true;
    for (size_t i = 0; i < count && p->rounds < MAX_PAIRED_ROUNDS; i++) {
        const double *times = p->times[i];
        bool slow = false, fast = false;
        for (size_t k = 0; k < p->counts[i]; k++) {
            slow |= times[k] > MAX_TIMES_REFERENCE;
            fast |= times[k] <= MAX_TIMES_REFERENCE;
        }
        if (slow && fast)
            return true;
    }
    return false;
}

void append_timed_row(sb *out, const table *record, size_t row, const char *kind, double ms,
                      const char *const *more)
{
    char milliseconds[32], gbs[32];
    const char *changes[16] = {"kind", kind, "ms", milliseconds, "gbs", gbs};
    double bytes = 0;
    table_number(record, row, "bytes", &bytes);
    snprintf(milliseconds, sizeof milliseconds, "%.9g", ms);
    snprintf(gbs, sizeof gbs, "%.9g", bytes / ms / 1e6);
    for (size_t n = 6; more && *more && n + 1 < sizeof changes / sizeof *changes; n++)
        changes[n] = *more++;
    table_append_row(out, record, row, changes);
}

char *paired_reference_rows(paired_times *p, const table *record)
{
    sb out = {0};
    size_t rows[MAX_PAIRED_ROWS];
    const size_t count = timed_rows(record, rows);
    for (size_t i = 0; i < count; i++) {
        double ms;
        if (p->counts[i] && p->counts[i] >= (size_t)p->rounds &&
            table_number(record, rows[i], "ms", &ms))
            append_timed_row(&out, record, rows[i], "reference",
                             ms / median_and_interval(p->times[i], p->counts[i]).median, NULL);
    }
    return sb_take(&out);
}

/* --- the steps of an attempt --- */

static bool are_pairs_judged(const attempt *a)
{
    return a->options.gpu && !a->options.solution && !a->options.file && a->run_end == JOB_EXITED &&
           a->run_code == 0 && a->record && are_costs_judged(a->c) && a->c->solution &&
           file_exists(a->c->solution);
}

/* No times are compared: the next steps have nothing to do. */
static step_end end_pairs(attempt *a, job_end how)
{
    free(a->pairs);
    a->pairs = NULL;
    if (how == JOB_CANCELLED)
        attempt_give_up(a, VERDICT_CANCELLED, "you cancelled it");
    return STEP_NEXT;
}

/* Whether there is something to time. Without a solution or its program, verdicts say that the
 * times are not compared. */
step_end build_solution_to_pair(attempt *a)
{
    char err[512];
    if (!are_pairs_judged(a))
        return STEP_NEXT;
    a->paired = (build_target){.c = a->c, .solution = true, .gpu = true, .boxed = a->t.boxed};
    a->pairs = xmalloc(sizeof *a->pairs);
    *a->pairs = (paired_times){0};
    if (build_is_current(a->h, &a->paired, &a->nvcc))
        return STEP_NEXT;
    if (build_start(a->h, &a->paired, &a->nvcc, &a->g, err, sizeof err))
        return STEP_RUNS;
    return end_pairs(a, JOB_EXITED);
}

step_end finish_solution_to_pair(attempt *a)
{
    char err[512];
    int code;
    const job_end how = stage_outcome(&a->g, &code);
    return build_finish(a->h, &a->paired, &a->g, err, sizeof err) ? STEP_NEXT : end_pairs(a, how);
}

static step_end start_timing(attempt *a, const build_target *t)
{
    const char *const env[] = {attempt_result_variable(a, "WARPBOOK_RECORD", OTHER_RECORD),
                               "WARPBOOK_ONLY=measure",
                               arena_printf(&a->h->memory, "WARPBOOK_CHOICE=%d", a->choice),
                               attempt_recorded_seed(a), NULL};
    unlink(attempt_unfinished_path(a, OTHER_RECORD));
    return attempt_start_program(a, &a->g, t, env);
}

/* The record of a run that was timed; NULL: it failed. The caller frees it. */
static table *finish_timing(attempt *a, job_end *how)
{
    int code;
    *how = stage_outcome(&a->g, &code);
    attempt_fetch_files(a, 1u << OTHER_RECORD);
    return *how == JOB_EXITED && code == 0 ? table_read(attempt_unfinished_path(a, OTHER_RECORD))
                                           : NULL;
}

step_end time_solution(attempt *a)
{
    return a->pairs ? start_timing(a, &a->paired) : STEP_NEXT;
}

static void append_references(attempt *a)
{
    OWNED char *rows = paired_reference_rows(a->pairs, a->record);
    attempt_append_to_record(a, rows);
}

step_end finish_timing_solution(attempt *a)
{
    job_end how;
    table_free(a->paired_solution);
    a->paired_solution = finish_timing(a, &how);
    if (!a->paired_solution)
        return end_pairs(a, how);
    if (a->pairs->rounds || !paired_is_clear(a->pairs, a->record, a->paired_solution))
        return STEP_NEXT;
    append_references(a);
    return end_pairs(a, how);
}

step_end time_lab(attempt *a)
{
    return a->pairs ? start_timing(a, &a->t) : STEP_NEXT;
}

step_end finish_timing_lab(attempt *a)
{
    job_end how;
    OWNED_TABLE table *lab = finish_timing(a, &how);
    if (!lab)
        return end_pairs(a, how);
    const bool again = paired_add_round(a->pairs, a->record, a->paired_solution, lab);
    if (!again)
        append_references(a);
    return again ? STEP_AGAIN : STEP_NEXT;
}
