#include "gpu_measurement.h"

#include "../base/device.h"
#include "../base/files.h"
#include "../judge/spread.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    MEASURE_ROUNDS = 5,     /* how often the two recordings are repeated, alternately */
    MAX_MEASURED_ROWS = 64, /* rows of a record that are measured, at most */
    EXIT_REFUSED = 2,       /* exit code of warpbook-judge: the recording cannot be repeated */
    EXIT_NO_GPU = 3,        /* exit code of warpbook-judge: no GPU can be used */
};

#define LAUNCH_REPETITIONS "9" /* how often each launch is timed in a round; the median counts */

/* An array of so many floats is five times as large as an H200's L2, and the emulator can still
 * hold it. */
#define MEASURED_ELEMENTS "67108864" /* number of elements of the arrays that are measured */

/* The emulator places device memory at this address, at which NVIDIA's driver can place it too. */
#define WINDOW_VARIABLE "WARPBOOK_WINDOW=0x1000000000"

typedef enum measurement_step {
    STEP_RECORD_REFERENCE,  /* the emulator runs and records the book's solution */
    STEP_RECORD_SUBMISSION, /* the emulator runs and records the submission */
    STEP_WAIT_FOR_GPU,      /* another measurement uses the GPU */
    STEP_REPEAT_REFERENCE,  /* the GPU repeats the recording of the book's solution */
    STEP_REPEAT_SUBMISSION, /* the GPU repeats the recording of the submission */
    STEP_DONE               /* the measurement has ended */
} measurement_step;

typedef enum measurement_file {
    FILE_RECORDING,  /* recording of a run: what the program asked of the device */
    FILE_RECORD,     /* record of a run: checks and times that the lab wrote */
    FILE_TABLE,      /* table that warpbook-judge wrote */
    FILE_TRANSCRIPT, /* results of the solution's kernels, with which the submission's are compared
                      */
    FILE_COUNT       /* number of files */
} measurement_file;
static const char *const measurement_file_names[] = {"gpu.wbr", "gpu-record.tsv", "gpu-judged.tsv",
                                                     "gpu-transcript.bin"};

/* A row of the record that the book's solution wrote, and the time of its kernel in each round. */
typedef struct measured_row {
    size_t row;                   /* number of the row in that record, from 0 */
    double ms[MEASURE_ROUNDS];    /* time in each round, in milliseconds; NAN: not measured */
    double times[MEASURE_ROUNDS]; /* time in each round, in times the solution's */
} measured_row;

struct measurement {
    measurement_spec spec;     /* the programs to measure, and paths of files */
    measurement_step step;     /* which step of the measurement runs now */
    measurement_result result; /* times and errors found so far */
    stage g;                   /* the program that runs now: a lab or warpbook-judge */
    int lock;      /* descriptor of the locked file that reserves the GPU; negative: not locked */
    int round;     /* number of the present round of repetitions, from 0 */
    table *record; /* checks and times that the book's solution wrote */
    table *judged[2]; /* tables that warpbook-judge wrote in this round: [0] about the book's
                         solution, [1] about the submission */
    measured_row rows[MAX_MEASURED_ROWS]; /* rows of `record` whose kernels the GPU times */
    size_t row_count;                     /* entries used in `rows` */
    char device[128];                     /* name of the GPU */
    bool cancelled;                       /* the user cancelled the measurement */
};

const char *reason_not_measurable(const char *rules_path)
{
    table *rules = table_read(rules_path);
    bool work = false;
    for (size_t i = 0; rules && i < rules->rows; i++) {
        const char *role = table_get(rules, i, "role");
        work |= role && strcmp(role, "work") == 0;
    }
    table_free(rules);
    return work ? "modelled, not measured on the GPU: the timed operations overlap, but a replay "
                  "on the GPU runs them one after the other"
                : NULL;
}

bool measurement_is_needed(const rubric *r)
{
    for (size_t i = 0; r && i < r->count; i++)
        if (r->rows[i].kind >= RUBRIC_BANDWIDTH)
            return true;
    return false;
}

static char *measurement_file_path(const measurement *g, bool submission, measurement_file f)
{
    return arena_printf(&g->spec.h->memory, "%s.%s",
                        submission ? g->spec.submission_base : g->spec.reference_base,
                        measurement_file_names[f]);
}

