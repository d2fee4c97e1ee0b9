#include "quiz.h"

#include "../base/files.h"
#include "../base/table.h"
#include "markdown.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_TEXT_BYTES = 4 << 20, /* largest README.md or answers.tsv, in bytes */
    MAX_CHOICES = 9,          /* choices of a question, at most */
};

static const char answers_file_header[] = "question\t"; /* first column of answers.tsv */
static const char reasons_file_header[] = "kernel\t";   /* first column of reasons.tsv */

static void note_quiz_problem(quiz *q, const char *sentence)
{
    if (!q->problem)
        q->problem = sentence;
}

/* --- reading the questions in the lesson --- */

/* Lines FROM to TO of TEXT without their indent: SKIP bytes of the first line, and at most SKIP
 * blanks of each other line. */
static const char *dedented_lines(arena *a, const char *text, int from, int to, size_t skip)
{
    CLEANUP(sb_free) sb out = {0};
    const char *line;
    size_t len;
    for (int number = 1; number <= to && (line = next_line(&text, &len)); number++) {
        size_t drop = number == from ? skip : strspn(line, " ");
        drop = drop > skip ? skip : drop;
        if (number >= from)
            sb_printf(&out, "%.*s\n", drop < len ? (int)(len - drop) : 0, line + drop);
    }
    return strip(arena_strdup(a, out.s ? out.s : ""));
}

/* Number of bytes of the list mark before the text of a list item. */
static size_t list_mark_width(cmark_node *item)
{
    cmark_node *first = cmark_node_first_child(item);
    return first ? (size_t)cmark_node_get_start_column(first) - 1 : 0;
}

static cmark_node *find_choice_list(cmark_node *item)
{
    for (cmark_node *n = cmark_node_first_child(item); n; n = cmark_node_next(n))
        if (cmark_node_get_type(n) == CMARK_NODE_LIST)
            return n;
    return NULL;
}

static void read_choices(quiz *q, question *new, cmark_node *list, const char *text)
{
    for (cmark_node *i = cmark_node_first_child(list); i; i = cmark_node_next(i)) {
        const char *choice = dedented_lines(&q->memory, text, cmark_node_get_start_line(i),
                                            cmark_node_get_end_line(i), list_mark_width(i));
        char letter[] = {(char)('a' + new->choice_count), ')', ' ', '\0'};
        if (!starts_with(choice, letter) || new->choice_count == MAX_CHOICES)
            note_quiz_problem(q, arena_printf(&q->memory,
                                              "README.md: choice \"%.40s\" of question %d does "
                                              "not begin with its letter, %s",
                                              choice, new->number, letter));
        else
            *ARENA_PUSH(&q->memory, new->choices, new->choice_count) = choice + strlen(letter);
    }
}

static void read_questions(quiz *q, cmark_node *list, const char *text)
{
    for (cmark_node *i = cmark_node_first_child(list); i; i = cmark_node_next(i)) {
        cmark_node *choices = find_choice_list(i);
        int to = choices ? cmark_node_get_start_line(choices) - 1 : cmark_node_get_end_line(i);
        question *new = ARENA_PUSH(&q->memory, q->list, q->count);
        *new = (question){.number = (int)q->count};
        new->text =
            dedented_lines(&q->memory, text, cmark_node_get_start_line(i), to, list_mark_width(i));
        if (choices)
            read_choices(q, new, choices, text);
    }
}

static void read_quiz_section(quiz *q, const char *text)
{
    cmark_node *doc = markdown_parse(text);
    bool inside = false;
    for (cmark_node *n = cmark_node_first_child(doc); n; n = cmark_node_next(n))
        if (cmark_node_get_type(n) == CMARK_NODE_HEADING && cmark_node_get_heading_level(n) <= 2)
            inside = markdown_begins_section(n, QUIZ_SECTION);
        else if (inside && cmark_node_get_type(n) == CMARK_NODE_LIST &&
                 cmark_node_get_list_type(n) == CMARK_ORDERED_LIST)
            read_questions(q, n, text);
    cmark_node_free(doc);
}

/* --- reading answers.tsv ---------------------------------------------------------------------- */

/* In a student's copy, every printing character of these files is rotated by half of '!' to '~',
 * lest somebody read an answer by accident. `tr '!-~' 'P-~!-O'` encodes and decodes it. */
static char *rotate_characters(const char *text)
{
    enum { FIRST = '!', COUNT = '~' - '!' + 1 };
    char *out = xstrdup(text);
    for (char *p = out; *p; p++)
        if (*p >= FIRST && *p < FIRST + COUNT)
            *p = (char)(FIRST + (*p - FIRST + COUNT / 2) % COUNT);
    return out;
}

