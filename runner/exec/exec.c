#include "exec.h"
#include "../../emulator/base/own_options.h"
#include "../base/device.h"
#include "../base/files.h"
#include "../base/job.h"
#include "../base/json.h"
#include "../base/leftovers.h"
#include "../judge/findings.h"
#include "../judge/why.h"
#include "../run/own_program.h"
#include "../run/record.h"
#include "../show/profile.h"
#include "../show/report.h"
#include "ci_reports.h"
#include "lcov.h"
#include "ncu_csv.h"
#include "source_view.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int print_exec_help(installation *h)
{
    puts(
        "usage: warpbook exec [--profile [--source[=KERNEL]] [--json]] [--sanitize[=LIST]]\n"
        "                     [--error-exitcode N] [--report=FORMAT FILE] [--coverage FILE]\n"
        "                     [--ncu-csv FILE] [--record FILE [--device gpu]] PROG [ARGS]\n"
        "\n"
        "Runs a program on the emulated CUDA device. Build it with\n"
        "    nvcc -std=c++17 -O3 -lineinfo -arch=sm_90 prog.cu -o prog\n"
        "Its exit code is the program's own.\n"
        "\n"
        "  --profile   after its end, print for each kernel: launches, modelled time, requests to\n"
        "              global memory and their 32-byte sectors, per request and in all, bank\n"
        "              conflicts of shared memory, divergent branches; then the source lines "
        "whose\n"
        "              memory accesses cost most (-lineinfo), and what the counters show\n"
        "  --source    with --profile: each line of each kernel, or of KERNEL, with its PTX: how "
        "often\n"
        "              warps executed it, with how many active lanes, what an access cost, bank\n"
        "              conflicts, its share of the modelled time, and what limits the kernel\n"
        "  --sanitize  look for mistakes of all kinds, with =LIST for those named: memory, race,\n"
        "              init, sync, host, leak, with commas between (WARPBOOK_SANITIZE); with\n"
        "              notes in the list also what is no mistake, such as unordered stores of "
        "the\n"
        "              same value\n"
        "  --error-exitcode N\n"
        "              the exit code is N if a mistake was reported\n"
        "  --report=FORMAT FILE\n"
        "              write the mistakes to FILE (-: standard output) as FORMAT: junit (test "
        "cases),\n"
        "              sarif (SARIF 2.1.0) or github (annotation lines); once for each format\n"
        "  --coverage FILE\n"
        "              write to FILE, as lcov's tracefile, how many lanes came to each line of "
        "device code\n"
        "              and took each side of its conditions (-lineinfo); genhtml draws it\n"
        "  --ncu-csv FILE\n"
        "              write the counters of each launch to FILE as `ncu --csv --page raw` does\n"
        "  --record FILE\n"
        "              keep the run in FILE: warpbook replay FILE repeats it without the program;\n"
        "              with --digests the recording can also tell after which launch memory "
        "differs\n"
        "  --device gpu\n"
        "              with --record: run it on a GPU with NVIDIA's library, and record that run\n"
        "  --json      the profile as JSON; the program's own output then goes to standard "
        "error\n");
    OWNED char *list = read_whole_file(installation_tool(h, "warpbook-env.txt"), 1 << 20, NULL);
    if (list)
        fputs(list, stdout);
    else
        puts("The emulator's WARPBOOK_* variables are listed here once it is built (run `make`).");
    return EXIT_PASS;
}

/* --- running with a profile of the kernels --- */

static const char *const profile_variables[] = {"WARPBOOK_COUNTERS", "WARPBOOK_LINES",
                                                "WARPBOOK_TIMELINE", "WARPBOOK_SOURCE",
                                                "WARPBOOK_COVERAGE"};
/* Tables that a profiled run writes, as indices into profile_variables; number of the tables. */
enum {
    PROFILE_COUNTERS,
    PROFILE_LINES,
    PROFILE_TIMELINE,
    PROFILE_SOURCE,
    PROFILE_COVERAGE,
    PROFILE_TABLE_COUNT
};
enum {
    MAX_LINES_SHOWN = 10,        /* source lines in the printed profile, at most */
    MAX_REASON_BYTES = 16 << 20, /* larger tables are not read to explain the times */
};

