#include "attempt_state.h"

#include "../base/files.h"
#include "../base/leftovers.h"
#include "../base/signals.h"
#include "../judge/broken.h"
#include "../judge/score.h"
#include "lab_text.h"
#include "ncu.h"
#include "refusal.h"
#include "submission.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TEXT_BYTES = 4 << 20 }; /* longest text of a lab that is read */

/* Names of the files that a run writes, in the order of the enum in state.h. */
static const char *const result_file_names[] = {
    "record.tsv", "counters.tsv",   "lines.tsv",  "emulated.tsv", "timeline.tsv", "reports.jsonl",
    "run.wbr",    "searched.jsonl", "source.tsv", "text.cu",      "coverage.tsv", "other.tsv"};

char *attempt_unfinished_path(attempt *a, int which)
{
    OWNED char *name = unfinished_name(target_file_path(a->h, &a->t, result_file_names[which]));
    return arena_strdup(&a->h->memory, name);
}

const char *attempt_result_variable(attempt *a, const char *name, int which)
{
    arena *m = &a->h->memory;
    const char *path = stage_result_path(m, a->t.boxed, attempt_unfinished_path(a, which));
    return arena_printf(m, "%s=%s", name, path);
}

/* Copy the result files in SET (bit i: file i) out of the sandbox; reports are appended. */
void attempt_fetch_files(attempt *a, unsigned set)
{
    for (int i = 0; i < RESULT_FILE_COUNT; i++)
        if (set & 1u << i)
            (i == REPORTS ? stage_append_file(&a->g, attempt_unfinished_path(a, i))
                          : stage_copy_file_out(&a->g, attempt_unfinished_path(a, i), 0644));
}

void attempt_end(attempt *a)
{
    a->phase = ATTEMPT_DONE;
    a->v.seconds = monotonic_s() - a->start;
    stage_free(&a->mistake_search_stage);
    attempt_finish_progress(a);
    for (int i = 0; i < RESULT_FILE_COUNT; i++)
        unlink(attempt_unfinished_path(a, i));
    if (a->c->to_break)
        judge_broken(&a->v, a->c);
    if (a->rubric)
        score_verdict(&a->v, a->rubric);
    else if (a->c->program_rubrics[0] && a->v.reason)
        a->v.reason = arena_printf(
            &a->v.memory, "%s; no points, because CHOICE is 0: it must be the number of a program",
            a->v.reason);
    if (a->s && !a->options.solution && !a->options.file)
        state_set_result(a->s, a->c, &a->v);
}

void attempt_give_up(attempt *a, verdict_kind kind, const char *sentence)
{
    a->v.kind = kind;
    a->v.reason = arena_strdup(&a->v.memory, sentence);
    attempt_end(a);
}

sandbox_use attempt_lab_sandbox(const attempt *a)
{
    return a->c->has_jobs ? SANDBOX_JOBS : SANDBOX_RUN;
}

/* In a sandbox, a program may read only its own executable and the emulator's library. */
step_end attempt_start_program(attempt *a, stage *g, const build_target *t, const char *const *env)
{
    char err[512];
    const char *argv[] = {program_path_of(a->h, t), NULL};
    const char *shown[] = {argv[0], t->gpu ? NULL : emulator_path(a->h), NULL};
    if (!stage_start(g,
                     &(stage_spec){.use = t->gpu ? SANDBOX_GPU : attempt_lab_sandbox(a),
                                   .boxed = t->boxed,
                                   .argv = argv,
                                   .env = env,
                                   .dir = a->h->root,
                                   .limit_s = a->options.timeout_s,
                                   .shown = shown},
                     err, sizeof err))
        attempt_give_up(a, VERDICT_LACKS, err);
    return STEP_RUNS;
}

static bool shows_timeline(const chapter *c)
{
    for (size_t i = 0; i < c->picture_count; i++)
        if (strcmp(c->pictures[i].script, "timeline") == 0)
            return true;
    return false;
}

