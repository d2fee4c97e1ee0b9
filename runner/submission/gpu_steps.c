#include "graded_run.h"

#include "../base/device.h"
#include "../base/files.h"
#include "../judge/cost.h"
#include "judge_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    EXIT_REFUSED = 2, /* exit code of warpbook-judge: the recording cannot be repeated */
    EXIT_NO_GPU = 3,  /* exit code of warpbook-judge: no GPU can be used */
};

#define LAUNCH_REPETITIONS "9" /* how often each launch is timed in a round; the median counts */

/* An array of so many floats is five times an H200's L2, and the emulator can still hold it. */
#define MEASURED_ELEMENTS "67108864" /* number of elements of the arrays that are measured */

/* The emulator places device memory at this address, at which NVIDIA's driver can place it too. */
#define WINDOW_VARIABLE "WARPBOOK_WINDOW=0x1000000000"

bool is_measured_on_gpu(const attempt *a)
{
    bool points_for_times = !a->rubric && are_costs_judged(a->c);
    for (size_t i = 0; a->rubric && i < a->rubric->count; i++)
        points_for_times |= a->rubric->rows[i].kind >= RUBRIC_BANDWIDTH;
    return a->options.gpu && points_for_times && !reason_for_modelled_times(a->h, a->c);
}

static const char *base_of(const attempt *a, bool submission)
{
    return submission ? a->graded->submission_base : a->graded->reference_base;
}

static const char *program_of(const attempt *a, bool submission)
{
    return program_path_of(a->h, submission ? &a->t : &a->graded->reference);
}

/* End the measurement with WHAT and WHY's last line, before which a library may have written. */
static step_end measuring_ends(attempt *a, const char **which, const char *what, const char *why)
{
    size_t len = strlen(why);
    while (len && why[len - 1] == '\n')
        len--;
    const char *last = why;
    for (const char *p = why; p < why + len; p++)
        if (*p == '\n')
            last = p + 1;
    len -= (size_t)(last - why);
    if (strncmp(last, "warpbook: ", 10) == 0) {
        last += 10;
        len -= 10;
    }
    if (len)
        return judge_ends(a, which, what, arena_strndup(&a->h->memory, last, len));
    *which = arena_printf(&a->h->memory, "%s, without a message", what);
    return STEP_DECIDE;
}

/* What a failure of the solution decides: no points for times can be given without it, but a
 * chapter's times can be modelled instead. */
static const char **reference_failure(attempt *a)
{
    return a->rubric ? &a->graded->internal : &a->graded->unmeasured;
}

/* --- recording the reference and the submission --- */

static step_end start_recording(attempt *a, bool submission)
{
    arena *m = &a->h->memory;
    const char *program = program_of(a, submission), *base = base_of(a, submission);
    const char *const argv[] = {program, NULL}, *const shown[] = {program, emulator_path(a->h),
                                                                  NULL};
    const char *const env[] = {
        emulator_library_path(a->h),
        arena_printf(m, "WARPBOOK_SEED=%s", a->seed),
        arena_printf(m, "WARPBOOK_CHOICE=%d", a->choice),
        variable_with_sandbox_path(a, "WARPBOOK_RECORD", base, GPU_RECORD),
        variable_with_sandbox_path(a, "WARPBOOK_RECORDING", base, GPU_RECORDING),
        "WARPBOOK_ONLY=measure",
        "WARPBOOK_SKIP_PROFILED=1",
        "WARPBOOK_COUNTING=0",
        WINDOW_VARIABLE,
        getenv("WARPBOOK_N") ? NULL : "WARPBOOK_N=" MEASURED_ELEMENTS,
        NULL};
    return start_boxed(a, SANDBOX_RUN, argv, env, shown, a->options.timeout_s);
}

static step_end finish_recording(attempt *a, bool submission)
{
    int code;
    graded_run *g = a->graded;
    const job_end how = stage_outcome(&a->g, &code);
    if (how == JOB_EXITED && code == 0 &&
        copy_run_files_out(a, base_of(a, submission), 1u << GPU_RECORD | 1u << GPU_RECORDING))
        return STEP_NEXT;
    return measuring_ends(a, submission ? &g->unmeasured : reference_failure(a),
                          submission ? "its run with the problem size that is measured failed"
                                     : "the book's solution failed",
                          how == JOB_TIMEOUT ? "it did not end in time" : job_output(a->g.j, NULL));
}

step_end record_reference_for_gpu(attempt *a)
{
    const char *base = base_of(a, false);
    a->graded->times = (gpu_times){.memory = &a->h->memory, .begun = true};
    return file_exists(run_file_path(a, base, GPU_RECORD)) &&
                   file_exists(run_file_path(a, base, GPU_RECORDING))
               ? STEP_NEXT
               : start_recording(a, false);
}

step_end finish_reference_recording(attempt *a)
{
    return finish_recording(a, false);
}

step_end record_submission_for_gpu(attempt *a)
{
    return start_recording(a, true);
}

step_end finish_submission_recording(attempt *a)
{
    return finish_recording(a, true);
}

/* --- only one measurement at a time: other work on the GPU would change the times --- */

