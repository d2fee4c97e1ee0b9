#include "marks.h"

#include "../../emulator/base/spelling.h"
#include "../base/files.h"
#include "../base/json.h"
#include "../book/metrics.h"
#include "csv.h"
#include "roster.h"

#include <math.h>
#include <string.h>

enum { DAY_SECONDS = 86400 }; /* number of seconds of a day */

double marks_penalty(double points, int64_t late, double grace_minutes, double percent_a_day,
                     double cap_percent, double *days)
{
    bool counts = late > 0 && (double)late > 60 * grace_minutes;
    *days = counts ? ceil((double)late / DAY_SECONDS) : 0;
    return round(10 * points * fmin(*days * percent_a_day, cap_percent) / 100) / 10;
}

/* --- making marks from a stored result --- */

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

/* Label of a rubric row, such as "transpose: sectors per load request, at most 16"; all rows of a
 * rubric have different labels. */
static const char *label_of_row(arena *a, json_t *row)
{
    const char *kind = text_or_empty(member_text(row, "kind")),
               *name = text_or_empty(member_text(row, "name"));
    const char *word = member_text(row, "metric"),
               *relation = text_or_empty(member_text(row, "relation"));
    const metric *m = word ? metric_find(word) : NULL;
    char limit[32], floor_[32];
    nice_number(results_number(row, "limit"), limit, sizeof limit);
    if (strcmp(kind, "check") == 0)
        return arena_printf(a, "%s: sizes that are right, of %s", name, limit);
    if (strcmp(kind, "goal") == 0)
        return arena_printf(a, "%s: %s, %s %s", name, m ? m->unit : text_or_empty(word),
                            strcmp(relation, "at_most") == 0    ? "at most"
                            : strcmp(relation, "at_least") == 0 ? "at least"
                                                                : "exactly",
                            limit);
    if (strcmp(kind, "lines") == 0)
        return arena_printf(a, "%s: lines that no check reached, at most %s", name, limit);
    const bool cost = strcmp(kind, "cost") == 0;
    const char *unit =
        cost ? "times the solution's time" : arena_printf(a, "%% of %s", word ? word : "a copy");
    if (isnan(results_number(row, "floor")))
        return arena_printf(a, "%s: %s, %s %s", name, unit, cost ? "at most" : "at least", limit);
    return arena_printf(a, "%s: %s, points from %s, all at %s", name, unit,
                        nice_number(results_number(row, "floor"), floor_, sizeof floor_), limit);
}

/* Set the kernel that the row ROW times, and the names under which `grade` prints it: in the table
 * of points, and in a summary. */
static void set_names(arena *a, mark_row *r, json_t *row)
{
    const char *kind = text_or_empty(member_text(row, "kind")),
               *name = text_or_empty(member_text(row, "name")), *word = member_text(row, "metric");
    const bool check = strcmp(kind, "check") == 0, cost = strcmp(kind, "cost") == 0,
               lines = strcmp(kind, "lines") == 0;
    r->timed = check || cost || lines || strcmp(kind, "goal") == 0 ? NULL : name;
    r->names[0] = check ? arena_printf(a, "%s, sizes right", name) : r->label;
    r->names[1] =
        arena_printf(a, "%s, %s", arena_strndup(a, r->label, strcspn(r->label, ",")), r->how);
    r->names[2] = arena_printf(a, "%s %s", name,
                               check           ? "wrong"
                               : cost || lines ? kind
                               : word          ? word
                                               : "bandwidth");
}

static void add_mark_row(marks *m, mark *to, json_t *row)
{
    mark_row *r = ARENA_PUSH(&m->memory, to->rows, to->row_count);
    *r = (mark_row){.label = label_of_row(&m->memory, row),
                    .sentence = text_or_empty(member_text(row, "sentence")),
                    .remark = member_text(row, "remark"),
                    .how = text_or_empty(member_text(row, "how")),
                    .reached = results_number(row, "reached"),
                    .points = results_number(row, "points"),
                    .judged = results_number(row, "given"),
                    .hidden = json_is_true(json_object_get(row, "hidden"))};
    r->given = r->judged;
    set_names(&m->memory, r, row);
}

