/* warpbook-judge: repeats the recording of a submission and compares the results of its kernels
 * with the results of the reference solution. The judge trusts nothing that the submission's
 * process reports: before each judged launch it fills the arrays that the kernel must write with
 * noise, and afterwards the arrays must hold the reference's results. `warpbook grade` starts the
 * judge in a sandbox of its own.
 *
 *     warpbook-judge RULES RECORDING --program PROGRAM --key TEXT --to TABLE
 *                    --write TRANSCRIPT | --against TRANSCRIPT [--checked N]
 *     warpbook-judge ... --gpu N: repeats it on a GPU and times each launch N times (gpu_judge.h)
 *
 * RULES: see rules.h. PROGRAM: the judge's own build of the submission; the recording must contain
 * exactly its device code. TEXT: the secret key from which array contents are made (noise.h); the
 * submission and the reference are judged with an equal key. TABLE: a tab-separated table `what
 * kernel index ns sentence`, with these values of `what`:
 * - launch: judged launch INDEX, series of launches (rules.h) or work (judged_work.h), and its
 * modelled time; the sentence says what is wrong with it, or is empty
 * - asked: launch INDEX differs from the reference's launch in its kernel, sizes or inputs
 * - check: a check of times; its share in percent is in `ns`
 * - host: a check that only the host makes
 * - helper: launch INDEX is prepared by kernels, memsets or copies of the submission's own; their
 * time is in that of the launch
 * - policy: the recording is not one that the book's harness makes of this program
 * - timed: the reference's launches from INDEX on come after the beginning of its first timed range
 * - end: INDEX launches were judged; the reference has as many as `ns` says
 *
 * Mistakes (WARPBOOK_SANITIZE) are looked for only in launches before N: the timed launches come
 * after the checks, and checking them would take long. Kernels that no rule names and that the
 * reference launches too run only when a transcript is written or when work is judged: they are the
 * harness's. Other kernels are the submission's own (ahead.h). The WARPBOOK_* variables apply.
 * Status 0: the table is complete; 2: wrong usage, or a recording that cannot be repeated (with a
 * message on stderr). */
#include "../../base/own_options.h"
#include "../replay/replay.h"
#include "ahead.h"
#include "arrays.h"
#include "device_code.h"
#include "gpu_judge.h"
#include "judged_launch.h"
#include "judged_work.h"
#include "noise.h"
#include "rules.h"
#include "transcript.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct judge {
    judge_rules rules;        /* the rules of the assignment */
    judged_program program;   /* device code of the judge's own build */
    replay *replay;           /* the recording being repeated */
    transcript against;       /* transcript to compare with, with --against */
    launch_standard standard; /* what launches are judged by; its row is that of the next launch */
    const char *gpu;          /* how often a launch is timed on a GPU; NULL: on the emulator */
    FILE *table;              /* the output table */
    size_t judged;            /* number of judged launches and pieces of work */
    uint64_t checked; /* launches with this or a higher index are not checked for mistakes */
    bool unchecked;   /* launches are no longer checked for mistakes */
    /* the next judged launch, from the first operation that prepares it on (ahead.h) */
    bool preparing;           /* such an operation has been repeated: the fields below are valid */
    prepared_launch prepared; /* the launch */
    transcript_entry entry;   /* the launch, as far as it is known before it runs */
    double ns;                /* when the last repeated one of them ends, after the first began */
    uint64_t last_op;         /* that operation */
    size_t preparing_ops;     /* number of them that have been repeated */
    /* the judged launch that runs, or the first one of a series (rules.h) that is not over */
    bool running;                /* the fields below are valid */
    prepared_launch now;         /* the launch */
    const judge_rule *series;    /* the rule that makes one of its launches, or NULL */
    char asked[256], wrong[256]; /* how it differs from the reference's launch; what is wrong */
    uint32_t fills;              /* memsets and copies on the device since the last boundary */
    bool plain; /* no judged launch comes before the next boundary: nothing prepares one */
    section_judge *
        work; /* work being judged instead of launches (judged_work.h); NULL: launches are judged */
} judge;

/* Write a row of the output table. */
static void write_table_row(judge *j, const char *what, const char *kernel, size_t index, double ns,
                            const char *sentence)
{
    fprintf(j->table, "%s\t%s\t%zu\t%.17g\t%s\n", what, *kernel ? kernel : "-", index, ns,
            *sentence ? sentence : "-");
}

/* --- comparing --- */

