#include "slurm.h"

#include "../base/files.h"
#include "../base/job.h"
#include "../base/signals.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_ROUNDS = 3,               /* how often a task that fails is submitted to Slurm, at most */
    QUERY_INTERVAL_MS = 2000,     /* time between two queries of the job's state */
    MAX_UNANSWERED_QUERIES = 120, /* queries without an answer until the job counts as lost */
    DEFAULT_MAX_ARRAY_SIZE = 1001 /* MaxArraySize, if Slurm does not tell it */
};
#define COMMAND_LIMIT_S 60.0 /* time limit of a Slurm command in seconds */

typedef struct slurm_run {
    const slurm_spec *spec; /* the submissions to judge, and how to run them */
    arena memory;           /* arena that holds the paths and strings of the job */
    const char *dir;        /* directory of the job: DIR/.slurm */
    const char *program;  /* path of this program, which must be the same on the cluster's nodes */
    size_t tasks, each;   /* number of tasks of the Slurm job; number of submissions per task */
    size_t *waiting;      /* indices of the submissions that have not been judged yet */
    size_t waiting_count; /* number of entries in `waiting` */
} slurm_run;

size_t slurm_max_array_size(const char *config)
{
    const char *at = strstr(config, "MaxArraySize");
    at = at ? strchr(at, '=') : NULL;
    return at ? strtoul(at + 1, NULL, 10) : 0;
}

size_t slurm_task_count(size_t count, size_t chunk, size_t most, size_t *each)
{
    const size_t least = (count + most - 1) / most;
    *each = chunk > least ? chunk : least;
    return (count + *each - 1) / *each;
}

/* --- files --- */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void remove_tree(const char *dir)
{
    enum { OPEN_MOST = 16 };
    nftw(dir, remove_entry, OPEN_MOST, FTW_DEPTH | FTW_PHYS);
}

static char *task_dir(slurm_run *r, const char *what, size_t task)
{
    return arena_printf(&r->memory, "%s/%s-%zu", r->dir, what, task);
}

/* TEXT quoted for a shell: 'TEXT'. */
static char *shell_quoted(arena *a, const char *text)
{
    CLEANUP(sb_free) sb out = {0};
    sb_puts(&out, "'");
    for (; *text; text++)
        if (*text == '\'')
            sb_puts(&out, "'\\''");
        else
            sb_add(&out, text, 1);
    sb_puts(&out, "'");
    return arena_strdup(a, out.s);
}

/* Write the script that a task runs. Exit status 1 means that a submission misses points, not
 * that the task failed. */
static bool write_script(slurm_run *r, const char *path)
{
    const slurm_spec *s = r->spec;
    arena *a = &r->memory;
    char *dir = shell_quoted(a, r->dir);
    CLEANUP(sb_free) sb text = {0};
    sb_printf(&text,
              "#!/bin/sh\n"
              "WARPBOOK_WORK=$(mktemp -d) || exit 3\n"
              "export WARPBOOK_WORK\n"
              "trap 'rm -rf \"$WARPBOOK_WORK\"' EXIT\n"
              "dir=%s\n"
              "%s --root %s grade %s \"$dir/in-$SLURM_ARRAY_TASK_ID\" "
              "--results \"$dir/out-$SLURM_ARRAY_TASK_ID\" --seed %" PRIu64
              " --device %s%s -j \"${SLURM_CPUS_PER_TASK:-1}\"%s%s\n"
              "[ $? -le 1 ]\n",
              dir, shell_quoted(a, r->program), shell_quoted(a, s->h->root),
              shell_quoted(a, s->lab), s->store->seed, s->gpu ? "gpu" : "emulator",
              s->timeout_s > 0 ? arena_printf(a, " --timeout %g", s->timeout_s) : "",
              s->boxed ? "" : " --no-sandbox", s->run_pages ? "" : " --no-run-pages");
    return write_whole_file(path, text.s, text.len);
}

