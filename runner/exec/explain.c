/* `warpbook explain`: compiles a source file, runs it, and says what is wrong with it and what its
 * kernels cost, in one call (docs/FORMATS.md). */
#include "../../emulator/base/own_options.h"
#include "../base/device.h"
#include "../base/files.h"
#include "../base/job.h"
#include "../base/json.h"
#include "../base/leftovers.h"
#include "../base/version.h"
#include "../judge/findings.h"
#include "../run/build.h"
#include "../run/own_program.h"
#include "../run/refusal.h"
#include "../show/profile.h"
#include "../show/report.h"
#include "exec.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMPILE_SECONDS = 300,     /* longest time that nvcc may take */
    RUN_SECONDS = 60,          /* longest time that the program may take; --timeout */
    SOURCE_BYTES = 4 << 20,    /* largest source file */
    MAX_COMPILER_LINES = 1000, /* lines of the compiler that are read */
};

typedef struct explain_options {
    bool json, help;
    double seconds;
} explain_options;

/* What compiling and running brought. */
typedef struct explained {
    arena memory;
    const char *source;     /* path as given */
    char *text;             /* the file's text; to be freed */
    json_t *all;            /* the answer */
    scratch_dir dir;        /* holds the program and the tables of its run */
    const char *const *log; /* files of those tables, in the order of `variables` */
    bool good;              /* it compiled, ended with 0, and no mistake was reported */
} explained;

static const char *const variables[] = {"WARPBOOK_COUNTERS", "WARPBOOK_LINES", "WARPBOOK_TIMELINE",
                                        "WARPBOOK_REPORTS"};
enum { COUNTERS, LINES, TIMELINE, REPORTS, VARIABLE_COUNT };

/* Run ARGV to its end, or for SECONDS. Returns its output, to be freed. */
static char *run_to_end(const char *const *argv, double seconds, json_t *into)
{
    static const char *const words[] = {
        [JOB_EXITED] = "exited",   [JOB_SIGNALLED] = "signalled", [JOB_TIMEOUT] = "timeout",
        [JOB_FLOOD] = "flood",     [JOB_CANCELLED] = "cancelled", [JOB_NO_START] = "not started",
        [JOB_LIMIT] = "at a limit"};
    job *j = job_start(&(job_spec){.argv = argv, .limit_s = seconds});
    int code;
    while (!job_poll(j, 200))
        ;
    const job_end how = job_outcome(j, &code);
    char *output = xstrdup(job_output(j, NULL));
    job_free(j);
    json_object_set_new(into, "ended", json_string(words[how]));
    json_object_set_new(into, "code", json_integer(code));
    json_object_set_new(into, "output", text_json(output));
    return output;
}

static bool ended_well(const json_t *end)
{
    return strcmp(member_text(end, "ended"), "exited") == 0 &&
           json_integer_value(json_object_get(end, "code")) == 0;
}

/* --- what the compiler says --- */

static json_t *compiler_messages(arena *a, const char *says)
{
    json_t *list = json_array();
    OWNED char *in_words = explain_assembler_lines(says);
    const char *output = in_words, *line;
    size_t len;
    for (int n = 0; n < MAX_COMPILER_LINES && (line = next_line(&output, &len)); n++) {
        compiler_line m;
        if (read_compiler_line(arena_strndup(a, line, len), a, &m))
            json_array_append_new(list,
                                  json_pack("{s:s, s:o, s:o, s:o, s:o}", "severity",
                                            m.is_warning ? "warning" : "error", "file",
                                            text_json(m.file), "line", line_json(m.line), "column",
                                            line_json(m.column), "text", text_json(m.text)));
    }
    return list;
}

/* Compile the source to PROGRAM. */
static bool compile(explained *e, const nvcc_compiler *nvcc, const char *program)
{
    const char *argv[] = {nvcc->path, "-std=c++17", "-lineinfo", "-Xcompiler",
                          "-Og,-g1",  "-cudart",    "shared",    "-arch=sm_90",
                          e->source,  "-o",         program,     NULL};
    CLEANUP(sb_free) sb command = {0};
    sb_puts(&command, "nvcc");
    for (size_t i = 1; strcmp(argv[i], "-o") != 0; i++)
        sb_printf(&command, " %s", argv[i]);
    json_t *compiled = json_pack("{s:o}", "command", text_json(command.s));
    OWNED char *output = run_to_end(argv, COMPILE_SECONDS, compiled);
    compile_report report;
    const bool ok = ended_well(compiled),
               named = !ok && read_compile_errors(output, e->text, file_name_of(e->source),
                                                  "the compiler's output", &e->memory, &report);
    json_object_set_new(compiled, "ok", json_boolean(ok));
    json_object_set_new(compiled, "reason", text_json(named ? report.reason : NULL));
    json_object_set_new(compiled, "messages", compiler_messages(&e->memory, output));
    json_object_set_new(e->all, "compiled", compiled);
    return ok;
}

