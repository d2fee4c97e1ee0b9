#include "trial.h"

#include "../base/device.h"
#include "../base/files.h"
#include "../base/leftovers.h"
#include "evidence.h"
#include "gpu_measurement.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef enum trial_step {
    TRIAL_BUILDING_REFERENCE, /* nvcc builds the book's solution */
    TRIAL_RUNNING_REFERENCE,  /* the book's solution runs and is recorded */
    TRIAL_JUDGING_REFERENCE,  /* warpbook-judge repeats the solution's run and stores the kernels'
                                 results */
    TRIAL_JUDGING_SUBMISSION, /* warpbook-judge repeats the submission's run and compares the
                                 results */
    TRIAL_MEASURING,          /* a GPU measures the solution and the submission */
    TRIAL_DONE                /* the trial has ended */
} trial_step;

/* Files of one run, under build/judge. */
typedef enum run_file {
    RUN_RECORDING,  /* recording: what the program asked of the device */
    RUN_RECORD,     /* record: checks and times that the lab wrote */
    RUN_TABLE,      /* table that warpbook-judge wrote */
    RUN_TRANSCRIPT, /* results of the solution's kernels, with which the submission's are compared
                     */
    RUN_COUNTERS,   /* counters of each launch */
    RUN_LINES,      /* memory accesses of each source line */
    RUN_FILE_COUNT  /* number of files */
} run_file;
static const char *const run_file_names[] = {"run.wbr",        "record.tsv",   "judged.tsv",
                                             "transcript.bin", "counters.tsv", "lines.tsv"};

enum {
    OLD_FILES_SECONDS = 3600, /* how long the reference's files are kept for further submissions */
    FILE_LIMIT = 256 << 20,   /* largest size of a file that is read, in bytes */
};

struct trial {
    trial_spec spec;                        /* programs and files to use */
    trial_step step;                        /* which step of the trial runs now */
    build_target reference;                 /* the chapter's own solution */
    char *reference_base, *submission_base; /* paths of the files of the reference and of the
                                        submission, without their suffix */
    const char *key; /* secret number from which warpbook-judge makes random values */
    stage g;
    trial_result result;      /* errors and tables found so far */
    table *judged, *expected; /* tables that warpbook-judge wrote about the submission, and about
                                 the book's solution */
    table *record;            /* checks and times that the book's solution wrote */
    measurement *measurement; /* measurement on a GPU during TRIAL_MEASURING; else NULL */
    bool searches;  /* warpbook-judge looks for mistakes, such as races, in the launches before the
                       first timed one */
    bool cancelled; /* the user cancelled the trial */
};

static const char *judge_program_path(installation *h)
{
    return installation_tool(h, "warpbook-judge");
}

static const char *judge_rules_path(installation *h, const chapter *c)
{
    return arena_printf(&h->memory, "%s/judge.tsv", c->dir);
}

bool is_trial_possible(installation *h, const chapter *c)
{
    return c->solution && file_exists(c->solution) && file_exists(judge_rules_path(h, c)) &&
           file_exists(judge_program_path(h));
}

const char *reason_for_modelled_times(installation *h, const chapter *c)
{
    return reason_not_measurable(judge_rules_path(h, c));
}

bool trial_compares_times(installation *h, const chapter *c)
{
    table *rules = table_read(judge_rules_path(h, c));
    bool found = false;
    for (size_t i = 0; rules && i < rules->rows; i++) {
        const char *role = table_get(rules, i, "role");
        found |= role && strcmp(role, "times") == 0;
    }
    table_free(rules);
    return found;
}

const char *trial_skip_curves_variable(const chapter *c)
{
    return c->rubric || c->program_rubrics[0] ? "WARPBOOK_CURVES=0" : NULL;
}

static char *run_file_path(const trial *t, const char *base, run_file p)
{
    return arena_printf(&t->spec.h->memory, "%s.%s", base, run_file_names[p]);
}

static void end_trial(trial *t)
{
    for (int p = 0; p < RUN_FILE_COUNT; p++)
        unlink(run_file_path(t, t->submission_base, (run_file)p));
    t->step = TRIAL_DONE;
}

static void end_trial_with_error(trial *t, const char *what, const char *why)
{
    t->result.internal = arena_printf(&t->spec.h->memory, "%s: %s", what, why);
    end_trial(t);
}

/* --- starting the steps of a trial --- */