bool attempt_make_room(attempt *a)
{
    const char *dir = arena_printf(&a->h->memory, "%s/runs", a->h->build);
    if (!make_directories(dir)) {
        attempt_give_up(
            a, VERDICT_LACKS,
            arena_printf(&a->v.memory, "cannot make the directory %s: %s", dir, strerror(errno)));
        return false;
    }
    remove_leftovers(dir, NULL);
    for (int i = 0; i < RESULT_FILE_COUNT; i++)
        unlink(attempt_unfinished_path(a, i));
    return true;
}

static step_end start_run(attempt *a)
{
    const char *env[9];
    size_t n = 0;
    env[n++] = attempt_result_variable(a, "WARPBOOK_RECORD", RECORD);
    /* Check all sizes, not only up to the first wrong one: each right size earns points. */
    if (a->rubric)
        env[n++] = "WARPBOOK_ALL_SIZES=1";
    if (!a->options.gpu) {
        env[n++] = emulator_library_path(a->h);
        env[n++] = attempt_result_variable(a, "WARPBOOK_COUNTERS", COUNTERS);
        env[n++] = attempt_result_variable(a, "WARPBOOK_LINES", LINES);
        env[n++] = attempt_result_variable(a, "WARPBOOK_SOURCE", SOURCE);
        env[n++] = attempt_result_variable(a, "WARPBOOK_REPORTS", REPORTS);
        /* From this table of the device's operations, the lab writes rows `span` to its record. */
        if (shows_timeline(a->c))
            env[n++] = attempt_result_variable(a, "WARPBOOK_TIMELINE", TIMELINE);
    }
    env[n] = NULL;
    if (!attempt_make_room(a))
        return STEP_DECIDE;
    OWNED char *text =
        a->t.file ? NULL : read_whole_file(quoted_path_of(&a->t), MAX_TEXT_BYTES, NULL);
    if (text)
        write_whole_file(attempt_unfinished_path(a, TEXT), text, strlen(text));
    return attempt_start_program(a, &a->g, &a->t, env);
}

char *attempt_move_to_final_path(attempt *a, int which)
{
    char *from = attempt_unfinished_path(a, which);
    char *to = target_file_path(a->h, &a->t, result_file_names[which]);
    if (rename(from, to) == 0)
        return to;
    unlink(to);
    return NULL;
}

table *attempt_take_result(attempt *a, int which)
{
    char *path = attempt_move_to_final_path(a, which);
    return path ? table_read(path) : NULL;
}

void attempt_append_to_record(attempt *a, const char *rows)
{
    const char *path = target_file_path(a->h, &a->t, result_file_names[RECORD]);
    OWNED char *record = read_whole_file(path, MAX_TEXT_BYTES, NULL);
    if (record && *rows) {
        OWNED char *text = xprintf("%s%s", record, rows);
        write_whole_file(path, text, strlen(text));
        table_free(a->record);
        a->record = table_parse(text);
    }
}

static void compare_predictions(verdict *v, const chapter *c, saved_state *s)
{
    for (size_t i = 0; s && i < v->guess_count; i++) {
        prediction_row *g = &v->guesses[i];
        g->answered = state_get_prediction(s, c, &c->predictions[i], &g->said);
        g->right = g->answered && g->known &&
                   fabs(g->said - g->counted) <= fmax(0.05, 0.02 * fabs(g->counted));
    }
}

bool attempt_ran_present_text(installation *h, const build_target *t)
{
    OWNED char *ran = read_whole_file(ran_text_path(h, t), MAX_TEXT_BYTES, NULL);
    OWNED char *now = read_whole_file(quoted_path_of(t), MAX_TEXT_BYTES, NULL);
    return !ran || (now && strcmp(ran, now) == 0);
}

