#include "notes.h"

#include "../base/files.h"
#include "../base/signals.h"
#include "../book/lesson.h"
#include "../book/markdown.h"
#include "../book/metrics.h"
#include "../show/report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_LESSON_BYTES = 4 << 20, /* largest lesson that is read */
    MAX_NOTES_BYTES = 4096,     /* largest notes file that is read */
    NOTES_COLUMNS = 76,         /* width of the printed notes */
    POLL_US = 300000,           /* microseconds between two looks at the notes file */
};

static char *notes_path(const session *d)
{
    return xprintf("%s/slide", d->state.dir);
}

void notes_write_current(const session *d, const slides *deck, size_t at)
{
    char *path = notes_path(d);
    if (deck) {
        const chapter *c = deck->list[at].c;
        char *text = xprintf("%s\n%zu\n", c->name, deck->list[at].number);
        if (make_directories(d->state.dir))
            write_whole_file(path, text, strlen(text));
        free(text);
    } else {
        unlink(path);
    }
    free(path);
}

/* --- the text of the notes --- */

static void add_lesson_section(page *p, const char *lesson, const char *name, size_t width)
{
    char *text = markdown_section(lesson ? lesson : "", name);
    page_ensure_blank(p);
    page_line_add(p, STYLE_HEADING, "From \"%s\":", name);
    lesson_render(p, text, width, NULL);
    free(text);
}

static void put_sentence(page *p, size_t width, char *sentence)
{
    styled t = {0};
    styled_puts(&t, STYLE_NORMAL, sentence);
    page_wrap(p, &t, width, "", "  ");
    free(sentence);
}

/* Append the question of a vote, and the likely reason for each kind of wrong answer. */
static void add_vote_notes(page *p, const slide *s, size_t width)
{
    const prediction *asked = &s->c->predictions[s->prediction];
    const metric *m = metric_find(asked->metric);
    if (!m)
        return;
    put_sentence(p, width,
                 xprintf("The number asked for: %s, of kernel %s. Best possible: %s.", m->meaning,
                         asked->kernel, m->best));
    put_sentence(p, width, xprintf("If the count is higher than what they say: %s.", m->if_above));
    put_sentence(p, width, xprintf("If it is lower: %s.", m->if_below));
    put_sentence(p, width, xstrdup("Key a counts the value in a run of the solution."));
}

static void add_hint_notes(page *p, const slide *s, size_t width)
{
    const todo_region *t = chapter_find_todo(s->c, s->todo);
    for (size_t i = 0; t && i < t->hint_count; i++) {
        char *text = xprintf("%zu. %s\n", i + 1, t->hints[i]);
        lesson_render_hint(p, text, width);
        free(text);
    }
}

/* Append the title of a slide. */
static void add_slide_title(styled *t, const slide *s)
{
    static const char *const names[] = {
        [SLIDE_TITLE] = "the title",
        [SLIDE_TEXT] = NULL,
        [SLIDE_VOTE] = "a vote",
        [SLIDE_CODE] = "the lab's code",
        [SLIDE_ANSWER] = "the solution's code",
        [SLIDE_LIVE] = "a run",
        [SLIDE_ACCESS] = "how lanes access memory",
        [SLIDE_PICTURE] = "the picture",
        [SLIDE_DEBUGGER] = "a walk through a run",
    };
    page first = {0};
    if (s->heading || s->section)
        styled_printf(t, STYLE_STRONG, "%s: ", s->heading ? s->heading : s->section);
    if (names[s->kind]) {
        styled_puts(t, STYLE_STRONG, names[s->kind]);
    } else {
        lesson_render(&first, s->markdown, NOTES_COLUMNS, NULL);
        styled_puts(t, STYLE_STRONG, first.count ? first.lines[0].s : "");
    }
    page_free(&first);
}

void notes_make_page(page *p, const slides *deck, size_t at, const char *lesson, size_t width)
{
    const slide *s = &deck->list[at];
    styled t = {0};
    styled_printf(&t, STYLE_TITLE, "%s, slide %zu of %zu: ", s->c->title, at + 1, deck->count);
    add_slide_title(&t, s);
    page_wrap(p, &t, width, "", "  ");
    page_add_blank_line(p);
    switch (s->kind) {
    case SLIDE_TITLE:
        add_lesson_section(p, lesson, "What you will learn", width);
        break;
    case SLIDE_TEXT:
        lesson_render(p, s->notes, width, NULL);
        break;
    case SLIDE_DEBUGGER:
        lesson_render(p, s->markdown, width, NULL);
        break;
    case SLIDE_VOTE:
        add_vote_notes(p, s, width);
        break;
    case SLIDE_CODE:
    case SLIDE_ANSWER:
        add_hint_notes(p, s, width);
        break;
    case SLIDE_LIVE:
        add_lesson_section(p, lesson, "Your task", width);
        break;
    case SLIDE_ACCESS:
    case SLIDE_PICTURE:
        add_lesson_section(p, lesson, "What to look at", width);
        add_lesson_section(p, lesson, "On hardware", width);
        break;
    }
    page_ensure_blank(p);
    if (at + 1 < deck->count) {
        styled_puts(&t, STYLE_NOTE, "Next: ");
        add_slide_title(&t, &deck->list[at + 1]);
    } else {
        styled_puts(&t, STYLE_NOTE, "The chapter's last slide.");
    }
    page_wrap(p, &t, width, "", "  ");
}