static bool start_in_sandbox(trial *t, const char *const *argv, const char *const *env,
                             const char *const *shown, double seconds)
{
    char err[512];
    const stage_spec spec = {.use = SANDBOX_RUN, .argv = argv, .env = env, .shown = shown};
    if (stage_start_in_trial(&t->g, spec, seconds, err, sizeof err))
        return true;
    end_trial_with_error(t, "cannot make a sandbox for the judge", err);
    return false;
}

static const char *variable_with_sandbox_path(const trial *t, const char *name, const char *path)
{
    arena *a = &t->spec.h->memory;
    return arena_printf(a, "%s=%s", name, stage_result_path(a, true, path));
}

static void run_reference(trial *t)
{
    installation *h = t->spec.h;
    const char *program = program_path_of(h, &t->reference);
    const char *const argv[] = {program, NULL}, *const shown[] = {program, emulator_path(h), NULL};
    const char *const env[] = {
        emulator_library_path(h),
        arena_printf(&h->memory, "WARPBOOK_SEED=%s", t->spec.seed),
        arena_printf(&h->memory, "WARPBOOK_CHOICE=%d", t->spec.choice),
        variable_with_sandbox_path(t, "WARPBOOK_RECORD",
                                   run_file_path(t, t->reference_base, RUN_RECORD)),
        variable_with_sandbox_path(t, "WARPBOOK_RECORDING",
                                   run_file_path(t, t->reference_base, RUN_RECORDING)),
        trial_skip_curves_variable(t->spec.c),
        NULL};
    if (start_in_sandbox(t, argv, env, shown, t->spec.timeout_s))
        t->step = TRIAL_RUNNING_REFERENCE;
}

/* A run that the judge repeats: that of the reference or that of the submission. */
typedef struct repetition {
    const char *program, *recording; /* paths of the program and of the recording of its run */
    const char *base;                /* path of the files of the repetition, without their suffix */
    const char *checked;    /* number of the launches that are searched for mistakes; NULL: none */
    const char *const *env; /* environment variables of warpbook-judge */
} repetition;

static bool start_judge(trial *t, const repetition *r)
{
    installation *h = t->spec.h;
    arena *a = &h->memory;
    bool writes = r->base == t->reference_base;
    const char *rules = judge_rules_path(h, t->spec.c),
               *results = run_file_path(t, r->base, RUN_TABLE);
    const char *transcript = run_file_path(t, t->reference_base, RUN_TRANSCRIPT);
    const char *const argv[] = {judge_program_path(h),
                                rules,
                                r->recording,
                                "--program",
                                r->program,
                                writes ? "--write" : "--against",
                                writes ? stage_result_path(a, true, transcript) : transcript,
                                "--key",
                                t->key,
                                "--to",
                                stage_result_path(a, true, results),
                                r->checked ? "--checked" : NULL,
                                r->checked,
                                NULL};
    const char *const shown[] = {
        argv[0], rules, r->program, r->recording, writes ? NULL : transcript, NULL};
    /* If the submission's run was killed, judging it may take one time limit instead of three. */
    const double seconds = writes || !t->spec.killed ? t->spec.timeout_s : t->spec.timeout_s / 3;
    return start_in_sandbox(t, argv, r->env, shown, seconds);
}

static void judge_reference(trial *t)
{
    static const char *const env[] = {NULL};
    if (start_judge(t,
                    &(repetition){.program = program_path_of(t->spec.h, &t->reference),
                                  .recording = run_file_path(t, t->reference_base, RUN_RECORDING),
                                  .base = t->reference_base,
                                  .env = env}))
        t->step = TRIAL_JUDGING_REFERENCE;
}

static bool submission_claims_pass(const trial *t)
{
    const table *claims = t->spec.claims;
    for (size_t i = 0; claims && i < claims->rows; i++) {
        const char *status = table_get(claims, i, "status");
        if (status && strcmp(status, "fail") == 0)
            return false;
    }
    return claims;
}

/* The first launch that is timed and not searched for mistakes: launch MEASURED, or an earlier one
 * if a check compares times, because such a check has the full size, where a search is slow. */
static long first_timed_launch(const trial *t, long measured)
{
    table *rules = table_read(judge_rules_path(t->spec.h, t->spec.c));
    double work;
    for (size_t i = 0; rules && i < rules->rows; i++) {
        const char *role = table_get(rules, i, "role");
        if (role && strcmp(role, "share") == 0 && table_number(rules, i, "parameter", &work) &&
            work < (double)measured)
            measured = (long)work;
    }
    table_free(rules);
    return measured;
}