void attempt_take_findings(attempt *a, const char *path)
{
    arena *m = &a->v.memory;
    findings f = findings_read(m, path);
    const char *source = a->quoted ? a->quoted : quoted_path_of(&a->t);
    findings_quote(m, &f, source, a->t.file ? source : ran_text_path(a->h, &a->t),
                   installation_path(a->h, "common"));
    verdict_add_findings(&a->v, f);
}

/* Why counters are missing for a lab that ran on a GPU: a sentence. */
static const char *missing_counters_reason(attempt *a)
{
    if (!a->options.gpu)
        return NULL;
    const char *ncu = a->counters ? "ncu does not count these on a GPU"
                      : a->ncu    ? "ncu gave no counters (it may need more rights: "
                                    "NVreg_RestrictProfilingToAdminUsers=0)"
                                  : "ncu is not there";
    const char *also = a->no_emulator_reason;
    return also ? arena_printf(&a->v.memory, "%s, and %s", ncu, also) : ncu;
}

void attempt_decide_verdict(attempt *a)
{
    table *lines = attempt_take_result(a, LINES);
    attempt_move_to_final_path(a, SOURCE);
    attempt_move_to_final_path(a, TEXT);
    a->v.emulated = attempt_take_result(a, EMULATED);
    a->v.output = arena_strdup(&a->v.memory, a->run_output ? a->run_output : "");
    table *counters = a->counters;
    const char *none = missing_counters_reason(a);
    a->counters = NULL; /* the verdict owns the table now */
    verdict_judge(&a->v, a->c, a->record, counters, lines, a->run_end, a->run_code,
                  a->options.timeout_s, none);
    attempt_take_findings(a, attempt_unfinished_path(a, REPORTS));
    compare_predictions(&a->v, a->c, a->s);
}

void attempt_keep_outcome(attempt *a)
{
    a->run_end = stage_outcome(&a->g, &a->run_code);
    a->run_output = xstrdup(job_output(a->g.j, NULL));
    attempt_fetch_files(a, ~(1u << EMULATED));
}

static step_end finish_run(attempt *a)
{
    attempt_keep_outcome(a);
    return STEP_NEXT;
}

/* On a GPU: the lab runs a second time, under ncu. */
static step_end start_counting(attempt *a)
{
    if (!a->ncu || a->run_end != JOB_EXITED || a->run_code != 0)
        return STEP_NEXT;
    a->g.j = start_ncu(a->ncu, program_path_of(a->h, &a->t), a->h->root,
                       attempt_unfinished_path(a, COUNTERS));
    return STEP_RUNS;
}

static step_end finish_counting(attempt *a)
{
    int code;
    job_end how = stage_outcome(&a->g, &code);
    if (how == JOB_CANCELLED)
        attempt_give_up(a, VERDICT_CANCELLED, "you cancelled it");
    else if (how != JOB_EXITED || code != 0 ||
             !convert_ncu_file(attempt_unfinished_path(a, COUNTERS)))
        unlink(attempt_unfinished_path(a, COUNTERS));
    return STEP_NEXT;
}

/* Report a compiler error; a submission's verdict keeps the whole message for the marker. */
static void report_compile_errors(attempt *a)
{
    verdict *v = &a->v;
    const char *reason = "nvcc refused it; its message is below";
    const char *source = quoted_path_of(&a->t);
    char *kept = target_file_path(a->h, &a->t, "nvcc.txt");
    OWNED char *text = a->options.file ? NULL : read_whole_file(source, MAX_TEXT_BYTES, NULL);
    compile_report r;
    if (text && make_directories(arena_printf(&a->h->memory, "%s/runs", a->h->build)) &&
        write_whole_file(kept, v->output, strlen(v->output)) &&
        read_compile_errors(v->output, text, file_name_of(source),
                            installation_short_path(a->h, kept), &v->memory, &r)) {
        reason = r.reason;
        v->output = r.text;
    }
    attempt_give_up(a, VERDICT_NO_BUILD, reason);
}

