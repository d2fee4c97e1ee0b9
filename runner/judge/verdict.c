#include "verdict.h"

#include "cost.h"
#include "timed.h"
#include "why.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *copy_or_null(arena *a, const char *s)
{
    return s ? arena_strdup(a, s) : NULL;
}

const char *words_for_relation(const char *relation)
{
    return strcmp(relation, "at_most") == 0    ? "at most"
           : strcmp(relation, "at_least") == 0 ? "at least"
                                               : "exactly";
}

/* So much may a partly filled warp at an end of the grid change a quotient of counters. */
static const double SLIGHTLY = 0.001;

bool is_relation_true(const char *relation, double value, double limit)
{
    if (strcmp(relation, "at_most") == 0)
        return value <= limit;
    if (strcmp(relation, "at_least") == 0)
        return value >= limit;
    return fabs(value - limit) <= SLIGHTLY * fmax(1, fabs(limit));
}

bool holds_as_goal(const char *relation, double value, double limit)
{
    return is_relation_true(relation, value, limit) ||
           (limit != 0 && is_relation_true("equal", value / limit, 1));
}

static bool is_kernel_launched(const table *counters, const char *kernel)
{
    for (size_t row = 0; counters && row < counters->rows; row++) {
        const char *full = table_get(counters, row, "kernel");
        if (full && is_kernel_named(full, kernel))
            return true;
    }
    return false;
}

bool verdict_metric(const verdict *v, const char *kernel, const metric *m, double *out,
                    bool *emulated)
{
    *emulated = false;
    if (metric_value(v->counters, kernel, m, out))
        return true;
    return *emulated = metric_value(v->emulated, kernel, m, out);
}

bool needs_counters(const chapter *c, const table *record, const table *counters)
{
    double value;
    for (size_t row = 0; record && row < record->rows; row++) {
        const char *kind = table_get(record, row, "kind"), *kernel = table_get(record, row, "name");
        const char *x = table_get(record, row, "x");
        const metric *m = kind && x && strcmp(kind, "goal") == 0 ? metric_find(x) : NULL;
        if (m && kernel && !metric_value(counters, kernel, m, &value))
            return true;
    }
    for (size_t i = 0; i < c->prediction_count; i++) {
        const metric *m = metric_find(c->predictions[i].metric);
        if (m && !metric_value(counters, c->predictions[i].kernel, m, &value))
            return true;
    }
    return false;
}

/* Why a kernel that misses a goal about flops has few, if it computes with other types than float;
 * else the goal's own detail. */
static const char *why_no_flops(verdict *v, const goal_row *g)
{
    const counter_id counters[] = {COUNTED_inst_double, COUNTED_inst_half};
    static const char *const types[] = {"doubles", "halves"};
    double sum;
    for (size_t i = 0; i < 2; i++)
        if (counter_sum(v->counters, g->kernel, counter_names[counters[i]], false, &sum) && sum > 0)
            return arena_printf(&v->memory, "it computes with %s, and only floats are counted",
                                types[i]);
    return g->detail;
}