/* The table of a file that begins with HEADER, or is encoded. */
static table *hidden_table(const char *text, const char *header)
{
    OWNED char *plain = starts_with(text, header) ? xstrdup(text) : rotate_characters(text);
    return table_parse(plain);
}

static void read_answer_row(quiz *q, const table *t, size_t row)
{
    double number;
    const char *answer = table_get(t, row, "answer"), *because = table_get(t, row, "because");
    if (!table_number(t, row, "question", &number) || number < 1 || number > (double)q->count ||
        !answer || !because) {
        note_quiz_problem(
            q,
            arena_printf(&q->memory,
                         "answers.tsv: row %zu belongs to no question, or is incomplete", row + 1));
        return;
    }
    question *of = &q->list[(size_t)number - 1];
    of->answer = arena_strdup(&q->memory, answer);
    of->because = arena_strdup(&q->memory, because);
    bool letter = isalpha((unsigned char)*answer);
    if (letter != (of->choice_count > 0) || (letter && !quiz_is_answer(of, answer)))
        note_quiz_problem(q, arena_printf(&q->memory, "answers.tsv: question %d has no choice %s",
                                          of->number, answer));
}

static void read_answers_file(quiz *q, const char *text)
{
    OWNED_TABLE table *t = hidden_table(text, answers_file_header);
    for (size_t i = 0; i < t->rows; i++)
        read_answer_row(q, t, i);
}

/* Remove questions for which answers.tsv has no answer. */
static void remove_unanswered_questions(quiz *q)
{
    size_t kept = 0;
    for (size_t i = 0; i < q->count; i++)
        if (!q->list[i].answer)
            note_quiz_problem(q,
                              arena_printf(&q->memory, "answers.tsv has no answer to question %d",
                                           q->list[i].number));
        else
            q->list[kept++] = q->list[i];
    q->count = kept;
}

/* Like quiz_read, from the texts of README.md and of answers.tsv; both may be NULL. */
static void quiz_parse(quiz *q, const char *lesson, const char *answers)
{
    *q = (quiz){0};
    read_quiz_section(q, lesson ? lesson : "");
    if (answers)
        read_answers_file(q, answers);
    remove_unanswered_questions(q);
}

void quiz_read(quiz *q, const chapter *c)
{
    OWNED char *path = xprintf("%s/answers.tsv", c->dir);
    OWNED char *lesson = read_whole_file(c->lesson, MAX_TEXT_BYTES, NULL);
    OWNED char *answers = read_whole_file(path, MAX_TEXT_BYTES, NULL);
    quiz_parse(q, lesson, answers);
}

void quiz_free(quiz *q)
{
    arena_free(&q->memory);
    *q = (quiz){0};
}

/* --- checking a student's answers --- */

bool quiz_is_answer(const question *q, const char *given)
{
    double number;
    if (!q->choice_count)
        return parse_number(given, &number);
    int letter = tolower((unsigned char)given[0]);
    return letter >= 'a' && letter < 'a' + (int)q->choice_count && !given[1];
}

bool quiz_is_right(const question *q, const char *given)
{
    double said, right;
    if (!quiz_is_answer(q, given))
        return false;
    if (q->choice_count)
        return tolower((unsigned char)*given) == tolower((unsigned char)*q->answer);
    parse_number(given, &said);
    const char *dots = strstr(q->answer, "..");
    if (dots)
        return said >= strtod(q->answer, NULL) && said <= strtod(dots + 2, NULL);
    return parse_number(q->answer, &right) && fabs(said - right) <= 0.01 * fabs(right);
}

const char *quiz_expected_answer(const question *q, char *buf, size_t size)
{
    size_t at = 0;
    snprintf(buf, size, "a number");
    for (size_t i = 0; i < q->choice_count && at < size; i++)
        at += (size_t)snprintf(buf + at, size - at, "%s%c",
                               i == 0                     ? ""
                               : i + 1 == q->choice_count ? " or "
                                                          : ", ",
                               (char)('a' + i));
    return buf;
}

/* --- reasons for predictions --- */

char *prediction_reason(const chapter *c, const prediction *p)
{
    char *path = xprintf("%s/reasons.tsv", c->dir), *found = NULL;
    OWNED char *text = read_whole_file(path, MAX_TEXT_BYTES, NULL);
    free(path);
    if (!text)
        return NULL;
    OWNED_TABLE table *t = hidden_table(text, reasons_file_header);
    for (size_t i = 0; i < t->rows && !found; i++) {
        const char *kernel = table_get(t, i, "kernel"), *metric = table_get(t, i, "metric");
        const char *because = table_get(t, i, "because");
        if (kernel && metric && because && strcmp(kernel, p->kernel) == 0 &&
            strcmp(metric, p->metric) == 0)
            found = xstrdup(because);
    }
    return found;
}
