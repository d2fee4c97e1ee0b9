/* Prints the emulator's reports of mistakes for people. */
#include "report.h"

#include <string.h>

/* Number of reported mistakes that are shown in full; the others are only counted. */
enum { REPORTS_IN_FULL = 6 };

/* Print a source line and a caret under the column, or under the start of the statement. */
static void put_location(page *p, const finding_location *at)
{
    if (!at->source)
        return;
    size_t blank = strspn(at->source, " ");
    size_t caret = at->column > (int)blank && (size_t)at->column <= strlen(at->source)
                       ? (size_t)at->column - 1 - blank
                       : 0;
    OWNED char *label = xprintf("    %s:%d | ", at->file, at->line);
    page_line_add(p, STYLE_CODE, "%s%s", label, at->source + blank);
    page_line_add(p, STYLE_BAD, "%*s%*s^", (int)utf8_width(label, strlen(label)), "", (int)caret,
                  "");
}

/* Print a finding. NEXT: the finding shown after it, or NULL; if both have the same advice, it is
 * printed once. */
static void add_finding_text(page *p, const finding *f, const finding *next, size_t width)
{
    CLEANUP(arena_free) arena memory = {0};
    const char *fix = finding_fix(&memory, f);
    const char *then =
        next && next->mistake_row == f->mistake_row ? finding_fix(&memory, next) : NULL;
    CLEANUP(sb_free) sb text = {0};
    if (fix && then && strcmp(fix, then) == 0)
        fix = NULL;
    /* A race is shown as one sentence, other mistakes with the full text of their report. */
    sb_printf(&text, "✗ %s: %s", f->mistake_row->kind, finding_sentence(f));
    page_wrap_text(p, STYLE_BAD, text.s, width, "", "    ");
    put_location(p, &f->at);
    if (f->other.line != f->at.line)
        put_location(p, &f->other);
    const int number = f->chapter ? f->chapter : f->mistake_row->chapter;
    if (fix && number)
        page_wrap_text(p, STYLE_NOTE, arena_printf(&memory, "%s (chapter %d)", fix, number), width,
                       "    ", "    ");
    else if (fix)
        page_wrap_text(p, STYLE_NOTE, fix, width, "    ", "    ");
}

void report_findings(page *p, const verdict *v, size_t width)
{
    size_t shown = 0, hidden = 0;
    for (size_t i = 0; i < v->found.count; i++) {
        const finding *f = &v->found.rows[i];
        if (!f->mistake_row && v->kind == VERDICT_PASS)
            continue; /* all checks passed, and the finding names no mistake */
        if (shown == REPORTS_IN_FULL) {
            hidden++;
            continue;
        }
        shown++;
        if (f->mistake_row)
            add_finding_text(p, f, shown < REPORTS_IN_FULL && i + 1 < v->found.count ? f + 1 : NULL,
                             width);
        else
            page_wrap_text(p, STYLE_NOTE, f->text, width, "    ", "    ");
    }
    if (hidden)
        page_line_add(p, STYLE_NOTE, "    and %zu more reports", hidden);
    if (v->found.damage)
        page_wrap_text(p, STYLE_NOTE, v->found.damage, width, "! ", "  ");
}
