#include "page.h"

#include "../base/json.h"
#include "../base/linear.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void page_free(page *p)
{
    arena_free(&p->memory);
    *p = (page){0};
}

void styled_add(styled *t, style how, const char *s, size_t len)
{
    sb_add(&t->text, s, len);
    sb_fill(&t->styles, (char)how, len);
}

void styled_puts(styled *t, style how, const char *s)
{
    styled_add(t, how, s, strlen(s));
}

void styled_printf(styled *t, style how, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    OWNED char *s = xvprintf(format, args);
    va_end(args);
    styled_puts(t, how, s);
}

void styled_add_link(styled *t, const char *s, const char *target)
{
    size_t length = 0;
    for (const char *c = s; *c; c++)
        length += *c != ' ';
    styled_puts(t, STYLE_LINK, s);
    sb_printf(&t->links, "%zu %s\n", length, target);
}

void styled_free(styled *t)
{
    sb_free(&t->text);
    sb_free(&t->styles);
    sb_free(&t->links);
}

static void append_line(page *p, const char *s, const char *styles, size_t len)
{
    page_line *l = ARENA_PUSH(&p->memory, p->lines, p->count);
    l->s = arena_strndup(&p->memory, s ? s : "", len);
    l->styles = (unsigned char *)arena_strndup(&p->memory, styles ? styles : "", len);
    l->len = len;
}

static void add_links(page *p, const char *links)
{
    const char *line;
    size_t len;
    while (links && (line = next_line(&links, &len))) {
        char *target;
        page_link *link = ARENA_PUSH(&p->memory, p->links, p->link_count);
        link->length = strtoul(line, &target, 10);
        link->target = arena_strndup(&p->memory, target + 1, (size_t)(line + len - target) - 1);
    }
}

void page_add_line(page *p, styled *t)
{
    add_links(p, t->links.s);
    append_line(p, t->text.s, t->styles.s, t->text.len);
    styled_free(t);
}

/* Offset in S at which a line that begins at offset I must end to fit into WIDTH columns; *NEXT:
 * offset of the next line. */
static size_t end_of_wrapped_line(const char *s, size_t i, size_t len, size_t width, size_t *next)
{
    size_t fits = i + utf8_fit(s + i, len - i, width);
    const char *newline = memchr(s + i, '\n', fits - i + (fits < len));
    if (newline) {
        *next = (size_t)(newline - s) + 1;
        return *next - 1;
    }
    if (fits == len) {
        *next = len;
        return len;
    }
    size_t end = fits;
    while (end > i && s[end] != ' ')
        end--;
    if (end == i) { /* a word wider than the page is split */
        size_t n;
        utf8_decode(s + i, len - i, &n);
        *next = fits > i ? fits : i + n;
        return *next;
    }
    *next = end;
    while (*next < len && s[*next] == ' ')
        ++*next;
    while (end > i && s[end - 1] == ' ')
        end--;
    return end;
}

void page_wrap(page *p, styled *t, size_t width, const char *first, const char *rest)
{
    const char *s = t->text.s ? t->text.s : "";
    size_t len = t->text.len, i = 0;
    const char *prefix = first;
    add_links(p, t->links.s);
    do {
        size_t used = utf8_width(prefix, strlen(prefix)), next;
        size_t end = end_of_wrapped_line(s, i, len, width > used + 8 ? width - used : 8, &next);
        styled line = {0};
        styled_puts(&line, STYLE_DIM, prefix);
        sb_add(&line.text, s + i, end - i);
        sb_add(&line.styles, t->styles.s ? t->styles.s + i : "", end - i);
        page_add_line(p, &line);
        i = next;
        prefix = rest;
    } while (i < len);
    styled_free(t);
}

void page_wrap_text(page *p, style how, const char *text, size_t width, const char *first,
                    const char *rest)
{
    styled t = {0};
    styled_puts(&t, how, text);
    page_wrap(p, &t, width, first, rest);
}

void page_line_add(page *p, style how, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    OWNED char *s = xvprintf(format, args);
    va_end(args);
    styled t = {0};
    styled_puts(&t, how, s);
    page_add_line(p, &t);
}

void page_add_blank_line(page *p)
{
    append_line(p, "", "", 0);
}

void page_ensure_blank(page *p)
{
    if (p->count && p->lines[p->count - 1].len)
        page_add_blank_line(p);
}

/* The text after the escape sequence at S. */
static const char *skip_escape(const char *s)
{
    s++;
    if (*s == '[') {
        s++;
        while (*s >= 0x20 && *s < 0x40)
            s++;
    }
    return *s && *s != '\n' ? s + 1 : s;
}

void page_add_terminal_text(page *p, style how, const char *text)
{
    styled line = {0};
    size_t column = 0, left = strlen(text);
    const char *end = text + left;
    while (text < end) {
        size_t n;
        unsigned c = utf8_decode(text, (size_t)(end - text), &n);
        if (c == '\n') {
            page_add_line(p, &line);
            column = 0;
        } else if (c == '\t') {
            do
                styled_add(&line, how, " ", 1);
            while (++column % 8);
        } else if (c == 0x1B) {
            text = skip_escape(text);
            continue;
        } else if (c == '\r') {
            if (text[1] != '\n') /* a progress line that the next one overwrites */
                styled_free(&line), column = 0;
        } else if (c < 0x20 || c == 0x7F || c == 0xFFFD || (c >= 0x80 && c < 0xA0)) {
            styled_add(&line, how, "?", 1);
            column++;
        } else {
            styled_add(&line, how, text, n);
            column += utf8_width(text, n);
        }
        text += n;
    }
    if (line.text.len)
        page_add_line(p, &line);
    styled_free(&line);
}

