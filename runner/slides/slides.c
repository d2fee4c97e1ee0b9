#include "slides.h"

#include "../base/files.h"
#include "../base/text.h"
#include "../book/lesson.h"
#include "../book/markdown.h"
#include "points.h"

#include <glob.h>
#include <string.h>

enum {
    MAX_COMMANDS_BYTES = 1 << 16, /* largest file with debugger commands that is read */
    MAX_POINTS = 4,               /* points of a slide */
    MAX_POINTS_OVER_DRAWING = 1,  /* points above a drawing */
};

/* State while the slides of a chapter are made. */
typedef struct slide_maker {
    slides *s;
    chapter *c;
    size_t first;        /* index of the chapter's first slide */
    const char *source;  /* the lesson as Markdown */
    const char *section; /* title of the lesson's section that is being read */
    int from, to; /* first and last line of the lesson's text collected for the slide; 0: none */
    sb shown;     /* what the slide shows of it */
    int points;   /* number of points in it */
    const char *heading;       /* the words in bold that its paragraphs are about, or NULL */
    size_t section_begin;      /* index of the section's first slide */
    size_t in_section;         /* number of the section's slides so far */
    bool is_complete;          /* the next block of the lesson begins a new slide */
    size_t predictions_so_far; /* number of predictions in the text so far */
    bool is_vote;              /* the text collected so far is a prediction to vote on */
    bool has_run_slides, has_picture_slides; /* the slides for the lab's run, and those for the
                                                lesson's pictures, were added */
} slide_maker;

