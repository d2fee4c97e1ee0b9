#include "lesson.h"

#include "../base/linear.h"

#include "lesson_table.h"
#include "markdown.h"
#include "quiz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct renderer {
    page *p;
    size_t width; /* width of the page in columns */
    const lesson_insertions
        *insertions;    /* texts, such as the student's answers, that are shown inside the lesson */
    size_t predictions; /* number of predictions shown so far */
    const char *pending; /* the prediction's line, until its question has been rendered */
    bool has_picture;    /* the line that offers the plots has been shown */
    bool in_quiz;        /* the section of questions is being rendered */
} renderer;

/* --- inlines --- */

static void render_inlines(styled *t, cmark_node *parent, style how);

static void add_link_text(styled *t, cmark_node *node, style how)
{
    const char *url = cmark_node_get_url(node);
    cmark_node *only = cmark_node_first_child(node);
    const char *anchor = url ? strstr(url, "GLOSSARY.md#") : NULL;
    if (anchor && how == STYLE_NORMAL) {
        CLEANUP(styled_free) styled words = {0};
        render_inlines(&words, node, how);
        styled_add_link(t, words.text.s ? words.text.s : "", strchr(anchor, '#') + 1);
        return;
    }
    render_inlines(t, node, how);
    bool shown = only && cmark_node_get_literal(only) && url &&
                 strcmp(cmark_node_get_literal(only), url) == 0;
    if (url && strstr(url, "://") && !shown)
        styled_printf(t, STYLE_DIM, " <%s>", url);
}

static void render_inlines(styled *t, cmark_node *parent, style how)
{
    for (cmark_node *n = cmark_node_first_child(parent); n; n = cmark_node_next(n)) {
        switch (cmark_node_get_type(n)) {
        case CMARK_NODE_TEXT: styled_puts(t, how, cmark_node_get_literal(n)); break;
        case CMARK_NODE_SOFTBREAK: styled_puts(t, how, " "); break;
        case CMARK_NODE_LINEBREAK: styled_puts(t, how, "\n"); break;
        case CMARK_NODE_CODE: styled_puts(t, STYLE_CODE, cmark_node_get_literal(n)); break;
        case CMARK_NODE_EMPH: render_inlines(t, n, how == STYLE_NORMAL ? STYLE_EMPH : how); break;
        case CMARK_NODE_STRONG:
            render_inlines(t, n, how == STYLE_NORMAL ? STYLE_STRONG : how);
            break;
        case CMARK_NODE_LINK: add_link_text(t, n, how); break;
        case CMARK_NODE_IMAGE:
            styled_puts(t, STYLE_DIM, "[picture: ");
            render_inlines(t, n, STYLE_DIM);
            styled_puts(t, STYLE_DIM, "]");
            break;
        default: break; /* inline HTML is meant for browsers */
        }
    }
}

/* --- blocks --- */

static void render_blocks(renderer *r, cmark_node *parent, const char *first, const char *rest);

static void render_code_block(renderer *r, cmark_node *node, const char *first, const char *rest)
{
    const char *info = cmark_node_get_fence_info(node);
    if (is_output_linear() && info && starts_with(info, "access ")) {
        page_line_add(
            r->p, STYLE_NOTE,
            "%s(A picture of accesses: `warpbook plot --plain --access` describes it in words.)",
            first);
        return;
    }
    const char *text = cmark_node_get_literal(node), *line;
    size_t len;
    while ((line = next_line(&text, &len))) {
        CLEANUP(page_free) page code = {0};
        OWNED char *copy = xprintf("%.*s", (int)len, line);
        page_add_terminal_text(&code, STYLE_CODE, copy);
        styled t = {0};
        styled_printf(&t, STYLE_DIM, "%s  ", first);
        if (code.count)
            styled_puts(&t, STYLE_CODE, code.lines[0].s);
        page_add_line(r->p, &t);
        first = rest;
    }
}

static void render_heading(renderer *r, cmark_node *node, const char *first, const char *rest)
{
    int level = cmark_node_get_heading_level(node);
    style how = level == 1 ? STYLE_TITLE : level == 2 ? STYLE_HEADING : STYLE_STRONG;
    styled t = {0};
    render_inlines(&t, node, how);
    page_wrap(r->p, &t, r->width, first, rest);
}