verdict why_of_run(const char *counters, const char *lines)
{
    verdict v = {0};
    struct stat a, b;
    if (stat(counters, &a) == 0 && stat(lines, &b) == 0 &&
        a.st_size + b.st_size <= MAX_REASON_BYTES) {
        v.counters = table_read(counters);
        v.lines = table_read(lines);
        explain_verdict(&v, &v.memory);
    }
    return v;
}

static void print_reasons(const char *counters, const char *lines)
{
    CLEANUP(verdict_free) verdict v = why_of_run(counters, lines);
    for (size_t i = 0; i < v.why_count; i++)
        printf("%s  %s %s\n", i ? "" : "\n", locale_is_utf8() ? "→" : "->", v.why[i]);
}

static void print_profile(const char *path, char *const file[PROFILE_TABLE_COUNT],
                          const profile_options *want, int code)
{
    bool json = want->json;
    CLEANUP(source_view_free) source_view v = {0};
    profile p;
    profile_read(&p, file[PROFILE_COUNTERS], file[PROFILE_LINES], file[PROFILE_TIMELINE], path);
    if (want->source)
        source_view_read(&v, file[PROFILE_SOURCE], &p, path);
    if (json) {
        json_t *all = profile_json(&p);
        if (want->source)
            json_object_set_new(all, "source", source_view_json(&v));
        json_object_set_new(all, "program", text_json(path));
        json_object_set_new(all, "exit_code", json_integer(code));
        json_object_set_new(all, "modelled_device", text_json(modelled_device()));
        print_json(all);
    } else if (p.kernel_count == 0) {
        printf("\nProfile of %s: it launched no kernel on the emulator.\n", path);
    } else {
        const bool measured = is_modelled_device_measured();
        printf("\nProfile of %s, times modelled (%s%s%s)\n", path, modelled_device(),
               measured ? "" : ", ", measured ? "" : unmeasured_device_note());
        profile_print(stdout, &p, MAX_LINES_SHOWN);
        print_reasons(file[PROFILE_COUNTERS], file[PROFILE_LINES]);
        const bool shown = !want->source || source_view_print(stdout, &v, want->kernel);
        if (!shown && want->kernel)
            printf("\n  No kernel is called %s.\n", want->kernel);
        else if (!shown)
            printf("\n  No instruction of a kernel was counted.\n");
    }
    profile_free(&p);
}

static bool is_table_wanted(int table_index, const profile_options *want)
{
    return table_index == PROFILE_COVERAGE   ? want->coverage != NULL
           : table_index == PROFILE_SOURCE   ? want->source
           : table_index == PROFILE_COUNTERS ? !want->silent || want->ncu_csv
                                             : !want->silent;
}

/* Write the tables of a run of the program NAME in the formats of other programs. */
static bool write_other_formats(const char *name, char *const file[PROFILE_TABLE_COUNT],
                                const profile_options *want)
{
    const bool csv = !want->ncu_csv || ncu_csv_write(file[PROFILE_COUNTERS], want->ncu_csv, name);
    return (!want->coverage || lcov_write(file[PROFILE_COVERAGE], want->coverage)) && csv;
}