static void add_mark(marks *m, json_t *one)
{
    mark *k = ARENA_PUSH(&m->memory, m->list, m->count);
    json_t *row,
        *rows = json_object_get(json_object_get(json_object_get(one, "result"), "points"), "rows");
    size_t i;
    json_t *submission = json_object_get(one, "submission");
    const char *submitted = member_text(submission, "submitted");
    *k = (mark){.student = member_text(one, "student"),
                .name = text_or_empty(member_text(one, "name")),
                .email = text_or_empty(member_text(one, "email")),
                .lab = member_text(one, "lab"),
                .title = text_or_empty(member_text(one, "title")),
                .word = text_or_empty(member_text(one, "verdict")),
                .submitted = submitted ? parse_time(submitted) : 0,
                .of = results_number(one, "of"),
                .note = member_text(submission, "note"),
                .judged = results_number(one, "points"),
                .result = one};
    k->raw = k->judged;
    json_array_foreach(rows, i, row)
        add_mark_row(m, k, row);
}

/* --- reading the marker's files --- */

/* Read a file that the marker writes; a missing file counts as empty. */
static bool read_results_table(results *r, const char *name, csv_table *t, char *err,
                               size_t err_size)
{
    OWNED char *path = xprintf("%s/%s", r->dir, name);
    *t = (csv_table){0};
    return !file_exists(path) || csv_read(t, path, err, err_size);
}

typedef struct late_rule {
    const char *lab;   /* name of the lab; "*": all labs without a rule of their own */
    int64_t due;       /* due date, seconds since 1970 */
    double grace;      /* minutes after `due` that do not count as late */
    double a_day, cap; /* percent of the points taken off per day late; at most, in percent */
} late_rule;

/* Parse a number from 0 to MOST; an empty field gives OTHER. False: it is no such number. */
static bool parse_number_field(const csv_table *t, size_t row, int column, double other,
                               double most, double *out)
{
    const char *field = csv_field(t, row, column);
    *out = other;
    return !*field || (parse_number(field, out) && *out >= 0 && *out <= most);
}

static bool report_mistake_in_line(const char *file, size_t row, const char *what, char *err,
                                   size_t err_size)
{
    return fails(err, err_size, "%s, row %zu: %s", file, row + 1, what);
}

static bool read_late_rules(results *r, arena *a, late_rule **rules, size_t *count, char *err,
                            size_t err_size)
{
    csv_table t;
    bool ok = read_results_table(r, "late.csv", &t, err, err_size);
    const int lab = csv_column(&t, (const char *const[]){"lab", NULL}),
              due = csv_column(&t, (const char *const[]){"due", NULL}),
              grace = csv_column(&t, (const char *const[]){"grace minutes", "grace", NULL}),
              a_day = csv_column(&t, (const char *const[]){"percent per day", "percent", NULL}),
              cap = csv_column(&t, (const char *const[]){"cap percent", "cap", NULL});
    for (size_t row = 1; ok && row < t.rows; row++) {
        late_rule one = {.lab = arena_strdup(a, csv_field(&t, row, lab)),
                         .due = parse_time(csv_field(&t, row, due))};
        if (!*one.lab || !one.due)
            ok = report_mistake_in_line("late.csv", row,
                                        "needs a lab (or *) and when it is due, as 2026-11-20 "
                                        "23:59",
                                        err, err_size);
        else if (!parse_number_field(&t, row, grace, 0, 1e6, &one.grace) ||
                 !parse_number_field(&t, row, a_day, 0, 100, &one.a_day) ||
                 !parse_number_field(&t, row, cap, 100, 100, &one.cap))
            ok = report_mistake_in_line("late.csv", row,
                                        "grace minutes, percent per day and cap percent are "
                                        "numbers from 0, percents up to 100",
                                        err, err_size);
        else
            *ARENA_PUSH(a, *rules, *count) = one;
    }
    csv_free(&t);
    return ok;
}

/* True: WORD names LAB in one of the forms labs/01-sum, labs-01-sum, 01-sum or sum. */
static bool is_name_of_lab(const char *word, const char *lab)
{
    const char *name = file_name_of(lab);
    CLEANUP(arena_free) arena a = {0};
    return strcmp(word, lab) == 0 || strcmp(word, results_lab_name(&a, lab)) == 0 ||
           strcmp(word, name) == 0 || (strlen(name) > 3 && strcmp(word, name + 3) == 0);
}