void lesson_add_inline_text(styled *t, cmark_node *node)
{
    CLEANUP(styled_free) styled marked = {0};
    render_inlines(&marked, node, STYLE_NORMAL);
    for (size_t i = 0; i < marked.styles.len; i++)
        if (marked.styles.s[i] == STYLE_LINK)
            marked.styles.s[i] = STYLE_NORMAL;
    sb_add(&t->text, marked.text.s, marked.text.len);
    sb_add(&t->styles, marked.styles.s, marked.styles.len);
}

static void render_paragraph(renderer *r, cmark_node *node, const char *first, const char *rest)
{
    styled t = {0};
    if (r->insertions && r->insertions->links)
        render_inlines(&t, node, STYLE_NORMAL);
    else
        lesson_add_inline_text(&t, node);
    page_wrap(r->p, &t, r->width, first, rest);
}

static void render_table(renderer *r, cmark_node *node, const char *first, const char *rest)
{
    size_t used = utf8_width(rest, strlen(rest));
    table_render(r->p, node, r->width > used ? r->width - used : r->width, first, rest);
}

/* Show the student's answer to question I (from 0), if there is one, below the question. */
static void render_answer(renderer *r, size_t i, const char *margin)
{
    if (!r->insertions || i >= r->insertions->answer_count || !r->insertions->answers[i])
        return;
    styled t = {0};
    cmark_node *answer = markdown_parse(r->insertions->answers[i]);
    render_inlines(&t, cmark_node_first_child(answer), STYLE_NOTE);
    cmark_node_free(answer);
    page_wrap(r->p, &t, r->width, margin, margin);
}

/* True: the item is a choice of a quiz question, "a) ...", whose letter is part of the text. */
static bool is_quiz_choice(cmark_node *item)
{
    cmark_node *paragraph = cmark_node_first_child(item);
    cmark_node *inside = paragraph ? cmark_node_first_child(paragraph) : NULL;
    const char *text = inside ? cmark_node_get_literal(inside) : NULL;
    return text && text[0] >= 'a' && text[0] <= 'z' && text[1] == ')' && text[2] == ' ';
}

static void render_list(renderer *r, cmark_node *node, const char *first, const char *rest)
{
    bool ordered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST;
    bool tight = cmark_node_get_list_tight(node);
    int number = cmark_node_get_list_start(node);
    size_t asked = 0;
    for (cmark_node *item = cmark_node_first_child(node); item; item = cmark_node_next(item)) {
        char mark[16];
        const char *bullet = is_quiz_choice(item) ? "" : is_output_linear() ? "- " : "• ";
        if (ordered)
            snprintf(mark, sizeof mark, "%d. ", number++);
        else
            snprintf(mark, sizeof mark, "%s", bullet);
        OWNED char *one = xprintf("%s%s", first, mark);
        const size_t indent =
            is_quiz_choice(item) && !ordered ? strlen("a) ") : utf8_width(mark, strlen(mark));
        OWNED char *more = xprintf("%s%*s", rest, (int)indent, "");
        size_t before = r->p->count;
        render_blocks(r, item, one, more);
        if (r->p->count == before)
            page_line_add(r->p, STYLE_DIM, "%s", one);
        if (r->in_quiz && !*first && !*rest)
            render_answer(r, asked++, more);
        if (!tight && cmark_node_next(item))
            page_ensure_blank(r->p);
        first = rest;
    }
}

static void render_note(renderer *r, const char *text, const char *margin)
{
    page_wrap_text(r->p, STYLE_NOTE, text, r->width, margin, margin);
}

static void render_html_block(renderer *r, cmark_node *node, const char *rest)
{
    const char *text = cmark_node_get_literal(node);
    if (!r->insertions)
        return;
    if (strstr(text, "<!-- predict ") && r->predictions < r->insertions->prediction_count) {
        r->pending = r->insertions->predictions[r->predictions++];
    } else if (strstr(text, "<!-- plot ") && r->insertions->picture && !r->has_picture) {
        r->has_picture = true;
        render_note(r, r->insertions->picture, rest);
    }
}

/* True: a blank line separates the node from the block before it; there is none in a tight list or
 * after a list mark. */
static bool needs_blank_line_before(cmark_node *node)
{
    cmark_node *before = cmark_node_previous(node), *parent = cmark_node_parent(node);
    if (!before || cmark_node_get_type(before) == CMARK_NODE_HTML_BLOCK)
        return false;
    return !(cmark_node_get_type(parent) == CMARK_NODE_ITEM &&
             cmark_node_get_list_tight(cmark_node_parent(parent)));
}

