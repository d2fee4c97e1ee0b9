/* The page of a submission's run (`warpbook page`), if that shows a mistake: for the student, whose
 * marks link to it. The recording comes from the submission, so a sandbox walks through it; what
 * comes out is data, around which the page is written here, so that none of its markup is the
 * sandbox's. Without it, nothing but a sentence changes. */
#include "graded_run.h"

#include "../base/files.h"
#include "../base/json.h"
#include "../walk/run_page_text.h"

#include <jansson.h>
#include <string.h>

enum {
    FIRST_LAUNCHES = 8, /* launches of which a page is made at first: most mistakes show at once */
    MORE_LAUNCHES = 8   /* how many times as many it is made of if the first mistake is not there */
};

/* What a replay finds again; other mistakes are those of host code, or of the whole run. */
static bool has_moment(const finding *f)
{
    static const char *const kinds[] = {"race", "init", "sync", "memory"};
    for (size_t i = 0; f->mistake_row && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(f->mistake_row->kind, kinds[i]) == 0)
            return true;
    return false;
}

/* Whether REPORT of a page is about F: its kind, and the lines of its sides. */
static bool is_report_of(json_t *report, const finding *f)
{
    json_t *sides = json_object_get(report, "sides");
    const int lines[] = {f->at.line, f->other.line};
    const char *kind = member_text(report, "kind");
    bool same = kind && strcmp(kind, f->mistake_row->kind) == 0;
    for (size_t i = 0; i < 2; i++)
        same &= json_integer_value(json_object_get(json_array_get(sides, i), "line")) == lines[i];
    return same;
}

/* The data of a page in the file at PATH; NULL: there are none. */
static json_t *read_page_data(const char *path)
{
    size_t size = 0;
    OWNED char *text = file_exists(path) ? read_whole_file(path, RUN_PAGE_MAX_BYTES, &size) : NULL;
    return text ? json_loadb(text, size, 0, NULL) : NULL;
}

/* Whether a report in the data of a page is about F. */
static bool is_reported(json_t *data, const finding *f)
{
    json_t *reports = json_object_get(json_array_get(json_object_get(data, "runs"), 0), "reports");
    json_t *one;
    size_t i;
    bool found = false;
    json_array_foreach(reports, i, one)
        found |= is_report_of(one, f);
    return found;
}

/* The first reported mistake that a page can show, in M; without a kind: there is none. */
static finding first_with_moment(attempt *a, arena *m)
{
    const findings f = findings_read(m, attempt_unfinished_path(a, REPORTS));
    for (size_t i = 0; i < f.count; i++)
        if (has_moment(&f.rows[i]))
            return f.rows[i];
    return (finding){0};
}

static step_end goes_without_page(attempt *a, const char *why)
{
    arena *m = &a->h->memory;
    why += strncmp(why, "warpbook: ", 10) == 0 ? 10 : 0;
    a->graded->no_page =
        arena_printf(m, "no page of its run was made: %.*s", (int)strcspn(why, "\n"), why);
    return STEP_NEXT;
}

step_end make_run_page(attempt *a)
{
    arena *m = &a->h->memory;
    graded_run *g = a->graded;
    const char *recording = attempt_unfinished_path(a, RECORDING);
    char err[512];
    if (!a->options.run_page || !g || g->internal || g->searched < 1 || !file_exists(recording) ||
        !first_with_moment(a, m).kind)
        return STEP_NEXT;
    g->shown = g->shown ? g->shown * MORE_LAUNCHES : FIRST_LAUNCHES;
    g->shown = g->shown < g->searched ? g->shown : g->searched;
    const char *const argv[] = {
        installation_program(a->h, "warpbook-page"),
        "page",
        "--json",
        "--output",
        stage_result_path(m, true, run_file_path(a, g->submission_base, RUN_PAGE)),
        "--launches",
        arena_printf(m, "%ld", g->shown),
        "--name",
        a->c->name,
        "--source",
        a->quoted,
        recording,
        NULL};
    const char *const shown[] = {argv[0],   emulator_path(a->h), installation_path(a->h, "common"),
                                 recording, a->quoted,           NULL};
    const stage_spec spec = {.use = SANDBOX_WALK,
                             .boxed = true,
                             .argv = argv,
                             .shown = shown,
                             .limit_s = a->options.timeout_s};
    return stage_start(&a->g, &spec, err, sizeof err) ? STEP_RUNS : goes_without_page(a, err);
}

step_end finish_run_page(attempt *a)
{
    int code;
    graded_run *g = a->graded;
    const job_end how = stage_outcome(&a->g, &code);
    /* Its message may name the recording by a path of this machine. */
    const char *recording = attempt_unfinished_path(a, RECORDING);
    const char *says = job_output(a->g.j, NULL), *path = strstr(says, recording);
    if (path)
        says = arena_printf(&a->h->memory, "its recording%s", path + strlen(recording));
    if (how == JOB_EXITED && code == 0 &&
        copy_run_files_out(a, g->submission_base, 1u << RUN_PAGE)) {
        const finding first = first_with_moment(a, &a->h->memory);
        json_decref(g->page);
        g->page = read_page_data(run_file_path(a, g->submission_base, RUN_PAGE));
        if (!g->page)
            return goes_without_page(a, "its data cannot be read, or have more than 5 MB");
        return is_reported(g->page, &first) || g->shown >= g->searched ? STEP_NEXT : STEP_AGAIN;
    }
    return goes_without_page(a, how == JOB_TIMEOUT ? "it did not end in time"
                                : how == JOB_LIMIT ? job_limit_words(code)
                                : *says            ? says
                                                   : "its program left none");
}

/* As runner/page/web/reports.js has it. */
static const char *moment_of(arena *a, const finding *f)
{
    CLEANUP(sb_free) sb text = {0};
    sb_puts(&text, f->mistake_row->kind);
    if (f->at.line)
        sb_printf(&text, "-%d", f->at.line);
    if (f->other.line)
        sb_printf(&text, "-%d", f->other.line);
    return arena_strdup(a, text.s);
}

void take_run_page(attempt *a)
{
    verdict *v = &a->v;
    graded_run *g = a->graded;
    bool shows = false;
    for (size_t i = 0; i < v->found.count; i++) {
        finding *f = &v->found.rows[i];
        if (has_moment(f) && is_reported(g->page, f)) {
            f->moment = moment_of(&v->memory, f);
            shows = true;
        }
    }
    if (shows) {
        CLEANUP(sb_free) sb page = {0};
        append_run_page(&page, g->page);
        v->judged.page = arena_strdup(&v->memory, page.s);
    } else if (g->page) {
        goes_without_page(a, "its repetition shows none of its mistakes");
    }
    if (g->no_page)
        v->judged.no_page = arena_strdup(&v->memory, g->no_page);
}