/* Start to judge the submission. The launches before the first timed one are searched for mistakes,
 * even if checks failed, because a report may say why they failed. */
static void judge_submission(trial *t)
{
    const char *env[] = {
        variable_with_sandbox_path(t, "WARPBOOK_COUNTERS",
                                   run_file_path(t, t->submission_base, RUN_COUNTERS)),
        variable_with_sandbox_path(t, "WARPBOOK_LINES",
                                   run_file_path(t, t->submission_base, RUN_LINES)),
        variable_with_sandbox_path(t, "WARPBOOK_REPORTS", t->spec.reports), NULL, NULL};
    if (!file_exists(t->spec.recording)) {
        t->result.policy = "it ended normally but left no recording of its run";
        end_trial(t);
        return;
    }
    table_free(t->expected);
    table_free(t->record);
    t->expected = table_read(run_file_path(t, t->reference_base, RUN_TABLE));
    t->record = table_read(run_file_path(t, t->reference_base, RUN_RECORD));
    long measured =
        t->expected && t->record ? evidence_first_measured_row(t->expected, t->record) : -1;
    if (measured < 0) {
        end_trial_with_error(t, "the book's solution",
                             "the launches that it made do not match the times in its record");
        return;
    }
    repetition own = {.program = t->spec.program,
                      .recording = t->spec.recording,
                      .base = t->submission_base,
                      .env = env};
    if (t->searches) {
        env[3] = "WARPBOOK_SANITIZE=memory,race,init,sync";
        own.checked = arena_printf(&t->spec.h->memory, "%ld", first_timed_launch(t, measured));
    }
    if (start_judge(t, &own))
        t->step = TRIAL_JUDGING_SUBMISSION;
}

/* --- what happens when a step ends --- */

/* Check that a step of the reference succeeded. False: it did not, and the trial has ended. */
static bool check_stage_succeeded(trial *t, const char *what)
{
    int code;
    if (stage_outcome(&t->g, &code) == JOB_EXITED && code == 0)
        return true;
    end_trial_with_error(t, what, job_output(t->g.j, NULL));
    return false;
}

static void finish_reference_build(trial *t)
{
    char err[512] = "nvcc refused it";
    if (build_finish(t->spec.h, &t->reference, &t->g, err, sizeof err)) {
        stage_free(&t->g);
        run_reference(t);
        return;
    }
    end_trial_with_error(t, "the book's solution does not build", err);
}

static void finish_reference_run(trial *t)
{
    if (!check_stage_succeeded(t, "the book's solution failed"))
        return;
    bool both =
        stage_copy_file_out(&t->g, run_file_path(t, t->reference_base, RUN_RECORD), 0644) &&
        stage_copy_file_out(&t->g, run_file_path(t, t->reference_base, RUN_RECORDING), 0644);
    stage_free(&t->g);
    if (both)
        judge_reference(t);
    else
        end_trial_with_error(t, "the book's solution", "it left no recording");
}

static void finish_judging_reference(trial *t)
{
    if (!check_stage_succeeded(t, "judging the book's solution failed"))
        return;
    bool both =
        stage_copy_file_out(&t->g, run_file_path(t, t->reference_base, RUN_TABLE), 0644) &&
        stage_copy_file_out(&t->g, run_file_path(t, t->reference_base, RUN_TRANSCRIPT), 0644);
    stage_free(&t->g);
    unlink(run_file_path(t, t->reference_base, RUN_RECORDING));
    if (both)
        judge_submission(t);
    else
        end_trial_with_error(t, "judging the book's solution failed", "it left no transcript");
}

static void read_result_tables(trial *t)
{
    arena *a = &t->spec.h->memory;
    evidence e = {t->judged, t->expected, t->record, t->spec.claims,
                  .unfinished = t->spec.killed || t->result.slow};
    char *text = evidence_record(&e, a, &t->result.wrong, &t->result.policy);
    for (size_t i = 0; t->spec.flaw && !t->result.policy && i < t->judged->rows; i++) {
        const char *what = table_get(t->judged, i, "what");
        if (what && strcmp(what, "host") == 0)
            t->result.policy = arena_printf(a, "only the host checks %s, and %s",
                                            table_get(t->judged, i, "kernel"), t->spec.flaw);
    }
    t->result.record = table_parse(text);
    t->result.counters = table_read(run_file_path(t, t->submission_base, RUN_COUNTERS));
    t->result.lines = table_read(run_file_path(t, t->submission_base, RUN_LINES));
    free(text);
}