step_end attempt_start_build(attempt *a)
{
    char err[512];
    if (build_is_current(a->h, &a->t, &a->nvcc))
        return STEP_NEXT;
    if (!build_start(a->h, &a->t, &a->nvcc, &a->g, err, sizeof err))
        attempt_give_up(a, VERDICT_LACKS, err);
    return STEP_RUNS;
}

step_end attempt_finish_build(attempt *a)
{
    char err[512] = "";
    int code;
    job_end how = stage_outcome(&a->g, &code);
    bool ok = build_finish(a->h, &a->t, &a->g, err, sizeof err);
    OWNED char *message = build_shorten_message(a->h, job_output(a->g.j, NULL));
    a->v.output = arena_strdup(&a->v.memory, message);
    if (ok)
        return STEP_NEXT;
    arena *m = &a->v.memory;
    if (*err)
        attempt_give_up(a, VERDICT_LACKS, err);
    else if (how == JOB_CANCELLED)
        attempt_give_up(a, VERDICT_CANCELLED, "you cancelled the compiler");
    else if (how == JOB_TIMEOUT)
        attempt_give_up(a, VERDICT_NO_BUILD,
                        "the compiler did not end within 300 s and was stopped");
    else if (how == JOB_FLOOD)
        attempt_give_up(a, VERDICT_NO_BUILD, "the compiler wrote more than 1 MiB and was stopped");
    else if (how == JOB_LIMIT)
        attempt_give_up(
            a, VERDICT_NO_BUILD,
            arena_printf(m, "the compiler used %s and was stopped", job_limit_words(code)));
    else if (how == JOB_SIGNALLED)
        attempt_give_up(a, VERDICT_NO_BUILD,
                        arena_printf(m, "the compiler was ended by %s", signal_in_words(code)));
    else if (how == JOB_NO_START)
        attempt_give_up(a, VERDICT_LACKS,
                        arena_printf(m, "%s does not start: %s", a->nvcc.path, strerror(code)));
    else
        report_compile_errors(a);
    return STEP_DECIDE;
}

/* The rubric by which T's text is scored; NULL: the text has not chosen a program yet. */
static const rubric *rubric_for(const build_target *t, int *choice)
{
    OWNED char *text = read_whole_file(source_path_of(t), MAX_TEXT_BYTES, NULL);
    *choice = text ? chapter_choice(t->c, text) : 0;
    return t->c->rubric || *choice || t->file ? chapter_rubric(t->c, *choice) : NULL;
}

/* Read and check the text of a submission. False: the attempt is over. */
static bool read_submission(attempt *a)
{
    submission_copies copies;
    const attempt_options *o = &a->options;
    a->seed = o->judge && o->boxed ? o->judge->seed(a->h, a->c) : NULL;
    if (a->seed)
        a->step = o->judge->steps;
    a->v.judged.tried = a->seed;
    /* A submission that is judged runs on the emulator itself; only the judge uses the GPU. */
    a->t.gpu = o->gpu && !a->seed;
    a->rubric = chapter_rubric(a->c, 0);
    if (!submission_read(a->h, a->c, o->file, o->text, o->text_length, &a->v, &copies)) {
        attempt_end(a);
        return false;
    }
    a->t.file = a->counted.file = copies.graft;
    a->quoted = copies.text;
    return true;
}

/* What happens to a lab, in this order; each step knows whether it is needed. A submission that a
 * judge judges goes through the judge's own table. */
static const attempt_step lab_steps[] = {
    {ATTEMPT_BUILDING, attempt_start_build, attempt_finish_build, 0},
    {ATTEMPT_RUNNING, start_run, finish_run, 0},
    {ATTEMPT_COUNTING, start_counting, finish_counting, 0},
    {ATTEMPT_REBUILDING, rebuild_for_emulator, finish_emulator_build, 0},
    {ATTEMPT_EMULATING, start_emulator_run, finish_emulator_run, 0},
    {ATTEMPT_PAIRING, build_solution_to_pair, finish_solution_to_pair, 0},
    {ATTEMPT_PAIRING, time_solution, finish_timing_solution, 0},
    {ATTEMPT_PAIRING, time_lab, finish_timing_lab, 1},
    {ATTEMPT_SEARCHING, decide_and_search, finish_search, 0},
};

