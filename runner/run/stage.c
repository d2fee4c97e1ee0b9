#include "stage.h"

#include "../base/files.h"
#include "../base/leftovers.h"
#include "../base/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MAX_RESULT_BYTES = 256 << 20, /* largest result file that is copied out of a sandbox */
    BOXED_WAIT_MS = 20,           /* interval at which the limits of a sandbox are checked */
};

/* Environment variables of the runner that a program in a sandbox receives too. */
static const char *const inherited_variables[] = {
    "WARPBOOK_SEED",      "WARPBOOK_N",        "WARPBOOK_THREADS", "NVCC_CCBIN",
    "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "GLIBC_TUNABLES"};

const char *stage_result_path(arena *a, bool boxed, const char *path)
{
    return boxed ? arena_printf(a, SANDBOX_OUT "/%s", file_name_of(path)) : path;
}

static bool start_in_sandbox(stage *g, const stage_spec *spec, char *err, size_t err_size)
{
    CLEANUP(arena_free) arena a = {0};
    const char **env = NULL;
    size_t count = 0;
    g->box = sandbox_new(spec->use, NULL);
    for (const char *const *p = spec->shown; p && *p; p++)
        sandbox_show(g->box, *p);
    for (size_t i = 0; i < sizeof inherited_variables / sizeof *inherited_variables; i++)
        if (getenv(inherited_variables[i]))
            *ARENA_PUSH(&a, env, count) =
                arena_printf(&a, "%s=%s", inherited_variables[i], getenv(inherited_variables[i]));
    for (const char *const *e = spec->env; e && *e; e++)
        *ARENA_PUSH(&a, env, count) = *e;
    *ARENA_PUSH(&a, env, count) = NULL;
    g->j = sandbox_start(g->box, spec->argv, env, spec->limit_s, err, err_size);
    return g->j;
}

bool stage_start(stage *g, const stage_spec *spec, char *err, size_t err_size)
{
    *g = (stage){0};
    if (spec->boxed) {
        if (start_in_sandbox(g, spec, err, err_size))
            return true;
        stage_free(g);
        return false;
    }
    g->j = job_start(&(job_spec){
        .argv = spec->argv, .env = spec->env, .dir = spec->dir, .limit_s = spec->limit_s});
    return true;
}

bool stage_poll(stage *g, int wait_ms)
{
    if (!g->box)
        return job_poll(g->j, wait_ms);
    if (job_poll(g->j, wait_ms < BOXED_WAIT_MS ? wait_ms : BOXED_WAIT_MS))
        return true;
    sandbox_watch(g->box, g->j);
    return false;
}

job_end stage_outcome(const stage *g, int *code)
{
    if (!g->box)
        return job_outcome(g->j, code);
    if (sandbox_exceeded_limit(g->box) != JOB_LIMIT_NONE) {
        *code = sandbox_exceeded_limit(g->box);
        return JOB_LIMIT;
    }
    return sandbox_job_end(g->j, code);
}

bool stage_copy_file_out(const stage *g, const char *path, unsigned mode)
{
    return stage_copy_file_out_as(g, file_name_of(path), path, mode);
}

bool stage_copy_file_out_as(const stage *g, const char *name, const char *path, unsigned mode)
{
    if (!g->box)
        return file_exists(path);
    /* Write to another name first, because another process may read the file at PATH. */
    OWNED char *part = unfinished_name(path);
    unlink(part);
    bool ok = sandbox_copy_file_out(g->box, name, part, mode, MAX_RESULT_BYTES) &&
              rename(part, path) == 0;
    if (!ok)
        unlink(path);
    return ok;
}

bool stage_append_file(const stage *g, const char *path)
{
    if (!g->box)
        return file_exists(path);
    size_t before = 0, after = 0;
    OWNED char *old = read_whole_file(path, MAX_RESULT_BYTES, &before), *new = NULL;
    bool ok = stage_copy_file_out(g, path, 0644);
    if (old) {
        CLEANUP(sb_free) sb both = {0};
        new = ok ? read_whole_file(path, MAX_RESULT_BYTES, &after) : NULL;
        sb_add(&both, old, before);
        if (new)
            sb_add(&both, new, after);
        ok = write_whole_file(path, both.s, both.len);
    }
    return ok;
}

bool stage_is_full(const stage *g)
{
    return g->box && sandbox_is_full(g->box);
}

void stage_free(stage *g)
{
    job_free(g->j);
    sandbox_free(g->box);
    *g = (stage){0};
}

bool stage_wait(stage *g)
{
    while (!stage_poll(g, 100))
        if (caught_signal_number())
            job_cancel(g->j);
    return !caught_signal_number();
}
