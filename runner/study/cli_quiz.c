/* `warpbook quiz`: asks a chapter's questions one after another, in plain lines. */
#include "../base/json.h"
#include "../base/signals.h"
#include "../book/lesson.h"
#include "../commands/cli.h"
#include "../judge/quizzed.h"
#include "../show/report.h"
#include "study.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { QUIZ_COLUMNS = 96 }; /* widest lines of the output, in columns */

static size_t output_columns(void)
{
    struct winsize w = {.ws_col = 80};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col < 20)
        w.ws_col = 80;
    return w.ws_col > QUIZ_COLUMNS ? QUIZ_COLUMNS : w.ws_col - 1u;
}

void print_markdown(const char *first, const char *markdown)
{
    CLEANUP(page_free) page p = {0}, whole = {0};
    size_t margin = utf8_width(first, strlen(first));
    lesson_render_hint(&p, markdown, output_columns() - margin);
    for (size_t i = 0; i < p.count; i++) {
        styled t = {0};
        if (i)
            styled_printf(&t, STYLE_NORMAL, "%*s", (int)margin, "");
        else
            styled_puts(&t, STYLE_STRONG, first);
        sb_add(&t.text, p.lines[i].s, p.lines[i].len);
        sb_add(&t.styles, (const char *)p.lines[i].styles, p.lines[i].len);
        page_add_line(&whole, &t);
    }
    page_print(stdout, &whole, is_colour_wanted(stdout), locale_is_utf8());
}

static void print_question(const question *q)
{
    char mark[16];
    snprintf(mark, sizeof mark, "%d. ", q->number);
    print_markdown(mark, q->text);
    for (size_t i = 0; i < q->choice_count; i++) {
        snprintf(mark, sizeof mark, "   %c) ", (char)('a' + i));
        print_markdown(mark, q->choices[i]);
    }
}

static void print_answer_result(session *d, const chapter *c, const question *q)
{
    OWNED char *news = quiz_feedback(&d->state, c, q);
    if (news)
        print_markdown("   ", news);
}

/* Ask a question until there is an answer. False: the input has ended. */
static bool ask_question(session *d, const chapter *c, const question *q)
{
    char line[64], wants[64];
    quiz_expected_answer(q, wants, sizeof wants);
    for (;;) {
        printf("   Your answer (%s; Enter: later): ", wants);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) {
            putchar('\n');
            return false;
        }
        if (!isatty(STDIN_FILENO))
            putchar('\n');
        const char *said = strip(line);
        if (!*said)
            return true;
        if (quiz_is_answer(q, said)) {
            state_add_answer(&d->state, c, q->number, said, quiz_is_right(q, said));
            print_answer_result(d, c, q);
            return true;
        }
        printf("   %s is not an answer: type %s.\n", said, wants);
    }
}

static json_t *question_json(session *d, const chapter *c, const question *q)
{
    quiz_answer t = state_last_answer(&d->state, c, q->number);
    json_t *choices = json_array();
    for (size_t i = 0; i < q->choice_count; i++)
        json_array_append_new(choices, json_string(q->choices[i]));
    json_t *row =
        json_pack("{s:i, s:s, s:o, s:s?, s:i, s:b}", "number", q->number, "question", q->text,
                  "choices", choices, "said", t.said, "tries", t.tries, "right", t.right);
    if (quiz_is_settled(&d->state, c, q)) {
        json_object_set_new(row, "answer", json_string(q->answer));
        json_object_set_new(row, "because", json_string(q->because));
    }
    return row;
}

static json_t *quiz_to_json(session *d, const chapter *c, const quiz *bank)
{
    json_t *list = json_array();
    for (size_t i = 0; i < bank->count; i++)
        json_array_append_new(list, question_json(d, c, &bank->list[i]));
    return json_pack("{s:s, s:i, s:i, s:o}", "chapter", c->name, "right",
                     (int)quiz_right_count(&d->state, c, bank), "of", (int)bank->count, "questions",
                     list);
}

