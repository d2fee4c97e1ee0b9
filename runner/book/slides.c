#include "slides.h"

#include "../base/files.h"
#include "../base/text.h"
#include "lesson.h"
#include "markdown.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COMMANDS_BYTES = 1 << 16 }; /* largest file with debugger commands that is read */

/* State while the slides of a chapter are made. */
typedef struct slide_maker {
    slides *s;
    chapter *c;
    const char *source;  /* the lesson as Markdown */
    const char *section; /* title of the lesson's section that is being read */
    int from, to; /* first and last line of the lesson's text collected for the slide; 0: none */
    bool is_complete;          /* the next block of the lesson begins a new slide */
    size_t predictions_so_far; /* number of predictions in the text so far */
    bool is_vote;              /* the text collected so far is a prediction to vote on */
    bool has_run_slides, has_picture_slides; /* the slides for the lab's run, and those for the
                                                lesson's pictures, were added */
} slide_maker;

static slide *add_slide(slide_maker *m, slide_kind kind)
{
    slide *new = ARENA_PUSH(&m->s->memory, m->s->list, m->s->count);
    *new = (slide){.kind = kind, .c = m->c, .section = m->section};
    return new;
}

static char *copy_lines(slide_maker *m, int from, int to)
{
    const char *p = m->source, *line, *begin = NULL, *end = NULL;
    size_t len;
    for (int number = 1; number <= to && (line = next_line(&p, &len)); number++) {
        if (number == from)
            begin = line;
        end = line + len;
    }
    return arena_strndup(&m->s->memory, begin ? begin : "", begin ? (size_t)(end - begin) : 0);
}

static void end_slide(slide_maker *m)
{
    if (m->from) {
        bool is_vote = m->is_vote && m->predictions_so_far < m->c->prediction_count;
        slide *new = add_slide(m, is_vote ? SLIDE_VOTE : SLIDE_TEXT);
        new->markdown = copy_lines(m, m->from, m->to);
        new->prediction = m->predictions_so_far;
    }
    m->predictions_so_far += m->is_vote;
    m->is_vote = false;
    m->from = m->to = 0;
    m->is_complete = false;
}

static void add_run_slides(slide_maker *m)
{
    for (size_t i = 0; i < m->c->todo_count && !m->has_run_slides; i++) {
        add_slide(m, SLIDE_CODE)->todo = m->c->todos[i].number;
        if (m->c->has_solution)
            add_slide(m, SLIDE_ANSWER)->todo = m->c->todos[i].number;
    }
    if (!m->has_run_slides)
        add_slide(m, SLIDE_LIVE);
    m->has_run_slides = true;
}

/* The slide's text for a file of debugger commands: its comments as a question, without those for
 * tests, then the commands as a code block. */
static char *debugger_slide_text(slide_maker *m, const char *text)
{
    static const char of_solution[] = "Of the solution. ";
    const char *line;
    size_t length;
    sb question = {0}, commands = {0};
    while ((line = next_line(&text, &length))) {
        bool comment = length > 2 && line[0] == '#';
        size_t skipped = comment ? 2 : 0;
        if (comment && starts_with(line, "# expect:"))
            continue;
        if (comment && starts_with(line + skipped, of_solution))
            skipped += strlen(of_solution);
        sb_printf(comment ? &question : &commands, comment ? "%.*s\n" : "    %.*s\n",
                  (int)(length - skipped), line + skipped);
    }
    char *whole = arena_printf(&m->s->memory, "%s\n%s", question.len ? question.s : "",
                               commands.len ? commands.s : "");
    sb_free(&question);
    sb_free(&commands);
    return whole;
}

/* Add slides that run files of debugger commands; only the lecturer's copy of the book has them. */
static void add_debugger_slides(slide_maker *m)
{
    const char *name = m->c->dir ? strrchr(m->c->dir, '/') : NULL;
    if (!name || m->c->assignment)
        return;
    char *pattern = xprintf("%s/../../tests/book/walks%s/*.walk", m->c->dir, name);
    glob_t found = {0};
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t i = 0; i < count; i++) {
        char *text = read_whole_file(found.gl_pathv[i], MAX_COMMANDS_BYTES, NULL);
        slide *new = text ? add_slide(m, SLIDE_DEBUGGER) : NULL;
        if (new) {
            new->commands_path = arena_strdup(&m->s->memory, found.gl_pathv[i]);
            new->of_solution = starts_with(text, "# Of the solution.");
            new->markdown = debugger_slide_text(m, text);
        }
        free(text);
    }
    globfree(&found);
    free(pattern);
}