step_end reserve_gpu(attempt *a)
{
    graded_run *g = a->graded;
    if (g->gpu_lock < 0)
        g->gpu_lock = open(arena_printf(&a->h->memory, "%s/judge/gpu.lock", a->h->build),
                           O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    const bool busy =
        g->gpu_lock >= 0 && flock(g->gpu_lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return busy ? STEP_RUNS : STEP_NEXT;
}

step_end wait_for_gpu(attempt *a)
{
    (void)a;
    return STEP_AGAIN;
}

void release_gpu(graded_run *g)
{
    if (g->gpu_lock >= 0)
        close(g->gpu_lock);
    g->gpu_lock = -1;
}

/* --- repeating the two recordings on the GPU --- */

/* Add the directories of LD_LIBRARY_PATH to the paths SHOWN in the sandbox, from index FIRST on:
 * the driver's libraries may be there. */
static void add_library_directories(arena *a, const char **shown, size_t first, size_t most)
{
    const char *path = getenv("LD_LIBRARY_PATH");
    for (size_t n = first; path && *path && n + 1 < most;) {
        const size_t len = strcspn(path, ":");
        if (len && *path == '/')
            shown[n++] = arena_strndup(a, path, len);
        path += len + (path[len] == ':');
    }
}

static step_end start_on_gpu(attempt *a, bool submission)
{
    enum { MAX_SHOWN_PATHS = 24 };
    arena *m = &a->h->memory;
    const char *transcript = run_file_path(a, base_of(a, true), GPU_TRANSCRIPT),
               *results = run_file_path(a, base_of(a, submission), GPU_TABLE),
               *recording = run_file_path(a, base_of(a, submission), GPU_RECORDING);
    const char *program = program_of(a, submission), *rules = judge_rules_path(a->h, a->c);
    const char *libraries = getenv("LD_LIBRARY_PATH");
    const char *const argv[] = {judge_program_path(a->h),
                                rules,
                                recording,
                                "--program",
                                program,
                                submission ? "--against" : "--write",
                                submission ? transcript : stage_result_path(m, true, transcript),
                                "--key",
                                a->graded->key,
                                "--to",
                                stage_result_path(m, true, results),
                                "--gpu",
                                LAUNCH_REPETITIONS,
                                NULL};
    const char *const env[] = {
        WINDOW_VARIABLE, libraries ? arena_printf(m, "LD_LIBRARY_PATH=%s", libraries) : NULL, NULL};
    const char *shown[MAX_SHOWN_PATHS] = {argv[0], rules, program, recording,
                                          submission ? transcript : rules};
    add_library_directories(m, shown, 5, MAX_SHOWN_PATHS);
    return start_boxed(a, SANDBOX_GPU, argv, env, shown, a->options.timeout_s);
}

step_end repeat_reference_on_gpu(attempt *a)
{
    return start_on_gpu(a, false);
}

step_end repeat_submission_on_gpu(attempt *a)
{
    return start_on_gpu(a, true);
}

/* Read the table that the judge wrote. False: it failed, or wrote none. */
static bool take_judged_table(attempt *a, bool submission, job_end how, int code)
{
    gpu_times *t = &a->graded->times;
    table_free(t->judged[submission]);
    t->judged[submission] = copy_run_files_out(a, base_of(a, submission), 1u << GPU_TABLE)
                                ? table_read(run_file_path(a, base_of(a, submission), GPU_TABLE))
                                : NULL;
    return how == JOB_EXITED && code == 0 && t->judged[submission];
}

step_end finish_reference_on_gpu(attempt *a)
{
    int code;
    graded_run *g = a->graded;
    const job_end how = stage_outcome(&a->g, &code);
    if (take_judged_table(a, false, how, code) &&
        copy_run_files_out(a, base_of(a, true), 1u << GPU_TRANSCRIPT)) {
        if (!g->times.record)
            g->times.record = table_read(run_file_path(a, base_of(a, false), GPU_RECORD));
        return STEP_NEXT;
    }
    const bool refused = how == JOB_EXITED && code == EXIT_REFUSED;
    return measuring_ends(a, refused ? &g->unmeasured : reference_failure(a),
                          refused
                              ? "the launches that this lab measures cannot be repeated on a GPU"
                              : "the book's solution failed on the GPU",
                          job_output(a->g.j, NULL));
}

/* Report why the submission's recording could not be repeated. */
static step_end report_unrepeatable(attempt *a, job_end how, int code)
{
    graded_run *g = a->graded;
    const char *policy = g->times.judged[1] ? judged_sentence(g->times.judged[1], "policy") : NULL;
    if (policy)
        return measuring_ends(a, &g->policy, "when repeated on the GPU", policy);
    if (how == JOB_TIMEOUT)
        return measuring_ends(a, &g->unmeasured, "on the GPU", "its kernels did not end in time");
    return measuring_ends(a,
                          how == JOB_EXITED && code == EXIT_NO_GPU ? &g->internal : &g->unmeasured,
                          "its recording cannot be repeated on the GPU", job_output(a->g.j, NULL));
}

step_end finish_submission_on_gpu(attempt *a)
{
    int code;
    graded_run *g = a->graded;
    const job_end how = stage_outcome(&a->g, &code);
    if (!take_judged_table(a, true, how, code))
        return report_unrepeatable(a, how, code);
    const char *asked = judged_sentence(g->times.judged[1], "asked");
    const char *wrong = judged_sentence(g->times.judged[1], "launch");
    if (asked)
        return measuring_ends(a, &g->policy, "when repeated on the GPU", asked);
    if (wrong) {
        g->wrong = arena_printf(&a->h->memory, "at the size measured on the GPU: %s", wrong);
        return STEP_DECIDE;
    }
    return gpu_times_add_round(&g->times) ? STEP_AGAIN : STEP_DECIDE;
}
