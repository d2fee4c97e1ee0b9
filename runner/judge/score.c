#include "score.h"

#include "../base/files.h"
#include "cost.h"
#include "spread.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A variant's timed launch must move at least this share of the bytes that its work takes;
 * otherwise another launch, which is not timed, does the work. */
static const double MIN_SHARE_MOVED = 0.5; /* of the bytes that the work takes */

static void give_no_points(point_row *p, const char *remark)
{
    p->state = POINT_MISSED;
    p->withheld = true;
    p->remark = remark;
}

/* A measured ratio misses its limit only if the limit lies outside the confidence interval of the
 * ratio's median. */
static void compare_with_limit(point_row *p)
{
    bool holds = is_relation_true(p->relation, p->reached, p->limit);
    if (p->rounds)
        holds |= p->low <= p->limit && p->limit <= p->high;
    p->state = holds ? POINT_REACHED : POINT_MISSED;
}

/* The share of its points that a rubric row earns. Every size of a check counts the same. A
 * bandwidth below its limit earns a share in proportion to its distance above its floor. */
static double share_earned(const point_row *p)
{
    if (p->state == POINT_REACHED)
        return 1;
    if (p->state != POINT_MISSED || p->withheld)
        return 0;
    if (strcmp(p->kind, rubric_kind_word(RUBRIC_CHECK)) == 0)
        return fmin(p->reached / p->limit, 1);
    double share = (p->reached - p->floor) / (p->limit - p->floor);
    return share > 0 ? fmin(share, 1) : 0;
}

static const char *reason_goals_not_judged(const verdict *v)
{
    return v->by_luck                 ? "with a mistake, goals are not judged"
           : v->judged.wrong          ? "wrong, so goals are not judged"
           : !v->check_count          ? "the lab made no check"
           : verdict_failed_checks(v) ? "judged once all checks pass"
                                      : NULL;
}

static void score_check_row(const verdict *v, point_row *p)
{
    const check_row *r = NULL;
    for (size_t i = 0; i < v->check_count && !r; i++)
        if (strcmp(v->checks[i].name, p->name) == 0)
            r = &v->checks[i];
    p->how = "checked";
    p->reached = r ? (double)r->passed : 0;
    if (!r) {
        give_no_points(p, "the run did not reach this check");
    } else if (v->by_luck) {
        give_no_points(p, "right, but with a reported mistake");
    } else {
        compare_with_limit(p);
        p->remark = r->pass ? NULL : r->detail;
    }
}

/* The measurement of a variant that counts: the one without a sweep value, else the one with the
 * lowest bandwidth. */
static const measure_row *measurement_to_score(const verdict *v, const char *name, bool copy)
{
    const measure_row *least = NULL;
    for (size_t i = 0; i < v->measure_count; i++) {
        const measure_row *m = &v->measures[i];
        if (m->copy != copy || (!copy && strcmp(m->name, name) != 0) || !(m->gbs > 0))
            continue;
        if (!m->x)
            return m;
        if (!least || m->gbs < least->gbs)
            least = m;
    }
    return least;
}

/* Number of different bytes that one of the kernel's largest launches touched, so that a byte read
 * again does not count twice; without this counter (ncu lacks it) the bytes of all sectors. NAN:
 * neither was counted. */
static double bytes_moved(const table *counters, const char *kernel)
{
    static const counter_id sectors[] = {COUNTED_ld_sectors, COUNTED_st_sectors,
                                         COUNTED_atom_sectors, COUNTED_red_sectors,
                                         COUNTED_tex_sectors};
    double bytes = 0, v;
    bool some = false;
    if (counter_mean(counters, kernel, counter_names[COUNTED_footprint_bytes], &v))
        return v;
    for (size_t i = 0; i < sizeof sectors / sizeof *sectors; i++)
        if (counter_mean(counters, kernel, counter_names[sectors[i]], &v)) {
            bytes += 32 * v;
            some = true;
        }
    return some ? bytes : NAN;
}