static void judge_goal(verdict *v, goal_row *g, const char *no_counters)
{
    arena *a = &v->memory;
    char value[32], limit[32], text[128];
    const metric *m = metric_find(g->metric);
    nice_number(g->limit, limit, sizeof limit);
    g->state = GOAL_UNKNOWN;
    bool known_relation = strcmp(g->relation, "at_most") == 0 ||
                          strcmp(g->relation, "at_least") == 0 || strcmp(g->relation, "equal") == 0;
    /* ncu counts only the launches that are measured; the emulator counts all launches. */
    bool saw_all = v->emulated || (v->counters && !no_counters);
    if (!m || !known_relation) {
        g->state = GOAL_MISSED;
        g->sentence =
            arena_printf(a, "%s: the lab has a goal with the %s %s, which warpbook does not know",
                         g->kernel, m ? "relation" : "metric", m ? g->relation : g->metric);
    } else if (verdict_metric(v, g->kernel, m, &g->value, &g->emulated)) {
        if (g->emulated && !isnan(g->emulated_limit)) {
            g->limit = g->emulated_limit;
            nice_number(g->limit, limit, sizeof limit);
        }
        if (isnan(g->value)) {
            g->state = GOAL_MET;
            g->sentence = arena_printf(a, "%s: %s: nothing to judge", g->kernel, m->unit);
            return;
        }
        nice_number(g->value, value, sizeof value);
        g->state = holds_as_goal(g->relation, g->value, g->limit) ? GOAL_MET : GOAL_MISSED;
        if (g->state == GOAL_MISSED && strcmp(value, limit) == 0)
            snprintf(value, sizeof value, "%.6g",
                     g->value); /* the goal was missed by little: show all digits */
        if (g->state == GOAL_MISSED && strcmp(m->numerator, "flops") == 0)
            g->detail = why_no_flops(v, g);
        const char *words = metric_value_in_words(m, value, text, sizeof text);
        const char *by = g->emulated ? " (counted by the emulator)" : "";
        g->sentence = strcmp(value, limit) == 0
                          ? arena_printf(a, "%s: %s%s", g->kernel, words, by)
                          : arena_printf(a, "%s: %s, %s %s required%s", g->kernel, words,
                                         words_for_relation(g->relation), limit, by);
    } else if (saw_all && !is_kernel_launched(v->counters, g->kernel) &&
               !is_kernel_launched(v->emulated, g->kernel)) {
        g->state = GOAL_MISSED;
        g->value = NAN;
        g->sentence = arena_printf(a, "%s: no kernel of this name was launched", g->kernel);
    } else {
        g->sentence = arena_printf(a, "%s: %s not counted: %s", g->kernel, m->unit,
                                   no_counters   ? no_counters
                                   : v->counters ? "the run left no such counter"
                                                 : "the run left no counters");
    }
}

/* Put off a goal while checks fail: counters then cover only the small launches of the checks. */
static void mark_goal_waiting(verdict *v, goal_row *g)
{
    const metric *m = metric_find(g->metric);
    g->state = GOAL_WAITING;
    g->sentence = arena_printf(&v->memory, "%s: %s are judged once the checks pass", g->kernel,
                               m ? m->unit : g->metric);
}

static void add_check(verdict *v, const char *name, const char *detail, bool pass)
{
    check_row *r = NULL;
    for (size_t i = 0; i < v->check_count && !r; i++)
        if (strcmp(v->checks[i].name, name) == 0)
            r = &v->checks[i];
    if (!r) {
        r = ARENA_PUSH(&v->memory, v->checks, v->check_count);
        *r = (check_row){.name = copy_or_null(&v->memory, name), .pass = true};
    }
    r->sizes++;
    r->passed += pass;
    if (!pass && r->pass)
        r->detail = copy_or_null(&v->memory, detail);
    r->pass &= pass;
}

/* Set the limit that the goal of ROW has at the emulator's size. */
static void set_emulated_limit(verdict *v, const table *t, size_t row)
{
    for (size_t i = 0; i < v->goal_count; i++) {
        goal_row *g = &v->goals[i];
        if (table_is(t, row, "name", g->kernel) && table_is(t, row, "x", g->metric) &&
            table_is(t, row, "status", g->relation))
            g->emulated_limit = table_number_or(t, row, "n", NAN);
    }
}