/* The elements of output array A that are compared, one after another. *COPY becomes what the
 * caller frees. NULL: the host is out of memory. */
static const void *compared_elements(const judge *j, judged_array a, const judge_rule *r,
                                     uint8_t **copy)
{
    const size_t size = rule_element_bytes(r->type);
    *copy = NULL;
    if (!a.at || a.bytes <= MAX_WHOLE_ARRAY_BYTES)
        return a.at ? a.at : (uint8_t *)"";
    *copy = malloc(SAMPLE_ELEMENTS * size);
    for (uint64_t k = 0; *copy && k < SAMPLE_ELEMENTS; k++) {
        const uint64_t at = launch_compared_index(&j->standard, r, a.bytes, k);
        memcpy(*copy + k * size, a.at + at * size, size);
    }
    return *copy;
}

/* Arrays of more than MAX_ELEMENTS_RACE_CHECKED elements: the launch is not searched for races,
 * which takes several times as long as the launch. The checks that `warpbook check` runs have at
 * most 64 rows of 8192 elements. */
enum { MAX_ELEMENTS_RACE_CHECKED = 64 * 8192 };

/* Whether an array of kernel K has more than MAX_ELEMENTS_RACE_CHECKED elements. */
static bool has_array_too_long_for_race_check(const replay_kernel *k, const judge_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        const judge_rule *r = &rules->row[i];
        if (strcmp(r->kernel, k->name) == 0 && r->role != RULE_SCALAR &&
            array_of_rule(k, r).bytes / rule_element_bytes(r->type) > MAX_ELEMENTS_RACE_CHECKED)
            return true;
    }
    return false;
}

/* --- judging one launch ----------------------------------------------------------------------- */

/* A launch_parameter of a replay_kernel. */
static const uint8_t *parameter_of_kernel(const void *kernel, uint32_t index, size_t *bytes)
{
    uint64_t size = 0;
    const uint8_t *p = find_parameter(kernel, index, &size);
    *bytes = (size_t)size;
    return p;
}

/* Whether launch K has its input in array A too: it works in place. */
static bool is_input_of_launch(const judge *j, const replay_kernel *k, judged_array a)
{
    for (size_t i = 0; i < j->rules.count; i++) {
        const judge_rule *r = &j->rules.row[i];
        if (r->role == RULE_IN && !strcmp(r->kernel, k->name) && array_of_rule(k, r).at == a.at)
            return true;
    }
    return false;
}

/* Digest the inputs of a launch, resample them, and fill its outputs with noise. Returns false when
 * the host is out of memory. Inputs of the role `begun` are left to digest_begun_arrays. */
static bool fill_arrays_before_judged_launch(const judge *j, const replay_kernel *k,
                                             transcript_entry *e)
{
    for (size_t i = 0; i < j->rules.count; i++) {
        const judge_rule *r = &j->rules.row[i];
        const uint64_t seed = launch_contents_seed(&j->standard, r);
        if (strcmp(r->kernel, k->name) != 0 || r->role == RULE_SCALAR)
            continue;
        const judged_array a = array_of_rule(k, r);
        if (r->role == RULE_IN) {
            e->inputs =
                rec_digest_bytes(e->inputs + 1, a.at ? a.at : (uint8_t *)"", a.at ? a.bytes : 0);
            if (a.at && !resample_values(a.at, a.bytes, r->type, seed))
                return false;
        } else if (r->role != RULE_BEGUN && rule_is_about_output(r) && a.at &&
                   !(r->role == RULE_OUT && is_input_of_launch(j, k, a))) {
            fill_with_random_values(a.at, a.bytes, r->type, seed);
        }
    }
    return true;
}

/* Digest the arrays that a launch begins with and that are not replaced. */
static void digest_begun_arrays(const judge *j, const replay_kernel *k, transcript_entry *e)
{
    for (size_t i = 0; i < j->rules.count; i++) {
        const judge_rule *r = &j->rules.row[i];
        if (r->role == RULE_BEGUN && strcmp(r->kernel, k->name) == 0) {
            const judged_array a = array_of_rule(k, r);
            e->inputs =
                rec_digest_bytes(e->inputs + 1, a.at ? a.at : (uint8_t *)"", a.at ? a.bytes : 0);
        }
    }
}

/* Store the outputs of a launch, or compare them with the reference's. Returns false when the host
 * is out of memory. */