int exec_profiled(const char *path, const char *name, char **argv, const profile_options *want)
{
    scratch_dir dir;
    bool json = want->json;
    char *file[PROFILE_TABLE_COUNT];
    for (int i = 0; i < PROFILE_TABLE_COUNT; i++)
        if (is_table_wanted(i, want) && getenv(profile_variables[i]))
            return report_failure(EXIT_USAGE, "%s writes %s itself: unset it",
                                  i == PROFILE_COVERAGE ? "--coverage"
                                  : want->silent        ? "--ncu-csv"
                                                        : "--profile",
                                  profile_variables[i]);
    if (!make_scratch_directory(&dir, "profile")) {
        fprintf(stderr, "warpbook: cannot make the directory %s: %s; set TMPDIR\n", dir.path,
                strerror(errno));
        remove_scratch_directory(&dir);
        return EXIT_LACKS;
    }
    for (int i = 0; i < PROFILE_TABLE_COUNT; i++) {
        file[i] = xprintf("%s/%s", dir.path, profile_variables[i]);
        if (is_table_wanted(i, want))
            setenv(profile_variables[i], file[i], 1);
    }
    int code = exec_child(path, argv, json);
    const bool written = code < 0 || write_other_formats(name, file, want);
    if (code >= 0 && !want->silent) {
        if (code > 128 && !json)
            printf("\n%s was ended by %s; the profile shows the launches before that.\n", name,
                   signal_in_words(code - 128));
        print_profile(name, file, want, code);
        if (fflush(stdout) != 0)
            perror("warpbook: standard output");
    }
    for (int i = 0; i < PROFILE_TABLE_COUNT; i++)
        free(file[i]);
    remove_scratch_directory(&dir);
    return code > 0 || (code == 0 && written) ? code : EXIT_FAIL;
}

/* --- the mistakes of a run --- */

/* Reports go to a temporary file first, as WARPBOOK_REPORTS may hold reports of earlier runs. */
typedef struct report_collection {
    int code; /* exit code for a run with mistakes; -1: the program's own exit code is used */
    const char *const *file; /* [CI_FORMAT_COUNT] files of --report; NULL: none in that format */
    scratch_dir dir;         /* temporary directory of the file `reports` */
    char *reports, *wanted;  /* temporary file of the reports; value of WARPBOOK_REPORTS that the
                                user has set, or NULL */
} report_collection;

static bool collect_reports_begin(report_collection *e)
{
    const char *wanted = getenv("WARPBOOK_REPORTS");
    if (!make_scratch_directory(&e->dir, "reports")) {
        fprintf(stderr, "warpbook: cannot make the directory %s: %s; set TMPDIR\n", e->dir.path,
                strerror(errno));
        remove_scratch_directory(&e->dir);
        return false;
    }
    e->wanted = wanted && *wanted ? xprintf("%s", wanted) : NULL;
    e->reports = xprintf("%s/reports", e->dir.path);
    setenv("WARPBOOK_REPORTS", e->reports, 1);
    return true;
}

/* Append the reports of a run of PROGRAM, which ended with CODE, to the user's file, write them in
 * the formats that are asked for, and return the exit code. */
static int collect_reports_end(report_collection *e, const char *program, int code)
{
    CLEANUP(arena_free) arena memory = {0};
    const findings found = findings_read(&memory, e->reports);
    OWNED char *text = e->wanted ? read_whole_file(e->reports, (size_t)1 << 30, NULL) : NULL;
    FILE *to = text ? fopen(e->wanted, "a") : NULL;
    if (text && (!to || fputs(text, to) < 0 || fclose(to) != 0))
        fprintf(stderr, "warpbook: cannot write %s: %s\n", e->wanted, strerror(errno));
    bool written = true;
    for (unsigned k = 0; code >= 0 && k < CI_FORMAT_COUNT; k++)
        if (e->file[k])
            written &= ci_report_write((ci_format)k, e->file[k], program, code, &found);
    if (e->code >= 0 && findings_first_mistake(&found))
        code = e->code;
    remove_scratch_directory(&e->dir);
    free(e->wanted);
    free(e->reports);
    return code || written ? code : EXIT_FAIL;
}

/* Parse TEXT as an exit code; -1: it is not one. */
static int parse_exit_code(const char *text)
{
    char *end;
    const long n = text && *text ? strtol(text, &end, 10) : -1;
    return n >= 0 && n <= 255 && !*end ? (int)n : -1;
}

/* --- the command line --- */