/* A kernel counts as serial if its busiest warp has more than MAX_BUSIEST_WARP times the average
 * warp's work, or if fewer than MIN_ACTIVE_LANES lanes are active per instruction. */
static const double MAX_BUSIEST_WARP = 16, MIN_ACTIVE_LANES = 2;

/* A sentence if the goals show that few threads of the variant's kernel do all the work; else NULL.
 * Such a kernel meets goals about memory accesses for that reason only. */
static const char *sentence_if_serial(verdict *v, const char *variant)
{
    size_t n = strcspn(variant, "/");
    for (size_t i = 0; i < v->goal_count; i++) {
        const goal_row *g = &v->goals[i];
        if (g->state != GOAL_MISSED || strlen(g->kernel) != n ||
            strncmp(g->kernel, variant, n) != 0)
            continue;
        if ((strcmp(g->metric, "busiest_warp") == 0 && g->value > MAX_BUSIEST_WARP) ||
            (strcmp(g->metric, "lanes_per_instruction") == 0 && g->value < MIN_ACTIVE_LANES))
            return arena_printf(&v->memory, "few threads do the work: %s", g->sentence);
    }
    return NULL;
}

/* A sentence if the variant's launch does not do its work when it is timed; else NULL. */
static const char *sentence_if_work_not_timed(verdict *v, const char *variant)
{
    const measure_row *m = measurement_to_score(v, variant, false);
    char *kernel = arena_strndup(&v->memory, variant, strcspn(variant, "/"));
    double bytes = bytes_moved(v->counters, kernel);
    char some[32], all[32];
    if (!m || !(bytes < MIN_SHARE_MOVED * m->bytes))
        return NULL;
    return arena_printf(
        &v->memory, "the launch that is timed moves %s of the %s bytes that its work takes",
        nice_number(round(bytes), some, sizeof some), nice_number(m->bytes, all, sizeof all));
}

/* Why VARIANT earns points only for correctness, a sentence; NULL: it can earn all points. */
static const char *sentence_if_no_work(verdict *v, const char *variant)
{
    const char *why = sentence_if_work_not_timed(v, variant);
    return why ? why : sentence_if_serial(v, variant);
}

static void score_goal_row(verdict *v, point_row *p)
{
    const goal_row *g = NULL;
    for (size_t i = 0; i < v->goal_count && !g; i++)
        if (strcmp(v->goals[i].kernel, p->name) == 0 &&
            strcmp(v->goals[i].metric, p->metric) == 0 && /* NOLINT: a goal has a metric */
            strcmp(v->goals[i].relation, p->relation) == 0 && v->goals[i].limit == p->limit)
            g = &v->goals[i];
    p->how = "counted";
    if (!g) {
        give_no_points(p, "the run recorded no such goal");
        return;
    }
    static const point_state states[] = {[GOAL_MET] = POINT_REACHED,
                                         [GOAL_MISSED] = POINT_MISSED,
                                         [GOAL_UNKNOWN] = POINT_UNKNOWN,
                                         [GOAL_WAITING] = POINT_WAITING};
    p->state = states[g->state];
    bool judged = g->state == GOAL_MET || g->state == GOAL_MISSED;
    p->reached = judged ? g->value : NAN;
    p->remark = g->state == GOAL_UNKNOWN ? "not counted on this machine" : NULL;
    const char *lazy = sentence_if_no_work(v, p->name);
    if (lazy && judged)
        give_no_points(p, lazy);
}