static const late_rule *late_rule_for_lab(const late_rule *rules, size_t count, const char *lab)
{
    const late_rule *other = NULL;
    for (size_t i = 0; i < count; i++)
        if (is_name_of_lab(rules[i].lab, lab))
            return &rules[i];
        else if (strcmp(rules[i].lab, "*") == 0)
            other = &rules[i];
    return other;
}

/* Column numbers in overrides.csv. */
typedef struct override_columns {
    int student, lab, row, points, due, comment; /* index of each column; -1: missing */
} override_columns;

/* How well WORD names row R: 2: it is one of its names, 1: the beginning of one, 0: neither. */
static int likeness_to_row(arena *a, const mark_row *r, const char *word)
{
    const char *own = comparable_name(a, word);
    const char *const names[] = {r->label, r->names[0], r->names[1], r->names[2]};
    int best = 0;
    for (size_t i = 0; *own && i < sizeof names / sizeof *names && best < 2; i++) {
        const char *name = comparable_name(a, names[i]);
        if (strncmp(name, own, strlen(own)) == 0)
            best = name[strlen(own)] ? 1 : 2;
    }
    return best;
}

/* The row that WORD names: by its number, by a name under which it is printed, or by the beginning
 * of one. NULL: no row, or several. */
static mark_row *find_rubric_row(mark *k, const char *word)
{
    double number;
    if (parse_number(word, &number))
        return number >= 1 && number <= (double)k->row_count && number == floor(number)
                   ? &k->rows[(size_t)number - 1]
                   : NULL;
    CLEANUP(arena_free) arena a = {0};
    mark_row *found = NULL;
    int best = 0;
    for (size_t i = 0; i < k->row_count; i++) {
        int likeness = likeness_to_row(&a, &k->rows[i], word);
        if (likeness && likeness == best)
            found = NULL;
        else if (likeness > best)
            found = &k->rows[i];
        best = likeness > best ? likeness : best;
    }
    return found;
}

/* A sentence that names the rows of K, for a WORD that names none or several. In A. */
static const char *sentence_about_rows(arena *a, const mark *k, const char *word)
{
    CLEANUP(sb_free) sb text = {0};
    sb_printf(&text, "`%s` is not one row of %s, whose rows are", word, k->lab);
    for (size_t i = 0; i < k->row_count; i++)
        sb_printf(&text, "%s %zu `%s`", i ? "," : "", i + 1, k->rows[i].label);
    sb_printf(&text, "%s total and final", k->row_count ? "," : "");
    return arena_strdup(a, text.s);
}

static const char *append_line(arena *a, const char *before, const char *line)
{
    return before ? arena_printf(a, "%s\n%s", before, line) : arena_strdup(a, line);
}

/* Sum of the points of all rows, which replaces the judged total. */
static void sum_row_points(mark *k)
{
    k->raw = 0;
    for (size_t i = 0; i < k->row_count; i++)
        k->raw += k->rows[i].given;
    k->raw = round(10 * k->raw) / 10;
}

/* Apply a row of overrides.csv to mark K. Returns a sentence about what is wrong, or NULL. */
static const char *apply_override(marks *m, mark *k, const csv_table *t, size_t i,
                                  const override_columns *c, double *final)
{
    const char *word = csv_field(t, i, c->row), *comment = csv_field(t, i, c->comment);
    const char *due = csv_field(t, i, c->due);
    double points;
    bool has_points = *csv_field(t, i, c->points), whole = !*word || strcmp(word, "total") == 0;
    bool fixed = strcmp(word, "final") == 0;
    mark_row *row = whole || fixed ? NULL : find_rubric_row(k, word);
    if (!parse_number_field(t, i, c->points, NAN, 1e6, &points))
        return "points must be a number from 0";
    if (!whole && !fixed && !row)
        return sentence_about_rows(&m->memory, k, word);
    if (has_points && !*word)
        return "points need a row, total or final";
    if (*due && !parse_time(due))
        return "due must be a time such as 2026-11-20 23:59";
    if (*due)
        k->due = parse_time(due);
    if (*comment && row)
        row->comment = append_line(&m->memory, row->comment, comment);
    else if (*comment)
        k->comment = append_line(&m->memory, k->comment, comment);
    k->overridden |= has_points;
    if (has_points && row) {
        row->given = points;
        sum_row_points(k);
    } else if (has_points && fixed) {
        *final = points;
    }
    return NULL;
}

