#include "grading.h"

#include "../base/json.h"
#include "../base/plain.h"
#include "../base/signals.h"
#include "../book/pristine.h"
#include "../class/summary.h"
#include "../judge/score.h"
#include "../run/attempt.h"
#include "../show/report.h"
#include "../slurm/slurm.h"
#include "../submission/submission_judge.h"
#include "content.h"
#include "result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_TRIES = 3,         /* how often a submission is graded if grading itself fails */
    POLL_INTERVAL_MS = 20, /* milliseconds between two looks at the running tasks */
};

/* Files have different names; messages use this one, so that equal texts get equal verdicts. */
static const char neutral_file_name[] = "lab.cu";

typedef enum task_state { TASK_WAITING, TASK_RUNNING, TASK_DONE } task_state;

typedef struct grading_task {
    const submission *from; /* the submission */
    task_state state;       /* waiting, running or done */
    attempt *a;
    char *content; /* text that identifies stored results on equal submissions; NULL: stored results
                    * are not used */
    int ignored, tries; /* first ignored line; attempts so far */
    graded g;
    verdict v;
    char *summary; /* one line about the result */
    char *policy;  /* why the first try was POLICY, or NULL */
} grading_task;

typedef struct grading {
    session *d;
    const chapter *c;
    const grading_options *o;
    char *book, *shared, *lab; /* text of the lab in the book; hash of the conditions; lab's name */
    arena memory;              /* memory of the grading */
    grading_task *tasks;       /* a task for each submission */
    size_t count, reported_count; /* number of tasks, and of those whose result was reported */
    size_t unwritten;             /* number of results that could not be stored */
    const char **judged_contents; /* contents that this grading run has judged */
    size_t judged_content_count;  /* number of entries in `judged_contents` */
    void (*report)(void *object, const graded *g);
    void *object;  /* first argument of `report` */
    char why[512]; /* message of a Slurm task that gave no verdict */
    char *line;    /* progress line on the terminal; NULL: none */
} grading;

/* --- making a result from a verdict --- */

static void set_graded_points(graded *g, const verdict *v)
{
    bool scored = v->score.count > 0;
    g->of = scored ? v->score.of : 1;
    g->points = g->internal || strcmp(g->word, "POLICY") == 0 ? NAN
                : scored                                      ? v->score.given
                                                              : v->kind == VERDICT_PASS;
}

/* The part of a result that is cached under a hash of the submission, for equal submissions. */
static json_t *cacheable_result(const graded *g)
{
    return json_pack("{s:s, s:o, s:o, s:s, s:b, s:i, s:O, s:o*}", "verdict", g->word, "points",
                     number_json(g->points), "of", number_json(g->of), "summary", g->summary,
                     "full", g->full, "exit", g->exit_code, "result", g->result, "page",
                     g->page ? text_json(g->page) : NULL);
}

/* Store the result. An internal failure does not replace an existing result. */
static void store_result(grading *w, const graded *g)
{
    results *r = w->o->store;
    if (!r || write_result(r, w->c, w->lab, g))
        return;
    int why = errno;
    if (!w->unwritten++)
        fprintf(stderr, "warpbook: the result of %s cannot be written below %s: %s\n",
                g->from->student, r->dir, strerror(why));
}

static void clear_progress(grading *w)
{
    if (w->line)
        fputs("\r\033[K", stderr);
    free(w->line);
    w->line = NULL;
}

/* Show a progress line such as "3 of 40: alice running ... 5 s" about the first running task. */
static void print_progress(grading *w)
{
    enum { NAME_COLUMNS = 40 };
    sb name = {0}, line = {0};
    const grading_task *t = NULL;
    for (size_t i = w->reported_count; i < w->count && !t; i++)
        t = w->tasks[i].state == TASK_RUNNING ? &w->tasks[i] : NULL;
    if (!w->o->progress || !t)
        return;
    append_sanitized(&name, t->from->student, false);
    sb_printf(&line, "%zu of %zu: %.*s %s ... %.0f s", w->reported_count + 1, w->count,
              (int)utf8_fit(name.s, name.len, NAME_COLUMNS), name.s,
              attempt_phase_word(attempt_current_phase(t->a)), attempt_elapsed_seconds(t->a));
    if (!w->line || strcmp(w->line, line.s) != 0) {
        fprintf(stderr, "\r\033[K%s", line.s);
        free(w->line);
        w->line = sb_take(&line);
    }
    sb_free(&line);
    sb_free(&name);
}

