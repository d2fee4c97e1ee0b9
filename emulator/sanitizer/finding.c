#include "finding.h"

#include "source_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void san_where_of(const san_caller *c, san_where *out)
{
    *out = (san_where){.call = c->call, .number = c->number};
    san_caller_place(c, &out->place);
}

const char *san_where_text(const san_where *w, char *out, size_t size)
{
    const san_place *p = &w->place;
    if (p->line) {
        snprintf(out, size, "%s:%u", san_file_name(p->path), p->line);
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

/* A text buffer that is filled piece by piece; pieces that do not fit are left out. */
typedef struct text {
    char *at;
    size_t room; /* bytes left */
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(t->at, t->room, format, ap);
    va_end(ap);
    const size_t used = n < 0 ? 0 : (size_t)n < t->room ? (size_t)n : t->room - 1;
    t->at += used;
    t->room -= used;
}

static void put_note(text *t, const san_note *n, const char *kind)
{
    char lines[400];
    put(t, "%s: %s%s%s", n->where, kind ? kind : "", kind ? ": " : "", n->says);
    if (n->path && san_source_line(n->path, n->line, n->column, lines, sizeof lines)) {
        put(t, "\n%s", lines);
    }
}

void san_words_text(const san_words *w, char *out, size_t size)
{
    text t = {out, size};
    put_note(&t, &w->at, w->kind);
    if (w->other.says) {
        put(&t, "\n");
        put_note(&t, &w->other, NULL);
    }
    if (w->after) {
        put(&t, "\n%s", w->after);
    }
    if (w->mend) {
        put(&t, "\n%s", w->mend);
    }
    if (w->chapter) {
        put(&t, w->mend ? " (chapter %u)" : "\nChapter %u teaches this.", w->chapter);
    }
    if (w->unnamed && (!w->at.path || !w->at.line)) {
        put(&t, "\n%s", w->unnamed);
    }
}

static san_note note_of(const san_where *w, const char *says, char *buffer, size_t size)
{
    const san_place *p = &w->place;
    return (san_note){san_where_text(w, buffer, size), says, p->path, p->line, p->column};
}

void san_finding_text(const san_finding *f, char *out, size_t size)
{
    char at[300], other[300];
    const san_words w = {.kind = f->kind,
                         .at = note_of(&f->at, f->sentence, at, sizeof at),
                         .other = note_of(&f->other, f->other_did, other, sizeof other),
                         .mend = f->mend,
                         .chapter = f->chapter,
                         .unnamed = f->at.call && !f->at.number
                                        ? NULL /* a recorded program has no source positions */
                                        : "nvcc -Xcompiler -g1 makes reports name the line"};
    san_words_text(&w, out, size);
}

static bool same_place(const san_where *a, const san_where *b)
{
    return a->place.line || b->place.line
               ? a->place.line == b->place.line && strcmp(a->place.path, b->place.path) == 0
               : a->number == b->number && a->call == b->call;
}

bool san_finding_same(const san_finding *a, const san_finding *b)
{
    return strcmp(a->kind, b->kind) == 0 && same_place(&a->at, &b->at) &&
           !a->other_did == !b->other_did && (!a->other_did || same_place(&a->other, &b->other));
}
