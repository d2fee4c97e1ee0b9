#include "graded_run.h"

#include "../base/device.h"
#include "../base/files.h"
#include "evidence.h"
#include "judge_rules.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    OLD_FILES_SECONDS = 3600, /* how long the reference's files are kept for further submissions */
    FILE_LIMIT = 256 << 20,   /* largest size of a file that is read, in bytes */
};

/* --- the reference, whose files are kept for further submissions --- */

/* A key that a submission cannot know because it depends on the solution, and that is equal for all
 * submissions with one seed. */
static const char *new_secret_key(const attempt *a)
{
    uint64_t hash = hash_bytes(HASH_INITIAL_VALUE, a->seed, strlen(a->seed));
    hash = hash_file(hash, a->c->solution, FILE_LIMIT);
    return arena_printf(&a->h->memory, "%016" PRIx64, hash);
}

/* Path of the reference's files: it depends on the reference's text, the judge, the device, the
 * seed and the size. */
static char *reference_base(attempt *a, const char *dir)
{
    installation *h = a->h;
    const char *n = getenv("WARPBOOK_N");
    uint64_t hash = hash_bytes(HASH_INITIAL_VALUE, a->seed, strlen(a->seed) + 1);
    hash = hash_bytes(hash, n ? n : "", n ? strlen(n) : 0);
    hash = hash_file(hash, a->c->solution, FILE_LIMIT);
    hash = hash_bytes(hash, &a->choice, sizeof a->choice);
    hash = hash_large_file(hash, judge_program_path(h), FILE_LIMIT);
    hash = hash_file(hash, judge_rules_path(h, a->c), FILE_LIMIT);
    hash = hash_directory(hash, installation_path(h, "common"), FILE_LIMIT);
    const char *slash = strrchr(a->c->dir, '/');
    return arena_printf(&h->memory, "%s/%s-%016" PRIx64, dir, slash + 1, hash);
}

static void remove_old_files(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    time_t now = time(NULL);
    while (d && (e = readdir(d))) {
        struct stat s;
        OWNED char *path = xprintf("%s/%s", dir, e->d_name);
        if (lstat(path, &s) == 0 && S_ISREG(s.st_mode) && now - s.st_mtime > OLD_FILES_SECONDS)
            unlink(path);
    }
    if (d)
        closedir(d);
}

static bool reference_files_exist(const attempt *a)
{
    const char *base = a->graded->reference_base;
    return file_exists(run_file_path(a, base, RUN_RECORD)) &&
           file_exists(run_file_path(a, base, RUN_TABLE)) &&
           file_exists(run_file_path(a, base, RUN_TRANSCRIPT));
}

static step_end judge_failed(attempt *a, const char *what, const char *why)
{
    return judge_ends(a, &a->graded->internal, what, why);
}

step_end build_reference(attempt *a)
{
    char err[512];
    graded_run *g = a->graded = xmalloc(sizeof *g);
    const char *dir = arena_printf(&a->h->memory, "%s/judge", a->h->build);
    *g = (graded_run){.searches = a->record, .gpu_lock = -1};
    g->reference = (build_target){.c = a->c, .solution = true, .boxed = true};
    g->submission_base = arena_printf(&a->h->memory, "%s/own-%d-%p", dir, (int)getpid(), (void *)g);
    if (!make_directories(dir))
        return judge_failed(a, dir, strerror(errno));
    remove_old_files(dir);
    g->key = new_secret_key(a);
    g->reference_base = reference_base(a, dir);
    if ((reference_files_exist(a) && !is_measured_on_gpu(a)) ||
        build_is_current(a->h, &g->reference, &a->nvcc))
        return STEP_NEXT;
    return build_start(a->h, &g->reference, &a->nvcc, &a->g, err, sizeof err)
               ? STEP_RUNS
               : judge_failed(a, "the book's solution", err);
}

step_end finish_reference_build(attempt *a)
{
    char err[512] = "nvcc refused it";
    return build_finish(a->h, &a->graded->reference, &a->g, err, sizeof err)
               ? STEP_NEXT
               : judge_failed(a, "the book's solution does not build", err);
}

