#include "submission.h"

#include "../base/files.h"
#include "../book/pristine.h"
#include "graft.h"
#include "lab_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The file's name as a name of a CUDA source file, without characters that a shell or a string
 * literal would interpret. In A. */
static char *safe_file_name(const char *file, arena *a)
{
    char *name = arena_strdup(a, file_name_of(file));
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
                                    submission_copies *out)
{
    const char *why = NULL;
    char *below = arena_printf(&h->memory, "%s/graft", dir);
    out->text = arena_printf(&h->memory, "%s/%s", dir, name);
    out->graft = arena_printf(&h->memory, "%s/%s", below, name);
    OWNED char *whole = insert_todo_regions(original, text, out->text, &v->memory, &why);
    if (!whole)
        return lab_text_reject(
            v, VERDICT_UNGRADED,
            arena_printf(&v->memory, "%s %s; it was not run", v->text.path, why));
    bool ok = make_directories(below) && write_whole_file(out->text, text, strlen(text)) &&
              write_whole_file(out->graft, whole, strlen(whole));
    return ok || lab_text_reject(
                     v, VERDICT_LACKS,
                     arena_printf(&v->memory, "cannot write below %s: %s", dir, strerror(errno)));
}

static bool prepare_submission(installation *h, const chapter *c, const char *file,
                               const char *text, verdict *v, submission_copies *out)
{
    OWNED char *original = book_text_of_lab(h, c);
    if (!original)
        return lab_text_reject(
            v, VERDICT_BROKEN,
            "the book's own text of the lab, which is needed to compile it, is missing");
    lab_text_check(text, original, file, v);
    v->text.ignored = v->text.touched; /* the student's text outside the regions is ignored: the
                                        * book's text is compiled there */
    v->text.touched = 0;
    /* If a judge repeats the run, forbidden names cannot change the result: they are only notes. */
    bool ok =
        v->text.flaw_count && !v->judged.tried
            ? lab_text_reject(v, VERDICT_UNGRADED,
                              arena_printf(&v->memory, "%s; it was not run", v->text.flaws[0]))
            : write_submission_copies(
                  h,
                  arena_printf(&h->memory, "%s/graded/%s-%016" PRIx64, h->build,
                               strrchr(c->dir, '/') + 1,
                               hash_bytes(hash_bytes(HASH_INITIAL_VALUE, text, strlen(text)), file,
                                          strlen(file))),
                  safe_file_name(file, &h->memory), text, original, v, out);
    return ok;
}

bool submission_read(installation *h, const chapter *c, const char *file, const char *text,
                     size_t length, verdict *v, submission_copies *out)
{
    arena *m = &v->memory;
    v->text.path = arena_strdup(m, file);
    if (length == 0 || strlen(text) != length)
        return lab_text_reject(
            v, VERDICT_UNGRADED,
            arena_printf(m, "%s is %s; it was not run", file, length ? "no text" : "empty"));
    OWNED char *plain = graft_normalized_text(text);
    return prepare_submission(h, c, file, plain, v, out);
}