static void score_cost_row(verdict *v, point_row *p)
{
    const goal_row *g = NULL;
    for (size_t i = 0; i < v->goal_count && !g; i++)
        if (strcmp(v->goals[i].metric, COST_METRIC) == 0 && /* NOLINT: a goal has a metric */
            strcmp(v->goals[i].kernel, p->name) == 0)
            g = &v->goals[i];
    if (!g) {
        give_no_points(p, v->judged.unmeasured
                              ? v->judged.unmeasured
                              : "the book's solution was not run at this size on this "
                                "device, so there is nothing to compare it with");
        return;
    }
    p->reached = g->value;
    p->remark = v->judged.modelled;
    const char *lazy = sentence_if_no_work(v, p->name);
    if (lazy || g->excess)
        give_no_points(p, lazy ? lazy : g->sentence);
    else
        compare_with_limit(p);
}

/* --- lines that no check reached --- */

static code_line *find_or_add_line(verdict *v, const char *function, int number)
{
    for (size_t i = v->code_count; i-- > 0;)
        if (v->code[i].number == number && strcmp(v->code[i].function, function) == 0)
            return &v->code[i];
    code_line *l = ARENA_PUSH(&v->memory, v->code, v->code_count);
    *l = (code_line){.function = arena_strdup(&v->memory, function), .number = number};
    return l;
}

void score_take_coverage(verdict *v, const char *coverage, const char *called, const char *text)
{
    enum { MAX_TEXT_BYTES = 4 << 20 };
    CLEANUP(arena_free) arena memory = {0};
    chapter lab = {0};
    table_reader t;
    table_open(&t, coverage); /* without a rubric that asks for lines there is none */
    OWNED char *lines = t.columns ? read_whole_file(text, MAX_TEXT_BYTES, NULL) : NULL;
    if (lines)
        chapter_read_lab(&lab, &memory, lines);
    while (table_next(&t)) {
        const double line = table_value(&t, "line");
        const int number = line >= 1 && line <= INT_MAX ? (int)line : 0;
        if (number && is_line_in_region(&lab, number) &&
            strcmp(file_name_of(table_field(&t, "path")), file_name_of(called)) == 0) {
            code_line *l = find_or_add_line(v, table_field(&t, "function"), number);
            const double stays = table_value(&t, "stays");
            l->reached = (l->reached && stays <= l->stays) ||
                         (stays >= l->stays && table_value(&t, "taken") > 0);
            l->stays = fmax(l->stays, stays);
        }
    }
    table_close(&t);
}

/* Whether PTX's name FUNCTION, such as _Z3sumPf or _ZN1k3sumILi4EEvPf, is that of KERNEL. */
static bool is_function_of_kernel(const char *function, const char *kernel)
{
    if (strncmp(function, "_Z", 2) != 0)
        return strcmp(function, kernel) == 0;
    const char *p = function + 2, *name = p;
    size_t length = 0;
    for (p += *p == 'N' || *p == 'L'; *p >= '1' && *p <= '9'; p = name + length) {
        char *end;
        length = strtoul(p, &end, 10);
        name = end;
        if (length > strlen(name))
            return false;
    }
    return length == strlen(kernel) && strncmp(name, kernel, length) == 0;
}

static int compare_lines(const void *x, const void *y)
{
    const code_line *a = x, *b = y;
    return a->number != b->number ? a->number - b->number : b->reached - a->reached;
}

static void score_lines_row(verdict *v, point_row *p)
{
    size_t all = 0, missed = 0;
    int last = 0;
    CLEANUP(sb_free) sb list = {0};
    if (v->code_count)
        qsort(v->code, v->code_count, sizeof *v->code, compare_lines);
    for (size_t i = 0; i < v->code_count; i++) {
        const code_line *l = &v->code[i];
        /* Of several instances of a template, one that reached the line is first. */
        if (!is_function_of_kernel(l->function, p->name) || l->number == last)
            continue;
        last = l->number;
        all++;
        if (!l->reached)
            sb_printf(&list, "%s%d", missed++ ? ", " : "", l->number);
    }
    p->state = v->code_count ? POINT_MISSED : POINT_UNKNOWN;
    p->remark =
        v->code_count ? "no line of yours is in this kernel" : "not counted on this machine";
    if (all) {
        p->reached = (double)missed;
        compare_with_limit(p);
        p->remark = missed ? arena_printf(&v->memory, "no check reached line%s %s",
                                          missed == 1 ? "" : "s", list.s)
                           : NULL;
    }
}