/* Report, in order, all results that are complete. */
static void report_finished_tasks(grading *w)
{
    clear_progress(w);
    for (; w->reported_count < w->count && w->tasks[w->reported_count].state == TASK_DONE;
         w->reported_count++) {
        grading_task *t = &w->tasks[w->reported_count];
        w->report(w->object, &t->g);
        json_decref(t->g.result);
        verdict_free(&t->v);
        free(t->summary);
        t->g = (graded){0};
        t->summary = NULL;
    }
}

static void finish_task(grading *w, grading_task *t)
{
    t->state = TASK_DONE;
    store_result(w, &t->g);
    report_finished_tasks(w);
}

/* --- grading one submission --- */

/* Make the result of a finished task and store it, or start the task again if grading failed. */
static void finish_or_retry_task(grading *w, grading_task *t)
{
    verdict *v = &t->v;
    graded *g = &t->g;
    bool internal = strcmp(word_for_verdict(v), "INTERNAL") == 0;
    bool again = v->kind == VERDICT_LACKS || v->kind == VERDICT_INTERNAL;
    /* Also once where its run contradicts its text: the machine may have been why. A submission
     * that does this on purpose does it again. */
    again |= v->kind == VERDICT_POLICY && t->tries == 0;
    if (again && ++t->tries < MAX_TRIES) {
        if (v->kind == VERDICT_POLICY)
            t->policy = xstrdup(v->reason);
        verdict_free(v);
        *v = (verdict){0};
        t->state = TASK_WAITING;
        return;
    }
    /* What a run does that cannot be repeated may differ from try to try; the same submission gets
     * the same sentence. */
    if (v->kind == VERDICT_POLICY && t->policy)
        v->reason = arena_strdup(&v->memory, t->policy);
    t->summary = summary_of_verdict(v);
    *g = (graded){.from = t->from,
                  .word = word_for_verdict(v),
                  .summary = t->summary,
                  .internal = internal,
                  .full = v->kind == VERDICT_PASS,
                  .exit_code = verdict_exit_code(v->kind),
                  .page = v->judged.page,
                  .v = v,
                  .result = report_json(w->d, w->c, v)};
    set_graded_points(g, v);
    if (w->o->store && t->content && !internal && v->kind != VERDICT_UNGRADED) {
        json_auto_t *value = cacheable_result(g);
        results_write_cached(w->o->store, t->content, value);
        *ARENA_PUSH(&w->memory, w->judged_contents, w->judged_content_count) =
            arena_strdup(&w->memory, t->content);
    }
    finish_task(w, t);
}

static bool is_judged_in_this_run(const grading *w, const char *content)
{
    for (size_t i = 0; i < w->judged_content_count; i++)
        if (strcmp(w->judged_contents[i], content) == 0)
            return true;
    return false;
}

/* Use the stored verdict on a submission with the same text. False: no such verdict is stored. */
static bool use_stored_result(grading *w, grading_task *t)
{
    if (!w->o->store || !t->content || (w->o->rejudge && !is_judged_in_this_run(w, t->content)))
        return false;
    json_auto_t *value = results_read_cached(w->o->store, t->content);
    const char *word = member_text(value, "verdict");
    const char *summary = member_text(value, "summary");
    json_t *result = json_object_get(value, "result");
    if (word && summary && json_is_object(result)) {
        json_object_set_new(result, "ignored_line", line_json(t->ignored));
        json_object_set_new(result, "untouched_outside", json_boolean(t->ignored == 0));
        t->summary = xstrdup(summary);
        t->g = (graded){.from = t->from,
                        .word = arena_strdup(&w->memory, word),
                        .summary = t->summary,
                        .points = results_number(value, "points"),
                        .of = results_number(value, "of"),
                        .full = json_is_true(json_object_get(value, "full")),
                        .exit_code = (int)json_integer_value(json_object_get(value, "exit")),
                        .recalled = true,
                        .page = member_text(value, "page"),
                        .result = json_incref(result)};
        finish_task(w, t);
    }
    return t->state == TASK_DONE;
}