/* --- what the run shows --- */

static json_t *location_json(const finding_location *at)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "file", text_json(at->file), "path",
                     text_json(at->path), "line", line_json(at->line), "column",
                     line_json(at->column), "who", text_json(at->who), "did", text_json(at->did));
}

static json_t *finding_json(explained *e, const finding *f)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "kind",
                     text_json(f->kind), "kernel", text_json(f->kernel), "sentence",
                     text_json(finding_sentence(f)), "text", text_json(f->text), "missing",
                     text_json(f->missing), "fix", text_json(finding_fix(&e->memory, f)), "chapter",
                     line_json(f->chapter       ? f->chapter
                               : f->mistake_row ? f->mistake_row->chapter
                                                : 0),
                     "times", (json_int_t)(f->times ? f->times : 1), "at", location_json(&f->at),
                     "other",
                     f->other.file || f->other.who ? location_json(&f->other) : json_null());
}

/* The reports as two lists: mistakes, and notes. */
static void add_findings(explained *e)
{
    findings found = findings_read(&e->memory, e->log[REPORTS]);
    json_t *mistakes = json_array(), *notes = json_array();
    for (size_t i = 0; i < found.count; i++)
        json_array_append_new(found.rows[i].mistake_row ? mistakes : notes,
                              finding_json(e, &found.rows[i]));
    if (found.damage)
        json_array_append_new(
            notes, json_pack("{s:s, s:o}", "kind", "message", "text", text_json(found.damage)));
    e->good = e->good && json_array_size(mistakes) == 0;
    json_object_set_new(e->all, "mistakes", mistakes);
    json_object_set_new(e->all, "notes", notes);
}

/* Kernels and lines as `exec --profile --json` has them, and why they are fast or slow. */
static void add_profile(explained *e)
{
    profile p;
    json_t *why = json_array();
    profile_read(&p, e->log[COUNTERS], e->log[LINES], e->log[TIMELINE], e->source);
    json_object_set_new(e->all, "profile", profile_json(&p));
    profile_free(&p);
    CLEANUP(verdict_free) verdict v = why_of_run(e->log[COUNTERS], e->log[LINES]);
    for (size_t i = 0; i < v.why_count; i++)
        json_array_append_new(why, text_json(v.why[i]));
    json_object_set_new(e->all, "why", why);
}

/* Run PROGRAM with the words of ARGV after its name. */
static void run_program(explained *e, installation *h, char **argv, const char *program,
                        double seconds)
{
    size_t n = 0;
    while (argv[n])
        n++;
    const char **words = arena_alloc(&e->memory, (n + 1) * sizeof *words);
    for (size_t i = 0; i < n; i++)
        words[i] = i ? argv[i] : program;
    for (int i = 0; i < VARIABLE_COUNT; i++)
        setenv(variables[i], e->log[i], 1);
    setenv("WARPBOOK_SANITIZE", "all", 1);
    own_program_environment(h);
    json_t *ran = json_object();
    free(run_to_end(words, seconds, ran));
    e->good = ended_well(ran);
    json_object_set_new(e->all, "ran", ran);
    json_object_set_new(e->all, "modelled_device", text_json(modelled_device()));
    add_findings(e);
    add_profile(e);
}

/* --- as text --- */

static const char *text_of(const json_t *object, const char *field)
{
    const char *s = member_text(object, field);
    return s ? s : "";
}

static void print_explained(const explained *e)
{
    const json_t *compiled = json_object_get(e->all, "compiled"),
                 *ran = json_object_get(e->all, "ran");
    const char *arrow = locale_is_utf8() ? "→" : "->";
    size_t i;
    json_t *row;
    if (!ran) {
        OWNED char *says = explain_assembler_lines(text_of(compiled, "output"));
        printf("%s%s does not compile.\n", says, e->source);
        return;
    }
    fputs(text_of(ran, "output"), stdout);
    const int code = (int)json_integer_value(json_object_get(ran, "code"));
    const char *ended = text_of(ran, "ended");
    if (strcmp(ended, "signalled") == 0)
        printf("\n%s was ended by %s.\n", e->source, signal_in_words(code));
    else if (strcmp(ended, "exited") != 0)
        printf("\n%s was ended: %s.\n", e->source, ended);
    else if (code)
        printf("\n%s ended with exit status %d.\n", e->source, code);
    const json_t *mistakes = json_object_get(e->all, "mistakes");
    printf("\n%zu mistake%s\n", json_array_size(mistakes),
           json_array_size(mistakes) == 1 ? "" : "s");
    json_array_foreach(mistakes, i, row) {
        printf("  %s %s\n", arrow, text_of(row, "sentence"));
        if (*text_of(row, "fix"))
            printf("     %s\n", text_of(row, "fix"));
    }
    json_array_foreach(json_object_get(e->all, "why"), i, row)
        printf("%s  %s %s\n", i ? "" : "\nTimes are modelled\n", arrow, json_string_value(row));
}

