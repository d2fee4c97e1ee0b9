/* Tries a submission: its run on the emulator is recorded and then repeated by a judge (trial.h).
 */
#include "../run/attempt_state.h"

#include "gpu_measurement.h"
#include "trial.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/* A random seed for the run of a submission; WARPBOOK_SEED, if set, repeats an earlier run.
 * NULL: it cannot be judged. */
static const char *random_trial_seed(installation *h, const chapter *c)
{
    if (!is_trial_possible(h, c))
        return NULL;
    const char *given = getenv("WARPBOOK_SEED");
    uint32_t bits = 0;
    if (given && *given)
        return arena_strdup(&h->memory, given);
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        bits = (uint32_t)(monotonic_s() * 1e6);
    return arena_printf(&h->memory, "%u", bits % 1000000000u);
}

/* The judge, who repeats the recording, counts and finds mistakes. */
static size_t add_environment(attempt *a, const char **env, size_t n)
{
    env[n++] = emulator_library_path(a->h);
    /* The judge counts and times the launches, so here counting is switched off. */
    if (!trial_compares_times(a->h, a->c))
        env[n++] = "WARPBOOK_COUNTING=0";
    env[n++] = "WARPBOOK_SKIP_PROFILED=1";
    if (trial_skip_curves_variable(a->c))
        env[n++] = trial_skip_curves_variable(a->c);
    env[n++] = "WARPBOOK_SANITIZE=host,leak";
    env[n++] = attempt_result_variable(a, "WARPBOOK_REPORTS", REPORTS);
    env[n++] = attempt_result_variable(a, "WARPBOOK_RECORDING", RECORDING);
    env[n++] = arena_printf(&a->h->memory, "WARPBOOK_SEED=%s", a->seed);
    return n;
}

/* Whether a GPU measures the kernels of a submission that is tried. */
static bool is_measured_on_gpu(const attempt *a)
{
    return a->options.gpu && measurement_is_needed(a->rubric) &&
           !reason_for_modelled_times(a->h, a->c);
}

static void start_trial(attempt *a)
{
    a->record = attempt_take_result(a, RECORD);
    a->trial = trial_start(&(trial_spec){.h = a->h,
                                         .c = a->c,
                                         .nvcc = &a->nvcc,
                                         .seed = a->seed,
                                         .program = program_path_of(a->h, &a->t),
                                         .recording = attempt_unfinished_path(a, RECORDING),
                                         .claims = a->record,
                                         .reports = attempt_unfinished_path(a, REPORTS),
                                         .flaw = a->v.flaw_count ? a->v.flaws[0] : NULL,
                                         .choice = a->choice,
                                         .killed = a->run_end != JOB_EXITED,
                                         .gpu = is_measured_on_gpu(a),
                                         .timeout_s = a->options.timeout_s});
    a->phase = ATTEMPT_TRYING;
}

/* Whether a reported mistake can be why a result is wrong. */
static bool is_wrong_by_mistake(const verdict *v)
{
    const finding *first = findings_first_mistake(&v->found);
    return v->by_luck && !(first && finding_is_leak(first));
}

static void finish_trial(attempt *a)
{
    verdict *v = &a->v;
    trial_result r = trial_take_result(a->trial);
    v->output = arena_strdup(&v->memory, a->run_output ? a->run_output : "");
    v->unmeasured = r.unmeasured;
    v->modelled = a->options.gpu ? reason_for_modelled_times(a->h, a->c) : NULL;
    if (is_measured_on_gpu(a)) { /* these counters belong to another problem size than the times */
        v->emulated = r.counters;
        r.counters = NULL;
    }
    /* Without the judge's record there are no points, but the marker sees what the submission
     * itself reported. */
    const bool ended = a->run_end == JOB_EXITED, shows_claims = ended && !r.slow;
    verdict_judge(v, a->c, r.record || !shows_claims ? r.record : a->record, r.counters, r.lines,
                  a->run_end, a->run_code, a->options.timeout_s, NULL);
    const bool judged = r.record;
    table_free(r.record);
    attempt_take_findings(a, attempt_unfinished_path(a, REPORTS));
    attempt_move_to_final_path(a, REPORTS);
    if (r.internal) {
        v->kind = VERDICT_INTERNAL;
        v->reason = r.internal;
    } else if (r.policy && (ended || judged)) {
        v->kind = VERDICT_POLICY;
        v->reason = r.policy;
    } else if (r.slow && ended) {
        v->kind = VERDICT_TIMEOUT;
        v->reason = r.slow;
    } else if (r.wrong && !is_wrong_by_mistake(v) &&
               (v->kind == VERDICT_PASS || v->kind == VERDICT_FAIL)) {
        v->kind = VERDICT_FAIL;
        v->wrong = r.wrong;
        v->reason = arena_printf(&v->memory, "its checks passed, but it is wrong: %s", r.wrong);
    }
    if (a->cancelled)
        attempt_give_up(a, VERDICT_CANCELLED, "you cancelled it");
    else
        attempt_end(a);
}

static bool poll_trial(attempt *a, int wait_ms)
{
    return trial_poll(a->trial, wait_ms);
}

static void cancel_trial(attempt *a)
{
    trial_cancel(a->trial);
}

static void free_trial(attempt *a)
{
    trial_free(a->trial);
}

const attempt_judge submission_judge = {.seed = random_trial_seed,
                                        .add_environment = add_environment,
                                        .start = start_trial,
                                        .poll = poll_trial,
                                        .finish = finish_trial,
                                        .cancel = cancel_trial,
                                        .free = free_trial};