typedef struct exec_options {
    bool profiled, digests, gpu, sanitized, help; /* these options were given; gpu: --device gpu */
    profile_options profile;                      /* options of --profile */
    const char *record;                           /* file of the recording, or NULL */
    const char *sanitize;                         /* kinds of mistakes to look for; NULL: all */
    int error_code; /* exit code for a run with mistakes; -1: the program's own exit code */
    const char *report[CI_FORMAT_COUNT]; /* file of --report for each format; NULL: none */
} exec_options;

static bool set_source(void *into, const char *kernel, const char *file)
{
    (void)file;
    exec_options *o = into;
    if (kernel)
        o->profile.kernel = kernel;
    return o->profile.source = true;
}

static bool set_sanitize(void *into, const char *kinds, const char *file)
{
    (void)file;
    exec_options *o = into;
    o->sanitize = kinds;
    return o->sanitized = true;
}

static bool set_error_code(void *into, const char *value, const char *file)
{
    (void)file;
    exec_options *o = into;
    o->error_code = parse_exit_code(value);
    if (o->error_code < 0)
        fputs("warpbook: exec --error-exitcode takes a number from 0 to 255\n", stderr);
    return o->error_code >= 0;
}

/* True: the run's tables are read when it has ended. */
static bool reads_tables(const exec_options *o)
{
    return o->profiled || o->profile.ncu_csv || o->profile.coverage;
}

/* True: the run's reports are read when it has ended. */
static bool reads_reports(const exec_options *o)
{
    bool wanted = o->error_code >= 0;
    for (unsigned k = 0; k < CI_FORMAT_COUNT; k++)
        wanted |= o->report[k] != NULL;
    return wanted;
}

static bool set_report(void *into, const char *name, const char *file)
{
    exec_options *o = into;
    if (!name || !file) {
        fputs("warpbook: exec --report needs a format and a file: --report=sarif FILE\n", stderr);
        return false;
    }
    const ci_format format = ci_format_by_name(name);
    if (format == CI_FORMAT_COUNT) {
        fprintf(stderr, "warpbook: exec --report=%s: the formats are junit, sarif and github\n",
                name);
        return false;
    }
    o->report[format] = file;
    return true;
}

static bool set_device(void *into, const char *device, const char *file)
{
    (void)file;
    exec_options *o = into;
    o->gpu = strcmp(device, "gpu") == 0;
    if (!o->gpu && strcmp(device, "emulator") != 0) {
        fputs("warpbook: exec --device is emulator or gpu\n", stderr);
        return false;
    }
    return true;
}

static const own_option exec_option_list[] = {
    {"profile", OWN_FLAG, offsetof(exec_options, profiled), NULL},
    {"json", OWN_FLAG, offsetof(exec_options, profile.json), NULL},
    {"source", OWN_MAYBE, 0, set_source},
    {"sanitize", OWN_MAYBE, 0, set_sanitize},
    {"error-exitcode", OWN_VALUE, 0, set_error_code},
    {"report", OWN_FILE, 0, set_report},
    {"coverage", OWN_TEXT, offsetof(exec_options, profile.coverage), NULL},
    {"ncu-csv", OWN_TEXT, offsetof(exec_options, profile.ncu_csv), NULL},
    {"record", OWN_TEXT, offsetof(exec_options, record), NULL},
    {"device", OWN_VALUE, 0, set_device},
    {"digests", OWN_FLAG, offsetof(exec_options, digests), NULL},
    {0},
};

/* Why the options cannot be combined, as the end of the sentence "warpbook: exec ..."; NULL: they
 * can be combined. */
static const char *conflict_of_options(const exec_options *o)
{
    if (o->digests && !o->record)
        return "--digests goes with --record FILE";
    if (o->gpu && (!o->record || o->digests || reads_tables(o) || reads_reports(o)))
        return "--device gpu goes with --record FILE alone: on a GPU a program runs without "
               "warpbook";
    if (o->profile.source && !o->profiled)
        return "--source goes with --profile";
    if (o->profile.json && !o->profiled)
        return "--json goes with --profile";
    return NULL;
}

/* --- the run --- */