/* Report why the judge cannot repeat a recording. */
static void report_refused_recording(trial *t)
{
    const char *says = job_output(t->g.j, NULL);
    const char *path = strstr(says, t->spec.recording);
    if (strncmp(says, "warpbook: ", 10) == 0)
        says += 10;
    const bool about_file = path == says || !*says;
    if (path == says)
        says += strlen(t->spec.recording) + 1;
    t->result.policy = arena_printf(&t->spec.h->memory, "its recording cannot be repeated: %s%.*s",
                                    about_file ? "it " : "", (int)strcspn(says, "\n"),
                                    *says ? says : "stopped the judge without a message");
    end_trial(t);
}

static void start_gpu_measurement(trial *t)
{
    installation *h = t->spec.h;
    t->measurement =
        measurement_start(&(measurement_spec){.h = h,
                                              .judge = judge_program_path(h),
                                              .rules = judge_rules_path(h, t->spec.c),
                                              .reference = program_path_of(h, &t->reference),
                                              .program = t->spec.program,
                                              .reference_base = t->reference_base,
                                              .submission_base = t->submission_base,
                                              .seed = t->spec.seed,
                                              .key = t->key,
                                              .choice = t->spec.choice,
                                              .timeout_s = t->spec.timeout_s});
    t->step = TRIAL_MEASURING;
}

static void finish_gpu_measurement(trial *t)
{
    const measurement_result r = measurement_take_result(t->measurement);
    char *text = measurement_replace_rows(t->result.record, r.rows);
    table_free(t->result.record);
    t->result.record = table_parse(text);
    free(text);
    t->result.internal = r.internal;
    t->result.policy = r.policy;
    t->result.wrong = r.wrong;
    t->result.unmeasured = r.unmeasured;
    end_trial(t);
}

/* Whether the judge's table T has a row whose column `what` is WHAT. */
static bool has_row_of_kind(const table *t, const char *what)
{
    for (size_t i = 0; i < t->rows; i++) {
        const char *is = table_get(t, i, "what");
        if (is && !strcmp(is, what))
            return true;
    }
    return false;
}

static void finish_judging_submission(trial *t)
{
    int code;
    job_end how = stage_outcome(&t->g, &code);
    for (int p = RUN_TABLE; p < RUN_FILE_COUNT; p++)
        if (p != RUN_TRANSCRIPT)
            stage_copy_file_out(&t->g, run_file_path(t, t->submission_base, (run_file)p), 0644);
    stage_append_file(&t->g, t->spec.reports); /* also adds faults that occur only at the measured
                                                * size */
    if (how == JOB_TIMEOUT && t->searches && !submission_claims_pass(t) && !t->spec.killed) {
        /* Its checks failed anyway, so a search for mistakes that takes too long changes nothing.
         */
        t->searches = false;
        stage_free(&t->g);
        judge_submission(t);
        return;
    }
    if (how == JOB_TIMEOUT)
        t->result.slow = arena_printf(&t->spec.h->memory,
                                      "its kernels did not end within %g s when they were repeated",
                                      t->spec.timeout_s);
    if (how == JOB_TIMEOUT || (how == JOB_EXITED && code == 0))
        t->judged = table_read(run_file_path(t, t->submission_base, RUN_TABLE));
    if (!t->judged && t->result.slow) {
        end_trial(t);
        return;
    }
    if (!t->judged) {
        report_refused_recording(t);
        return;
    }
    stage_free(&t->g);
    read_result_tables(t);
    const bool helped = has_row_of_kind(t->judged, "helper");
    if (t->spec.gpu && helped)
        t->result.unmeasured =
            "its launches are prepared by kernels or memsets of its own, which are "
            "not repeated on the GPU";
    if (t->spec.gpu && !helped && submission_claims_pass(t) && !t->result.wrong &&
        !t->result.policy && !t->result.slow && !t->spec.killed)
        start_gpu_measurement(t);
    else
        end_trial(t);
}

/* --- starting and continuing a trial --- */

/* A key that a submission cannot know because it depends on the solution, and that is equal for all
 * submissions with one seed. */
static const char *new_secret_key(trial *t)
{
    uint64_t hash = hash_bytes(HASH_INITIAL_VALUE, t->spec.seed, strlen(t->spec.seed));
    hash = hash_file(hash, t->spec.c->solution, FILE_LIMIT);
    return arena_printf(&t->spec.h->memory, "%016" PRIx64, hash);
}