/* Give a submission without a text its verdict; nothing is run. */
static void reject_submission(grading *w, grading_task *t)
{
    arena *a = &t->v.memory;
    t->v.kind = VERDICT_UNGRADED;
    t->v.text.path = arena_strdup(a, t->from->from);
    t->v.reason = arena_printf(a, "%s %s", t->from->from, t->from->problem);
    t->v.judged.boxed = w->o->boxed;
    if (chapter_rubric(w->c, 0))
        score_verdict(&t->v, chapter_rubric(w->c, 0));
    finish_or_retry_task(w, t);
}

/* End a task for which Slurm gave no verdict, so that the next grading run repeats it. */
static void postpone_to_next_grading(grading *w, grading_task *t)
{
    arena *a = &t->v.memory;
    t->v.kind = VERDICT_LACKS;
    t->v.text.path = arena_strdup(a, t->from->from);
    t->v.reason =
        arena_printf(a, "the Slurm cluster gave no verdict%s%s", *w->why ? ": " : "", w->why);
    t->v.judged.boxed = w->o->boxed;
    t->tries = MAX_TRIES;
    finish_or_retry_task(w, t);
}

static void set_task_content(grading *w, grading_task *t)
{
    const submission *h = t->from;
    if (!h->problem && !t->content && w->book && strlen(h->text) == h->length)
        t->content = content_of_submission(w->shared, w->book, h->text, &t->ignored);
}

static bool is_equal_text_running(const grading *w, const grading_task *t)
{
    for (size_t i = 0; t->content && i < w->count; i++)
        if (w->tasks[i].state == TASK_RUNNING && w->tasks[i].content &&
            strcmp(w->tasks[i].content, t->content) == 0)
            return true;
    return false;
}

/* Start task T, unless a task with the same content is running. */
static void begin_task(grading *w, grading_task *t)
{
    const submission *h = t->from;
    if (h->problem) {
        reject_submission(w, t);
        return;
    }
    set_task_content(w, t);
    if (is_equal_text_running(w, t) || use_stored_result(w, t))
        return;
    if (w->o->slurm && t->content) {
        postpone_to_next_grading(w, t);
        return;
    }
    t->a = attempt_start(&w->d->installation, w->c, NULL,
                         &(attempt_options){.gpu = w->o->gpu,
                                            .timeout_s = w->o->timeout_s,
                                            .file = w->o->store ? neutral_file_name : h->from,
                                            .text = h->text,
                                            .text_length = h->length,
                                            .judge = &submission_judge,
                                            .run_page = w->o->run_pages,
                                            .boxed = w->o->boxed});
    t->state = TASK_RUNNING;
}

/* True: the compiler or the program was probably killed from outside, as when Slurm ends all
 * processes of a job. Then the submission gets no verdict. */
static bool was_ended_from_outside(verdict_kind kind)
{
    enum { WAIT_STEPS = 10 };
    if (kind == VERDICT_PASS || kind == VERDICT_FAIL || kind == VERDICT_UNGRADED)
        return false;
    for (int i = 0; i < WAIT_STEPS && !caught_signal_number(); i++)
        usleep(POLL_INTERVAL_MS * 1000);
    return caught_signal_number();
}

static bool poll_task(grading *w, grading_task *t, int wait_ms)
{
    if (!attempt_poll(t->a, wait_ms))
        return false;
    attempt_take_verdict(t->a, &t->v);
    attempt_free(t->a);
    t->a = NULL;
    if (was_ended_from_outside(t->v.kind))
        return true;
    finish_or_retry_task(w, t);
    if (t->state == TASK_DONE) {
        free(t->content);
        t->content = NULL;
    }
    return true;
}

/* --- grading all submissions --- */

/* Let the emulator run the blocks of a launch one after another. On several threads their order
 * would differ from run to run, and with it the marks of a kernel whose blocks race. */
static void run_blocks_in_order(void)
{
    setenv("WARPBOOK_THREADS", "1", 1);
}

