/* The commands lesson, hint, solution and reset. */
#include "../base/files.h"
#include "../base/json.h"
#include "../base/signals.h"
#include "../book/lesson.h"
#include "../book/pristine.h"
#include "../commands/cli.h"
#include "../judge/hints.h"
#include "../show/report.h"
#include "study.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- showing the lesson --- */

enum {
    MAX_LESSON_BYTES = 4 << 20, /* largest lesson that is read, in bytes */
    LESSON_COLUMNS = 96,        /* widest lines of a printed lesson, in columns */
};

/* The line shown for a prediction of the lesson: the student's prediction, if there is one. */
static char *prediction_line(session *d, const chapter *c, const prediction *p)
{
    double said;
    char number[32];
    if (!state_get_prediction(&d->state, c, p, &said))
        return xstrdup("▸ Your prediction (`warpbook run` asks for it):");
    return xprintf("▸ You predicted %s.", nice_number(said, number, sizeof number));
}

int cli_lesson(session *d)
{
    CLEANUP(arena_free) arena a = {0};
    size_t count;
    int code = EXIT_PASS;
    struct winsize w = {0};
    bool tty = isatty(STDOUT_FILENO);
    if (!tty || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col < 20)
        w.ws_col = 80;
    chapter **list = chapters_named(d, &a, &count, &code);
    for (size_t i = 0; list && i < count; i++) {
        const chapter *c = list[i];
        char *text = read_whole_file(c->lesson, MAX_LESSON_BYTES, NULL);
        if (!text) {
            fprintf(stderr, "warpbook: %s is not there\n",
                    installation_short_path(&d->installation, c->lesson));
            code = EXIT_FAIL;
            continue;
        }
        const char **marks = arena_alloc(&a, (c->prediction_count + 1) * sizeof *marks);
        for (size_t p = 0; p < c->prediction_count; p++) {
            OWNED char *line = prediction_line(d, c, &c->predictions[p]);
            marks[p] = arena_strdup(&a, line);
        }
        lesson_insertions m = {.predictions = marks,
                               .prediction_count = c->prediction_count,
                               .picture = "▸ `warpbook plot` draws the picture."};
        CLEANUP(page_free) page p = {0};
        size_t width = w.ws_col - 1u;
        lesson_render(&p, text, width < LESSON_COLUMNS ? width : LESSON_COLUMNS, &m);
        if (i)
            puts("");
        page_print(stdout, &p, is_colour_wanted(stdout), locale_is_utf8());
        free(text);
    }
    return code;
}

/* --- hints --- */

/* The chapter of a command that takes one chapter and further words. */
static chapter *single_chapter_named(session *d, int words, int *code)
{
    char err[512];
    if (d->options.word_count < 1 || d->options.word_count > words) {
        fprintf(stderr, "warpbook: usage: warpbook %s CHAPTER%s\n", d->options.command,
                words > 1 ? " [N]" : "");
        *code = EXIT_USAGE;
        return NULL;
    }
    chapter *c = book_find(&d->book, d->options.words[0], err, sizeof err);
    if (!c) {
        fprintf(stderr, "warpbook: %s\n", err);
        *code = EXIT_USAGE;
    }
    return c;
}

int cli_hint(session *d)
{
    int code = EXIT_PASS;
    double wanted;
    chapter *c = single_chapter_named(d, 2, &code);
    if (!c)
        return code;
    todo_region *t = todo_for_hint(&d->state, c);
    if (d->options.word_count == 2) {
        t = parse_number(d->options.words[1], &wanted) && wanted >= 0 && wanted < 1000
                ? chapter_find_todo(c, (int)wanted)
                : NULL;
        if (!t)
            return report_failure(EXIT_USAGE, "%s has no TODO %s; it has %zu", c->name,
                                  d->options.words[1], c->todo_count);
    }
    return show_hint(d, c, t);
}

int show_hint(session *d, const chapter *c, const todo_region *t)
{
    size_t number = 0;
    const char *hint = t ? take_next_hint(&d->state, c, t, &number) : NULL;
    if (d->options.json) {
        print_json(json_pack("{s:s, s:i, s:i, s:i, s:s?}", "chapter", c->name, "todo",
                             t ? t->number : 0, "hint", (int)number, "of",
                             t ? (int)t->hint_count : 0, "text", hint));
        return hint ? EXIT_PASS : EXIT_FAIL;
    }
    if (!hint)
        return report_failure(EXIT_FAIL, "%s has no hints%s", c->name, t ? " for this TODO" : "");
    printf("TODO %d (%s:%d): %s\n\nHint %zu of %zu: %s\n", t->number,
           installation_short_path(&d->installation, c->lab), t->begin, t->text, number,
           t->hint_count, hint);
    if (number == t->hint_count)
        puts("\nThat was the last one for this TODO.");
    return EXIT_PASS;
}

/* --- solution --- */

int cli_solution(session *d)
{
    int code = EXIT_PASS;
    chapter *c = single_chapter_named(d, 1, &code);
    if (!c)
        return code;
    return show_solution(d, c);
}

int show_solution(session *d, const chapter *c)
{
    if (!c->has_solution)
        return report_failure(EXIT_FAIL, "%s has no solution here", c->name);
    if (!state_ever_passed(&d->state, c) && !d->options.anyway)
        return report_failure(EXIT_FAIL,
                              "the solution of %s is offered once your lab has passed `warpbook "
                              "%s`; --anyway shows it now",
                              c->name, c->to_break ? "break" : "check");
    OWNED char *text = read_whole_file(c->solution, 4 << 20, NULL);
    if (!text)
        return report_failure(EXIT_FAIL, "%s cannot be read", c->solution);
    fputs(text, stdout);
    return EXIT_PASS;
}

/* --- reset --- */

static bool is_reset_confirmed(const chapter *c)
{
    char answer[16];
    printf("Restore the original %s%s? Your text is saved in .warpbook/backup. [y/N] ", c->name,
           c->to_break ? ".cu" : "/lab.cu");
    fflush(stdout);
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

int reset_lab(session *d, const chapter *c)
{
    char err[512], *backup;
    if (!d->options.yes && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return report_failure(EXIT_USAGE,
                              "reset asks first, and there is no terminal to answer: add --yes");
    if (!d->options.yes && !is_reset_confirmed(c)) {
        puts("The lab is unchanged.");
        return EXIT_FAIL;
    }
    if (!reset_lab_to_original(&d->installation, c, &backup, err, sizeof err))
        return report_failure(EXIT_FAIL, "%s: %s", c->name, err);
    state_forget_result(&d->state, c);
    printf("%s is as it was", installation_short_path(&d->installation, c->lab));
    if (backup)
        printf("; yours is kept as %s", installation_short_path(&d->installation, backup));
    putchar('\n');
    free(backup);
    return EXIT_PASS;
}

int cli_reset(session *d)
{
    CLEANUP(arena_free) arena a = {0};
    size_t count;
    int code = EXIT_PASS;
    chapter **list = chapters_named(d, &a, &count, &code);
    for (size_t i = 0; list && i < count && code != EXIT_USAGE && !caught_signal_number(); i++) {
        int one = reset_lab(d, list[i]);
        code = one == EXIT_PASS ? code : one;
    }
    return code;
}
