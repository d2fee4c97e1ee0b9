#include "submission.h"

#include "../base/files.h"
#include "../book/pristine.h"
#include "trust.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_LIMIT = 4 << 20 };

void submission_look(house *h, const chapter *c, const char *path, const char *called, verdict *v)
{
    char *text = file_read(path, SOURCE_LIMIT, NULL), *book = pristine_book(h, c);
    size_t count;
    v->path = arena_strdup(&v->memory, called);
    v->touched = text && book ? pristine_difference(text, book) : -1;
    flaw *flaws = trust_flaws(text ? text : "", book, &v->memory, &count);
    for (size_t i = 0; i < count; i++)
        *ARENA_PUSH(&v->memory, v->flaws, v->flaw_count) =
            arena_printf(&v->memory, "%s:%d: %s", called, flaws[i].line, flaws[i].sentence);
    free(text);
    free(book);
}

static char *refuse(verdict *v, verdict_kind kind, const char *reason)
{
    v->kind = kind;
    v->reason = reason;
    return NULL;
}

/* What the text at PATH is refused for, or NULL. */
static const char *refusal(const char *path, const verdict *v, arena *m)
{
    if (v->touched > 0)
        return arena_printf(m,
                            "%s:%d is not the book's text, outside the TODO regions; it was not "
                            "run",
                            path, v->touched);
    if (v->touched < 0)
        return "the book's own text, to compare it with, is not there";
    return v->flaw_count ? arena_printf(m, "%s; it was not run", v->flaws[0]) : NULL;
}

static char *copy_beside_no_header(house *h, const chapter *c, const char *file, const char *text,
                                   verdict *v)
{
    const char *slash = strrchr(file, '/');
    char *dir =
        house_path(h, "build/graded/%s-%016" PRIx64, strrchr(c->dir, '/') + 1,
                   hash_bytes(hash_bytes(HASH_START, text, strlen(text)), file, strlen(file)));
    char *copy = arena_printf(&h->memory, "%s/%s", dir, slash ? slash + 1 : file);
    if (dirs_make(dir) && file_write(copy, text, strlen(text)))
        return copy;
    return refuse(v, VERDICT_LACKS,
                  arena_printf(&v->memory, "cannot write %s: %s", copy, strerror(errno)));
}

char *submission_take(house *h, const chapter *c, const char *file, verdict *v)
{
    arena *m = &v->memory;
    size_t len = 0;
    char *text = file_read(file, SOURCE_LIMIT, &len), *copy = NULL;
    v->path = arena_strdup(m, file);
    if (!text)
        return refuse(v, VERDICT_UNGRADED,
                      arena_printf(m, "%s cannot be read: %s", file, strerror(errno)));
    if (len == 0 || strlen(text) != len) {
        refuse(v, VERDICT_UNGRADED,
               arena_printf(m, "%s is %s; it was not run", file, len ? "no text" : "empty"));
    } else {
        submission_look(h, c, file, file, v);
        const char *why = refusal(file, v, m);
        copy = why ? refuse(v, VERDICT_UNGRADED, why) : copy_beside_no_header(h, c, file, text, v);
    }
    free(text);
    return copy;
}
