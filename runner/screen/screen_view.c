/* Loads the results of a chapter's last run, and notices when another program ran the lab again: a
 * check in a second terminal, or a command of the editor. */
#include "../base/files.h"
#include "../book/target.h"
#include "screen_state.h"

#include <stdlib.h>
#include <string.h>

/* Remember the version of the record and the reason in the state file, to notice later runs. */
void view_update_record(screen *s, chapter_view *v)
{
    const build_target t = {.c = &s->d->book.chapters[v - s->views],
                            .solution = v->has_verdict && v->of_solution,
                            .gpu = s->gpu};
    const char *path = target_file_path(&s->d->installation, &t, "record.tsv");
    free(v->record);
    v->record = xstrdup(path);
    v->record_seen = file_version(path);
    const char *reason = state_last_reason(&s->d->state, t.c);
    free(v->reason_seen);
    v->reason_seen = reason ? xstrdup(reason) : NULL;
}

void view_load_last_verdict(screen *s)
{
    chapter_view *v = screen_view(s);
    if (v->recalled)
        return;
    json_auto_t *answer = v->has_verdict ? NULL : runs_ask(s, json_pack("{s:s}", "do", "view"));
    if (answer)
        runs_read_summary(v, json_object_get(answer, "view"));
    v->recalled = answer || v->has_verdict;
    view_update_record(s, v);
}

int view_refused_line(const chapter_view *v)
{
    static const char file[] = "lab.cu:";
    bool refused = v->has_verdict && v->v.kind == VERDICT_NO_BUILD && !v->of_solution;
    const char *at = refused && v->v.reason ? strstr(v->v.reason, file) : NULL;
    return at ? atoi(at + strlen(file)) : 0;
}

void view_forget_verdict(chapter_view *v)
{
    arena_free(&v->v.memory);
    v->v = (run_summary){0};
    v->has_verdict = v->recalled = v->of_solution = false;
}

void view_free(chapter_view *v)
{
    view_forget_verdict(v);
    free(v->record);
    free(v->reason_seen);
}

void view_forget_outdated_verdict(screen *s)
{
    chapter_view *v = screen_view(s);
    if (!v->recalled || !v->record || (s->run.active && s->run.chapter == s->chosen))
        return;
    const char *reason = state_last_reason(&s->d->state, screen_chapter(s));
    bool same_reason =
        reason && v->reason_seen ? strcmp(reason, v->reason_seen) == 0 : !reason == !v->reason_seen;
    if (same_reason && file_version(v->record) == v->record_seen)
        return;
    view_forget_verdict(v);
    drawing_discard(s);
    s->dirty = true;
}