static slide *add_slide(slide_maker *m, slide_kind kind)
{
    slide *new = ARENA_PUSH(&m->s->memory, m->s->list, m->s->count);
    *new = (slide){
        .kind = kind, .c = m->c, .number = m->s->count - 1 - m->first, .section = m->section};
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

static bool has_heading(const slide_maker *m, const char *heading)
{
    for (size_t i = m->section_begin; i < m->s->count; i++)
        if (m->s->list[i].heading && strcmp(m->s->list[i].heading, heading) == 0)
            return true;
    return false;
}

/* A heading that no other slide of the section has, for a slide about the paragraphs TEXT. */
static const char *heading_for(slide_maker *m, const char *text)
{
    const char *heading = m->heading ? m->heading : m->section;
    m->in_section++;
    if (heading && has_heading(m, heading)) {
        /* Elsewhere words in italics are stressed; in "The idea" they are terms. */
        OWNED char *term =
            m->section && strcmp(m->section, "The idea") == 0 ? first_term(text) : NULL;
        heading = term && !has_heading(m, term)
                      ? arena_strdup(&m->s->memory, term)
                      : arena_printf(&m->s->memory, "%s (%zu)", m->section, m->in_section);
    }
    return heading;
}

static void end_slide(slide_maker *m)
{
    if (m->from) {
        bool is_vote = m->is_vote && m->predictions_so_far < m->c->prediction_count;
        slide *new = add_slide(m, is_vote ? SLIDE_VOTE : SLIDE_TEXT);
        OWNED char *text = text_without_test_paths(m->shown.len ? m->shown.s : "");
        bool single = m->points == 1 && starts_with(text, "- ") && !strstr(text, "\n ");
        new->markdown = arena_strdup(&m->s->memory, single ? text + 2 : text);
        new->notes = copy_lines(m, m->from, m->to);
        new->prediction = m->predictions_so_far;
        const char *heading = is_vote ? NULL : heading_for(m, new->notes);
        new->heading = heading;
    }
    sb_free(&m->shown);
    m->points = 0;
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
    CLEANUP(sb_free) sb question = {0}, commands = {0};
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
    return arena_printf(&m->s->memory, "%s\n%s", question.len ? question.s : "",
                        commands.len ? commands.s : "");
}

/* Add slides that run files of debugger commands; only the lecturer's copy of the book has them. */
static void add_debugger_slides(slide_maker *m)
{
    const char *name = m->c->dir ? strrchr(m->c->dir, '/') : NULL;
    if (!name || m->c->assignment)
        return;
    OWNED char *pattern = xprintf("%s/../../tests/book/walks%s/*.walk", m->c->dir, name);
    glob_t found = {0};
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t i = 0; i < count; i++) {
        OWNED char *text = read_whole_file(found.gl_pathv[i], MAX_COMMANDS_BYTES, NULL);
        slide *new = text ? add_slide(m, SLIDE_DEBUGGER) : NULL;
        if (new) {
            new->commands_path = arena_strdup(&m->s->memory, found.gl_pathv[i]);
            new->of_solution = starts_with(text, "# Of the solution.");
            new->markdown = debugger_slide_text(m, text);
        }
    }
    globfree(&found);
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

/* --- blocks of the lesson --- */

static bool is_paragraph(cmark_node *n)
{
    return n && cmark_node_get_type(n) == CMARK_NODE_PARAGRAPH;
}

/* Whether the section is shown as points; its questions and steps are shown whole. */
static bool makes_points(const slide_maker *m, cmark_node_type type)
{
    static const char *const whole[] = {"Predict", "Check yourself"};
    for (size_t i = 0; m->section && i < sizeof whole / sizeof *whole; i++)
        if (strcmp(m->section, whole[i]) == 0)
            return false;
    return m->section && !(type == CMARK_NODE_LIST && strcmp(m->section, "Your task") == 0);
}

/* Append TEXT to the slide, as a block of its own. */
static void show_block(slide_maker *m, const char *text)
{
    sb_printf(&m->shown, "%s%s\n", m->shown.len ? "\n" : "", text);
}

static void show_point(slide_maker *m, const char *mark, const char *text)
{
    OWNED char *point = point_of_paragraph(text, false);
    sb_printf(&m->shown, "%s%s%s\n", m->shown.len && m->points == 0 ? "\n" : "", mark, point);
    m->points++;
}

/* The last line of node N; cmark's is one too low for a comment on one line. */
static int last_line_of(cmark_node *n)
{
    int from = cmark_node_get_start_line(n), to = cmark_node_get_end_line(n);
    return to < from ? from : to;
}

/* Show the paragraph N: a point, or what leads to the block after it. */
static void add_paragraph(slide_maker *m, cmark_node *n)
{
    int from = cmark_node_get_start_line(n), to = last_line_of(n);
    cmark_node *next = cmark_node_next(n);
    cmark_node_type after = next ? cmark_node_get_type(next) : CMARK_NODE_PARAGRAPH;
    bool introduces = introduces_next_block(m, from, to) && next;
    bool leads = introduces || !(after == CMARK_NODE_PARAGRAPH || after == CMARK_NODE_HEADING ||
                                 after == CMARK_NODE_HTML_BLOCK || is_access_picture(next));
    const char *text = copy_lines(m, from, to);
    if (introduces && is_access_picture(next)) /* the picture says so itself */
        return;
    OWNED char *heading = run_in_heading(&text);
    bool full = m->points >= (leads ? MAX_POINTS_OVER_DRAWING + 1 : MAX_POINTS);
    if (m->is_complete || full || heading)
        end_slide(m);
    if (heading)
        m->heading = arena_strdup(&m->s->memory, heading);
    m->from = m->from ? m->from : from;
    m->to = to;
    if (leads) {
        OWNED char *point = point_of_paragraph(text, introduces);
        show_block(m, point);
    } else {
        show_point(m, "- ", text);
    }
}

/* Show the list N: a point for each entry. */
static void add_list(slide_maker *m, cmark_node *n)
{
    int number = cmark_node_get_list_start(n), from = cmark_node_get_start_line(n);
    bool ordered = cmark_node_get_list_type(n) == CMARK_ORDERED_LIST;
    m->from = m->from ? m->from : from;
    m->to = last_line_of(n);
    for (cmark_node *e = cmark_node_first_child(n); e; e = cmark_node_next(e)) {
        cmark_node *p = cmark_node_first_child(e);
        int first = cmark_node_get_start_line(e), last = p ? last_line_of(p) : first;
        cmark_node *below = p ? cmark_node_next(p) : NULL;
        bool whole = !is_paragraph(p) || (below && !is_paragraph(below));
        char *text = strip(copy_lines(m, first, whole ? last_line_of(e) : last));
        OWNED char *mark = ordered ? xprintf("%d. ", number++) : xstrdup("- ");
        if (whole)
            sb_printf(&m->shown, "%s%s\n", m->shown.len && !m->points++ ? "\n" : "", text);
        else
            show_point(m, mark, text + strcspn(text, " ") + 1);
    }
    m->is_complete = m->points >= MAX_POINTS;
}

/* Show the block N as it is in the lesson. */
static void add_whole_block(slide_maker *m, cmark_node *n)
{
    cmark_node_type type = cmark_node_get_type(n);
    int from = cmark_node_get_start_line(n), to = last_line_of(n);
    bool comment = type == CMARK_NODE_HTML_BLOCK;
    if (m->is_complete && (is_paragraph(n) || comment))
        end_slide(m);
    m->from = m->from ? m->from : from;
    /* Recognize predictions in the same way as chapter_read_lesson. */
    const char *text = copy_lines(m, from, to);
    m->is_vote |= comment && strstr(text, "kernel=") && strstr(text, "metric=");
    cmark_node *more = type == CMARK_NODE_LIST ? cmark_node_next(cmark_node_first_child(n)) : NULL;
    if (m->is_vote && more) { /* only the first question after a predict comment is a prediction */
        m->to = cmark_node_get_start_line(more) - 1;
        show_block(m, copy_lines(m, from, m->to));
        end_slide(m);
        m->from = from = cmark_node_get_start_line(more);
    }
    m->to = to;
    show_block(m, copy_lines(m, from, to));
    m->is_complete = !comment && !(is_paragraph(n) && introduces_next_block(m, from, to)) &&
                     !(type == CMARK_NODE_LIST && makes_points(m, CMARK_NODE_PARAGRAPH));
}

static void begin_section(slide_maker *m, int line)
{
    end_section(m);
    m->section = line ? heading_on_line(m, line) : NULL;
    m->heading = NULL;
    m->in_section = 0;
    m->section_begin = m->s->count;
}

static void add_block(slide_maker *m, cmark_node *n)
{
    int from = cmark_node_get_start_line(n);
    cmark_node_type type = cmark_node_get_type(n);
    const char *text = copy_lines(m, from, last_line_of(n));
    if (type == CMARK_NODE_HEADING && cmark_node_get_heading_level(n) <= 2) {
        begin_section(m, cmark_node_get_heading_level(n) == 2 ? from : 0);
    } else if (m->section && strcmp(m->section, "Hints") == 0) {
        return;
    } else if (type == CMARK_NODE_HTML_BLOCK && !starts_with(text, "<!-- predict")) {
        return; /* each picture gets its own slide */
    } else if (is_access_picture(n)) {
        end_slide(m);
        add_slide(m, SLIDE_ACCESS)->markdown = text;
    } else if (type == CMARK_NODE_HEADING) {
        end_slide(m);
        m->heading = heading_on_line(m, from);
    } else if (makes_points(m, type) && is_paragraph(n)) {
        add_paragraph(m, n);
    } else if (makes_points(m, type) && type == CMARK_NODE_LIST) {
        add_list(m, n);
    } else {
        add_whole_block(m, n);
    }
}

void slides_add(slides *s, chapter *c, const char *markdown)
{
    OWNED char *text = lesson_without_figures(markdown ? markdown : "");
    slide_maker m = {.s = s, .c = c, .first = s->count, .source = text};
    add_slide(&m, SLIDE_TITLE);
    cmark_node *doc = markdown_parse(text);
    for (cmark_node *n = cmark_node_first_child(doc); n; n = cmark_node_next(n))
        add_block(&m, n);
    end_section(&m);
    cmark_node_free(doc);
    sb_free(&m.shown);
    m.section = NULL;
    add_run_slides(&m);
    add_picture_slides(&m);
}

void slides_free(slides *s)
{
    arena_free(&s->memory);
    *s = (slides){0};
}