void page_append(page *p, const page *more)
{
    for (size_t i = 0; i < more->count; i++)
        append_line(p, more->lines[i].s, (const char *)more->lines[i].styles, more->lines[i].len);
    for (size_t i = 0; i < more->link_count; i++) {
        page_link *link = ARENA_PUSH(&p->memory, p->links, p->link_count);
        *link = (page_link){arena_strdup(&p->memory, more->links[i].target), more->links[i].length};
    }
}

size_t page_link_from(const page *p, size_t line, size_t byte, bool *on)
{
    size_t before = 0, link = 0;
    *on = false;
    for (size_t l = 0; l <= line && l < p->count; l++)
        for (size_t i = 0; i < (l < line ? p->lines[l].len : byte); i++)
            before += p->lines[l].styles[i] == STYLE_LINK && p->lines[l].s[i] != ' ';
    while (link < p->link_count && before >= p->links[link].length)
        before -= p->links[link++].length;
    if (line < p->count && byte < p->lines[line].len)
        *on = p->lines[line].styles[byte] == STYLE_LINK;
    return link;
}

size_t page_width(const page *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->count; i++) {
        size_t w = utf8_width(p->lines[i].s, p->lines[i].len);
        most = w > most ? w : most;
    }
    return most;
}

/* The words that replace a symbol in plain output; NULL: C is no such symbol. */
static const char *symbol_in_words(unsigned c)
{
    return c == 0x25B8   ? ""
           : c == 0x2713 ? "right:"
           : c == 0x2717 ? "wrong:"
           : c == 0x2192 ? "-"
                         : NULL;
}

void page_print(FILE *f, const page *p, bool colour, bool utf8)
{
    static const char *const on[STYLE_COUNT] = {
        [STYLE_TITLE] = "\033[1m",   [STYLE_HEADING] = "\033[1;36m",
        [STYLE_STRONG] = "\033[1m",  [STYLE_EMPH] = "\033[4m",
        [STYLE_CODE] = "\033[36m",   [STYLE_DIM] = "\033[2m",
        [STYLE_GOOD] = "\033[32m",   [STYLE_BAD] = "\033[31m",
        [STYLE_NOTE] = "\033[33m",   [STYLE_TODO] = "\033[1;33m",
        [STYLE_PICKED] = "\033[7m",  [STYLE_KEYWORD] = "\033[34m",
        [STYLE_CUDA] = "\033[35m",   [STYLE_LITERAL] = "\033[32m",
        [STYLE_COMMENT] = "\033[2m", [STYLE_DIRECTIVE] = "\033[33m",
        [STYLE_LINK] = "\033[4m",
    };
    for (size_t l = 0; l < p->count; l++) {
        const page_line *line = &p->lines[l];
        const char *last = NULL;
        for (size_t i = 0, n; i < line->len; i += n) {
            const char *next = colour ? on[line->styles[i]] : NULL;
            if (next != last)
                fprintf(f, "%s%s", last ? "\033[0m" : "", next ? next : "");
            last = next;
            unsigned c = utf8_decode(line->s + i, line->len - i, &n);
            const char *word = is_output_linear() ? symbol_in_words(c) : NULL;
            if (word) {
                fputs(word, f);
                n += !*word && line->s[i + n] == ' '; /* and the blank after it */
                continue;
            }
            if (utf8 || c < 0x80)
                fwrite(line->s + i, 1, n, f);
            else
                fputs(utf8_ascii(c), f);
        }
        fprintf(f, "%s\n", last ? "\033[0m" : "");
    }
}

/* --- as JSON --- */

static json_t *styled_line_json(const page_line *l)
{
    json_t *line = json_array();
    for (size_t i = 0, n; i < l->len; i += n) {
        for (n = 1; i + n < l->len && l->styles[i + n] == l->styles[i];)
            n++;
        OWNED char *text = xprintf("%.*s", (int)n, l->s + i);
        json_array_append_new(line, json_integer(l->styles[i]));
        json_array_append_new(line, text_json(text));
    }
    return line;
}

json_t *page_json(const page *p)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < p->count; i++)
        json_array_append_new(lines, styled_line_json(&p->lines[i]));
    return lines;
}

void page_add_json(page *p, const json_t *lines)
{
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);
        styled t = {0};
        for (size_t k = 0; k + 1 < json_array_size(line); k += 2) {
            const json_int_t how = json_integer_value(json_array_get(line, k));
            const char *text = json_string_value(json_array_get(line, k + 1));
            if (text && how >= 0 && how < STYLE_COUNT)
                styled_puts(&t, (style)how, text);
        }
        page_add_line(p, &t);
    }
}