static void end_measurement(measurement *g)
{
    stage_free(&g->g);
    if (g->lock >= 0)
        close(g->lock);
    g->lock = -1;
    for (int f = 0; f < FILE_COUNT; f++)
        unlink(measurement_file_path(g, true, (measurement_file)f));
    g->step = STEP_DONE;
}

static void end_measurement_with_error(measurement *g, const char **which, const char *what,
                                       const char *why)
{
    size_t len = strlen(why);
    while (len && why[len - 1] == '\n')
        len--;
    const char *last = why; /* last line of the message; a library may have written the others */
    for (const char *p = why; p < why + len; p++)
        if (*p == '\n')
            last = p + 1;
    len -= (size_t)(last - why);
    if (strncmp(last, "warpbook: ", 10) == 0) {
        last += 10;
        len -= 10;
    }
    *which = len ? arena_printf(&g->spec.h->memory, "%s: %.*s", what, (int)len, last)
                 : arena_printf(&g->spec.h->memory, "%s, without a message", what);
    end_measurement(g);
}

static bool start_in_sandbox(measurement *g, sandbox_use use, const char *const *argv,
                             const char *const *env, const char *const *shown)
{
    char err[512];
    const stage_spec spec = {.use = use, .argv = argv, .env = env, .shown = shown};
    if (stage_start_in_trial(&g->g, spec, g->spec.timeout_s, err, sizeof err))
        return true;
    end_measurement_with_error(g, &g->result.internal, "cannot make a sandbox for measuring", err);
    return false;
}

/* --- recording the reference and the submission --- */

static void start_recording(measurement *g, bool submission)
{
    installation *h = g->spec.h;
    arena *a = &h->memory;
    const char *program = submission ? g->spec.program : g->spec.reference;
    const char *const argv[] = {program, NULL}, *const shown[] = {program, emulator_path(h), NULL};
    const char *const env[] = {
        emulator_library_path(h),
        arena_printf(a, "WARPBOOK_SEED=%s", g->spec.seed),
        arena_printf(a, "WARPBOOK_CHOICE=%d", g->spec.choice),
        arena_printf(a, "WARPBOOK_RECORD=%s",
                     stage_result_path(a, true, measurement_file_path(g, submission, FILE_RECORD))),
        arena_printf(
            a, "WARPBOOK_RECORDING=%s",
            stage_result_path(a, true, measurement_file_path(g, submission, FILE_RECORDING))),
        "WARPBOOK_ONLY=measure",
        "WARPBOOK_SKIP_PROFILED=1",
        "WARPBOOK_COUNTING=0",
        WINDOW_VARIABLE,
        getenv("WARPBOOK_N") ? NULL : "WARPBOOK_N=" MEASURED_ELEMENTS,
        NULL};
    if (start_in_sandbox(g, SANDBOX_RUN, argv, env, shown))
        g->step = submission ? STEP_RECORD_SUBMISSION : STEP_RECORD_REFERENCE;
}