static void read_record(verdict *v, const table *t)
{
    arena *a = &v->memory;
    for (size_t row = 0; t && row < t->rows; row++) {
        const char *kind = table_get(t, row, "kind"), *name = table_get(t, row, "name");
        const char *status = table_get(t, row, "status");
        if (!kind)
            continue;
        if (table_get(t, row, "source"))
            v->source = copy_or_null(a, table_get(t, row, "source"));
        if (table_get(t, row, "device"))
            v->device = copy_or_null(a, table_get(t, row, "device"));
        if (strcmp(kind, "seed") == 0) {
            v->seed = copy_or_null(a, table_get(t, row, "n"));
        } else if (strcmp(kind, "check") == 0) {
            add_check(v, name ? name : "check", table_get(t, row, "detail"),
                      status && strcmp(status, "pass") == 0);
        } else if (strcmp(kind, "measure") == 0 || strcmp(kind, "copy") == 0 ||
                   strcmp(kind, "reference") == 0) {
            measure_row *m = *kind == 'r' ? ARENA_PUSH(a, v->references, v->reference_count)
                                          : ARENA_PUSH(a, v->measures, v->measure_count);
            *m = (measure_row){
                .name = name ? copy_or_null(a, name) : copy_or_null(a, kind),
                .x = copy_or_null(a, table_get(t, row, "x")),
                .copy = *kind == 'c',
                .n = table_number_or(t, row, "n", NAN),
                .bytes = table_number_or(t, row, "bytes", NAN),
                .ms = table_number_or(t, row, "ms", NAN),
                .gbs = table_number_or(t, row, "gbs", NAN),
            };
        } else if (strcmp(kind, "left_out") == 0 && name) {
            *ARENA_PUSH(a, v->left_out, v->left_out_count) = copy_or_null(a, name);
        } else if (strcmp(kind, "round") == 0 && name) {
            *ARENA_PUSH(a, v->rounds, v->round_count) = (round_row){
                .name = copy_or_null(a, name),
                .x = copy_or_null(a, table_get(t, row, "x")),
                .number = table_number_or(t, row, "status", NAN),
                .gbs = table_number_or(t, row, "gbs", NAN),
            };
        } else if (strcmp(kind, "emulated") == 0) {
            set_emulated_limit(v, t, row);
        } else if (strcmp(kind, "goal") == 0) {
            const char *x = table_get(t, row, "x");
            goal_row *g = x && strcmp(x, COST_METRIC) == 0
                              ? ARENA_PUSH(a, v->cost_limits, v->cost_limit_count)
                              : ARENA_PUSH(a, v->goals, v->goal_count);
            *g = (goal_row){
                .kernel = name ? copy_or_null(a, name) : "?",
                .metric = x ? copy_or_null(a, x) : "?",
                .relation = status ? copy_or_null(a, status) : "?",
                .limit = table_number_or(t, row, "n", 0),
                .emulated_limit = NAN,
                .detail = copy_or_null(a, table_get(t, row, "detail")),
            };
        }
    }
}

static void judge_goals(verdict *v, const chapter *c, const char *no_counters)
{
    size_t failed = verdict_failed_checks(v);
    for (size_t i = 0; i < v->goal_count; i++)
        if (failed)
            mark_goal_waiting(v, &v->goals[i]);
        else
            judge_goal(v, &v->goals[i], no_counters);
    if (failed)
        return;
    OWNED char *path = xprintf("%s/reference.tsv", c->dir);
    OWNED_TABLE table *reference = table_read(path);
    judge_costs(v, c, reference);
}

/* Set the verdict if the way the program ended decides it alone; return true if so. */
static bool judge_how_run_ended(verdict *v, job_end how, int code, double limit_s)
{
    arena *a = &v->memory;
    switch (how) {
    case JOB_TIMEOUT:
        v->kind = VERDICT_TIMEOUT;
        v->reason = arena_printf(a,
                                 "it did not end within %g s and was stopped; is there a loop that "
                                 "never ends? (--timeout gives it longer)",
                                 limit_s);
        return true;
    case JOB_FLOOD:
        v->kind = VERDICT_FLOOD;
        v->reason = code == JOB_LIMIT_FILES
                        ? "it gave the device more data than a recording of its run may hold"
                        : "it wrote more than 1 MiB and was stopped; the beginning is kept";
        return true;
    case JOB_LIMIT:
        v->kind = VERDICT_LIMIT;
        v->reason = arena_printf(a, "it used %s and was stopped", job_limit_words(code));
        return true;
    case JOB_CANCELLED:
        v->kind = VERDICT_CANCELLED;
        v->reason = "you cancelled it";
        return true;
    case JOB_SIGNALLED:
        v->kind = VERDICT_CRASH;
        v->reason = arena_printf(a, "its host code was ended by %s", signal_in_words(code));
        return true;
    case JOB_NO_START:
        v->kind = VERDICT_EXIT;
        v->reason = arena_printf(a, "it could not be started: %s", strerror(code));
        return true;
    case JOB_EXITED: break;
    }
    if (code == 3) {
        v->kind = VERDICT_LACKS;
        v->reason = "the program found no device to run on; see its output";
        return true;
    }
    return false;
}

