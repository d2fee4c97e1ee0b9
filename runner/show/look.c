#include "look.h"

#include "../base/device.h"
#include "../base/files.h"
#include "../base/leftovers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ACCESS_RUN_ELEMENTS "1048576" /* number of elements of a recorded run */
#define ACCESS_RUN_SEED     "1"       /* seed of the inputs of a recorded run */

enum {
    MAX_SOURCE_BYTES = 4 << 20, /* largest lab that is compared with a stored copy */
    ACCESS_RUN_TIMEOUT_S = 120, /* time limit of a recorded run in seconds */
};

static access_run run_file_paths(installation *h, const build_target *t, const char *when)
{
    arena *a = &h->memory;
    return (access_run){.accesses = target_file_path(h, t, arena_printf(a, "%saccesses.tsv", when)),
                        .heat = target_file_path(h, t, arena_printf(a, "%sheat.tsv", when)),
                        .source = target_file_path(h, t, arena_printf(a, "%sseen.cu", when))};
}

static bool is_run_complete(const access_run *l)
{
    return file_exists(l->accesses) && file_exists(l->heat) && file_exists(l->source);
}

bool access_run_find_previous(installation *h, const build_target *t, access_run *out)
{
    *out = run_file_paths(h, t, "before.");
    return is_run_complete(out);
}

bool access_run_from_dir(installation *h, const build_target *t, const char *dir, access_run *out,
                         char *err, size_t err_size)
{
    arena *a = &h->memory;
    const char *name = strrchr(program_path_of(h, t), '/') + 1;
    *out = (access_run){.accesses = arena_printf(a, "%s/%s.accesses.tsv", dir, name),
                        .heat = arena_printf(a, "%s/%s.heat.tsv", dir, name),
                        .source = source_path_of(t)};
    if (file_exists(out->accesses))
        return true;
    return fails(err, err_size, "%s is not there", out->accesses);
}

static bool files_are_equal(const char *path, const char *other)
{
    OWNED char *a = read_whole_file(path, MAX_SOURCE_BYTES, NULL),
               *b = read_whole_file(other, MAX_SOURCE_BYTES, NULL);
    return a && b && strcmp(a, b) == 0;
}

bool access_run_find_current(installation *h, const build_target *t, access_run *out)
{
    *out = run_file_paths(h, t, "");
    return is_run_complete(out) && files_are_equal(out->source, source_path_of(t));
}

static bool table_has_rows(const char *path)
{
    size_t len = 0;
    bool more;
    OWNED char *head = read_file_start(path, 1 << 16, &len, &more);
    char *line = head ? strchr(head, '\n') : NULL;
    return line && line[1];
}

static bool run_lab(installation *h, const build_target *t, double timeout_s, const access_run *to,
                    char *err, size_t err_size)
{
    arena *a = &h->memory;
    OWNED char *accesses = unfinished_name(to->accesses), *heat = unfinished_name(to->heat);
    stage g = {0};
    const char *argv[] = {program_path_of(h, t), NULL};
    const char *env[] = {emulator_library_path(h),
                         arena_printf(a, "WARPBOOK_ACCESSES=%s", accesses),
                         arena_printf(a, "WARPBOOK_HEAT=%s", heat),
                         "WARPBOOK_N=" ACCESS_RUN_ELEMENTS,
                         "WARPBOOK_SEED=" ACCESS_RUN_SEED,
                         "WARPBOOK_RECORD",
                         "WARPBOOK_ONLY",
                         NULL};
    unlink(accesses);
    unlink(heat);
    if (!stage_start(&g,
                     &(stage_spec){.argv = argv, .env = env, .dir = h->root, .limit_s = timeout_s},
                     err, err_size))
        return false;
    int code;
    bool whole = stage_wait(&g), good = whole && table_has_rows(accesses);
    job_end how = stage_outcome(&g, &code);
    stage_free(&g);
    if (whole && how == JOB_TIMEOUT)
        snprintf(err, err_size, "%s did not end within %g s and was stopped (--timeout)",
                 t->c->name, timeout_s);
    else if (!good)
        snprintf(err, err_size,
                 "%s has no launch that accesses memory and ends well: see `warpbook run`",
                 t->c->name);
    good = good && how != JOB_TIMEOUT;
    if (good && !file_exists(heat)) /* no access to global memory: write an empty table */
        good = write_whole_file(heat, "", 0);
    if (good && (rename(accesses, to->accesses) != 0 || rename(heat, to->heat) != 0)) {
        snprintf(err, err_size, "cannot write %s: %s", to->accesses, strerror(errno));
        good = false;
    }
    unlink(accesses);
    unlink(heat);
    return good;
}

/* Store the current run as the previous one. */
static void keep_previous_run(installation *h, const build_target *t, const access_run *now)
{
    access_run before = run_file_paths(h, t, "before.");
    if (!t->solution && is_run_complete(now) && !files_are_equal(now->source, source_path_of(t))) {
        rename(now->accesses, before.accesses);
        rename(now->heat, before.heat);
        rename(now->source, before.source);
    }
}

bool access_run_make(installation *h, const build_target *t, double timeout_s, access_run *out,
                     bool *lacks, char *err, size_t err_size)
{
    const char *dir = arena_printf(&h->memory, "%s/runs", h->build),
               *library = installation_emulator_library(h);
    *lacks = false;
    *out = run_file_paths(h, t, "");
    if (!file_exists(source_path_of(t)))
        return fails(err, err_size, "%s is not there",
                     installation_short_path(h, source_path_of(t)));
    if (!library) {
        *lacks = true;
        return fails(err, err_size, "the emulator is not built: run `make`");
    }
    if (!make_directories(dir)) {
        *lacks = true;
        return fails(err, err_size, "cannot make the directory %s: %s", dir, strerror(errno));
    }
    if (!build_and_wait(h, t, lacks, err, err_size)) {
        const size_t used = strlen(err);
        snprintf(err + used, err_size - used, "%s", *lacks ? "" : ", so there is nothing to draw");
        return false;
    }
    if (access_run_find_current(h, t, out) && file_is_newer(out->accesses, program_path_of(h, t)) &&
        file_is_newer(out->accesses, library))
        return true;
    keep_previous_run(h, t, out);
    size_t len = 0;
    OWNED char *text = read_whole_file(source_path_of(t), MAX_SOURCE_BYTES, &len);
    unlink(out->source);
    bool good =
        run_lab(h, t, timeout_s > 0 ? timeout_s : ACCESS_RUN_TIMEOUT_S, out, err, err_size) && text;
    if (good && !write_whole_file(out->source, text, len)) {
        snprintf(err, err_size, "cannot write %s: %s", out->source, strerror(errno));
        good = false;
    }
    return good;
}