static bool check_outputs(const judge *j, const replay_kernel *k, transcript_entry *e, char *why,
                          size_t cap)
{
    for (size_t i = 0; i < j->rules.count && e->outs < TRANSCRIPT_MAX_OUTPUTS; i++) {
        const judge_rule *r = &j->rules.row[i];
        uint8_t *copy;
        if (strcmp(r->kernel, k->name) != 0 || !rule_is_about_output(r))
            continue;
        const judged_array a = array_of_rule(k, r);
        const void *elements = compared_elements(j, a, r, &copy);
        if (!elements)
            return false;
        const uint64_t bytes = a.at ? a.bytes : 0;
        const launch_output output = {bytes, rec_digest_bytes(0, a.at ? a.at : elements, bytes),
                                      elements};
        launch_judge_output(&j->standard, r, &output, e, why, cap);
        free(copy);
    }
    return true;
}

/* Go to the next row of the transcript that describes a judged launch. */
static void go_to_row_of_launch(judge *j)
{
    if (j->standard.write)
        j->standard.row = j->standard.write->count;
    while (!j->standard.write && j->standard.row < j->against.count &&
           (j->against.row[j->standard.row].work || j->against.row[j->standard.row].other))
        j->standard.row++;
}

/* Replace the contents of the arrays of the next judged launch, of kernel K. Returns false when the
 * host is out of memory.
 */
static bool begin_judged_launch(judge *j, const replay_kernel *k)
{
    const transcript_entry *want = launch_of_reference(&j->standard);
    j->entry = (transcript_entry){.fills = j->fills};
    j->ns = 0;
    j->preparing_ops = 0;
    const judge_rule *series = rules_series_of_kernel(&j->rules, k->name);
    snprintf(j->entry.kernel, sizeof j->entry.kernel, "%s", series ? series->kernel : k->name);
    if (!fill_arrays_before_judged_launch(j, k, &j->entry))
        return false;
    j->entry.l2 = replay_l2_bytes();
    if (want) {
        /* The harness's kernels did not run, so set L2 to its state at the reference's launch. */
        replay_set_l2_bytes(want->l2);
    }
    return true;
}

/* Count the time of operation OP, which follows those that prepare the launch. */
static void add_time_of_op(judge *j, uint64_t op)
{
    j->ns = j->preparing_ops ? replay_end_in_row(j->replay, op, j->last_op, j->ns, j->preparing_ops)
                             : replay_op_duration(j->replay, op);
    j->last_op = op;
    j->preparing_ops++;
}

/* Begin to judge the next launch, of kernel K. Returns false when the host is out of memory. */
static bool start_judged_launch(judge *j, const replay_kernel *k)
{
    if (!j->preparing && !begin_judged_launch(j, k))
        return false;
    *j->asked = *j->wrong = '\0';
    j->series = rules_series_of_kernel(&j->rules, k->name);
    j->entry.scalars = launch_scalars_digest(&j->standard, k->name, parameter_of_kernel, k);
    digest_begun_arrays(j, k, &j->entry);
    launch_explain_difference(&j->standard, &j->entry, j->asked, sizeof j->asked);
    /* The replay frees the kernel's description at its next step. */
    j->running = keep_launch(k, &j->now);
    return j->running;
}

/* Compare what the launch or the series that runs has written. False: the host is out of memory. */
static bool finish_judged_launch(judge *j)
{
    transcript_entry *e = &j->entry;
    e->ns = j->ns;
    const bool good = check_outputs(j, &j->now.kernel, e, j->wrong, sizeof j->wrong);
    if (*j->asked)
        write_table_row(j, "asked", e->kernel, j->standard.row, e->ns, j->asked);
    write_table_row(j, "launch", e->kernel, j->standard.row, e->ns,
                    *j->asked ? j->asked : j->wrong);
    if (j->standard.write)
        transcript_append_entry(j->standard.write, e);
    j->standard.row++;
    j->judged++;
    free(j->now.params);
    if (j->preparing)
        free(j->prepared.params);
    j->running = j->preparing = j->plain = false;
    j->fills = 0;
    return good;
}

/* Run and judge the next launch, of kernel K. Returns false when the replay cannot go on. */
static bool judge_launch(judge *j, const replay_kernel *k)
{
    const uint64_t op = replay_next_record(j->replay)->launch.op;
    if (!j->running && !start_judged_launch(j, k))
        return false;
    replay_skip_race_checks(has_array_too_long_for_race_check(k, &j->rules));
    const bool good = replay_repeat_next(j->replay) == REPLAY_DONE;
    replay_skip_race_checks(false);
    if (!good)
        return false;
    add_time_of_op(j, op);
    if (replay_has_fault(j->replay, op) && !*j->wrong)
        snprintf(j->wrong, sizeof j->wrong, "it was stopped by an error");
    return j->series || finish_judged_launch(j);
}