step_end run_reference(attempt *a)
{
    if (reference_files_exist(a))
        return STEP_NEXT;
    arena *m = &a->h->memory;
    const char *base = a->graded->reference_base;
    const char *program = program_path_of(a->h, &a->graded->reference);
    const char *const argv[] = {program, NULL};
    const char *const shown[] = {program, emulator_path(a->h), NULL};
    const char *const env[] = {
        emulator_library_path(a->h),
        arena_printf(m, "WARPBOOK_SEED=%s", a->seed),
        arena_printf(m, "WARPBOOK_CHOICE=%d", a->choice),
        variable_with_sandbox_path(a, "WARPBOOK_RECORD", base, RUN_RECORD),
        variable_with_sandbox_path(a, "WARPBOOK_RECORDING", base, RUN_RECORDING),
        skip_curves_variable(a->c),
        NULL};
    return start_boxed(a, attempt_lab_sandbox(a), argv, env, shown, a->options.timeout_s);
}

/* Check that a step of the reference succeeded and left the files in SET. */
static step_end finish_step_of_reference(attempt *a, const char *failed, const char *lacks_what,
                                         const char *lacks, unsigned set)
{
    int code;
    if (stage_outcome(&a->g, &code) != JOB_EXITED || code != 0)
        return judge_failed(a, failed, job_output(a->g.j, NULL));
    return copy_run_files_out(a, a->graded->reference_base, set)
               ? STEP_NEXT
               : judge_failed(a, lacks_what, lacks);
}

step_end finish_reference_run(attempt *a)
{
    return finish_step_of_reference(a, "the book's solution failed", "the book's solution",
                                    "it left no recording", 1u << RUN_RECORD | 1u << RUN_RECORDING);
}

/* --- judging a recorded run --- */

/* A run that the judge repeats: that of the reference or that of the submission. */
typedef struct repetition {
    const char *program, *recording; /* paths of the program and of the recording of its run */
    const char *base;                /* path of the files of the repetition, without their suffix */
    const char *checked;    /* number of the launches that are searched for mistakes; NULL: none */
    const char *const *env; /* environment variables of warpbook-judge */
} repetition;

static step_end start_judge(attempt *a, const repetition *r)
{
    arena *m = &a->h->memory;
    const graded_run *g = a->graded;
    const bool writes = r->base == g->reference_base;
    const char *rules = judge_rules_path(a->h, a->c),
               *transcript = run_file_path(a, g->reference_base, RUN_TRANSCRIPT);
    const char *const argv[] = {judge_program_path(a->h),
                                rules,
                                r->recording,
                                "--program",
                                r->program,
                                writes ? "--write" : "--against",
                                writes ? stage_result_path(m, true, transcript) : transcript,
                                "--key",
                                g->key,
                                "--to",
                                stage_result_path(m, true, run_file_path(a, r->base, RUN_TABLE)),
                                r->checked ? "--checked" : NULL,
                                r->checked,
                                NULL};
    const char *const shown[] = {
        argv[0], rules, r->program, r->recording, writes ? NULL : transcript, NULL};
    /* If the submission's run was killed, judging it may take one time limit instead of three. */
    const double seconds = a->options.timeout_s;
    return start_boxed(a, SANDBOX_RUN, argv, r->env, shown,
                       writes || a->run_end == JOB_EXITED ? seconds : seconds / 3);
}

step_end judge_reference(attempt *a)
{
    static const char *const env[] = {NULL};
    const graded_run *g = a->graded;
    if (reference_files_exist(a))
        return STEP_NEXT;
    return start_judge(
        a, &(repetition){.program = program_path_of(a->h, &g->reference),
                         .recording = run_file_path(a, g->reference_base, RUN_RECORDING),
                         .base = g->reference_base,
                         .env = env});
}

step_end finish_judging_reference(attempt *a)
{
    static const char failed[] = "judging the book's solution failed";
    const step_end how = finish_step_of_reference(a, failed, failed, "it left no transcript",
                                                  1u << RUN_TABLE | 1u << RUN_TRANSCRIPT);
    unlink(run_file_path(a, a->graded->reference_base, RUN_RECORDING));
    return how;
}

/* Start to judge the submission. The launches before the first timed one are searched for mistakes,
 * even if checks failed, because a report may say why they failed. */