/* Apply an override of `total`, which replaces the sum of all rows. */
static void apply_total_override(mark *k, const csv_table *t, size_t i, const override_columns *c)
{
    if (strcmp(csv_field(t, i, c->row), "total") == 0 && *csv_field(t, i, c->points))
        parse_number(csv_field(t, i, c->points), &k->raw);
}

static void apply_lateness(mark *k, const late_rule *rule, double final)
{
    if (rule && !k->due)
        k->due = rule->due;
    int64_t late = k->due && k->submitted ? k->submitted - k->due : 0;
    if (rule)
        k->penalty = marks_penalty(k->raw, late, rule->grace, rule->a_day, rule->cap, &k->days);
    k->final = isnan(final) ? round(10 * (k->raw - k->penalty)) / 10 : final;
}

static bool override_is_about(const csv_table *t, size_t i, const override_columns *c,
                              const char *student, const char *lab)
{
    const char *of = csv_field(t, i, c->lab);
    return (!student || strcmp(csv_field(t, i, c->student), student) == 0) &&
           (!lab || !*of || is_name_of_lab(of, lab));
}

/* Append the distinct texts that the results ALL have under KEY: all if there are few, else those
 * that WORD may be a misspelling of. */
static void list_known(sb *out, json_t *all, const char *key, const char *word)
{
    enum { FEW = 12 };
    const char *last = "", *separator = ": ";
    json_t *one;
    size_t i, count = 0;
    json_array_foreach(all, i, one) {
        count += strcmp(member_text(one, key), last) != 0;
        last = member_text(one, key);
    }
    json_array_foreach(all, i, one) {
        const char *name = member_text(one, key);
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = strcmp(member_text(json_array_get(all, k), key), name) != 0;
        if (!first || (count > FEW && !is_misspelling(word, name)))
            continue;
        sb_printf(out, "%s%s", separator, name);
        separator = ", ";
    }
}

/* Whether row I of overrides.csv is about a student and a lab that some of the results ALL are
 * about; else a sentence is in ERR. */
static bool override_names_results(json_t *all, const csv_table *t, size_t i,
                                   const override_columns *c, char *err, size_t err_size)
{
    const char *student = csv_field(t, i, c->student), *lab = csv_field(t, i, c->lab);
    bool student_known = false, lab_known = false;
    json_t *one;
    size_t k;
    json_array_foreach(all, k, one) {
        student_known |= override_is_about(t, i, c, member_text(one, "student"), NULL);
        lab_known |= override_is_about(t, i, c, NULL, member_text(one, "lab"));
    }
    CLEANUP(sb_free) sb text = {0};
    if (!student_known) {
        sb_printf(&text, "no result is of the student `%s`", student);
        list_known(&text, all, "student", student);
    } else if (!lab_known) {
        sb_printf(&text, "no result is of the lab `%s`", lab);
        list_known(&text, all, "lab", lab);
    }
    return !text.len || report_mistake_in_line("overrides.csv", i, text.s, err, err_size);
}

/* Check the names in all rows of overrides.csv. LAB: only its results were read; NULL: all were. */
static bool check_override_names(const marks *m, results *r, const char *lab, const csv_table *t,
                                 const override_columns *c, char *err, size_t err_size)
{
    if (t->rows < 2)
        return true;
    json_auto_t *all = lab ? results_read_all(r, NULL) : json_incref(m->all);
    bool ok = true;
    for (size_t i = 1; ok && i < t->rows; i++)
        ok = !*csv_field(t, i, c->student) || override_names_results(all, t, i, c, err, err_size);
    return ok;
}

