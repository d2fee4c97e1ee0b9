#include "submission.h"

#include "../base/files.h"
#include "../book/pristine.h"
#include "../run/trust.h"
#include "graft.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_LIMIT = 4 << 20 }; /* bytes of a source file, at most */

static void check_submitted_text(const char *text, const char *original, const char *called,
                                 verdict *v)
{
    size_t count;
    v->path = arena_strdup(&v->memory, called);
    v->touched = text && original ? first_changed_line(text, original) : -1;
    flaw *flaws = find_forbidden_names(text ? text : "", original, &v->memory, &count);
    for (size_t i = 0; i < count; i++)
        *ARENA_PUSH(&v->memory, v->flaws, v->flaw_count) =
            arena_printf(&v->memory, "%s:%d: %s", called, flaws[i].line, flaws[i].sentence);
}

static bool reject_submission(verdict *v, verdict_kind kind, const char *reason)
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
    char *whole = insert_todo_regions(original, text, c->lab, &v->memory, &why);
    if (!whole)
        return reject_submission(v, VERDICT_UNGRADED,
                                 arena_printf(&v->memory, "%s %s; it was not run", v->path, why));
    bool ok = make_directories(dir) && write_whole_file(path, whole, strlen(whole));
    free(whole);
    if (!ok)
        return reject_submission(
            v, VERDICT_LACKS,
            arena_printf(&v->memory, "cannot write %s: %s", path, strerror(errno)));
    v->ignored = v->touched;
    v->touched = 0;
    *instead = path;
    return true;
}

bool submission_check_lab(installation *h, const chapter *c, verdict *v, const char **instead)
{
    char *text = read_whole_file(c->lab, SOURCE_LIMIT, NULL), *original = book_text_of_lab(h, c),
         *plain = graft_normalized_text(text ? text : "");
    bool ok = true;
    const char *lost = text && original ? find_lost_mark(original, plain, &v->memory) : NULL;
    *instead = NULL;
    v->path = arena_strdup(&v->memory, installation_short_path(h, c->lab));
    if (lost) {
        ok = reject_submission(v, VERDICT_UNGRADED,
                               arena_printf(&v->memory, "%s %s; it was not run", v->path, lost));
    } else {
        check_submitted_text(text ? plain : NULL, original, v->path, v);
        v->flaws_are_notes = are_flaws_notes(h, c);
        if (c->assignment && text && original && !is_text_outside_regions_equal(plain, original))
            ok = take_graft_of_lab(h, c, plain, original, v, instead);
    }
    free(text);
    free(original);
    free(plain);
    return ok;
}

/* The file's name as a name of a CUDA source file, without characters that a shell or a string
 * literal would interpret. In A. */
static char *safe_file_name(const char *file, arena *a)
{
    const char *slash = strrchr(file, '/');
    char *name = arena_strdup(a, slash ? slash + 1 : file);
    size_t n = strlen(name);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr(".-_", *p))
            *p = '_';
    return n > 3 && strcmp(name + n - 3, ".cu") == 0 ? name : arena_printf(a, "%s.cu", name);
}

/* Write the submitted text and the graft (the text to compile) to a directory of this submission;
 * messages quote the submitted text. */
static bool write_submission_copies(installation *h, const char *dir, const char *name,
                                    const char *text, const char *original, verdict *v,
                                    submission *out)
{
    const char *why = NULL;
    char *below = arena_printf(&h->memory, "%s/graft", dir);
    out->text = arena_printf(&h->memory, "%s/%s", dir, name);
    out->graft = arena_printf(&h->memory, "%s/%s", below, name);
    char *whole = insert_todo_regions(original, text, out->text, &v->memory, &why);
    if (!whole)
        return reject_submission(v, VERDICT_UNGRADED,
                                 arena_printf(&v->memory, "%s %s; it was not run", v->path, why));
    bool ok = make_directories(below) && write_whole_file(out->text, text, strlen(text)) &&
              write_whole_file(out->graft, whole, strlen(whole));
    free(whole);
    return ok || reject_submission(
                     v, VERDICT_LACKS,
                     arena_printf(&v->memory, "cannot write below %s: %s", dir, strerror(errno)));
}

static bool prepare_submission(installation *h, const chapter *c, const char *file,
                               const char *text, verdict *v, submission *out)
{
    char *original = book_text_of_lab(h, c);
    if (!original)
        return reject_submission(
            v, VERDICT_BROKEN,
            "the book's own text of the lab, which is needed to compile it, is missing");
    check_submitted_text(text, original, file, v);
    v->ignored = v->touched; /* the student's text outside the regions is ignored: the book's text
                              * is compiled there */
    v->touched = 0;
    /* If a judge repeats the run, forbidden names in a region cannot change the result: they are
     * only notes. */
    bool ok = v->flaw_count && !v->tried
                  ? reject_submission(v, VERDICT_UNGRADED,
                                      arena_printf(&v->memory, "%s; it was not run", v->flaws[0]))
                  : write_submission_copies(
                        h,
                        arena_printf(&h->memory, "%s/graded/%s-%016" PRIx64, h->build,
                                     strrchr(c->dir, '/') + 1,
                                     hash_bytes(hash_bytes(HASH_INITIAL_VALUE, text, strlen(text)),
                                                file, strlen(file))),
                        safe_file_name(file, &h->memory), text, original, v, out);
    free(original);
    return ok;
}

bool submission_read(installation *h, const chapter *c, const char *file, const char *text,
                     size_t length, verdict *v, submission *out)
{
    arena *m = &v->memory;
    v->path = arena_strdup(m, file);
    if (length == 0 || strlen(text) != length)
        return reject_submission(
            v, VERDICT_UNGRADED,
            arena_printf(m, "%s is %s; it was not run", file, length ? "no text" : "empty"));
    char *plain = graft_normalized_text(text);
    bool ok = prepare_submission(h, c, file, plain, v, out);
    free(plain);
    return ok;
}