step_end judge_submission(attempt *a)
{
    graded_run *g = a->graded;
    const char *env[] = {
        variable_with_sandbox_path(a, "WARPBOOK_COUNTERS", g->submission_base, RUN_COUNTERS),
        variable_with_sandbox_path(a, "WARPBOOK_LINES", g->submission_base, RUN_LINES),
        arena_printf(&a->h->memory, "WARPBOOK_REPORTS=%s",
                     stage_result_path(&a->h->memory, true, attempt_unfinished_path(a, REPORTS))),
        NULL,
        NULL,
        NULL};
    size_t n = 3;
    repetition own = {.program = program_path_of(a->h, &a->t),
                      .recording = attempt_unfinished_path(a, RECORDING),
                      .base = g->submission_base,
                      .env = env};
    if (!file_exists(own.recording)) {
        g->policy = "it ended normally but left no recording of its run";
        return STEP_DECIDE;
    }
    table_free(g->expected);
    table_free(g->reference_record);
    g->expected = table_read(run_file_path(a, g->reference_base, RUN_TABLE));
    g->reference_record = table_read(run_file_path(a, g->reference_base, RUN_RECORD));
    const long measured = g->expected && g->reference_record
                              ? evidence_first_measured_row(g->expected, g->reference_record)
                              : -1;
    if (measured < 0)
        return judge_failed(a, "the book's solution",
                            "the launches that it made do not match the times in its record");
    if (g->searches) {
        env[n++] = "WARPBOOK_SANITIZE=memory,race,init,sync";
        g->searched = first_timed_launch(a->h, a->c, measured);
        own.checked = arena_printf(&a->h->memory, "%ld", g->searched);
    }
    env[n] = attempt_coverage_variable(a);
    return start_judge(a, &own);
}

static void read_result_tables(attempt *a)
{
    graded_run *g = a->graded;
    arena *m = &a->h->memory;
    const evidence e = {g->judged, g->expected, g->reference_record, a->record,
                        .unfinished = a->run_end != JOB_EXITED || g->slow};
    OWNED char *text = evidence_record(&e, m, &g->wrong, &g->policy);
    for (size_t i = 0; a->v.text.host_flaw && !g->policy && i < g->judged->rows; i++) {
        if (table_is(g->judged, i, "what", "host"))
            g->policy = arena_printf(m, "only the host checks %s, and %s",
                                     table_get(g->judged, i, "kernel"), a->v.text.host_flaw);
    }
    g->record = table_parse(text);
    g->counters = table_read(run_file_path(a, g->submission_base, RUN_COUNTERS));
    g->lines = table_read(run_file_path(a, g->submission_base, RUN_LINES));
}

/* Report why the judge cannot repeat a recording. */
static step_end report_refused_recording(attempt *a)
{
    const char *says = job_output(a->g.j, NULL), *recording = attempt_unfinished_path(a, RECORDING);
    const char *path = strstr(says, recording);
    if (strncmp(says, "warpbook: ", 10) == 0)
        says += 10;
    const bool about_file = path == says || !*says;
    if (path == says)
        says += strlen(recording) + 1;
    a->graded->policy = arena_printf(&a->h->memory, "its recording cannot be repeated: %s%.*s",
                                     about_file ? "it " : "", (int)strcspn(says, "\n"),
                                     *says ? says : "stopped the judge without a message");
    return STEP_DECIDE;
}

/* Whether the judge's table T has a row whose column `what` is WHAT. */
static bool has_row_of_kind(const table *t, const char *what)
{
    for (size_t i = 0; i < t->rows; i++)
        if (table_is(t, i, "what", what))
            return true;
    return false;
}

step_end finish_judging_submission(attempt *a)
{
    int code;
    graded_run *g = a->graded;
    const job_end how = stage_outcome(&a->g, &code);
    const bool ended = a->run_end == JOB_EXITED;
    copy_run_files_out(a, g->submission_base,
                       1u << RUN_TABLE | 1u << RUN_COUNTERS | 1u << RUN_LINES);
    attempt_fetch_files(a, 1u << COVERAGE);
    /* Also adds faults that occur only at the measured size. */
    stage_append_file(&a->g, attempt_unfinished_path(a, REPORTS));
    if (how == JOB_TIMEOUT && g->searches && !submission_claims_pass(a) && ended) {
        /* Its checks failed anyway, so a search that takes too long changes nothing. */
        g->searches = false;
        return STEP_AGAIN;
    }
    if (how == JOB_TIMEOUT)
        g->slow = arena_printf(&a->h->memory,
                               "its kernels did not end within %g s when they were repeated",
                               a->options.timeout_s);
    if (how == JOB_TIMEOUT || (how == JOB_EXITED && code == 0))
        g->judged = table_read(run_file_path(a, g->submission_base, RUN_TABLE));
    if (!g->judged)
        return g->slow ? STEP_DECIDE : report_refused_recording(a);
    read_result_tables(a);
    const bool helped = has_row_of_kind(g->judged, "helper");
    if (helped && is_measured_on_gpu(a))
        g->unmeasured = "its launches are prepared by kernels or memsets of its own, which are "
                        "not repeated on the GPU";
    return is_measured_on_gpu(a) && !helped && submission_claims_pass(a) && !g->wrong &&
                   !g->policy && !g->slow && ended
               ? STEP_NEXT
               : STEP_DECIDE;
}