/* Check that everything exists that a run of the program at PATH needs. Returns an exit code; if it
 * is not EXIT_PASS, a message was printed. */
static int check_exec_needs(installation *h, const exec_options *o, const char *path)
{
    char err[1024];
    if (!installation_emulator_library(h))
        return report_failure(EXIT_LACKS,
                              "the emulator is not built (%s/libcudart.so.*): run `make`",
                              installation_short_path(h, emulator_path(h)));
    if (!own_program_can_run(h, path, o->gpu, err, sizeof err))
        return report_failure(EXIT_USAGE, "%s", err);
    const char *interposer = installation_tool(h, "libwarpbook-interposer.so");
    if (o->gpu && !file_exists(interposer))
        return report_failure(
            EXIT_LACKS, "the recorder for a GPU is not there (%s): run `make` on an x86-64 machine",
            installation_short_path(h, interposer));
    return EXIT_PASS;
}

/* Run the program at PATH as a child, then print or store its profile, recording and reports.
 * Returns an exit code. */
static int exec_and_report(installation *h, const exec_options *o, const char *path, char **argv)
{
    report_collection reported = {.code = o->error_code, .file = o->report};
    profile_options wanted = o->profile;
    const bool collects = reads_reports(o);
    if (collects && !collect_reports_begin(&reported))
        return EXIT_LACKS;
    wanted.silent = !o->profiled;
    int code =
        reads_tables(o) ? exec_profiled(path, path, argv, &wanted) : exec_child(path, argv, false);
    if (o->record && code >= 0)
        recording_finish(path, code, installation_tool(h, "warpbook-replay"));
    if (collects)
        code = collect_reports_end(&reported, path, code);
    return code >= 0 ? code : EXIT_FAIL;
}

/* Run the program at PATH. Returns an exit code, or replaces this process by the program if
 * nothing must be printed or stored after its end. */
static int exec_program(installation *h, const exec_options *o, const char *path, char **argv)
{
    const int lacks = check_exec_needs(h, o, path);
    if (lacks != EXIT_PASS)
        return lacks;
    if (o->sanitized)
        setenv("WARPBOOK_SANITIZE", o->sanitize ? o->sanitize : "all", 1);
    if (o->record && !recording_begin(o->record, o->digests))
        return EXIT_USAGE;
    if (o->gpu)
        record_on_gpu(installation_tool(h, "libwarpbook-interposer.so"));
    else
        own_program_environment(h);
    fflush(NULL);
    if (o->record || reads_tables(o) || reads_reports(o))
        return exec_and_report(h, o, path, argv);
    execv(path, argv);
    return report_failure(EXIT_FAIL, "%s does not start: %s", path, strerror(errno));
}

int cli_exec(session *d)
{
    installation *h = &d->installation;
    exec_options o = {.error_code = -1};
    d->options.words[d->options.word_count] = NULL;
    char **argv = own_options_read("exec", exec_option_list, d->options.words, &o, &o.help);
    if (!argv)
        return EXIT_USAGE;
    if (o.help)
        return print_exec_help(h);
    const char *conflict = conflict_of_options(&o);
    if (conflict)
        return report_failure(EXIT_USAGE, "exec %s", conflict);
    if (!argv[0]) {
        fputs("usage: warpbook exec [--profile] [--sanitize[=LIST]] [--error-exitcode N] "
              "[--record FILE] PROG [ARGS] (warpbook exec --help says more)\n",
              stderr);
        return EXIT_USAGE;
    }
    OWNED char *path = find_program(argv[0]);
    char err[1024];
    if (own_program_is_device_code(path ? path : argv[0], err, sizeof err)) {
        fprintf(stderr, "warpbook: %s\n", err);
        return EXIT_USAGE;
    }
    if (!path)
        return report_failure(
            EXIT_USAGE, "there is no program %s%s", argv[0],
            file_exists(argv[0]) ? " that may be executed: write it as a path, ./prog" : "");
    return exec_program(h, &o, path, argv);
}