static step_end end_after_build(attempt *a)
{
    attempt_end(a);
    return STEP_NEXT;
}

static const attempt_step build_steps[] = {
    {ATTEMPT_BUILDING, attempt_start_build, attempt_finish_build, 0},
    {ATTEMPT_DONE, end_after_build, NULL, 0},
};

/* Start what comes after the present step, which ended with HOW. */
static void follow_step(attempt *a, step_end how)
{
    while (how != STEP_RUNS && a->phase != ATTEMPT_DONE) {
        if (how == STEP_AGAIN)
            a->step -= a->step->rows_back;
        else
            do
                a->step++;
            while (how == STEP_DECIDE && a->step->finish);
        a->phase = a->step->phase;
        how = a->step->start(a);
    }
}

attempt *attempt_start(installation *h, const chapter *c, saved_state *s,
                       const attempt_options *options)
{
    attempt *a = xmalloc(sizeof *a);
    *a = (attempt){.h = h,
                   .c = c,
                   .s = s,
                   .options = *options,
                   .start = monotonic_s(),
                   .step = options->only_build ? build_steps : lab_steps};
    a->v.judged.boxed = options->boxed;
    if (a->options.timeout_s <= 0)
        a->options.timeout_s = ATTEMPT_TIMEOUT_S;
    a->t = (build_target){
        .c = c, .solution = options->solution, .gpu = options->gpu, .boxed = options->boxed};
    a->counted = (build_target){.c = c, .solution = options->solution, .boxed = options->boxed};
    char err[512] = "";
    if (c->rubric_fault) {
        attempt_give_up(a, VERDICT_BROKEN,
                        arena_printf(&a->v.memory, "%s/%s", installation_short_path(h, c->dir),
                                     c->rubric_fault));
        return a;
    }
    if (options->file) {
        if (!read_submission(a))
            return a;
    }
    if (!options->file && !options->solution) {
        if (!lab_text_prepare(h, c, &a->v, &a->t.text)) {
            attempt_end(a);
            return a;
        }
        a->counted.text = a->t.text;
    }
    if (!file_exists(source_path_of(&a->t))) {
        attempt_give_up(
            a, VERDICT_BROKEN,
            arena_printf(&a->v.memory, "%s is not there%s",
                         installation_short_path(h, source_path_of(&a->t)),
                         options->file || options->solution
                             ? ""
                             : ": `warpbook reset`, or R on the screen, brings it back"));
        return a;
    }
    a->rubric = rubric_for(&a->t, &a->choice);
    if (options->file && c->program_rubrics[0] && !a->choice) {
        attempt_give_up(a, VERDICT_UNGRADED,
                        arena_printf(&a->v.memory,
                                     "%s chooses none of the programs: CHOICE must be the number "
                                     "of one; it was not run",
                                     options->file));
        return a;
    }
    if (!find_compiler(&a->nvcc, err, sizeof err)) {
        attempt_give_up(a, VERDICT_LACKS, err);
        return a;
    }
    if (options->gpu && !options->boxed) /* ncu cannot run the program in a sandbox */
        a->ncu = find_ncu();
    a->v.command = arena_strdup(&a->v.memory, build_command(h, &a->t, &a->nvcc));
    follow_step(a, a->step->start(a));
    return a;
}