/* Path of the reference's files: it depends on the reference's text, the judge, the device, the
 * seed and the size. */
static char *reference_base(trial *t, const char *dir)
{
    installation *h = t->spec.h;
    const char *n = getenv("WARPBOOK_N");
    uint64_t hash = hash_bytes(HASH_INITIAL_VALUE, t->spec.seed, strlen(t->spec.seed) + 1);
    hash = hash_bytes(hash, n ? n : "", n ? strlen(n) : 0);
    hash = hash_file(hash, t->spec.c->solution, FILE_LIMIT);
    hash = hash_bytes(hash, &t->spec.choice, sizeof t->spec.choice);
    hash = hash_large_file(hash, judge_program_path(h), FILE_LIMIT);
    hash = hash_file(hash, judge_rules_path(h, t->spec.c), FILE_LIMIT);
    hash = hash_directory(hash, installation_path(h, "common"), FILE_LIMIT);
    const char *slash = strrchr(t->spec.c->dir, '/');
    return arena_printf(&h->memory, "%s/%s-%016" PRIx64, dir, slash + 1, hash);
}

static void remove_old_files(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    time_t now = time(NULL);
    while (d && (e = readdir(d))) {
        struct stat s;
        char *path = xprintf("%s/%s", dir, e->d_name);
        if (lstat(path, &s) == 0 && S_ISREG(s.st_mode) && now - s.st_mtime > OLD_FILES_SECONDS)
            unlink(path);
        free(path);
    }
    if (d)
        closedir(d);
}

static bool reference_files_exist(const trial *t)
{
    return file_exists(run_file_path(t, t->reference_base, RUN_RECORD)) &&
           file_exists(run_file_path(t, t->reference_base, RUN_TABLE)) &&
           file_exists(run_file_path(t, t->reference_base, RUN_TRANSCRIPT));
}

trial *trial_start(const trial_spec *spec)
{
    trial *t = xmalloc(sizeof *t);
    char err[512];
    *t = (trial){.spec = *spec, .searches = spec->claims};
    t->reference = (build_target){.c = spec->c, .solution = true, .boxed = true};
    const char *dir = arena_printf(&spec->h->memory, "%s/judge", spec->h->build);
    t->submission_base =
        arena_printf(&spec->h->memory, "%s/own-%d-%p", dir, (int)getpid(), (void *)t);
    if (!make_directories(dir)) {
        end_trial_with_error(t, dir, strerror(errno));
        return t;
    }
    remove_old_files(dir);
    t->key = new_secret_key(t);
    t->reference_base = reference_base(t, dir);
    const bool built = build_is_current(spec->h, &t->reference, spec->nvcc);
    if (reference_files_exist(t) && (built || !spec->gpu)) {
        judge_submission(t);
    } else if (built) {
        run_reference(t);
    } else if (build_start(spec->h, &t->reference, spec->nvcc, &t->g, err, sizeof err)) {
        t->step = TRIAL_BUILDING_REFERENCE;
    } else {
        end_trial_with_error(t, "the book's solution", err);
    }
    return t;
}

bool trial_poll(trial *t, int wait_ms)
{
    if (t->step == TRIAL_DONE)
        return true;
    if (t->measurement ? !measurement_poll(t->measurement, wait_ms) : !stage_poll(&t->g, wait_ms))
        return false;
    void (*const finish[])(trial *) = {finish_reference_build, finish_reference_run,
                                       finish_judging_reference, finish_judging_submission,
                                       finish_gpu_measurement};
    if (t->cancelled)
        end_trial_with_error(t, "cancelled", "");
    else
        finish[t->step](t);
    return t->step == TRIAL_DONE;
}

void trial_cancel(trial *t)
{
    t->cancelled = true;
    if (t->measurement)
        measurement_cancel(t->measurement);
    if (t->g.j)
        job_cancel(t->g.j);
}

trial_result trial_take_result(trial *t)
{
    trial_result r = t->result;
    t->result = (trial_result){0};
    return r;
}

void trial_free(trial *t)
{
    if (!t)
        return;
    if (t->step != TRIAL_DONE)
        end_trial(t);
    stage_free(&t->g);
    measurement_free(t->measurement);
    table_free(t->judged);
    table_free(t->expected);
    table_free(t->record);
    table_free(t->result.record);
    table_free(t->result.counters);
    table_free(t->result.lines);
    free(t);
}