static void finish_recording(measurement *g, bool submission)
{
    int code;
    const job_end how = stage_outcome(&g->g, &code);
    const char *says = job_output(g->g.j, NULL);
    const bool good =
        how == JOB_EXITED && code == 0 &&
        stage_copy_file_out(&g->g, measurement_file_path(g, submission, FILE_RECORDING), 0644) &&
        stage_copy_file_out(&g->g, measurement_file_path(g, submission, FILE_RECORD), 0644);
    if (!good) {
        end_measurement_with_error(g, submission ? &g->result.unmeasured : &g->result.internal,
                                   submission
                                       ? "its run with the problem size that is measured failed"
                                       : "the book's solution failed",
                                   how == JOB_TIMEOUT ? "it did not end in time" : says);
        return;
    }
    stage_free(&g->g);
    if (submission)
        g->step = STEP_WAIT_FOR_GPU;
    else
        start_recording(g, true);
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

static void start_gpu_repetition(measurement *g, bool submission)
{
    enum { MAX_SHOWN_PATHS = 24 };
    installation *h = g->spec.h;
    arena *a = &h->memory;
    const char *transcript = measurement_file_path(g, true, FILE_TRANSCRIPT),
               *recording = measurement_file_path(g, submission, FILE_RECORDING);
    const char *program = submission ? g->spec.program : g->spec.reference;
    const char *libraries = getenv("LD_LIBRARY_PATH");
    const char *const argv[] = {
        g->spec.judge,
        g->spec.rules,
        recording,
        "--program",
        program,
        submission ? "--against" : "--write",
        submission ? transcript : stage_result_path(a, true, transcript),
        "--key",
        g->spec.key,
        "--to",
        stage_result_path(a, true, measurement_file_path(g, submission, FILE_TABLE)),
        "--gpu",
        LAUNCH_REPETITIONS,
        NULL};
    const char *const env[] = {
        WINDOW_VARIABLE, libraries ? arena_printf(a, "LD_LIBRARY_PATH=%s", libraries) : NULL, NULL};
    const char *shown[MAX_SHOWN_PATHS] = {argv[0], g->spec.rules, program, recording,
                                          submission ? transcript : g->spec.rules};
    add_library_directories(a, shown, 5, MAX_SHOWN_PATHS);
    if (start_in_sandbox(g, SANDBOX_GPU, argv, env, shown))
        g->step = submission ? STEP_REPEAT_SUBMISSION : STEP_REPEAT_REFERENCE;
}

static bool is_row_of_kind(const table *t, size_t row, const char *what)
{
    const char *is = table_get(t, row, "what");
    return is && strcmp(is, what) == 0;
}

/* The first `sentence` in the rows whose column `what` is WHAT; NULL: they have no sentence. */
static const char *first_sentence(const table *t, const char *what)
{
    for (size_t i = 0; i < t->rows; i++)
        if (is_row_of_kind(t, i, what) && table_get(t, i, "sentence"))
            return table_get(t, i, "sentence");
    return NULL;
}

/* Report why the submission's recording could not be repeated. */
static void report_unrepeatable_submission(measurement *g, job_end how, int code)
{
    const char *policy = g->judged[1] ? first_sentence(g->judged[1], "policy") : NULL;
    const char *says = job_output(g->g.j, NULL);
    if (policy)
        end_measurement_with_error(g, &g->result.policy, "when repeated on the GPU", policy);
    else if (how == JOB_TIMEOUT)
        end_measurement_with_error(g, &g->result.unmeasured, "on the GPU",
                                   "its kernels did not end in time");
    else
        end_measurement_with_error(g,
                                   how == JOB_EXITED && code == EXIT_NO_GPU ? &g->result.internal
                                                                            : &g->result.unmeasured,
                                   "its recording cannot be repeated on the GPU", says);
}

static void store_round_times(measurement *g);

static void finish_gpu_repetition(measurement *g, bool submission)
{
    int code;
    const job_end how = stage_outcome(&g->g, &code);
    const bool good = how == JOB_EXITED && code == 0;
    table_free(g->judged[submission]);
    g->judged[submission] =
        stage_copy_file_out(&g->g, measurement_file_path(g, submission, FILE_TABLE), 0644)
            ? table_read(measurement_file_path(g, submission, FILE_TABLE))
            : NULL;
    if (submission && (!good || !g->judged[1])) {
        report_unrepeatable_submission(g, how, code);
        return;
    }
    if (!good || !g->judged[0] ||
        (!submission &&
         !stage_copy_file_out(&g->g, measurement_file_path(g, true, FILE_TRANSCRIPT), 0644))) {
        const bool refused = how == JOB_EXITED && code == EXIT_REFUSED;
        end_measurement_with_error(
            g, refused ? &g->result.unmeasured : &g->result.internal,
            refused ? "the launches that this assignment measures cannot be repeated on a GPU"
                    : "the book's solution failed on the GPU",
            job_output(g->g.j, NULL));
        return;
    }
    stage_free(&g->g);
    if (submission)
        store_round_times(g);
    else
        start_gpu_repetition(g, true);
}

/* --- making rows of the record from launches of the recording --- */

/* Kernel that a row of the record measures: lab_copy for a row `copy`, else the variant's name up
 * to a slash; NULL: the row measures no kernel. */
static const char *kernel_of_row(const measurement *g, size_t row)
{
    const char *kind = table_get(g->record, row, "kind"), *name = table_get(g->record, row, "name");
    if (kind && strcmp(kind, "copy") == 0)
        return "lab_copy";
    if (!kind || strcmp(kind, "measure") != 0 || !name)
        return NULL;
    return arena_strndup(&g->spec.h->memory, name, strcspn(name, "/"));
}

/* Whether ROW is a launch of KERNEL, or of a kernel in a namespace with the name KERNEL. */
static bool is_launch_of(const table *judged, size_t row, const char *kernel)
{
    const char *is = table_get(judged, row, "kernel");
    const size_t n = strlen(kernel);
    return (is_row_of_kind(judged, row, "launch") || is_row_of_kind(judged, row, "other")) && is &&
           strncmp(is, kernel, n) == 0 && (!is[n] || strncmp(is + n, "::", 2) == 0);
}

/* Row in JUDGED of launch PLACE (from 0) among the last TOTAL launches of KERNEL, which are the
 * measured ones; negative: KERNEL has fewer launches. */
static long row_of_measured_launch(const table *judged, const char *kernel, size_t place,
                                   size_t total)
{
    size_t all = 0;
    for (size_t i = 0; i < judged->rows; i++)
        all += is_launch_of(judged, i, kernel);
    if (all < total)
        return -1;
    for (size_t i = 0, skip = all - total + place; i < judged->rows; i++)
        if (is_launch_of(judged, i, kernel) && skip-- == 0)
            return (long)i;
    return -1;
}

/* Store the time of row R in this round: the submission's where its kernels are judged, else the
 * reference's. */
static void store_time_of_row(const measurement *g, measured_row *r)
{
    const size_t row = r->row;
    const char *kernel = kernel_of_row(g, row);
    size_t place = 0, total = 0;
    double ns, reference_ns;
    r->ms[g->round] = NAN;
    for (size_t i = 0; i < g->record->rows; i++) {
        const char *other = kernel_of_row(g, i);
        place += i < row && other && strcmp(other, kernel) == 0;
        total += other && strcmp(other, kernel) == 0;
    }
    const long reference = row_of_measured_launch(g->judged[0], kernel, place, total);
    if (reference < 0 || !table_number(g->judged[0], (size_t)reference, "ns", &reference_ns))
        return;
    const bool judged = is_row_of_kind(g->judged[0], (size_t)reference, "launch");
    const long submission =
        judged ? row_of_measured_launch(g->judged[1], kernel, place, total) : -1;
    if (judged && submission < 0)
        return;
    if (table_number(g->judged[judged], (size_t)(judged ? submission : reference), "ns", &ns) &&
        ns > 0 && reference_ns > 0) {
        r->ms[g->round] = ns / 1e6;
        r->times[g->round] = ns / reference_ns;
    }
}

static void write_measured_time(const measurement *g, sb *out, const char *kind, size_t row,
                                double ms, const char *status)
{
    double bytes = 0;
    table_number(g->record, row, "bytes", &bytes);
    const char *const texts[] = {"name", "x", "n", "bytes"};
    sb_puts(out, kind);
    for (size_t k = 0; k < 4; k++) {
        const char *text = table_get(g->record, row, texts[k]);
        sb_printf(out, "\t%s", text ? text : "-");
    }
    sb_printf(out, "\t%.9g\t%.9g\t%s\tmeasured\t%s\t-\n", ms, bytes / ms / 1e6, status, g->device);
}

/* Write all rounds' times and their medians as rows of the record. */
static void write_measured_rows(measurement *g)
{
    sb out = {0};
    for (size_t i = 0; i < g->row_count; i++) {
        measured_row *r = &g->rows[i];
        char number[16];
        for (int k = 0; k < MEASURE_ROUNDS; k++) {
            snprintf(number, sizeof number, "%d", k + 1);
            write_measured_time(g, &out, "round", r->row, r->ms[k], number);
        }
        const double ms = median_and_interval(r->ms, MEASURE_ROUNDS).median;
        write_measured_time(g, &out, table_get(g->record, r->row, "kind"), r->row, ms, "-");
        /* Both alternate, so the median of the ratios says more than the ratio of the medians. */
        write_measured_time(g, &out, "reference", r->row,
                            ms / median_and_interval(r->times, MEASURE_ROUNDS).median, "-");
    }
    char *text = sb_take(&out);
    g->result.rows = arena_strdup(&g->spec.h->memory, text);
    free(text);
}

static void choose_measured_rows(measurement *g)
{
    g->record = table_read(measurement_file_path(g, false, FILE_RECORD));
    for (size_t i = 0; g->record && i < g->record->rows && g->row_count < MAX_MEASURED_ROWS; i++)
        if (kernel_of_row(g, i))
            g->rows[g->row_count++] = (measured_row){.row = i};
}

static void store_round_times(measurement *g)
{
    arena *a = &g->spec.h->memory;
    const char *asked = first_sentence(g->judged[1], "asked");
    const char *wrong = first_sentence(g->judged[1], "launch");
    if (!g->record)
        choose_measured_rows(g);
    for (size_t i = 0; i < g->judged[0]->rows; i++)
        if (is_row_of_kind(g->judged[0], i, "device") && table_get(g->judged[0], i, "kernel"))
            snprintf(g->device, sizeof g->device, "%s", table_get(g->judged[0], i, "kernel"));
    for (size_t i = 0; i < g->row_count; i++)
        store_time_of_row(g, &g->rows[i]);
    if (asked) {
        end_measurement_with_error(g, &g->result.policy, "when repeated on the GPU", asked);
    } else if (wrong) {
        g->result.wrong = arena_printf(a, "at the size measured on the GPU: %s", wrong);
        end_measurement(g);
    } else if (++g->round < MEASURE_ROUNDS) {
        start_gpu_repetition(g, false);
    } else {
        size_t kept = 0;
        for (size_t i = 0; i < g->row_count; i++)
            if (isfinite(g->rows[i].ms[0]))
                g->rows[kept++] = g->rows[i];
        g->row_count = kept;
        write_measured_rows(g);
        end_measurement(g);
    }
}

/* --- starting and continuing a measurement --- */

/* Only one measurement may run at a time: other work on the GPU would change the times. */
static bool try_lock_gpu(measurement *g)
{
    const char *path = arena_printf(&g->spec.h->memory, "%s/judge/gpu.lock", g->spec.h->build);
    if (g->lock < 0)
        g->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    return g->lock < 0 || flock(g->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

measurement *measurement_start(const measurement_spec *spec)
{
    measurement *g = xmalloc(sizeof *g);
    *g = (measurement){.spec = *spec, .lock = -1};
    if (file_exists(measurement_file_path(g, false, FILE_RECORD)) &&
        file_exists(measurement_file_path(g, false, FILE_RECORDING)))
        start_recording(g, true);
    else
        start_recording(g, false);
    return g;
}

static void continue_measurement(measurement *g, int wait_ms)
{
    if (g->cancelled)
        end_measurement_with_error(g, &g->result.internal, "cancelled", "");
    else if (g->step == STEP_RECORD_REFERENCE || g->step == STEP_RECORD_SUBMISSION)
        finish_recording(g, g->step == STEP_RECORD_SUBMISSION);
    else if (g->step != STEP_WAIT_FOR_GPU)
        finish_gpu_repetition(g, g->step == STEP_REPEAT_SUBMISSION);
    else if (try_lock_gpu(g))
        start_gpu_repetition(g, false);
    else
        poll(NULL, 0, wait_ms);
}

bool measurement_poll(measurement *g, int wait_ms)
{
    if (g->step != STEP_DONE && (g->step == STEP_WAIT_FOR_GPU || stage_poll(&g->g, wait_ms)))
        continue_measurement(g, wait_ms);
    return g->step == STEP_DONE;
}

void measurement_cancel(measurement *g)
{
    g->cancelled = true;
    if (g->g.j)
        job_cancel(g->g.j);
}

measurement_result measurement_take_result(const measurement *g)
{
    return g->result;
}

void measurement_free(measurement *g)
{
    if (!g)
        return;
    if (g->step != STEP_DONE)
        end_measurement(g);
    table_free(g->record);
    table_free(g->judged[0]);
    table_free(g->judged[1]);
    free(g);
}

char *measurement_replace_rows(const table *record, const char *rows)
{
    sb out = {0};
    for (size_t k = 0; k < record->columns; k++)
        sb_printf(&out, "%s%s", record->header[k], k + 1 < record->columns ? "\t" : "\n");
    for (size_t i = 0; i < record->rows; i++) {
        const char *kind = table_get(record, i, "kind");
        if (kind && (strcmp(kind, "copy") == 0 || strcmp(kind, "measure") == 0 ||
                     strcmp(kind, "round") == 0))
            continue;
        for (size_t k = 0; k < record->columns; k++) {
            const char *text = table_get(record, i, record->header[k]);
            sb_printf(&out, "%s%s", text ? text : "-", k + 1 < record->columns ? "\t" : "\n");
        }
    }
    sb_puts(&out, rows ? rows : "");
    return sb_take(&out);
}