bool attempt_poll(attempt *a, int wait_ms)
{
    if (a->phase == ATTEMPT_DONE)
        return true;
    if (a->mistake_search_stage.j)
        stage_poll(&a->mistake_search_stage, 0);
    bool ended = a->g.j ? stage_poll(&a->g, wait_ms) : poll(NULL, 0, wait_ms) == 0;
    if (a->phase == ATTEMPT_RUNNING)
        attempt_read_progress(a);
    if (!ended) {
        if (a->phase == ATTEMPT_RUNNING)
            mistake_search_start_early(a);
        return a->phase == ATTEMPT_DONE;
    }
    step_end how = STEP_DECIDE;
    if (a->cancelled && a->phase == ATTEMPT_TRYING)
        attempt_give_up(a, VERDICT_CANCELLED, "you cancelled it");
    else
        how = a->step->finish(a);
    stage_free(&a->g);
    follow_step(a, how);
    return a->phase == ATTEMPT_DONE;
}

void attempt_cancel(attempt *a)
{
    a->cancelled = true;
    if (a->g.j)
        job_cancel(a->g.j);
    if (a->mistake_search_stage.j)
        job_cancel(a->mistake_search_stage.j);
}

void attempt_take_verdict(attempt *a, verdict *out)
{
    *out = a->v;
    a->v = (verdict){0};
}

void attempt_free(attempt *a)
{
    if (!a)
        return;
    if (a->phase != ATTEMPT_DONE)
        for (int i = 0; i < RESULT_FILE_COUNT; i++)
            unlink(attempt_unfinished_path(a, i));
    stage_free(&a->g);
    stage_free(&a->mistake_search_stage);
    if (a->graded)
        a->options.judge->free(a);
    if (a->phase == ATTEMPT_BUILDING)
        build_delete_outputs(a->h, &a->t);
    if (a->phase == ATTEMPT_REBUILDING)
        build_delete_outputs(a->h, &a->counted);
    verdict_free(&a->v);
    free(a->ncu);
    free(a->run_output);
    table_free(a->record);
    table_free(a->counters);
    table_free(a->paired_solution);
    free(a->pairs);
    free(a);
}

bool attempt_run_to_end(attempt *a, verdict *out, void (*show)(const attempt *a, void *to),
                        void *to)
{
    while (!attempt_poll(a, ATTEMPT_POLL_MS) && !caught_signal_number())
        if (show)
            show(a, to);
    *out = (verdict){0};
    const bool ended = !caught_signal_number();
    if (ended)
        attempt_take_verdict(a, out);
    attempt_free(a);
    return ended;
}

bool attempt_recall_verdict(installation *h, const chapter *c, saved_state *s,
                            const attempt_options *options, verdict *out)
{
    build_target t = {.c = c, .solution = options->solution, .gpu = options->gpu};
    OWNED_TABLE table *record = table_read(target_file_path(h, &t, "record.tsv"));
    if (!record)
        return false;
    *out = (verdict){.output = "",
                     .emulated =
                         options->gpu ? table_read(target_file_path(h, &t, "emulated.tsv")) : NULL};
    if (!options->solution)
        lab_text_prepare(h, c, out, &t.text);
    verdict_judge(out, c, record, table_read(target_file_path(h, &t, "counters.tsv")),
                  table_read(target_file_path(h, &t, "lines.tsv")), JOB_EXITED, 0, 0, NULL);
    findings f = findings_read(&out->memory, target_file_path(h, &t, result_file_names[REPORTS]));
    findings_quote(&out->memory, &f, quoted_path_of(&t), ran_text_path(h, &t),
                   installation_path(h, "common"));
    verdict_add_findings(out, f);
    compare_predictions(out, c, s);
    score_take_coverage(out, target_file_path(h, &t, result_file_names[COVERAGE]),
                        quoted_path_of(&t), ran_text_path(h, &t));
    /* The record does not say how the program ended; the state keeps the last run's reason. */
    const char *reason = s && !options->solution ? state_last_reason(s, c) : NULL;
    int choice;
    const rubric *points = rubric_for(&t, &choice);
    if (points)
        score_verdict(out, points);
    if (reason) {
        if (out->kind != state_last_verdict(s, c))
            out->score.count = 0; /* points belong to a result that the record does not contain */
        out->kind = state_last_verdict(s, c);
        out->reason = arena_strdup(&out->memory, reason);
    }
    return true;
}