static void add_picture_slides(slide_maker *m)
{
    size_t count = m->c->picture_count ? m->c->picture_count : 1;
    for (size_t i = 0; i < count && !m->has_picture_slides; i++)
        add_slide(m, SLIDE_PICTURE)->picture = i;
    if (!m->has_picture_slides)
        add_debugger_slides(m);
    m->has_picture_slides = true;
}

static void end_section(slide_maker *m)
{
    end_slide(m);
    if (!m->section)
        return;
    if (strcmp(m->section, "Your task") == 0) {
        add_run_slides(m);
    } else if (strcmp(m->section, "What to look at") == 0) {
        add_run_slides(m);
        add_picture_slides(m);
    }
}

/* The text of the heading on this line. */
static const char *heading_on_line(slide_maker *m, int line)
{
    char *text = copy_lines(m, line, line);
    return strip(text + strspn(text, "# "));
}

/* Whether the paragraph in these lines introduces the block after it: it ends with a colon. */
static bool introduces_next_block(slide_maker *m, int from, int to)
{
    const char *text = strip(copy_lines(m, from, to));
    return ends_with(text, ":");
}

static bool is_access_picture(cmark_node *n)
{
    const char *info =
        cmark_node_get_type(n) == CMARK_NODE_CODE_BLOCK ? cmark_node_get_fence_info(n) : NULL;
    return info && starts_with(info, "access ");
}

static void add_block(slide_maker *m, cmark_node *n)
{
    int from = cmark_node_get_start_line(n), to = cmark_node_get_end_line(n);
    to = to < from ? from : to; /* cmark's end line is one too low for a comment on one line */
    bool skipped = m->section && strcmp(m->section, "Hints") == 0;
    cmark_node_type type = cmark_node_get_type(n);
    if (type == CMARK_NODE_HEADING && cmark_node_get_heading_level(n) <= 2) {
        end_section(m);
        m->section = cmark_node_get_heading_level(n) == 2 ? heading_on_line(m, from) : NULL;
        return;
    }
    if (skipped)
        return;
    const char *text = copy_lines(m, from, to);
    bool comment = type == CMARK_NODE_HTML_BLOCK;
    bool begins = type == CMARK_NODE_PARAGRAPH || type == CMARK_NODE_HEADING ||
                  (comment && starts_with(text, "<!-- predict"));
    if (comment && !begins)
        return; /* each picture gets its own slide */
    if (is_access_picture(n)) {
        end_slide(m);
        add_slide(m, SLIDE_ACCESS)->markdown = text;
        return;
    }
    if (begins && m->is_complete)
        end_slide(m);
    if (!m->from)
        m->from = from;
    /* Recognize predictions in the same way as chapter_read_lesson. */
    m->is_vote |= comment && strstr(text, "kernel=") && strstr(text, "metric=");
    cmark_node *more = type == CMARK_NODE_LIST ? cmark_node_next(cmark_node_first_child(n)) : NULL;
    if (m->is_vote && more) { /* only the first question after a predict comment is a prediction */
        m->to = cmark_node_get_start_line(more) - 1;
        end_slide(m);
        m->from = cmark_node_get_start_line(more);
    }
    m->to = to;
    m->is_complete = !comment && type != CMARK_NODE_HEADING &&
                     !(type == CMARK_NODE_PARAGRAPH && introduces_next_block(m, from, to));
}

void slides_add(slides *s, chapter *c, const char *markdown)
{
    char *text = lesson_without_figures(markdown ? markdown : "");
    slide_maker m = {.s = s, .c = c, .source = text};
    add_slide(&m, SLIDE_TITLE);
    cmark_node *doc = markdown_parse(text);
    for (cmark_node *n = cmark_node_first_child(doc); n; n = cmark_node_next(n))
        add_block(&m, n);
    end_section(&m);
    cmark_node_free(doc);
    m.section = NULL;
    add_run_slides(&m);
    add_picture_slides(&m);
    free(text);
}

void slides_free(slides *s)
{
    arena_free(&s->memory);
    *s = (slides){0};
}