/* --- following the slides --- */

/* Print the notes of the slide that TEXT (content of the notes file) names. */
static void print_notes(session *d, const char *text)
{
    char err[256];
    size_t end = strcspn(text, "\n"), at = strtoul(text + end, NULL, 10);
    char *name = xprintf("%.*s", (int)end, text);
    chapter *c = book_find(&d->book, name, err, sizeof err);
    char *lesson = c ? read_whole_file(c->lesson, MAX_LESSON_BYTES, NULL) : NULL;
    slides deck = {0};
    page p = {0};
    if (c)
        slides_add(&deck, c, lesson);
    if (at < deck.count) {
        notes_make_page(&p, &deck, at, lesson, NOTES_COLUMNS);
        fputs(is_colour_wanted(stdout) ? "\033[H\033[2J" : "\n", stdout);
        page_print(stdout, &p, is_colour_wanted(stdout), locale_is_utf8());
        fflush(stdout);
    }
    page_free(&p);
    slides_free(&deck);
    free(lesson);
    free(name);
}

int notes_run(session *d)
{
    char *path = notes_path(d), *shown = NULL, *now = read_whole_file(path, MAX_NOTES_BYTES, NULL);
    if (!now)
        puts("No slides are shown yet: begin with `warpbook demo CHAPTER` in another terminal.");
    fflush(stdout);
    while (!caught_signal_number() && (now || !shown)) {
        if (now && (!shown || strcmp(now, shown) != 0))
            print_notes(d, now);
        if (now) {
            free(shown);
            shown = now;
        }
        usleep(POLL_US);
        now = read_whole_file(path, MAX_NOTES_BYTES, NULL);
    }
    puts("\nThe slides have ended.");
    free(shown);
    free(now);
    free(path);
    return EXIT_PASS;
}

/* --- slides as JSON, for a hand-out --- */

static json_t *slide_json(const slide *s)
{
    static const char *const kinds[] = {
        [SLIDE_TITLE] = "title",   [SLIDE_TEXT] = "text",       [SLIDE_VOTE] = "vote",
        [SLIDE_CODE] = "code",     [SLIDE_ANSWER] = "answer",   [SLIDE_LIVE] = "live",
        [SLIDE_ACCESS] = "access", [SLIDE_PICTURE] = "picture", [SLIDE_DEBUGGER] = "walk",
    };
    json_t *out = json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?}", "kind", kinds[s->kind], "chapter",
                            s->c->name, "title", s->c->title, "section", s->section, "heading",
                            s->heading, "markdown", s->markdown);
    if (s->notes && s->kind == SLIDE_TEXT)
        json_object_set_new(out, "notes", json_string(s->notes));
    if (s->kind == SLIDE_CODE || s->kind == SLIDE_ANSWER)
        json_object_set_new(out, "todo", json_integer(s->todo));
    if (s->kind == SLIDE_DEBUGGER) {
        json_object_set_new(out, "walk", json_string(s->commands_path));
        json_object_set_new(out, "solution", json_boolean(s->of_solution));
    }
    if (s->kind == SLIDE_PICTURE)
        json_object_set_new(out, "picture", json_integer((json_int_t)s->picture));
    if (s->kind == SLIDE_VOTE)
        json_object_set_new(out, "answers",
                            json_string(s->c->predictions[s->prediction].answers
                                            ? s->c->predictions[s->prediction].answers
                                            : ""));
    return out;
}

void *notes_json(chapter *const *chapters, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        slides deck = {0};
        char *lesson = read_whole_file(chapters[i]->lesson, MAX_LESSON_BYTES, NULL);
        slides_add(&deck, chapters[i], lesson);
        for (size_t s = 0; s < deck.count; s++)
            json_array_append_new(list, slide_json(&deck.list[s]));
        slides_free(&deck);
        free(lesson);
    }
    return json_pack("{s:o}", "slides", list);
}
