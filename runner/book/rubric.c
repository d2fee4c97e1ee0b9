#include "rubric.h"

#include "metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const rubric_columns[] = {"points",   "kind",  "name",    "metric",
                                             "relation", "limit", "sentence"};
enum {
    COLUMN_POINTS,   /* index of the column `points` */
    COLUMN_KIND,     /* index of the column `kind` */
    COLUMN_NAME,     /* index of the column `name` */
    COLUMN_METRIC,   /* index of the column `metric` */
    COLUMN_RELATION, /* index of the column `relation` */
    COLUMN_LIMIT,    /* index of the column `limit` */
    COLUMN_SENTENCE, /* index of the column `sentence` */
    COLUMN_COUNT     /* number of columns */
};

/* A row may have an eighth field, `visibility`, with the value `hidden`. */
static const char visibility_column[] = "visibility", hidden_word[] = "hidden";

static const char *const rubric_kind_words[] = {"check",     "goal",  "lines",
                                                "bandwidth", "ratio", "cost"};
enum { KIND_COUNT = sizeof rubric_kind_words / sizeof *rubric_kind_words }; /* number of kinds */

const char *rubric_kind_word(rubric_kind kind)
{
    return rubric_kind_words[kind];
}

static bool find_word_in_list(const char *word, const char *const *list, size_t n, size_t *which)
{
    for (size_t i = 0; i < n; i++)
        if (word && strcmp(word, list[i]) == 0) {
            *which = i;
            return true;
        }
    return false;
}

/* Split a line at tabs into FIELDS fields, or one more, which goes to *EIGHTH (else NULL). An empty
 * field or `-` becomes NULL. False: the line has another number of fields. */
static bool split_fields(char *line, const char *fields[COLUMN_COUNT], const char **eighth)
{
    char *field[COLUMN_COUNT + 2];
    const size_t n = cut_fields(line, field, COLUMN_COUNT + 2);
    *eighth = NULL;
    for (size_t k = 0; k < n && k <= COLUMN_COUNT; k++)
        *(k < COLUMN_COUNT ? &fields[k] : eighth) =
            *field[k] && strcmp(field[k], "-") != 0 ? field[k] : NULL;
    return n == COLUMN_COUNT || n == COLUMN_COUNT + 1;
}

/* Read a limit: a number, "95", or a range "20..95": no points at 20, full points at 95. */
static bool parse_limit(const char *field, rubric_row *row, arena *a)
{
    const char *dots = field ? strstr(field, "..") : NULL;
    row->floor = NAN;
    if (!dots)
        return parse_number(field, &row->limit);
    return parse_number(arena_strndup(a, field, (size_t)(dots - field)), &row->floor) &&
           parse_number(dots + 2, &row->limit) && row->floor != row->limit;
}

/* Parse a row of FIELDS. Returns a sentence about what is wrong with the row, or NULL. */
static const char *parse_rubric_row(rubric_row *row, const char *fields[COLUMN_COUNT], arena *a)
{
    static const char *const relations[] = {"at_most", "at_least", "equal"};
    size_t kind, relation;
    if (!parse_number(fields[COLUMN_POINTS], &row->points) || row->points <= 0)
        return arena_printf(a, "the points must be a number above 0, not %s",
                            fields[COLUMN_POINTS] ? fields[COLUMN_POINTS] : "nothing");
    if (!find_word_in_list(fields[COLUMN_KIND], rubric_kind_words, KIND_COUNT, &kind))
        return arena_printf(a,
                            "the kind must be check, goal, lines, bandwidth, ratio or cost, not %s",
                            fields[COLUMN_KIND] ? fields[COLUMN_KIND] : "nothing");
    if (!fields[COLUMN_NAME])
        return "the name of a check, a kernel or a variant is missing";
    if (!find_word_in_list(fields[COLUMN_RELATION], relations, 3, &relation))
        return arena_printf(a, "the relation must be at_most, at_least or equal, not %s",
                            fields[COLUMN_RELATION] ? fields[COLUMN_RELATION] : "nothing");
    if (!parse_limit(fields[COLUMN_LIMIT], row, a))
        return arena_printf(a, "the limit must be a number, or a range such as 20..95, not %s",
                            fields[COLUMN_LIMIT] ? fields[COLUMN_LIMIT] : "nothing");
    if (!fields[COLUMN_SENTENCE])
        return "the sentence that says what the points are for is missing";
    row->kind = (rubric_kind)kind;
    row->name = fields[COLUMN_NAME];
    row->metric = fields[COLUMN_METRIC];
    row->relation = fields[COLUMN_RELATION];
    row->sentence = fields[COLUMN_SENTENCE];
    const bool least = strcmp(row->relation, "at_least") == 0;
    if (!isnan(row->floor) &&
        (row->kind < RUBRIC_BANDWIDTH || (row->kind == RUBRIC_COST) == least ||
         (row->floor < row->limit) != least))
        return "two limits (A..B, no points at A, all at B) are for bandwidths and ratios with the "
               "relation at_least and A < B, and for costs with at_most and A > B";
    switch (row->kind) {
    case RUBRIC_CHECK:
        if (row->metric)
            return "a check has no metric: write -";
        if (strcmp(row->relation, "equal") != 0 || row->limit < 1 ||
            row->limit != floor(row->limit))
            return "a check has the relation equal, and its limit is the number of its sizes";
        break;
    case RUBRIC_GOAL:
        if (!row->metric || !metric_find(row->metric))
            return arena_printf(a, "there is no metric %s; runner/book/metrics.def lists them",
                                row->metric ? row->metric : "-");
        break;
    case RUBRIC_LINES:
        if (row->metric || strcmp(row->relation, "at_most") != 0 || row->limit < 0 ||
            row->limit != floor(row->limit))
            return "lines have no metric (write -) and the relation at_most, and their limit is "
                   "how many of them no check may reach, such as 0";
        break;
    case RUBRIC_BANDWIDTH:
        if (!row->metric || strcmp(row->metric, "percent") != 0)
            return "write percent as the metric of a bandwidth row: its limit is in percent of a "
                   "plain copy";
        row->metric = NULL;
        break;
    case RUBRIC_RATIO:
        if (!row->metric)
            return "the metric of a ratio is the variant that counts as 100 percent";
        break;
    case RUBRIC_COST:
        if (row->metric || strcmp(row->relation, "at_most") != 0)
            return "a cost has no metric (write -) and the relation at_most: its limit is in times "
                   "the time of the book's solution";
        break;
    }
    return NULL;
}

