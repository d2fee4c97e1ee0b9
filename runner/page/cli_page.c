/* `warpbook page`: records a run, or takes a recording, and writes it as one HTML file. */
#include "page.h"

#include "../base/device.h"
#include "../base/files.h"
#include "../base/version.h"

#include <string.h>

void page_note_omission(json_t *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    OWNED char *sentence = xvprintf(format, args);
    va_end(args);
    json_t *list = json_object_get(run, "omitted"), *new = text_json(sentence), *known;
    size_t i;
    bool said = false;
    json_array_foreach(list, i, known)
        said |= json_equal(known, new);
    if (!said)
        json_array_append(list, new);
    json_decref(new);
}

/* What was run, in words: a chapter's lab or solution, or a file's name without its folder, which a
 * page that is passed on need not tell. */
static char *name_of_run(const run_choice *w, const recorded_run *r)
{
    if (r->c)
        return xprintf("%s, %s", r->c->name,
                       w->solution ? "the solution"
                       : w->text   ? file_name_of(w->text)
                                   : "the lab");
    return xstrdup(file_name_of(w->words[0]));
}

/* The data of one run: of the options O, or, next to it, of their other one. NULL: a message was
 * printed, and *CODE is the exit code. */
static json_t *run_data(session *d, const run_choice *w, const page_options *o,
                        const page_choice *choice, int *code)
{
    recorded_run r;
    json_t *run = NULL;
    page_findings found = {.busiest = -1};
    if (recorded_run_open(d, w, &r, code)) {
        OWNED char *name = o->name && w == &o->run ? xstrdup(o->name) : name_of_run(w, &r);
        run = json_pack("{s:o, s:b, s:[]}", "name", text_json(name), "checks_only", r.c != NULL,
                        "omitted");
        *code = EXIT_FAIL;
        if (page_add_tables(&d->installation, run, r.path, choice, &found) &&
            page_add_walk(&d->installation, run, r.path, choice, &found)) {
            page_add_sources(run, o->source);
            page_name_arrays(run);
            page_shorten_paths(run);
        } else {
            json_decref(run);
            run = NULL;
        }
    }
    recorded_run_close(d, &r);
    return run;
}

/* The data of the run that is shown next to the first. */
static json_t *second_run_data(session *d, const page_options *o, int *code)
{
    char *words[] = {without_const(o->beside), NULL};
    run_choice w = {.words = words};
    if (strcmp(o->beside, "solution") == 0)
        w = (run_choice){.words = o->run.words, .solution = true};
    const page_choice any = {.launch = -1,
                             .block = -1,
                             .warp = -1,
                             .moments = o->choice.moments,
                             .launches = o->choice.launches};
    return run_data(d, &w, o, &any, code);
}

static int write_page(session *d, const page_options *o)
{
    int code = EXIT_FAIL;
    json_t *runs = json_array();
    json_t *first = run_data(d, &o->run, o, &o->choice, &code);
    json_t *second = first && o->beside ? second_run_data(d, o, &code) : NULL;
    const bool good = first && (!o->beside || second);
    if (first)
        json_array_append_new(runs, first);
    if (second)
        json_array_append_new(runs, second);
    json_auto_t *data =
        json_pack("{s:s, s:s, s:o, s:o}", "format", "warpbook-page 1", "version", WARPBOOK_VERSION,
                  "modelled_device", text_json(modelled_device()), "runs", runs);
    if (good && page_write_file(o->output, data, o->json))
        code = EXIT_PASS;
    else if (good)
        code = EXIT_FAIL;
    return code;
}

int cli_page(session *d)
{
    page_options o;
    char **argv = d->options.words;
    argv[d->options.word_count] = NULL;
    const int code = page_options_read(&o, argv);
    if (code >= 0)
        return code;
    if (!installation_emulator_library(&d->installation))
        return report_failure(
            EXIT_LACKS, "the emulator is not built (%s/libcudart.so.*): run `make`",
            installation_short_path(&d->installation, emulator_path(&d->installation)));
    return write_page(d, &o);
}
