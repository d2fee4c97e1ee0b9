#include "graded_run.h"

#include "../base/files.h"
#include "judge_rules.h"
#include "submission_judge.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

char *run_file_path(const attempt *a, const char *base, run_file f)
{
    static const char *const names[] = {
        "run.wbr",        "record.tsv",         "judged.tsv", "transcript.bin",
        "counters.tsv",   "lines.tsv",          "gpu.wbr",    "gpu-record.tsv",
        "gpu-judged.tsv", "gpu-transcript.bin", "page.json"};
    return arena_printf(&a->h->memory, "%s.%s", base, names[f]);
}

const char *variable_with_sandbox_path(attempt *a, const char *name, const char *base, run_file f)
{
    arena *m = &a->h->memory;
    return arena_printf(m, "%s=%s", name, stage_result_path(m, true, run_file_path(a, base, f)));
}

bool copy_run_files_out(attempt *a, const char *base, unsigned set)
{
    bool all = true;
    for (int f = 0; f < RUN_FILE_COUNT; f++)
        if (set & 1u << f)
            all &= stage_copy_file_out(&a->g, run_file_path(a, base, (run_file)f), 0644);
    return all;
}

step_end judge_ends(attempt *a, const char **which, const char *what, const char *why)
{
    *which = arena_printf(&a->h->memory, "%s: %s", what, why);
    return STEP_DECIDE;
}

step_end start_boxed(attempt *a, sandbox_use use, const char *const *argv, const char *const *env,
                     const char *const *shown, double seconds)
{
    char err[512];
    const stage_spec spec = {.use = use,
                             .boxed = true,
                             .argv = argv,
                             .env = env,
                             .shown = shown,
                             .limit_s = 3 * seconds};
    return stage_start(&a->g, &spec, err, sizeof err)
               ? STEP_RUNS
               : judge_ends(a, &a->graded->internal, "cannot make a sandbox for the judge", err);
}

const char *skip_curves_variable(const chapter *c)
{
    return c->rubric || c->program_rubrics[0] ? "WARPBOOK_CURVES=0" : NULL;
}

bool submission_claims_pass(const attempt *a)
{
    for (size_t i = 0; a->record && i < a->record->rows; i++) {
        const char *status = table_get(a->record, i, "status");
        if (status && strcmp(status, "fail") == 0)
            return false;
    }
    return a->record;
}

/* A random seed for the run of a submission; WARPBOOK_SEED, if set, repeats an earlier run.
 * NULL: it cannot be judged. */
static const char *random_seed(installation *h, const chapter *c)
{
    if (!is_judge_possible(h, c))
        return NULL;
    const char *given = getenv("WARPBOOK_SEED");
    uint32_t bits = 0;
    if (given && *given)
        return arena_strdup(&h->memory, given);
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        bits = (uint32_t)(monotonic_s() * 1e6);
    return arena_printf(&h->memory, "%u", bits % 1000000000u);
}

/* --- the submission's own run --- */

static step_end start_recorded_run(attempt *a)
{
    /* Check all sizes, not only up to the first wrong one: the judge compares as many launches as
     * the reference makes. The judge counts, times and searches the launches, so here it is off. */
    const char *env[] = {attempt_result_variable(a, "WARPBOOK_RECORD", RECORD),
                         attempt_result_variable(a, "WARPBOOK_REPORTS", REPORTS),
                         attempt_result_variable(a, "WARPBOOK_RECORDING", RECORDING),
                         arena_printf(&a->h->memory, "WARPBOOK_SEED=%s", a->seed),
                         emulator_library_path(a->h),
                         "WARPBOOK_ALL_SIZES=1",
                         "WARPBOOK_SKIP_PROFILED=1",
                         "WARPBOOK_SANITIZE=host,leak",
                         NULL,
                         NULL,
                         NULL};
    size_t n = 8;
    if (!judge_compares_times(a->h, a->c))
        env[n++] = "WARPBOOK_COUNTING=0";
    env[n] = skip_curves_variable(a->c);
    return attempt_make_room(a) ? attempt_start_program(a, &a->g, &a->t, env) : STEP_DECIDE;
}

/* Fetch the recording of a program that was killed. The recorder writes NAME.part, and renames it
 * to NAME only when the program ends. */
static void fetch_unfinished_recording(attempt *a)
{
    const char *path = attempt_unfinished_path(a, RECORDING);
    if (!file_exists(path))
        stage_copy_file_out_as(&a->g, arena_printf(&a->h->memory, "%s.part", file_name_of(path)),
                               path, 0644);
}

static step_end finish_recorded_run(attempt *a)
{
    attempt_keep_outcome(a);
    if (a->run_end == JOB_EXITED && !file_exists(attempt_unfinished_path(a, RECORDING)) &&
        stage_is_full(&a->g)) {
        a->run_end = JOB_FLOOD;
        a->run_code = JOB_LIMIT_FILES;
    }
    if (a->run_end != JOB_EXITED)
        fetch_unfinished_recording(a);
    a->record = attempt_take_result(a, RECORD);
    return a->run_end == JOB_CANCELLED || a->run_end == JOB_NO_START ? STEP_DECIDE : STEP_NEXT;
}

/* --- the verdict --- */