static bool is_round_of_variant(const round_row *r, const measure_row *m)
{
    bool same_x = r->x && m->x ? strcmp(r->x, m->x) == 0 : r->x == m->x;
    return same_x && strcmp(r->name, m->name) == 0;
}

/* The bandwidth of variant M in round NUMBER; NAN: the variant was not measured in that round. */
static double bandwidth_in_round(const verdict *v, const measure_row *m, double number)
{
    for (size_t i = 0; i < v->round_count; i++)
        if (v->rounds[i].number == number && is_round_of_variant(&v->rounds[i], m))
            return v->rounds[i].gbs;
    return NAN;
}

/* The bandwidth of MINE in percent of OTHER: the median over the rounds that measured both, else
 * the quotient of the two medians. */
static void set_speed_ratio(const verdict *v, point_row *p, const measure_row *mine,
                            const measure_row *other)
{
    enum { MAX_ROUNDS = 200 };
    double ratio[MAX_ROUNDS];
    size_t count = 0;
    for (size_t i = 0; i < v->round_count && count < MAX_ROUNDS; i++) {
        const round_row *r = &v->rounds[i];
        double percent = is_round_of_variant(r, mine)
                             ? 100 * r->gbs / bandwidth_in_round(v, other, r->number)
                             : NAN;
        if (isfinite(percent))
            ratio[count++] = percent;
    }
    p->reached = 100 * mine->gbs / other->gbs;
    p->rounds = count;
    if (count == 0)
        return;
    spread s = median_and_interval(ratio, count);
    p->reached = s.median;
    p->low = s.low;
    p->high = s.high;
}

/* No kernel moves its bytes at more than this many times the bandwidth of the device's own copy. */
static const double MAX_COPY_BANDWIDTH = 2; /* times the bandwidth of the device's copy */

/* A sentence if the bandwidth of M is higher than memory allows; else NULL. (Measured arrays are
 * larger than L2, so a cache cannot explain it.) */
static const char *sentence_if_impossible(verdict *v, const measure_row *m)
{
    const measure_row *copy = measurement_to_score(v, "copy", true);
    if (!copy || !(m->gbs > MAX_COPY_BANDWIDTH * copy->gbs))
        return NULL;
    return arena_printf(&v->memory,
                        "%.0f GB/s is %.1f times the device's own copy, which is not possible: an "
                        "error, no achievement",
                        m->gbs, m->gbs / copy->gbs);
}

static void score_bandwidth_row(verdict *v, point_row *p)
{
    const measure_row *mine = measurement_to_score(v, p->name, false);
    const measure_row *other = measurement_to_score(v, p->metric, !p->metric);
    if (!mine || !other) {
        give_no_points(
            p, v->judged.unmeasured ? v->judged.unmeasured
               : !mine              ? "the run measured no such variant"
                       : arena_printf(&v->memory, "the run measured no %s to compare it with",
                                      p->metric ? p->metric : "copy by the device itself"));
        return;
    }
    set_speed_ratio(v, p, mine, other);
    p->remark = v->judged.modelled;
    const char *lazy = sentence_if_no_work(v, p->name), *wrong = sentence_if_impossible(v, mine);
    if (lazy || wrong)
        give_no_points(p, lazy ? lazy : wrong);
    else
        compare_with_limit(p);
}