/* --- the command line --- */

static bool set_timeout(void *into, const char *value, const char *file)
{
    (void)file;
    explain_options *o = into;
    const bool ok =
        value && parse_number(value, &o->seconds) && o->seconds > 0 && o->seconds <= 1e6;
    if (!ok)
        fputs("warpbook: explain --timeout takes a number of seconds above 0\n", stderr);
    return ok;
}

static const own_option explain_option_list[] = {
    {"json", OWN_FLAG, offsetof(explain_options, json), NULL},
    {"timeout", OWN_VALUE, 0, set_timeout},
    {0},
};

static int print_explain_help(void)
{
    puts(
        "usage: warpbook explain [--json] [--timeout SECONDS] FILE.cu [ARGS]\n"
        "\n"
        "Compiles FILE.cu with nvcc, runs it on the emulator with ARGS, looks for mistakes of all\n"
        "kinds, and says what its kernels cost and why. The program runs as you, without a "
        "sandbox.\n"
        "\n"
        "  --json      print all of it as one JSON object (docs/FORMATS.md), for editors and "
        "tutors\n"
        "  --timeout SECONDS\n"
        "              longest time that the program may run (60)\n"
        "\n"
        "Options for nvcc are taken from NVCC_APPEND_FLAGS. The exit code is 0 if FILE.cu "
        "compiles,\n"
        "ends with 0 and no mistake is reported, else 1; 2: the command is wrong, 3: something is\n"
        "missing on this machine.");
    return EXIT_PASS;
}

/* Compile and run the file of ARGV in E's directory, and print the answer. */
static int explain(explained *e, installation *h, const nvcc_compiler *nvcc, char **argv,
                   const explain_options *o)
{
    const char *program = arena_printf(&e->memory, "%s/program", e->dir.path);
    const char **log = arena_alloc(&e->memory, VARIABLE_COUNT * sizeof *log);
    for (int i = 0; i < VARIABLE_COUNT; i++)
        log[i] = arena_printf(&e->memory, "%s/%s", e->dir.path, variables[i]);
    e->log = log;
    e->all = json_pack("{s:s, s:s, s:o}", "format", "warpbook-explain 1", "version",
                       WARPBOOK_VERSION, "source", text_json(e->source));
    if (compile(e, nvcc, program))
        run_program(e, h, argv, program, o->seconds);
    if (o->json) {
        print_json(e->all);
    } else {
        print_explained(e);
        json_decref(e->all);
    }
    return e->good ? EXIT_PASS : EXIT_FAIL;
}

int cli_explain(session *d)
{
    installation *h = &d->installation;
    explain_options o = {.seconds = RUN_SECONDS};
    nvcc_compiler nvcc;
    char err[1024];
    d->options.words[d->options.word_count] = NULL;
    char **argv = own_options_read("explain", explain_option_list, d->options.words, &o, &o.help);
    if (!argv)
        return EXIT_USAGE;
    if (o.help)
        return print_explain_help();
    if (!argv[0] || !ends_with(argv[0], ".cu") || *argv[0] == '-') {
        fputs(
            "usage: warpbook explain [--json] FILE.cu [ARGS] (warpbook explain --help says more)\n",
            stderr);
        return EXIT_USAGE;
    }
    explained e = {.source = argv[0], .text = read_whole_file(argv[0], SOURCE_BYTES, NULL)};
    if (!e.text)
        return report_failure(EXIT_USAGE, "cannot read %s: %s", argv[0], strerror(errno));
    int code = EXIT_LACKS;
    if (!installation_emulator_library(h))
        fprintf(stderr, "warpbook: the emulator is not built (%s/libcudart.so.*): run `make`\n",
                installation_short_path(h, emulator_path(h)));
    else if (!find_compiler(&nvcc, err, sizeof err))
        fprintf(stderr, "warpbook: %s\n", err);
    else if (!make_scratch_directory(&e.dir, "explain"))
        fprintf(stderr, "warpbook: cannot make the directory %s: %s; set TMPDIR\n", e.dir.path,
                strerror(errno));
    else
        code = explain(&e, h, &nvcc, argv, &o);
    if (e.dir.path)
        remove_scratch_directory(&e.dir);
    free(e.text);
    arena_free(&e.memory);
    return code;
}
