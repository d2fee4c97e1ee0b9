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
    } else if (w->call) {
        snprintf(out, size, "call %llu, %s%s%s", (unsigned long long)w->number, w->call,
                 p->function[0] ? " in " : "", p->function);
    } else {
        snprintf(out, size, "%s", p->function[0] ? p->function : "host code");
    }
    return out;
}

/* Text that is put together piece by piece; what does not fit is left out. */
typedef struct text {
    char *at;
    size_t room;
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

static void put_source(text *t, const san_place *p)
{
    char lines[400];
    if (san_source_line(p->path, p->line, p->column, lines, sizeof lines)) {
        put(t, "\n%s", lines);
    }
}

void san_finding_text(const san_finding *f, char *out, size_t size)
{
    text t = {out, size};
    char where[300];
    put(&t, "%s: %s: %s", san_where_text(&f->at, where, sizeof where), f->kind, f->sentence);
    put_source(&t, &f->at.place);
    if (f->other_did) {
        put(&t, "\n%s: %s", san_where_text(&f->other, where, sizeof where), f->other_did);
        put_source(&t, &f->other.place);
    }
    if (f->mend) {
        put(&t, "\n%s", f->mend);
    }
    if (f->chapter) {
        put(&t, " (chapter %u)", f->chapter);
    }
    if (!f->at.place.line) {
        put(&t, "\nnvcc -Xcompiler -g1 makes reports name the line");
    }
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