static void score_rubric_row(verdict *v, const rubric_row *r)
{
    arena *a = &v->memory;
    point_row *p = ARENA_PUSH(a, v->score.rows, v->score.count);
    *p = (point_row){
        .kind = rubric_kind_word(r->kind),
        .name = arena_strdup(a, r->name),
        .metric = r->metric ? arena_strdup(a, r->metric) : NULL,
        .relation = arena_strdup(a, r->relation),
        .sentence = arena_strdup(a, r->sentence),
        .limit = r->limit,
        .floor = r->floor,
        .points = r->points,
        .hidden = r->hidden,
        .reached = NAN,
        .low = NAN,
        .high = NAN,
        .state = POINT_WAITING,
        .how = r->kind < RUBRIC_BANDWIDTH ? "counted"
               : v->source                ? v->source
                                          : "modelled",
    };
    v->score.of += r->points;
    if (!v->score.graded)
        return;
    const char *wait = reason_goals_not_judged(v);
    if (r->kind == RUBRIC_CHECK)
        score_check_row(v, p);
    else if (wait)
        p->remark = wait;
    else if (r->kind == RUBRIC_GOAL)
        score_goal_row(v, p);
    else if (r->kind == RUBRIC_LINES)
        score_lines_row(v, p);
    else if (r->kind == RUBRIC_COST)
        score_cost_row(v, p);
    else
        score_bandwidth_row(v, p);
    p->given = floor(10 * p->points * share_earned(p) + 1e-9) / 10;
    v->score.given += p->given;
}

static bool is_unrelated_to_lab(verdict_kind kind)
{
    return kind == VERDICT_CANCELLED || kind == VERDICT_BROKEN || kind == VERDICT_INTERNAL;
}

/* Whether all points that were not given are of rows that could not be judged. */
static bool has_unknown_points(const verdict *v)
{
    bool unknown = false, missed = false;
    for (size_t i = 0; i < v->score.count; i++) {
        unknown |= v->score.rows[i].state == POINT_UNKNOWN;
        missed |= v->score.rows[i].state != POINT_UNKNOWN &&
                  v->score.rows[i].given < v->score.rows[i].points;
    }
    return unknown && !missed;
}

void score_verdict(verdict *v, const rubric *r)
{
    char words[64];
    if (is_unrelated_to_lab(v->kind) || (v->kind == VERDICT_LACKS && v->check_count == 0))
        return;
    v->score.graded = (v->judged.tried || ((v->text.flaws_are_notes || v->text.flaw_count == 0) &&
                                           v->text.touched == 0)) &&
                      v->kind != VERDICT_UNGRADED && v->kind != VERDICT_POLICY;
    v->score.not_shown = r->not_shown;
    for (size_t i = 0; i < r->count; i++)
        score_rubric_row(v, &r->rows[i]);
    if (!v->score.graded) {
        if (v->kind == VERDICT_PASS) {
            v->kind = VERDICT_UNGRADED;
            v->reason = "it passes, but its text has forbidden changes; see below";
        }
        return;
    }
    score_in_words(v, words, sizeof words);
    if (v->kind == VERDICT_PASS) {
        const bool all = v->score.given == v->score.of, judged = !has_unknown_points(v);
        v->kind = all ? VERDICT_PASS : judged ? VERDICT_FAIL : VERDICT_LACKS;
        v->reason =
            all       ? arena_printf(&v->memory, "%s, %s", v->reason, words)
            : !judged ? arena_printf(&v->memory, "right, but only %s could be judged here", words)
            : v->judged.unmeasured
                ? arena_printf(&v->memory, "right, but only %s: %s", words, v->judged.unmeasured)
                : arena_printf(&v->memory, "right, but only %s", words);
    } else if (v->kind == VERDICT_FAIL || v->kind == VERDICT_LACKS) {
        v->reason = arena_printf(&v->memory, "%s; %s", v->reason, words);
    }
}

const char *score_in_words(const verdict *v, char *buf, size_t size)
{
    char given[32], of[32];
    if (v->score.count == 0)
        return NULL;
    if (v->score.graded)
        snprintf(buf, size, "%s of %s points", nice_number(v->score.given, given, sizeof given),
                 nice_number(v->score.of, of, sizeof of));
    else
        snprintf(buf, size, "not graded");
    return buf;
}
