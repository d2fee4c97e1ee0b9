#include "finding.h"

#include "source_line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void san_call_position_of(const san_caller *c, san_call_position *out)
{
    *out = (san_call_position){.call = c->call, .number = c->number};
    san_position_of_caller(c, &out->place);
}

const char *san_call_position_text(const san_call_position *w, char *out, size_t size)
{
    const san_host_position *p = &w->place;
    if (p->line) {
        snprintf(out, size, "%s:%u", basename(p->path), p->line);
    } else if (w->call && !w->number) {
        snprintf(out, size, "%s", w->call);
    } else if (w->call) {
        snprintf(out, size, "call %llu, %s%s%s", (unsigned long long)w->number, w->call,
                 p->function[0] ? " in " : "", p->function);
    } else {
        snprintf(out, size, "%s", p->function[0] ? p->function : "host code");
    }
    return out;
}

/* A text buffer to which text is appended; what does not fit is omitted. */
typedef struct text_buffer {
    char *at;
    size_t cap; /* bytes left */
} text_buffer;

__attribute__((format(printf, 2, 3))) static void append_format(text_buffer *t, const char *format,
                                                                ...)
{
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(t->at, t->cap, format, ap);
    va_end(ap);
    const size_t used = n < 0 ? 0 : (size_t)n < t->cap ? (size_t)n : t->cap - 1;
    t->at += used;
    t->cap -= used;
}

static void append_note(text_buffer *t, const san_note *n, const char *kind)
{
    char lines[400];
    append_format(t, "%s: %s%s%s", n->where, kind ? kind : "", kind ? ": " : "", n->phrase);
    if (n->path && san_source_line(n->path, n->line, n->column, lines, sizeof lines))
        append_format(t, "\n%s", lines);
}

const char *san_advice_text(const char *fix, char *out, size_t size)
{
    const size_t n = fix ? strlen(fix) : 0;
    if (!n)
        return NULL;
    snprintf(out, size, "%c%s%s", toupper((unsigned char)fix[0]), fix + 1,
             strchr(".?!", fix[n - 1]) ? "" : ".");
    return out;
}

void san_compose_report(const san_report_parts *w, char *out, size_t size)
{
    text_buffer t = {out, size};
    char fix[SAN_ADVICE_BYTES];
    append_note(&t, &w->at, w->kind);
    if (w->other.phrase) {
        append_format(&t, "\n");
        append_note(&t, &w->other, NULL);
    }
    if (w->after)
        append_format(&t, "\n%s", w->after);
    if (w->fix)
        append_format(&t, "\n%s", san_advice_text(w->fix, fix, sizeof fix));
    if (w->chapter)
        append_format(&t, w->fix ? " (chapter %u)" : "\nChapter %u teaches this.", w->chapter);
    if (w->unnamed && (!w->at.path || !w->at.line))
        append_format(&t, "\n%s", w->unnamed);
}

static san_note note_at_call(const san_call_position *w, const char *phrase, char *buffer,
                             size_t size)
{
    const san_host_position *p = &w->place;
    return (san_note){san_call_position_text(w, buffer, size), phrase, p->path, p->line, p->column};
}

void san_finding_text(const san_finding *f, char *out, size_t size)
{
    char at[300], other[300];
    const san_report_parts w = {.kind = f->kind,
                                .at = note_at_call(&f->at, f->sentence, at, sizeof at),
                                .other = note_at_call(&f->other, f->other_did, other, sizeof other),
                                .fix = f->fix,
                                .chapter = f->chapter,
                                .unnamed = f->at.call && !f->at.number
                                               ? NULL /* a recording has no source positions */
                                               : "nvcc -Xcompiler -g1 makes reports name the line"};
    san_compose_report(&w, out, size);
}

static bool is_same_position(const san_call_position *a, const san_call_position *b)
{
    return a->place.line || b->place.line
               ? a->place.line == b->place.line && strcmp(a->place.path, b->place.path) == 0
               : a->number == b->number && a->call == b->call;
}

bool san_is_same_finding(const san_finding *a, const san_finding *b)
{
    return strcmp(a->kind, b->kind) == 0 && is_same_position(&a->at, &b->at) &&
           !a->other_did == !b->other_did &&
           (!a->other_did || is_same_position(&a->other, &b->other));
}
