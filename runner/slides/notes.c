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
    OWNED char *path = notes_path(d);
    if (deck) {
        /* Place and number of slides, then this slide and the next one: chapter, place in it. */
        CLEANUP(sb_free) sb text = {0};
        sb_printf(&text, "%zu %zu\n", at + 1, deck->count);
        for (size_t i = at; i < at + 2 && i < deck->count; i++)
            sb_printf(&text, "%s %zu\n", deck->list[i].c->name, deck->list[i].number);
        if (make_directories(d->state.dir))
            write_whole_file(path, text.s, text.len);
    } else {
        unlink(path);
    }
}

/* A slide that the notes file names, and what it was read from. */
typedef struct shown_slide {
    const slide *s; /* NULL: there is none */
    char *lesson;
    slides deck; /* the slides of its chapter */
} shown_slide;

/* Read the slide in LINE of the notes file, such as "06-constant-memory 4". */
static void read_slide(shown_slide *shown, session *d, const char *line, size_t length)
{
    char err[256], *name = xprintf("%.*s", (int)length, line), *number = strchr(name, ' ');
    const size_t at = number ? strtoul(number, NULL, 10) : 0;
    *shown = (shown_slide){0};
    if (number)
        *number = '\0';
    chapter *c = number ? book_find(&d->book, name, err, sizeof err) : NULL;
    if (c) {
        shown->lesson = read_whole_file(c->lesson, MAX_LESSON_BYTES, NULL);
        slides_add(&shown->deck, c, shown->lesson);
    }
    if (at < shown->deck.count)
        shown->s = &shown->deck.list[at];
    free(name);
}

static void free_slide(shown_slide *shown)
{
    slides_free(&shown->deck);
    free(shown->lesson);
}

/* --- the text of the notes --- */

static void add_lesson_section(page *p, const char *lesson, const char *name, size_t width)
{
    OWNED char *text = markdown_section(lesson ? lesson : "", name);
    page_ensure_blank(p);
    page_line_add(p, STYLE_HEADING, "From \"%s\":", name);
    lesson_render(p, text, width, NULL);
}

static void put_sentence(page *p, size_t width, char *sentence)
{
    page_wrap_text(p, STYLE_NORMAL, sentence, width, "", "  ");
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
        OWNED char *text = xprintf("%zu. %s\n", i + 1, t->hints[i]);
        lesson_render_hint(p, text, width);
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
    CLEANUP(page_free) page first = {0};
    if (s->heading || s->section)
        styled_printf(t, STYLE_STRONG, "%s: ", s->heading ? s->heading : s->section);
    if (names[s->kind]) {
        styled_puts(t, STYLE_STRONG, names[s->kind]);
    } else {
        lesson_render(&first, s->markdown, NOTES_COLUMNS, NULL);
        styled_puts(t, STYLE_STRONG, first.count ? first.lines[0].s : "");
    }
}

static void make_page(page *p, const shown_slide *shown, const slide *next, const char *place,
                      size_t width)
{
    const slide *s = shown->s;
    const char *lesson = shown->lesson;
    styled t = {0};
    styled_printf(&t, STYLE_TITLE, "%s, slide %s: ", s->c->title, place);
    add_slide_title(&t, s);
    page_wrap(p, &t, width, "", "  ");
    page_add_blank_line(p);
    switch (s->kind) {
    case SLIDE_TITLE: add_lesson_section(p, lesson, "What you will learn", width); break;
    case SLIDE_TEXT: lesson_render(p, s->notes, width, NULL); break;
    case SLIDE_DEBUGGER: lesson_render(p, s->markdown, width, NULL); break;
    case SLIDE_VOTE: add_vote_notes(p, s, width); break;
    case SLIDE_CODE:
    case SLIDE_ANSWER: add_hint_notes(p, s, width); break;
    case SLIDE_LIVE: add_lesson_section(p, lesson, "Your task", width); break;
    case SLIDE_ACCESS:
    case SLIDE_PICTURE:
        add_lesson_section(p, lesson, "What to look at", width);
        add_lesson_section(p, lesson, "On hardware", width);
        break;
    }
    page_ensure_blank(p);
    styled_puts(&t, STYLE_NOTE, next ? "Next: " : "The last slide.");
    if (next && next->c != s->c)
        styled_printf(&t, STYLE_STRONG, "%s, ", next->c->title);
    if (next)
        add_slide_title(&t, next);
    page_wrap(p, &t, width, "", "  ");
}

/* --- following the slides --- */

/* Print the notes of the slide that TEXT (content of the notes file) names. */
static void print_notes(session *d, const char *text)
{
    const char *line;
    size_t length;
    unsigned place = 0, count = 0;
    shown_slide shown[2] = {{0}, {0}};
    CLEANUP(page_free) page p = {0};
    if (sscanf(text, "%u %u", &place, &count) == 2)
        next_line(&text, &length);
    for (size_t i = 0; i < 2 && (line = next_line(&text, &length)); i++)
        read_slide(&shown[i], d, line, length);
    if (shown[0].s) {
        OWNED char *at = xprintf("%u of %u", place, count);
        make_page(&p, &shown[0], shown[1].s, at, NOTES_COLUMNS);
        fputs(is_colour_wanted(stdout) ? "\033[H\033[2J" : "\n", stdout);
        page_print(stdout, &p, is_colour_wanted(stdout), locale_is_utf8());
        fflush(stdout);
    }
    free_slide(&shown[0]);
    free_slide(&shown[1]);
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

void *notes_json(const slides *deck)
{
    json_t *list = json_array();
    for (size_t s = 0; s < deck->count; s++)
        json_array_append_new(list, slide_json(&deck->list[s]));
    return json_pack("{s:o}", "slides", list);
}