/* Whether the reference launches the kernel NAME, which no rule names: it is the harness's. */
static bool is_kernel_of_harness(const judge *j, const char *name)
{
    const transcript_entry *row = j->standard.write ? j->standard.write->row : j->against.row;
    const size_t count = j->standard.write ? j->standard.write->count : j->against.count;
    for (size_t i = 0; i < count; i++)
        if (row[i].other && strncmp(row[i].kernel, name, sizeof row[i].kernel - 1) == 0)
            return true;
    return false;
}

/* Whether all arrays that a launch of kernel K writes are those of the series that runs. */
static bool has_outputs_of_series(const judge *j, const replay_kernel *k)
{
    for (size_t i = 0; i < j->rules.count; i++) {
        const judge_rule *r = &j->rules.row[i];
        if (strcmp(r->kernel, k->name) == 0 && rule_is_about_output(r) &&
            array_of_rule(k, r).at != array_of_rule(&j->now.kernel, r).at)
            return false;
    }
    return true;
}

/* Whether the series that runs is over before ITEM. JUDGED: the kernel of a judged launch, or
 * NULL; NAME: that of another launch, or NULL. */
static bool is_series_over(const judge *j, const rec_item *item, const replay_kernel *judged,
                           const char *name)
{
    if (judged)
        return rules_series_of_kernel(&j->rules, judged->name) != j->series ||
               !has_outputs_of_series(j, judged);
    return is_boundary(item) || item->kind == REC_range || (name && is_kernel_of_harness(j, name));
}

/* Look for the launch that ITEM prepares, and replace the contents of its arrays if there is one.
 * NAME: the kernel of a launch that is not judged, or NULL. False: the replay cannot go on. */
static bool begin_preparation(judge *j, const rec_item *item, const char *name)
{
    go_to_row_of_launch(j);
    const transcript_entry *want = launch_of_reference(&j->standard);
    const bool prepares =
        name ? !is_kernel_of_harness(j, name) : is_fill(item) && want && j->fills >= want->fills;
    if (!prepares || j->plain || j->standard.write || j->work)
        return true;
    j->preparing = find_prepared_launch(j->replay, &j->rules, &j->prepared);
    j->plain = !j->preparing;
    if (!j->preparing)
        return true;
    write_table_row(j, "helper", j->prepared.name, j->standard.row, 0, "");
    return begin_judged_launch(j, &j->prepared.kernel);
}

/* Repeat the next record, which is no judged launch. NAME: the kernel of a launch, or NULL. Returns
 * false when the replay cannot go on. */
static bool repeat_other_record(judge *j, const rec_item *item, const char *name)
{
    const bool known = name && is_kernel_of_harness(j, name), fill = is_fill(item);
    const uint64_t op = name                     ? item->launch.op
                        : item->kind == REC_fill ? item->fill.op
                        : item->kind == REC_copy ? item->copy.op
                                                 : 0;
    const bool skips = known && !j->standard.write && !j->work;
    if (name && !known && j->standard.write && !j->work) {
        transcript_entry e = {.other = true};
        snprintf(e.kernel, sizeof e.kernel, "%s", name);
        transcript_append_entry(j->standard.write, &e);
    }
    if (is_boundary(item)) {
        j->fills = 0;
        j->plain = false;
    }
    j->fills += fill;
    if ((skips ? replay_skip_next(j->replay) : replay_repeat_next(j->replay)) != REPLAY_DONE)
        return false;
    if ((j->preparing || j->running) && !skips && (name || fill))
        add_time_of_op(j, op);
    return true;
}

/* --- all --- */

/* Whether the recording was made on the emulated device that grades, so that its times and counters
 * are comparable. */
static bool is_recorded_on_grading_device(const judge *j)
{
    const rec_start *s = replay_start_record(j->replay);
    return !strcmp(s->source, "emulator") && !*s->profile && !s->figures.size;
}

/* Whether ITEM comes after the launches and the work that are checked for mistakes. JUDGED: ITEM is
 * a judged launch. */
static bool is_after_checked_launches(const judge *j, const rec_item *item, bool judged)
{
    return (judged && j->standard.row >= j->checked) ||
           (j->work && section_has_reached_row(j->work, item, j->checked));
}