static const char *sentence_for_pass(verdict *v)
{
    arena *a = &v->memory;
    const char *checks =
        arena_printf(a, "%zu check%s", v->check_count, v->check_count == 1 ? "" : "s");
    if (v->goal_count == 0)
        return checks;
    return arena_printf(a, "%s, %zu goal%s", checks, v->goal_count, v->goal_count == 1 ? "" : "s");
}

static void decide_by_checks(verdict *v, int code)
{
    arena *a = &v->memory;
    size_t failed = verdict_failed_checks(v), missed = verdict_missed_goals(v), unknown = 0;
    for (size_t i = 0; i < v->goal_count; i++)
        unknown += v->goals[i].state == GOAL_UNKNOWN;
    if (failed) {
        v->kind = VERDICT_FAIL;
        v->reason = arena_printf(a, "%zu of %zu check%s failed", failed, v->check_count,
                                 v->check_count == 1 ? "" : "s");
    } else if (code == 127 && v->check_count == 0) {
        v->kind = VERDICT_EXIT;
        v->reason = "the program could not be loaded (exit code 127); see its output";
    } else if (code != 0) {
        v->kind = VERDICT_EXIT;
        v->reason = arena_printf(a, "it ended with exit code %d%s; see its output", code,
                                 v->check_count ? " though no check failed" : " before any check");
    } else if (v->check_count == 0) {
        v->kind = VERDICT_NO_CHECKS;
        v->reason = "it ended, and had checked nothing; is LAB_CHECK still in main?";
    } else if (missed) {
        v->kind = VERDICT_FAIL;
        v->reason = arena_printf(a, "right, but %zu of %zu goal%s %s missed", missed, v->goal_count,
                                 v->goal_count == 1 ? "" : "s", missed == 1 ? "is" : "are");
    } else if (unknown) {
        v->kind = VERDICT_LACKS;
        v->reason = arena_printf(a, "right, but %zu goal%s could not be judged here", unknown,
                                 unknown == 1 ? "" : "s");
    } else {
        v->kind = VERDICT_PASS;
        v->reason = sentence_for_pass(v);
    }
}

void verdict_judge(verdict *v, const chapter *c, const table *record, table *counters, table *lines,
                   job_end how, int code, double limit_s, const char *no_counters)
{
    v->counters = counters;
    v->lines = lines;
    name_timed_launches(counters, record);
    name_timed_launches(without_const(v->emulated), record);
    read_record(v, record);
    judge_goals(v, c, no_counters);
    if (!judge_how_run_ended(v, how, code, limit_s))
        decide_by_checks(v, code);
    for (size_t i = 0; i < c->prediction_count; i++) {
        const prediction *p = &c->predictions[i];
        const metric *m = metric_find(p->metric);
        prediction_row *g = ARENA_PUSH(&v->memory, v->guesses, v->guess_count);
        *g = (prediction_row){.kernel = copy_or_null(&v->memory, p->kernel),
                              .metric = copy_or_null(&v->memory, p->metric)};
        /* The counters of a wrong kernel do not answer the prediction question. */
        g->known = m && verdict_failed_checks(v) == 0 &&
                   verdict_metric(v, p->kernel, m, &g->counted, &g->emulated) && !isnan(g->counted);
    }
    explain_verdict(v, &v->memory);
}

void verdict_add_findings(verdict *v, findings found)
{
    const finding *wrong = findings_first_mistake(&found);
    bool judged = v->kind == VERDICT_PASS || v->kind == VERDICT_FAIL || v->kind == VERDICT_LACKS;
    v->found = found;
    if (v->check_count == 0 || verdict_failed_checks(v))
        return;
    if (!judged) {
        /* A run that was killed after its checks earns no more than one that ended. */
        v->by_luck = wrong;
    } else if (wrong) {
        v->by_luck = true;
        v->kind = VERDICT_FAIL;
        v->reason = wrong->mistake_row->reason;
    } else if (found.damage && v->kind == VERDICT_PASS) {
        v->kind = VERDICT_LACKS;
        v->reason = arena_printf(&v->memory, "right, but %s", found.damage);
    }
}

void verdict_free(verdict *v)
{
    table_free(without_const(v->counters));
    table_free(without_const(v->lines));
    table_free(without_const(v->emulated));
    arena_free(&v->memory);
    *v = (verdict){0};
}