/* Write the waiting texts in chunks: a directory per task, with a subdirectory per text. */
static bool write_chunks(slurm_run *r)
{
    for (size_t i = 0; i < r->waiting_count; i++) {
        const slurm_text *t = &r->spec->texts[r->waiting[i]];
        char *folder = arena_printf(&r->memory, "%s/%06zu", task_dir(r, "in", i / r->each), i);
        if (!make_directories(folder) ||
            !write_whole_file(arena_printf(&r->memory, "%s/lab.cu", folder), t->text, t->length))
            return false;
    }
    return true;
}

/* --- collecting the results of the job --- */

/* Store the verdicts that TASK wrote for the waiting texts FIRST to FIRST + COUNT - 1. */
static void collect_task(slurm_run *r, size_t task, size_t first, size_t count)
{
    char err[512];
    results own;
    struct stat st;
    const char *dir = task_dir(r, "out", task);
    if (stat(dir, &st) != 0 || !results_open_for_reading(&own, dir, err, sizeof err))
        return;
    for (size_t i = first; i < first + count && i < r->waiting_count; i++) {
        slurm_text *t = &r->spec->texts[r->waiting[i]];
        json_auto_t *value = t->judged ? NULL : results_read_cached(&own, t->content);
        if (value)
            t->judged = results_write_cached(r->spec->store, t->content, value);
    }
    results_close(&own);
}

static size_t count_judged(const slurm_run *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->spec->count; i++)
        count += r->spec->texts[i].judged;
    return count;
}

static void collect_results(slurm_run *r)
{
    for (size_t i = 0; i < r->tasks; i++)
        collect_task(r, i, i * r->each, r->each);
    if (r->spec->progress)
        r->spec->progress(r->spec->object, count_judged(r), r->spec->count);
}

static void list_unjudged_texts(slurm_run *r)
{
    r->waiting_count = 0;
    for (size_t i = 0; i < r->spec->count; i++)
        if (!r->spec->texts[i].judged)
            r->waiting[r->waiting_count++] = i;
}

/* Copy the last line that a task printed into ERR; the first task with any output is chosen. */
static void copy_task_output(slurm_run *r, char *err, size_t err_size)
{
    for (size_t i = 0; i < r->tasks; i++) {
        OWNED char *text = read_whole_file(task_dir(r, "log", i), 1 << 20, NULL);
        char *last = text;
        for (char *p = text; p && *p; p++)
            if (*p == '\n' && p[1] && p[1] != '\n')
                last = p + 1;
        if (last && *last)
            snprintf(err, err_size, "%.*s", (int)strcspn(last, "\n"), last);
        if (*err)
            return;
    }
}

/* --- Slurm --- */

/* Run a Slurm command and return its output, to be freed. NULL: failed, with a sentence in ERR. */
static char *run_slurm_command(const char *const *argv, char *err, size_t err_size)
{
    job_end how;
    int code;
    char *path = find_program(argv[0]);
    if (!path) {
        snprintf(err, err_size, "found no %s: --slurm needs a cluster's Slurm commands", argv[0]);
        return NULL;
    }
    const char *full[16] = {path};
    for (size_t i = 1; argv[i]; i++)
        full[i] = argv[i];
    char *says = job_run_and_read(full, COMMAND_LIMIT_S, &how, &code);
    free(path);
    if (how == JOB_EXITED && code == 0)
        return says;
    snprintf(err, err_size, "%s failed: %.*s", argv[0], (int)strcspn(says, "\n"), says);
    free(says);
    return NULL;
}

/* Submit the job and return its number, in the arena of R. NULL: failed, with a sentence in ERR. */
static char *submit_job(slurm_run *r, const char *script, char *err, size_t err_size)
{
    const char *const argv[] = {"sbatch",
                                "--parsable",
                                "--requeue",
                                "--job-name=warpbook",
                                arena_printf(&r->memory, "--array=0-%zu", r->tasks - 1),
                                arena_printf(&r->memory, "--output=%s/log-%%a", r->dir),
                                "--open-mode=append",
                                script,
                                NULL};
    OWNED char *says = run_slurm_command(argv, err, err_size);
    return says ? arena_strndup(&r->memory, says, strspn(says, "0123456789")) : NULL;
}