/* Repeat all records and judge the launches. Returns false if the replay cannot go on. */
static bool judge_recording(judge *j)
{
    const rec_item *item;
    replay_kernel k;
    if (!is_recorded_on_grading_device(j)) {
        write_table_row(j, "policy", "", 0, 0,
                        "it was recorded on another device than the one that grades");
        return true;
    }
    while ((item = replay_next_record(j->replay))) {
        if (j->work && !section_before_record(j->work, item))
            return false;
        const bool launch = item->kind == REC_launch && replay_describe_next_launch(j->replay, &k);
        if (launch && !program_has_ptx(&j->program, k.text, strlen(k.text))) {
            write_table_row(
                j, "policy", k.name, j->standard.row, 0,
                "its device code is not the code that the compiler made from the submitted source");
            return true;
        }
        char name[128] = "", *full = launch ? strdup(k.name) : NULL;
        const bool judged =
            launch &&
            rules_mention_kernel(&j->rules,
                                 kernel_name_in_rules(&j->rules, k.name, name, sizeof name)) &&
            !(j->work && section_includes_launch(j->work));
        if (launch && !full)
            return false;
        if (judged)
            k.name = name;
        bool good = !j->running || !is_series_over(j, item, judged ? &k : NULL, full) ||
                    finish_judged_launch(j);
        if (item->kind == REC_range && item->range.number == 1 && j->standard.write)
            write_table_row(j, "timed", "", j->standard.row, 0, "");
        if (judged) {
            go_to_row_of_launch(j);
        } else if (!j->preparing && !j->running && (launch || is_fill(item))) {
            good = good && begin_preparation(j, item, full);
            item = replay_next_record(j->replay);
        }
        if (!j->unchecked && is_after_checked_launches(j, item, judged || j->preparing)) {
            j->unchecked = true;
            replay_stop_checks(j->replay);
        }
        good = good && (judged ? judge_launch(j, &k) : repeat_other_record(j, item, full));
        free(full);
        if (!good || (j->work && !section_after_record(j->work)))
            return false;
    }
    return !j->running || finish_judged_launch(j);
}

/* Write the rows of the judged work. Returns its *COUNT times in ns, malloc'ed; the time of work
 * with a wrong result is NAN. */
static double *write_work_rows(judge *j, size_t *count)
{
    const char *policy = j->work ? section_order_error(j->work) : NULL;
    double *times = NULL;
    work_outcome w;
    if (policy)
        write_table_row(j, "policy", "", 0, 0, policy);
    for (*count = 0; j->work && section_judge_result(j->work, j->replay, *count, &w); ++*count) {
        double *more = realloc(times, (*count + 1) * sizeof *times);
        if (!more)
            break;
        times = more;
        times[*count] = *w.why ? NAN : w.ns;
        write_table_row(j, "launch", rules_first_with_role(&j->rules, RULE_WORK)->kernel, w.index,
                        w.ns, w.why);
        j->judged++;
    }
    return times;
}

/* Write the rows of checks that no launch shows: checks on the host and checks of times. */
static void write_check_rows(judge *j, const double *times, size_t count)
{
    for (size_t i = 0; i < j->rules.count; i++) {
        const judge_rule *r = &j->rules.row[i];
        if (r->role == RULE_HOST || r->role == RULE_TIMES) {
            write_table_row(j, "host", r->kernel, 0, 0, "");
        } else if (r->role == RULE_SHARE && count > 1 && r->parameter < count - 1) {
            const double percent = 100 * times[r->parameter] / times[r->parameter + 1];
            char sentence[128] = "";
            if (isnan(percent)) {
                snprintf(sentence, sizeof sentence, "the result of the timed work is wrong");
            } else if (!(percent <= r->tolerance)) {
                snprintf(sentence, sizeof sentence,
                         "it takes %.4g %% of the time; at most %g %% are allowed", percent,
                         r->tolerance);
            }
            write_table_row(j, "check", r->kernel, r->parameter, isnan(percent) ? 0 : percent,
                            sentence);
        }
    }
}

typedef struct judge_options {
    const char *program, *to, *write, *against, *checked, *key, *gpu;
} judge_options;

static const own_option judge_option_list[] = {
    {"program", OWN_TEXT, offsetof(judge_options, program), NULL},
    {"to", OWN_TEXT, offsetof(judge_options, to), NULL},
    {"write", OWN_TEXT, offsetof(judge_options, write), NULL},
    {"against", OWN_TEXT, offsetof(judge_options, against), NULL},
    {"checked", OWN_TEXT, offsetof(judge_options, checked), NULL},
    {"key", OWN_TEXT, offsetof(judge_options, key), NULL},
    {"gpu", OWN_TEXT, offsetof(judge_options, gpu), NULL},
    {0}};