static void render_block(renderer *r, cmark_node *n, const char *first, const char *rest)
{
    char *quoted;
    switch (cmark_node_get_type(n)) {
    case CMARK_NODE_HEADING: render_heading(r, n, first, rest); break;
    case CMARK_NODE_PARAGRAPH: render_paragraph(r, n, first, rest); break;
    case CMARK_NODE_CODE_BLOCK: render_code_block(r, n, first, rest); break;
    case CMARK_NODE_LIST: render_list(r, n, first, rest); break;
    case CMARK_NODE_BLOCK_QUOTE:
        quoted = is_output_linear() ? xstrdup(rest) : xprintf("%s│ ", rest);
        render_blocks(r, n, quoted, quoted);
        free(quoted);
        break;
    case CMARK_NODE_THEMATIC_BREAK:
        page_line_add(r->p, STYLE_DIM, is_output_linear() ? "%s" : "%s────────", first);
        break;
    case CMARK_NODE_HTML_BLOCK: render_html_block(r, n, rest); break;
    default:
        if (markdown_has_type(n, "table"))
            render_table(r, n, first, rest);
    }
}

static void render_blocks(renderer *r, cmark_node *parent, const char *first, const char *rest)
{
    bool hidden = false;
    for (cmark_node *n = cmark_node_first_child(parent); n; n = cmark_node_next(n)) {
        if (cmark_node_get_type(n) == CMARK_NODE_HEADING && cmark_node_get_heading_level(n) <= 2) {
            hidden = markdown_begins_section(n, "Hints");
            r->in_quiz = markdown_begins_section(n, QUIZ_SECTION);
        }
        if (hidden)
            continue;
        if (needs_blank_line_before(n)) {
            styled gap = {0};
            /* Inside a quotation, a blank line keeps the bar at its left. */
            if (strstr(rest, "│"))
                styled_puts(&gap, STYLE_DIM, rest);
            if (gap.text.len)
                page_add_line(r->p, &gap);
            else
                page_ensure_blank(r->p);
        }
        render_block(r, n, first, rest);
        first = rest;
        if (r->pending && cmark_node_get_type(n) != CMARK_NODE_HTML_BLOCK) {
            render_note(r, r->pending, rest);
            r->pending = NULL;
        }
    }
}

/* Add LINE without its HTML comments. They are removed before cmark-gfm parses the text, because
 * CommonMark takes a whole line that begins with a comment for HTML. */
static void add_without_comments(sb *out, const char *line, size_t len)
{
    const char *end = line + len, *open, *close;
    while ((open = memmem(line, (size_t)(end - line), "<!--", 4)) &&
           (close = memmem(open, (size_t)(end - open), "-->", 3))) {
        sb_add(out, line, (size_t)(open - line));
        line = close + 3;
    }
    sb_add(out, line, (size_t)(end - line));
}

char *lesson_without_figures(const char *markdown)
{
    sb out = {0};
    const char *line;
    size_t len;
    bool in_code = false, in_list = false;
    while ((line = next_line(&markdown, &len))) {
        size_t indent = 0;
        while (indent < len && line[indent] == ' ')
            indent++;
        const char *text = line + indent;
        in_code ^= len - indent >= 3 && memcmp(text, "```", 3) == 0;
        in_list |= !in_code && len - indent >= 12 && memcmp(text, "<!-- figures", 12) == 0;
        if (in_list) {
            in_list = !memmem(line, len, "-->", 3);
            continue;
        }
        CLEANUP(sb_free) sb rest = {0};
        if (!in_code)
            add_without_comments(&rest, line, len);
        if (rest.s && *strip(rest.s))
            sb_printf(&out, "%s\n", rest.s);
        else
            sb_printf(&out, "%.*s\n", (int)len, line);
    }
    return sb_take(&out);
}

void lesson_render(page *p, const char *markdown, size_t width, const lesson_insertions *insertions)
{
    OWNED char *text = lesson_without_figures(markdown);
    renderer r = {.p = p, .width = width, .insertions = insertions};
    cmark_node *doc = markdown_parse(text);
    render_blocks(&r, doc, "", "");
    cmark_node_free(doc);
}

void lesson_render_hint(page *p, const char *markdown, size_t width)
{
    lesson_render(p, markdown, width, NULL);
}