static bool are_texts_equal(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

/* True if both rows give their points in bands of one value that lie next to each other, such as
 * 15..50 and 50..70. */
static bool are_bands_apart(const rubric_row *a, const rubric_row *b)
{
    return fmin(fmax(a->floor, a->limit), fmax(b->floor, b->limit)) <=
           fmax(fmin(a->floor, a->limit), fmin(b->floor, b->limit));
}

/* True if rows A and B give points for the same thing. */
static bool are_rows_alike(const rubric_row *a, const rubric_row *b)
{
    if (a->kind != b->kind || !are_texts_equal(a->name, b->name) ||
        !are_texts_equal(a->metric, b->metric) || !are_texts_equal(a->relation, b->relation))
        return false;
    return isnan(a->floor) || isnan(b->floor) || !are_bands_apart(a, b);
}

static bool is_rubric_header(const char *fields[COLUMN_COUNT], const char *eighth)
{
    if (eighth && strcmp(eighth, visibility_column) != 0)
        return false;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (!are_texts_equal(fields[i], rubric_columns[i]))
            return false;
    return true;
}

/* Read the row that stands for all hidden rows in a student's copy: it holds only their points. */
static const char *read_hidden_points(rubric *r, const char *fields[COLUMN_COUNT])
{
    double points;
    if (!parse_number(fields[COLUMN_POINTS], &points) || points <= 0)
        return "the points of hidden rows are a number above 0";
    for (int i = COLUMN_NAME; i < COLUMN_SENTENCE; i++)
        if (fields[i])
            return "of hidden rows only the points are known: write - in the other fields";
    r->not_shown += points;
    return NULL;
}

static const char *read_rubric_line(rubric *r, char *line, bool first, arena *a)
{
    const char *fields[COLUMN_COUNT], *eighth;
    if (!split_fields(line, fields, &eighth) || (first && !is_rubric_header(fields, eighth)))
        return first ? "the first line names the columns: points, kind, name, metric, relation, "
                       "limit, sentence (and visibility), with tabs between them"
                     : "a row must have seven fields with tabs between them; - is an empty one";
    if (first)
        return NULL;
    if (fields[COLUMN_KIND] && strcmp(fields[COLUMN_KIND], hidden_word) == 0)
        return read_hidden_points(r, fields);
    if (eighth && strcmp(eighth, hidden_word) != 0)
        return "the visibility must be hidden or -";
    rubric_row row = {.hidden = eighth != NULL};
    const char *wrong = parse_rubric_row(&row, fields, a);
    for (size_t i = 0; i < r->count && !wrong; i++)
        if (are_rows_alike(&r->rows[i], &row))
            wrong = "this row repeats an earlier row";
    if (!wrong)
        *ARENA_PUSH(a, r->rows, r->count) = row;
    return wrong;
}

bool rubric_asks_for_lines(const rubric *r)
{
    for (size_t i = 0; r && i < r->count; i++)
        if (r->rows[i].kind == RUBRIC_LINES)
            return true;
    return false;
}

rubric *rubric_parse(const char *text, arena *a, char *err, size_t err_size)
{
    rubric *r = arena_alloc(a, sizeof *r);
    const char *line;
    size_t len;
    int number = 0;
    double sum = 0;
    while ((line = next_line(&text, &len))) {
        const char *wrong = read_rubric_line(r, arena_strndup(a, line, len), number++ == 0, a);
        if (wrong) {
            snprintf(err, err_size, "rubric.tsv:%d: %s", number, wrong);
            return NULL;
        }
    }
    for (size_t i = 0; i < r->count; i++)
        sum += r->rows[i].points;
    sum += r->not_shown;
    if (r->count == 0) {
        snprintf(err, err_size, "rubric.tsv has no rows");
        return NULL;
    }
    if (fabs(sum - RUBRIC_POINTS) > 1e-9) {
        snprintf(err, err_size, "rubric.tsv: the points sum to %g, not %d", sum, RUBRIC_POINTS);
        return NULL;
    }
    return r;
}