/* Read the command line and open all files. W: storage for the writer of a transcript. Returns
 * false with a message in ERR. */
static bool read_options_and_open_files(judge *j, int argc, char **argv, transcript_writer *w,
                                        char *err, size_t cap)
{
    judge_options o = {0};
    bool help = false;
    snprintf(err, cap,
             "usage: warpbook-judge RULES RECORDING --program PROGRAM --write TRANSCRIPT | "
             "--against TRANSCRIPT --key TEXT --to TABLE [--checked N | --gpu N]");
    if (argc < 3 || !own_options_read("warpbook-judge", judge_option_list, argv + 3, &o, &help) ||
        help || !o.program || !o.to || !o.key || !o.write == !o.against)
        return false;
    j->standard.key = rec_digest_bytes(0, o.key, strlen(o.key));
    j->checked = o.checked ? strtoull(o.checked, NULL, 10) : UINT64_MAX;
    j->standard.write = o.write ? w : NULL;
    j->standard.rules = &j->rules;
    j->standard.against = o.write ? NULL : &j->against;
    if (!rules_read(argv[1], &j->rules, err, cap) ||
        !read_program_ptx(o.program, &j->program, err, cap))
        return false;
    snprintf(err, cap, "%s is not a usable transcript", o.write ? o.write : o.against);
    if (o.write ? !transcript_create(w, o.write) : !transcript_open(&j->against, o.against))
        return false;
    snprintf(err, cap, "%s cannot be written", o.to);
    j->table = fopen(o.to, "we");
    j->gpu = o.gpu;
    if (j->gpu)
        return j->table;
    /* What a submission did before it was killed is judged, so a recording may end early. */
    const replay_options how = {
        .counted = true, .races_between_ops = true, .most = {.unfinished = o.against}};
    j->replay = j->table ? replay_open(argv[2], &how, err, cap) : NULL;
    const judge_rule *work_rule = rules_first_with_role(&j->rules, RULE_WORK);
    if (j->replay && work_rule) {
        j->work = section_judge_open(argv[2], &how.most, work_rule, j->standard.key,
                                     j->standard.write, &j->against, err, cap);
    }
    return j->replay && (j->work || !work_rule);
}

/* Returns false if the results cannot be written. */
static bool close_files(judge *j)
{
    const bool written =
        !fclose(j->table) && (!j->standard.write || transcript_close(j->standard.write));
    transcript_unmap(&j->against);
    free_program_ptx(&j->program);
    rules_free(&j->rules);
    return written;
}

/* The exit status: that of gpu_judge, or 2 if the results cannot be written. */
static int judge_on_gpu(judge *j, const char *recording)
{
    char err[1024] = "";
    const gpu_judge_options spec = {.recording = recording,
                                    .standard = j->standard,
                                    .program = &j->program,
                                    .table = j->table,
                                    .times = strtol(j->gpu, NULL, 10)};
    const int status = gpu_judge(&spec, err, sizeof err);
    if (status)
        fprintf(stderr, "warpbook: %s\n", err);
    return close_files(j) || status ? status : 2;
}

int main(int argc, char **argv)
{
    judge j = {0};
    transcript_writer w = {0};
    char err[1024];
    if (!read_options_and_open_files(&j, argc, argv, &w, err, sizeof err)) {
        if (replay_address_was_taken())
            replay_restart_process(argv);
        fprintf(stderr, "warpbook: %s\n", err);
        return 2;
    }
    setvbuf(j.table, NULL, _IOLBF, 0); /* the rows are there also if the judge is killed */
    fputs("what\tkernel\tindex\tns\tsentence\n", j.table);
    if (j.gpu)
        return judge_on_gpu(&j, argv[2]);
    const bool good = judge_recording(&j);
    if (!good)
        fprintf(stderr, "warpbook: %s\n", replay_error(j.replay));
    size_t works;
    double *times = write_work_rows(&j, &works);
    write_check_rows(&j, times, works);
    free(times);
    write_table_row(&j, "end", "", j.judged,
                    (double)(j.standard.write ? j.judged : j.against.count), "");
    section_judge_close(j.work);
    replay_close(j.replay);
    return close_files(&j) && good ? 0 : 2;
}