static void ask_all_questions(session *d, const chapter *c, const quiz *bank)
{
    bool more = true;
    printf("%s: %zu questions\n", c->title, bank->count);
    for (size_t i = 0; i < bank->count && !caught_signal_number(); i++) {
        const question *q = &bank->list[i];
        putchar('\n');
        print_question(q);
        print_answer_result(d, c, q);
        if (more && !quiz_is_settled(&d->state, c, q))
            more = ask_question(d, c, q);
    }
    printf("\n%zu of %zu answered correctly.\n", quiz_right_count(&d->state, c, bank), bank->count);
}

/* Check an answer given on the command line: `quiz CHAPTER N ANSWER`. */
static int check_given_answer(session *d, const chapter *c, const quiz *bank)
{
    double number = 0;
    char wants[64];
    const question *q = NULL;
    if (parse_number(d->options.words[1], &number))
        for (size_t i = 0; i < bank->count; i++)
            if (bank->list[i].number == number)
                q = &bank->list[i];
    if (!q)
        return report_failure(EXIT_USAGE, "%s has no question %s; it has %zu", c->name,
                              d->options.words[1], bank->count);
    if (d->options.word_count == 3) {
        const char *said = d->options.words[2];
        if (!quiz_is_answer(q, said))
            return report_failure(EXIT_USAGE, "question %d of %s wants %s, not %s", q->number,
                                  c->name, quiz_expected_answer(q, wants, sizeof wants), said);
        state_add_answer(&d->state, c, q->number, said, quiz_is_right(q, said));
    }
    if (d->options.json) {
        print_json(question_json(d, c, q));
    } else {
        print_question(q);
        print_answer_result(d, c, q);
    }
    return d->options.word_count < 3 || state_last_answer(&d->state, c, q->number).right
               ? EXIT_PASS
               : EXIT_FAIL;
}

static int quiz_one_chapter(session *d, const chapter *c)
{
    quiz bank;
    int code = EXIT_PASS;
    quiz_read(&bank, c);
    if (bank.problem)
        fprintf(stderr, "warpbook: %s: %s\n", c->name, bank.problem);
    if (!bank.count) {
        OWNED char *sentence = xprintf("%s has no questions", c->name);
        cli_report_failure(d, sentence);
        code = EXIT_FAIL;
    } else if (d->options.word_count > 1) {
        code = check_given_answer(d, c, &bank);
    } else if (d->options.json) {
        print_json(quiz_to_json(d, c, &bank));
    } else {
        ask_all_questions(d, c, &bank);
    }
    quiz_free(&bank);
    return code;
}

/* List all chapters with questions, one per line. */
static int list_quizzes(session *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->book.count; i++) {
        const chapter *c = &d->book.chapters[i];
        quiz bank;
        quiz_read(&bank, c);
        if (bank.count && d->options.json)
            json_array_append_new(list, quiz_to_json(d, c, &bank));
        else if (bank.count)
            printf("%4d  %-32s %zu of %zu\n", c->number, c->title,
                   quiz_right_count(&d->state, c, &bank), bank.count);
        quiz_free(&bank);
    }
    if (d->options.json)
        print_json(list);
    else
        json_decref(list);
    return EXIT_PASS;
}

int cli_quiz(session *d)
{
    char err[512];
    if (d->options.all && d->options.word_count == 0)
        return list_quizzes(d);
    if (d->options.all || d->options.word_count < 1 || d->options.word_count > 3)
        return report_failure(EXIT_USAGE,
                              "usage: warpbook quiz CHAPTER [N [ANSWER]], or warpbook quiz --all");
    const chapter *c = book_find(&d->book, d->options.words[0], err, sizeof err);
    if (!c)
        return report_failure(EXIT_USAGE, "%s", err);
    return quiz_one_chapter(d, c);
}