/* Start tasks up to the number of jobs. Returns the number of running tasks. */
static int start_tasks(grading *w)
{
    int running = 0;
    for (size_t i = 0; i < w->count; i++)
        running += w->tasks[i].state == TASK_RUNNING;
    for (size_t i = w->reported_count;
         i < w->count && running < w->o->jobs && !caught_signal_number(); i++) {
        if (w->tasks[i].state != TASK_WAITING)
            continue;
        begin_task(w, &w->tasks[i]);
        running += w->tasks[i].state == TASK_RUNNING;
    }
    return running;
}

static void run_tasks(grading *w)
{
    while (w->reported_count < w->count && !caught_signal_number()) {
        int running = start_tasks(w), wait = running ? POLL_INTERVAL_MS / running : 0;
        for (size_t i = w->reported_count; i < w->count; i++)
            if (w->tasks[i].state == TASK_RUNNING)
                poll_task(w, &w->tasks[i], wait);
        print_progress(w);
    }
}

/* --- grading on a Slurm cluster --- */

static void print_slurm_progress(void *object, size_t judged, size_t count)
{
    const grading *w = object;
    if (w->o->progress)
        fprintf(stderr, "\r\033[K%zu of %zu judged by the Slurm cluster", judged, count);
}

/* Let Slurm judge each distinct submission that has no stored verdict. False: a signal arrived. */
static bool judge_on_slurm_cluster(grading *w)
{
    slurm_text *texts = arena_alloc(&w->memory, (w->count + 1) * sizeof *texts);
    size_t count = 0;
    for (size_t i = 0; i < w->count; i++) {
        grading_task *t = &w->tasks[i];
        bool known = false;
        set_task_content(w, t);
        for (size_t k = 0; t->content && k < count && !known; k++)
            known = strcmp(texts[k].content, t->content) == 0;
        json_auto_t *old = t->content && !known && !w->o->rejudge
                               ? results_read_cached(w->o->store, t->content)
                               : NULL;
        if (t->content && !known && !old)
            texts[count++] = (slurm_text){t->content, t->from->text, t->from->length, false};
    }
    slurm_end end = SLURM_DONE;
    if (count)
        end = slurm_judge(&(slurm_spec){.h = &w->d->installation,
                                        .lab = w->c->name,
                                        .store = w->o->store,
                                        .texts = texts,
                                        .count = count,
                                        .chunk = w->o->slurm > 0 ? w->o->slurm : 0,
                                        .timeout_s = w->o->timeout_s,
                                        .gpu = w->o->gpu,
                                        .boxed = w->o->boxed,
                                        .run_pages = w->o->run_pages,
                                        .progress = print_slurm_progress,
                                        .object = w},
                          w->why, sizeof w->why);
    if (w->o->progress)
        fputs("\r\033[K", stderr);
    for (size_t i = 0; i < count; i++)
        if (texts[i].judged)
            *ARENA_PUSH(&w->memory, w->judged_contents, w->judged_content_count) =
                arena_strdup(&w->memory, texts[i].content);
    return end != SLURM_CANCELLED;
}

grading_end grade_submissions(session *d, const chapter *c, const submissions *h,
                              const grading_options *asked,
                              void (*report)(void *object, const graded *g), void *object)
{
    grading w = {.d = d, .c = c, .o = asked, .count = h->count, .report = report, .object = object};
    w.book = book_text_of_lab(&d->installation, c);
    w.lab = results_lab_name(&w.memory, c->name);
    w.shared =
        hash_grading_conditions(&d->installation, c, asked->store ? asked->store->seed : 0,
                                asked->gpu, asked->boxed, asked->run_pages, asked->timeout_s);
    w.tasks = arena_alloc(&w.memory, (h->count + 1) * sizeof *w.tasks);
    for (size_t i = 0; i < h->count; i++)
        w.tasks[i].from = &h->list[i];
    run_blocks_in_order();
    bool can = !asked->slurm || judge_on_slurm_cluster(&w);
    if (can)
        run_tasks(&w);
    clear_progress(&w);
    const grading_end end = {w.reported_count == w.count, w.reported_count, w.unwritten};
    for (size_t i = 0; i < w.count; i++) {
        attempt_free(w.tasks[i].a);
        free(w.tasks[i].content);
        free(w.tasks[i].summary);
        free(w.tasks[i].policy);
        json_decref(w.tasks[i].g.result);
        verdict_free(&w.tasks[i].v);
    }
    free(w.book);
    arena_free(&w.memory);
    return end;
}
