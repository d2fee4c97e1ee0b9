#include "recorded_run.h"

#include "../base/files.h"
#include "../run/build.h"
#include "../run/own_program.h"
#include "../run/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The environment variables that influence a lab's run: those that the emulator and lab.h read. */
static char *lab_inputs(installation *h)
{
    CLEANUP(sb_free) sb text = {0};
    CLEANUP(arena_free) arena a = {0};
    char **list = NULL;
    size_t count = 0;
    for (char **v = environ; *v; v++)
        if (starts_with(*v, "WARPBOOK_") && !starts_with(*v, "WARPBOOK_ROOT="))
            *ARENA_PUSH(&a, list, count) = *v;
    if (count)
        qsort(list, count, sizeof *list, compare_texts);
    for (size_t i = 0; i < count; i++)
        sb_printf(&text, "%s\n", list[i]);
    return arena_strdup(&h->memory, text.len ? text.s : "");
}

/* Record the run of PROGRAM with the command line ARGV, which was named NAME, into FILE. True: a
 * recording exists. */
static bool record_run(installation *h, const char *program, char **argv, const char *name,
                       const char *file)
{
    own_program_environment(h);
    fflush(NULL);
    if (!recording_begin(file, false))
        return false;
    const int ended = exec_child(program, argv, true);
    if (ended >= 0)
        recording_finish(name, ended, installation_tool(h, "warpbook-replay"));
    unsetenv("WARPBOOK_RECORDING");
    return file_exists(file);
}

/* --- a chapter's lab --- */

/* True: the stored recording FILE is of this program, and the file INPUTS says with these inputs.
 */
static bool stored_recording_is_current(installation *h, const char *file, const char *program,
                                        const char *inputs)
{
    OWNED char *of = read_whole_file(inputs, 1 << 16, NULL);
    return of && strcmp(of, lab_inputs(h)) == 0 && is_recording_file(file) &&
           file_is_newer(file, program) && file_is_newer(file, installation_emulator_library(h));
}

/* Record a lab again. Its recording is stored, so that a walk through an equal run needs none. */
static bool record_lab(installation *h, recorded_run *r, const char *name, const char *inputs_path)
{
    char *argv[] = {r->program, NULL};
    const char *inputs = lab_inputs(h);
    OWNED char *growing = unfinished_name(r->path);
    bool good = record_run(h, r->program, argv, name, growing);
    unlink(inputs_path);
    good = good && rename(growing, r->path) == 0 &&
           write_whole_file(inputs_path, inputs, strlen(inputs));
    unlink(growing);
    return good;
}

static bool open_lab(installation *h, const run_choice *w, recorded_run *r, int *code)
{
    char err[1024] = "";
    bool lacks = false;
    const build_target t = {.c = r->c, .solution = w->solution, .file = w->text};
    const char *runs = arena_printf(&h->memory, "%s/runs", h->build);
    if (!build_and_wait(h, &t, &lacks, err, sizeof err) || !make_directories(runs)) {
        fprintf(stderr, "warpbook: %s\n", *err ? err : runs);
        *code = lacks ? EXIT_LACKS : EXIT_FAIL;
        return false;
    }
    remove_leftovers(runs, NULL);
    setenv("WARPBOOK_ONLY", "check", 0);
    setenv("WARPBOOK_SEED", "1", 0);
    r->program = xstrdup(program_path_of(h, &t));
    r->path = xstrdup(target_file_path(h, &t, "walk.wbr"));
    const char *inputs = target_file_path(h, &t, "walk.txt");
    *code = EXIT_FAIL;
    return stored_recording_is_current(h, r->path, r->program, inputs) ||
           record_lab(h, r, w->words[0], inputs);
}

/* --- other programs --- */

static bool open_program(installation *h, const run_choice *w, recorded_run *r, int *code)
{
    char err[1024];
    *code = EXIT_USAGE;
    r->program = find_program(w->words[0]);
    if (!r->program) {
        fprintf(stderr, "warpbook: %s is not a chapter, a recording or a program\n", w->words[0]);
        return false;
    }
    if (!own_program_can_run(h, r->program, false, err, sizeof err)) {
        fprintf(stderr, "warpbook: %s\n", err);
        return false;
    }
    r->has_dir = make_scratch_directory(&r->dir, "walk");
    if (!r->has_dir) {
        fprintf(stderr, "warpbook: cannot make the directory %s: %s; set TMPDIR\n", r->dir.path,
                strerror(errno));
        *code = EXIT_LACKS;
        return false;
    }
    r->path = xprintf("%s/recording", r->dir.path);
    *code = EXIT_FAIL;
    return record_run(h, r->program, w->words, w->words[0], r->path);
}

bool recorded_run_open(session *d, const run_choice *w, recorded_run *r, int *code)
{
    char err[1024];
    *r = (recorded_run){0};
    if (is_recording_file(w->words[0])) {
        r->path = xstrdup(w->words[0]);
        return true;
    }
    if (!d->installation.root) {
        fprintf(stderr,
                "warpbook: %s is no recording, and a chapter or a program needs the workbook: run "
                "this inside it, or give its directory with --root DIR\n",
                w->words[0]);
        *code = EXIT_USAGE;
        return false;
    }
    book_open(&d->book, &d->installation);
    r->c = file_exists(w->words[0]) ? NULL : book_find(&d->book, w->words[0], err, sizeof err);
    return r->c ? open_lab(&d->installation, w, r, code)
                : open_program(&d->installation, w, r, code);
}

void recorded_run_close(session *d, recorded_run *r)
{
    if (r->has_dir)
        remove_scratch_directory(&r->dir);
    free(r->path);
    free(r->program);
    *r = (recorded_run){0};
    book_close(&d->book);
}