static bool find_override_columns(const csv_table *t, override_columns *c, char *err,
                                  size_t err_size)
{
    *c = (override_columns){.student = csv_column(t, (const char *const[]){"student", NULL}),
                            .lab = csv_column(t, (const char *const[]){"lab", NULL}),
                            .row = csv_column(t, (const char *const[]){"row", NULL}),
                            .points = csv_column(t, (const char *const[]){"points", NULL}),
                            .due = csv_column(t, (const char *const[]){"due", NULL}),
                            .comment = csv_column(t, (const char *const[]){"comment", NULL})};
    return !t->rows || c->student >= 0 ||
           report_mistake_in_line("overrides.csv", 0,
                                  "the first row names the columns: student, lab, row, points, "
                                  "due, comment",
                                  err, err_size);
}

static bool apply_overrides(marks *m, const csv_table *t, const override_columns *c,
                            const late_rule *rules, size_t rule_count, char *err, size_t err_size)
{
    for (size_t k = 0; k < m->count; k++) {
        mark *one = &m->list[k];
        double final = NAN;
        for (size_t i = 1; i < t->rows; i++) {
            const char *wrong = override_is_about(t, i, c, one->student, one->lab)
                                    ? apply_override(m, one, t, i, c, &final)
                                    : NULL;
            if (wrong)
                return report_mistake_in_line("overrides.csv", i, wrong, err, err_size);
        }
        for (size_t i = 1; i < t->rows; i++)
            if (override_is_about(t, i, c, one->student, one->lab))
                apply_total_override(one, t, i, c);
        apply_lateness(one, late_rule_for_lab(rules, rule_count, one->lab), final);
    }
    return true;
}

/* Read the nicknames of those who want to be on the scoreboard. */
static bool read_nicknames(marks *m, results *r, char *err, size_t err_size)
{
    csv_table t;
    if (!read_results_table(r, "nicknames.csv", &t, err, err_size))
        return false;
    const int student = csv_column(&t, (const char *const[]){"student", NULL}),
              nickname = csv_column(&t, (const char *const[]){"nickname", NULL});
    bool ok =
        !t.rows || (student >= 0 && nickname >= 0) ||
        report_mistake_in_line("nicknames.csv", 0,
                               "the first row names the columns: student, nickname", err, err_size);
    for (size_t row = 1; ok && row < t.rows; row++)
        for (size_t i = 0; i < m->count; i++)
            if (*csv_field(&t, row, nickname) &&
                strcmp(csv_field(&t, row, student), m->list[i].student) == 0)
                m->list[i].nickname = arena_strdup(&m->memory, csv_field(&t, row, nickname));
    csv_free(&t);
    return ok;
}

static void read_similarity_reports(marks *m, results *r)
{
    for (size_t i = 0; i < m->count; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= strcmp(m->list[k].lab, m->list[i].lab) != 0;
        json_t *one =
            first ? results_read_similarity(r, results_lab_name(&m->memory, m->list[i].lab)) : NULL;
        if (one)
            *ARENA_PUSH(&m->memory, m->similar, m->similar_count) = one;
    }
}

bool marks_read(marks *m, results *r, const char *lab, char *err, size_t err_size)
{
    late_rule *rules = NULL;
    size_t rule_count = 0, i;
    CLEANUP(csv_free) csv_table t = {0};
    override_columns c;
    json_t *one;
    *m = (marks){.all = results_read_all(r, lab)};
    m->dir = arena_strdup(&m->memory, r->dir);
    json_array_foreach(m->all, i, one)
        add_mark(m, one);
    bool ok = read_nicknames(m, r, err, err_size) &&
              read_late_rules(r, &m->memory, &rules, &rule_count, err, err_size) &&
              read_results_table(r, "overrides.csv", &t, err, err_size) &&
              find_override_columns(&t, &c, err, err_size) &&
              check_override_names(m, r, lab, &t, &c, err, err_size) &&
              apply_overrides(m, &t, &c, rules, rule_count, err, err_size);
    read_similarity_reports(m, r);
    if (!ok)
        marks_free(m);
    return ok;
}

void marks_free(marks *m)
{
    json_decref(m->all);
    for (size_t i = 0; i < m->similar_count; i++)
        json_decref(m->similar[i]);
    arena_free(&m->memory);
    *m = (marks){0};
}