/* Return true while the job has tasks that wait or run. *UNANSWERED counts the successive queries
 * that Slurm did not answer. */
static bool job_is_active(const char *number, int *unanswered)
{
    char err[512] = "";
    const char *const argv[] = {"squeue", "--noheader", "--jobs", number, "--format=%T", NULL};
    OWNED char *says = run_slurm_command(argv, err, sizeof err);
    bool ended = says ? !*says : strstr(err, "Invalid job id") != NULL;
    *unanswered = says || ended ? 0 : *unanswered + 1;
    return !ended && *unanswered < MAX_UNANSWERED_QUERIES;
}

static void cancel_job(const char *number)
{
    char err[512];
    const char *const argv[] = {"scancel", number, NULL};
    free(run_slurm_command(argv, err, sizeof err));
}

static slurm_end run_job(slurm_run *r, size_t most, char *err, size_t err_size)
{
    char *script = arena_printf(&r->memory, "%s/task.sh", r->dir);
    size_t chunk = r->spec->chunk ? (size_t)r->spec->chunk : SLURM_DEFAULT_CHUNK;
    int unanswered = 0;
    remove_tree(r->dir);
    r->tasks = slurm_task_count(r->waiting_count, chunk, most, &r->each);
    if (!make_directories(r->dir) || !write_chunks(r) || !write_script(r, script)) {
        snprintf(err, err_size, "cannot write below %s: %s", r->dir, strerror(errno));
        return SLURM_LACKS;
    }
    char *number = submit_job(r, script, err, err_size);
    if (!number)
        return SLURM_LACKS;
    while (job_is_active(number, &unanswered) && !caught_signal_number()) {
        collect_results(r);
        usleep(QUERY_INTERVAL_MS * 1000);
    }
    if (caught_signal_number())
        cancel_job(number);
    collect_results(r);
    return caught_signal_number() ? SLURM_CANCELLED : SLURM_DONE;
}

static const char *const show_config[] = {"scontrol", "show", "config", NULL};

bool slurm_works(char *err, size_t err_size)
{
    OWNED char *says = run_slurm_command(show_config, err, err_size);
    return says != NULL;
}

slurm_end slurm_judge(const slurm_spec *spec, char *err, size_t err_size)
{
    slurm_run r = {.spec = spec};
    OWNED char *program = realpath("/proc/self/exe", NULL), *dir = realpath(spec->store->dir, NULL);
    OWNED char *says = run_slurm_command(show_config, err, err_size);
    slurm_end end = says ? SLURM_DONE : SLURM_LACKS;
    size_t most = says ? slurm_max_array_size(says) : 0;
    r.program = program ? program : "warpbook";
    r.dir = arena_printf(&r.memory, "%s/.slurm", dir ? dir : spec->store->dir);
    r.waiting = arena_alloc(&r.memory, (spec->count + 1) * sizeof *r.waiting);
    list_unjudged_texts(&r);
    for (size_t i = 0; says && i < spec->count;
         i++) /* a task that was killed may have left files */
        collect_task(&r, i, 0, r.waiting_count);
    list_unjudged_texts(&r);
    *err = says ? '\0' : *err;
    for (int round = 0; end == SLURM_DONE && r.waiting_count && round < MAX_ROUNDS; round++) {
        end = run_job(&r, most ? most : DEFAULT_MAX_ARRAY_SIZE, err, err_size);
        list_unjudged_texts(&r);
    }
    if (end == SLURM_DONE && r.waiting_count)
        copy_task_output(&r, err, err_size);
    else if (end == SLURM_DONE)
        remove_tree(r.dir);
    arena_free(&r.memory);
    return end;
}