/* Whether a reported mistake can be why a result is wrong. */
static bool is_wrong_by_mistake(const verdict *v)
{
    const finding *first = findings_first_mistake(&v->found);
    return v->by_luck && !(first && finding_is_leak(first));
}

/* Put the times that a GPU measured, or none, in place of the modelled ones. */
static void use_gpu_times(graded_run *g)
{
    OWNED char *text = gpu_times_in_record(&g->times, g->record);
    table_free(g->record);
    g->record = table_parse(text);
}

/* What the judge found decides, if it decides anything. */
static void apply_judgement(verdict *v, const graded_run *g, bool ended)
{
    if (g->internal) {
        v->kind = VERDICT_INTERNAL;
        v->reason = g->internal;
    } else if (g->policy && (ended || g->record)) {
        v->kind = VERDICT_POLICY;
        v->reason = g->policy;
    } else if (g->slow && ended) {
        v->kind = VERDICT_TIMEOUT;
        v->reason = g->slow;
    } else if (g->wrong && !is_wrong_by_mistake(v) &&
               (v->kind == VERDICT_PASS || v->kind == VERDICT_FAIL)) {
        v->kind = VERDICT_FAIL;
        v->judged.wrong = g->wrong;
        v->reason = arena_printf(&v->memory, "its checks passed, but it is wrong: %s", g->wrong);
    }
}

static step_end decide(attempt *a)
{
    verdict *v = &a->v;
    static const graded_run nothing;
    graded_run *g = a->graded;
    const graded_run *found = g ? g : &nothing;
    /* Times of a chapter that could not be measured are judged as modelled. */
    const bool modelled = !a->rubric && found->unmeasured;
    const bool measured = is_measured_on_gpu(a) && !modelled, ended = a->run_end == JOB_EXITED;
    if (g && g->times.begun && measured)
        use_gpu_times(g);
    v->output = arena_strdup(&v->memory, a->run_output ? a->run_output : "");
    v->judged.unmeasured = found->unmeasured;
    v->judged.modelled =
        modelled
            ? arena_printf(&v->memory, "modelled, not measured on the GPU: %s", found->unmeasured)
        : a->options.gpu ? reason_for_modelled_times(a->h, a->c)
                         : NULL;
    if (measured) /* these counters belong to another problem size than the times */
        v->emulated = found->counters;
    /* Without the judge's record there are no points, but the marker sees what the submission
     * reported. */
    const bool shows_claims = ended && !found->slow;
    verdict_judge(v, a->c, found->record || !shows_claims ? found->record : a->record,
                  measured ? NULL : found->counters, found->lines, a->run_end, a->run_code,
                  a->options.timeout_s, NULL);
    if (g)
        g->counters = g->lines = NULL; /* the verdict owns them now */
    attempt_take_findings(a, attempt_unfinished_path(a, REPORTS));
    attempt_move_to_final_path(a, REPORTS);
    attempt_take_coverage(a);
    if (g)
        take_run_page(a);
    if (!a->rubric && v->judged.modelled)
        v->uncompared = arena_printf(&v->memory, "times are %s", v->judged.modelled);
    apply_judgement(v, found, ended);
    attempt_end(a);
    return STEP_RUNS;
}

static void free_graded_run(attempt *a)
{
    OWNED graded_run *g = a->graded;
    release_gpu(g);
    for (int f = 0; g->submission_base && f < RUN_FILE_COUNT; f++)
        unlink(run_file_path(a, g->submission_base, (run_file)f));
    table_free(g->judged);
    table_free(g->expected);
    table_free(g->reference_record);
    gpu_times_free(&g->times);
    table_free(g->record);
    table_free(g->counters);
    table_free(g->lines);
    json_decref(g->page);
}

/* What comes before the verdict, however clear that is already. */
static step_end go_on(attempt *a)
{
    if (a->graded)
        release_gpu(a->graded);
    return STEP_NEXT;
}

/* Everything that happens to a submission, in this order. */
static const attempt_step steps[] = {
    {ATTEMPT_BUILDING, attempt_start_build, attempt_finish_build, 0},
    {ATTEMPT_RUNNING, start_recorded_run, finish_recorded_run, 0},
    {ATTEMPT_TRYING, build_reference, finish_reference_build, 0},
    {ATTEMPT_TRYING, run_reference, finish_reference_run, 0},
    {ATTEMPT_TRYING, judge_reference, finish_judging_reference, 0},
    {ATTEMPT_TRYING, judge_submission, finish_judging_submission, 0},
    /* Only if there are points for times that a GPU measures: */
    {ATTEMPT_TRYING, record_reference_for_gpu, finish_reference_recording, 0},
    {ATTEMPT_TRYING, record_submission_for_gpu, finish_submission_recording, 0},
    {ATTEMPT_TRYING, reserve_gpu, wait_for_gpu, 0},
    {ATTEMPT_TRYING, repeat_reference_on_gpu, finish_reference_on_gpu, 0},
    {ATTEMPT_TRYING, repeat_submission_on_gpu, finish_submission_on_gpu, 1},
    {ATTEMPT_TRYING, go_on, NULL, 0},
    {ATTEMPT_TRYING, make_run_page, finish_run_page, 0},
    {ATTEMPT_TRYING, decide, NULL, 0},
};

const attempt_judge submission_judge = {random_seed, steps, free_graded_run};
