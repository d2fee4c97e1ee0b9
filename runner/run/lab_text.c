#include "lab_text.h"

#include "../base/files.h"
#include "../book/pristine.h"
#include "graft.h"
#include "trust.h"

#include <errno.h>
#include <string.h>

enum { SOURCE_LIMIT = 4 << 20 }; /* bytes of a source file, at most */

void lab_text_check(const char *text, const char *original, const char *called, verdict *v)
{
    size_t count;
    v->text.path = arena_strdup(&v->memory, called);
    v->text.touched = text && original ? first_changed_line(text, original) : -1;
    flaw *flaws = find_forbidden_names(text ? text : "", original, &v->memory, &count);
    for (size_t i = 0; i < count; i++) {
        const char *said =
            arena_printf(&v->memory, "%s:%d: %s", called, flaws[i].line, flaws[i].sentence);
        *ARENA_PUSH(&v->memory, v->text.flaws, v->text.flaw_count) = said;
        if (!flaws[i].device && !v->text.host_flaw)
            v->text.host_flaw = said;
    }
}

bool lab_text_reject(verdict *v, verdict_kind kind, const char *reason)
{
    v->kind = kind;
    v->reason = reason;
    return false;
}

/* True: the marker's judge decides about submissions, and takes flaws for notes. A hand-out does
 * not have the judge's rules: there every assignment is taken to have them. */
static bool are_flaws_notes(installation *h, const chapter *c)
{
    return c->assignment &&
           (!c->has_solution || file_exists(arena_printf(&h->memory, "%s/judge.tsv", c->dir)));
}

/* Write the text that a marker would compile for the student's lab TEXT, and take that instead. */
static bool take_graft_of_lab(installation *h, const chapter *c, const char *text,
                              const char *original, verdict *v, const char **instead)
{
    const char *why = NULL;
    char *dir = arena_printf(&h->memory, "%s/runs", h->build);
    char *path = arena_printf(&h->memory, "%s/%s-text.cu", dir, strrchr(c->dir, '/') + 1);
    OWNED char *whole = insert_todo_regions(original, text, c->lab, &v->memory, &why);
    if (!whole)
        return lab_text_reject(
            v, VERDICT_UNGRADED,
            arena_printf(&v->memory, "%s %s; it was not run", v->text.path, why));
    bool ok = make_directories(dir) && write_whole_file(path, whole, strlen(whole));
    if (!ok)
        return lab_text_reject(
            v, VERDICT_LACKS,
            arena_printf(&v->memory, "cannot write %s: %s", path, strerror(errno)));
    v->text.ignored = v->text.touched;
    v->text.touched = 0;
    *instead = path;
    return true;
}

bool lab_text_prepare(installation *h, const chapter *c, verdict *v, const char **instead)
{
    OWNED char *text = read_whole_file(c->lab, SOURCE_LIMIT, NULL),
               *original = book_text_of_lab(h, c), *plain = graft_normalized_text(text ? text : "");
    bool ok = true;
    const char *lost = text && original ? find_lost_mark(original, plain, &v->memory) : NULL;
    *instead = NULL;
    v->text.path = arena_strdup(&v->memory, installation_short_path(h, c->lab));
    if (lost) {
        ok = lab_text_reject(v, VERDICT_UNGRADED,
                             arena_printf(&v->memory, "%s %s; it was not run", v->text.path, lost));
    } else {
        lab_text_check(text ? plain : NULL, original, v->text.path, v);
        v->text.flaws_are_notes = are_flaws_notes(h, c);
        if ((c->assignment || c->to_break) && text && original &&
            !is_text_outside_regions_equal(plain, original))
            ok = take_graft_of_lab(h, c, plain, original, v, instead);
    }
    return ok;
}
