/* `warpbook break`: judges the choices by which a student breaks given kernels. */
#include "../base/json.h"
#include "../base/linear.h"
#include "../book/breaks.h"
#include "../judge/broken.h"
#include "../judge/hints.h"
#include "../show/report.h"
#include "study.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 96 }; /* widest lines of reports, in columns */

/* --- the list --- */

static const char *found_word(session *d, const chapter *c)
{
    static const char *const words[] = {"not tried", "not found", "found"};
    return words[state_progress(&d->state, c)];
}

static json_t *exercise_json(session *d, const chapter *c)
{
    bool found = state_ever_passed(&d->state, c);
    const char *why = state_why(&d->state, c);
    json_t *row = json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:s, s:b, s:s?}", "chapter", c->name, "number", c->number,
        "title", c->title, "file", installation_short_path(&d->installation, c->lab), "fault",
        c->to_break->fault, "kernel", c->to_break->kernel, "found", found, "why", why);
    if (found && why)
        json_object_set_new(row, "because", json_string(c->to_break->why));
    return row;
}

static int list_exercises(session *d)
{
    json_t *list = json_array();
    size_t found = 0;
    if (!d->options.json && !is_output_linear())
        printf("      %-33s %s\n", "break it", "so that it shows");
    for (size_t i = 0; i < d->breaks.count; i++) {
        const chapter *c = &d->breaks.chapters[i];
        found += state_ever_passed(&d->state, c);
        if (d->options.json)
            json_array_append_new(list, exercise_json(d, c));
        else if (is_output_linear())
            printf("Chapter %d, %s: %s. %s.\n", c->number, c->title,
                   words_for_fault(c->to_break->fault), found_word(d, c));
        else
            printf("%4d  %-33s %-27s %s\n", c->number, c->title,
                   words_for_fault(c->to_break->fault), found_word(d, c));
    }
    if (d->options.json)
        print_json(list);
    else
        printf("%zu of %zu found. `warpbook break CHAPTER` judges your choice.\n", found,
               d->breaks.count);
    if (!d->options.json)
        json_decref(list);
    return EXIT_PASS;
}

/* --- why --- */

static void show_why(const chapter *c)
{
    print_markdown("The book: ", c->to_break->why);
    if (c->has_solution)
        printf("`warpbook break %d solution` shows the book's choice.\n", c->number);
}

static int take_why(session *d, const chapter *c, const char *said)
{
    if (!state_ever_passed(&d->state, c))
        return report_failure(EXIT_FAIL, "first find what breaks %s: `warpbook break %d`",
                              c->to_break->kernel, c->number);
    state_set_why(&d->state, c, said);
    if (d->options.json)
        print_json(exercise_json(d, c));
    else
        show_why(c);
    return EXIT_PASS;
}

/* After a find: ask for the student's sentence, once, and then show the book's. */
static void ask_why(session *d, const chapter *c)
{
    char line[512];
    const char *said = state_why(&d->state, c);
    if (said) {
        print_markdown("You: ", said);
        show_why(c);
        return;
    }
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        printf("Why does it break? One sentence (Enter: later): ");
        fflush(stdout);
        if (fgets(line, sizeof line, stdin) && *(said = strip(line))) {
            take_why(d, c, said);
            return;
        }
    }
    printf("Why does it break? `warpbook break %d why \"one sentence\"` keeps yours and shows the "
           "book's.\n",
           c->number);
}

/* --- the verdict --- */

static void print_verdict(session *d, const chapter *c, const verdict *v)
{
    const bool found = v->kind == VERDICT_PASS;
    CLEANUP(page_free) page p = {0};
    print_markdown("", c->to_break->text);
    printf("The choice is yours in %s.\n\n%s: %s\n",
           installation_short_path(&d->installation, c->lab),
           found                     ? "Found"
           : v->kind == VERDICT_FAIL ? "Not found"
                                     : verdict_word(v->kind),
           v->reason ? v->reason : "");
    if (v->text.ignored > 0)
        printf("Line %d differs from the book outside the TODO region: the book's text was used.\n",
               v->text.ignored);
    if (!found) /* a report says how a fault is fixed, and the student is to say why it is one */
        report_findings(&p, v, WIDTH);
    page_print(stdout, &p, is_colour_wanted(stdout), locale_is_utf8());
    if (v->kind != VERDICT_FAIL && !found && v->output)
        printf("%s\n", v->output);
    if (found)
        ask_why(d, c);
}

/* The emulator judges: a GPU does not report what might have happened. */
static int judge_choice(session *d, const chapter *c)
{
    verdict v;
    if (!run_attempt(d, c, false, &v))
        return EXIT_FAIL; /* main then ends the program with the caught signal */
    if (d->options.json) {
        json_t *row = report_json(d, c, &v);
        json_object_set_new(row, "exercise", exercise_json(d, c));
        print_json(row);
    } else {
        print_verdict(d, c, &v);
    }
    int code = verdict_exit_code(v.kind);
    verdict_free(&v);
    return code;
}

/* The words of the command from number FROM on, joined; to be freed. */
static char *joined_words(const options *o, int from)
{
    sb all = {0};
    for (int i = from; i < o->word_count; i++)
        sb_printf(&all, "%s%s", i > from ? " " : "", o->words[i]);
    return sb_take(&all);
}

static int do_action(session *d, chapter *c, const char *action)
{
    const int words = d->options.word_count;
    if (strcmp(action, "why") == 0 && words > 2) {
        OWNED char *said = joined_words(&d->options, 2);
        return take_why(d, c, said);
    }
    if (words == 2 && strcmp(action, "hint") == 0)
        return show_hint(d, c, todo_for_hint(&d->state, c));
    if (words == 2 && strcmp(action, "reset") == 0)
        return reset_lab(d, c);
    if (words == 2 && strcmp(action, "solution") == 0)
        return show_solution(d, c);
    return report_failure(EXIT_USAGE,
                          "usage: warpbook break CHAPTER [hint | why SENTENCE | reset | solution]");
}

int cli_break(session *d)
{
    char err[512];
    if (d->options.all || d->options.word_count == 0)
        return list_exercises(d);
    const chapter *of = book_find(&d->book, d->options.words[0], err, sizeof err);
    if (!of)
        return report_failure(EXIT_USAGE, "%s", err);
    chapter *c = break_of_chapter(&d->breaks, of);
    if (!c)
        return report_failure(EXIT_USAGE,
                              "%s has no kernel to break; `warpbook break` lists those that do",
                              of->name);
    return d->options.word_count > 1 ? do_action(d, c, d->options.words[1]) : judge_choice(d, c);
}
