/* warpbook-replay: repeats a recording without the recorded program. `warpbook replay` starts this
 * program and has the same options. Exit status 0: all results are as recorded; 1: a result
 * differs, or a launch failed that succeeded in the recorded run; 2: the recording cannot be
 * repeated, or an option is wrong. */
#include "gpu.h"
#include "time_limit.h"
#include "tool.h"
#include "turns.h"

#include "../../base/own_options.h"
#include "../../cudart/core/repeat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Exit statuses of warpbook-replay. */
enum {
    EXIT_DIFFERS = 1, /* a result differs from the recorded one */
    EXIT_REFUSED = 2  /* the recording cannot be repeated, or an option is wrong */
};

#define MAX_LIMIT_SECONDS 1e6 /* largest value of --limit, in seconds */

typedef struct cli_options {
    const char *file, *outputs, *who, *profile, *rescue; /* options with a value; NULL: not given */
    uint64_t launches;                                   /* --launches; 0: all */
    bool list, list_all, quiet, gpu;                     /* options without a value */
} cli_options;

static const char usage[] =
    "usage: warpbook replay [OPTIONS] FILE\n"
    "\n"
    "Repeats a run that `warpbook exec --record FILE PROG` has kept, without the program, and "
    "says\n"
    "whether results, counters and modelled times are those of the recording.\n"
    "\n"
    "  --list                 print the operations instead; --list=all: every record\n"
    "  --who PLACE            say who wrote this byte last: an address, or N+OFFSET (of the N-th\n"
    "                         cudaMalloc), or VARIABLE+OFFSET\n"
    "  --outputs DIR          write what each copy to the host returned, and what each launch\n"
    "                         changed; DIR/index.tsv lists the files\n"
    "  --counters FILE        append the counters of each launch (WARPBOOK_COUNTERS)\n"
    "  --sanitize[=LIST]      look for mistakes: memory, race, init, sync (WARPBOOK_SANITIZE)\n"
    "  --profile              print what kernels and source lines cost, as exec --profile\n"
    "  --limit SECONDS        stop when a launch takes longer; else after 60 s (10 s if the "
    "recording\n"
    "                         says that it waited for others) and a million times its modelled "
    "time\n"
    "  --launches N           repeat only the first N launches\n"
    "  --device gpu           repeat it on a GPU instead, and measure each launch\n"
    "  --device-profile NAME  on another device profile; only results are compared then\n";

/* Print WHY as an error. Returns the exit status for a refusal. */
static int print_refusal(const char *why)
{
    fprintf(stderr, "warpbook: %s\n", why);
    return EXIT_REFUSED;
}

/* Turn on the checks in LIST that a replay can make. Checks of host errors are omitted: only the
 * program itself can make them. */
static bool set_sanitizers(void *into, const char *list, const char *file)
{
    (void)into, (void)file;
    return !setenv("WARPBOOK_SANITIZE", list && *list ? list : "race,init,sync,memory", 1);
}

static bool set_list(void *into, const char *which, const char *file)
{
    cli_options *w = into;
    (void)file;
    w->list = true;
    w->list_all = which != NULL;
    return !which || !strcmp(which, "all") ||
           !print_refusal("--list has no value, or is --list=all");
}

static bool set_device(void *into, const char *device, const char *file)
{
    (void)file;
    ((cli_options *)into)->gpu = !strcmp(device, "gpu");
    return !strcmp(device, "gpu") || !strcmp(device, "emulator") ||
           !print_refusal("--device must be emulator or gpu");
}

static bool set_limit(void *into, const char *text, const char *file)
{
    char *end;
    const double seconds = strtod(text, &end);
    (void)into, (void)file;
    if (!(seconds > 0 && seconds <= MAX_LIMIT_SECONDS) || *end)
        return !print_refusal("--limit must be a number of seconds, above 0 and at most a million");
    set_launch_time_limit(seconds);
    return true;
}

static bool set_launches(void *into, const char *text, const char *file)
{
    char *end;
    (void)file;
    ((cli_options *)into)->launches = strtoull(text, &end, 10);
    return (((cli_options *)into)->launches && !*end) ||
           !print_refusal("--launches must be a number of launches, from 1");
}

static bool set_counters(void *into, const char *path, const char *file)
{
    (void)into, (void)file;
    return !setenv("WARPBOOK_COUNTERS", path, 1);
}

static const own_option replay_option_list[] = {
    {"list", OWN_MAYBE, 0, set_list},
    {"quiet", OWN_FLAG, offsetof(cli_options, quiet), NULL},
    {"sanitize", OWN_MAYBE, 0, set_sanitizers},
    {"device", OWN_VALUE, 0, set_device},
    {"limit", OWN_VALUE, 0, set_limit},
    {"launches", OWN_VALUE, 0, set_launches},
    {"who", OWN_TEXT, offsetof(cli_options, who), NULL},
    {"outputs", OWN_TEXT, offsetof(cli_options, outputs), NULL},
    {"counters", OWN_VALUE, 0, set_counters},
    {"device-profile", OWN_TEXT, offsetof(cli_options, profile), NULL},
    /* used by `exec --record` when the program has ended early */
    {"rescue", OWN_TEXT, offsetof(cli_options, rescue), NULL},
    {0}};

static int read_options(char **words, cli_options *w)
{
    bool help = false;
    while ((words = own_options_read("replay", replay_option_list, words, w, &help)) && !help &&
           *words) {
        if (w->file)
            return print_refusal("replay takes one recording; warpbook replay --help says more");
        w->file = *words++;
    }
    if (help) {
        fputs(usage, stdout);
        exit(0);
    }
    return !words                 ? EXIT_REFUSED
           : w->file || w->rescue ? 0
                                  : print_refusal("replay needs a recording; warpbook replay "
                                                  "--help says more");
}

/* Restart this process if an address that the replay needs was in use: process addresses are
 * random, so a restart may find it free. */
static void restart_if_address_taken(char **argv)
{
    if (replay_address_was_taken() || gpu_address_was_taken())
        replay_restart_process(argv);
}

typedef struct record_counts {
    uint64_t launches, copies;     /* number of launches; number of copies and fills */
    uint64_t unsure;               /* number of warnings `unsure` in the recording */
    char first_unsure_reason[600]; /* text of the first of these warnings */
    bool ended_early;              /* the recorded program ended early */
} record_counts;

/* Add record I to the counts T. */
static void count_record(record_counts *t, const rec_item *i)
{
    t->launches += i->kind == REC_launch;
    t->copies += i->kind == REC_copy || i->kind == REC_fill || i->kind == REC_write;
    t->ended_early = t->ended_early || (i->kind == REC_end && i->end.cut);
    if (i->kind == REC_unsure && !t->unsure++)
        snprintf(t->first_unsure_reason, sizeof t->first_unsure_reason, "%s", i->unsure.text);
}

/* A copy of the lists and texts that a record points to: repeating the record reads on in the file
 * and invalidates them. */
typedef struct record_copy {
    uint64_t list[3][3]; /* elements of the record's lists, at most three of each */
    char text[600];      /* the record's text */
} record_copy;

/* Copy the elements of list L to TO, and let L point to them. */
static void copy_list_elements(rec_list *l, uint64_t to[3])
{
    const uint32_t n = l->count < 3 ? l->count : 3;
    if (n)
        memcpy(to, l->of, n * sizeof *to);
    *l = (rec_list){n, to};
}

/* Copy *TEXT to K, and let *TEXT point to the copy. */
static void copy_record_text(const char **text, record_copy *k)
{
    snprintf(k->text, sizeof k->text, "%s", *text);
    *text = k->text;
}

/* A copy of ITEM whose lists and texts lie in K. */
static rec_item copy_record(const rec_item *item, record_copy *k)
{
    rec_item to = *item;
    switch (to.kind) {
    case REC_copy:
        copy_list_elements(&to.copy.to, k->list[0]);
        copy_list_elements(&to.copy.from, k->list[1]);
        copy_list_elements(&to.copy.extent, k->list[2]);
        copy_record_text(&to.copy.call, k);
        break;
    case REC_fill:
        copy_list_elements(&to.fill.to, k->list[0]);
        copy_list_elements(&to.fill.extent, k->list[1]);
        copy_record_text(&to.fill.call, k);
        break;
    case REC_alloc: copy_record_text(&to.alloc.name, k); break;
    case REC_wrong: copy_record_text(&to.wrong.text, k); break;
    default: break;
    }
    return to;
}

/* Called when a launch exceeds its time limit: completes DIR/index.tsv. */
static void close_outputs_at_time_limit(void)
{
    close_output_files();
}

/* Repeat all records; who.c and outputs.c are called for each record. */
static replay_result repeat_all_records(replay *r, record_counts *t, char *err, size_t cap)
{
    replay_result is = REPLAY_DONE;
    while (is == REPLAY_DONE) {
        const rec_item *next = replay_next_record(r);
        replay_kernel k = {0};
        char name[300] = "";
        if (!next)
            return REPLAY_END;
        count_record(t, next);
        writer_before_record(r, next);
        if (next->kind == REC_launch && replay_describe_next_launch(r, &k))
            snprintf(name, sizeof name, "%s", k.name);
        record_copy room_for;
        const rec_item done = copy_record(next, &room_for);
        if (done.kind == REC_launch && !rt_replay_is_stepped())
            begin_launch_time_limit(r, name, close_outputs_at_time_limit);
        is = replay_repeat_next(r);
        if (!is_any_kernel_suspended())
            end_launch_time_limit();
        if (is == REPLAY_DONE) {
            writer_after_record(r, &done);
            if (!write_output_files(r, &done, name, err, cap))
                return REPLAY_FAILED;
        }
    }
    snprintf(err, cap, "%s", replay_error(r));
    return is;
}

/* Print whether all results were as recorded. Returns the exit status. */
static int print_conclusion(replay *r, const cli_options *w, const record_counts *t)
{
    const char *difference = replay_first_difference(r);
    if (t->unsure) {
        fprintf(stderr, "warpbook: the recorder warned: %s: a replay may differ\n",
                t->first_unsure_reason);
    }
    if (t->ended_early) {
        fprintf(stderr, "warpbook: the program ended early; its last operations are not in the "
                        "recording\n");
    }
    if (difference) {
        fprintf(stderr,
                "warpbook: %s (%" PRIu64 " of %" PRIu64 " comparisons differ)\n"
                "warpbook: the results of a kernel with a race between blocks are not "
                "deterministic: replay "
                "--sanitize=race looks for races\n",
                difference, replay_difference_count(r), replay_compared_count(r));
    } else if (!w->quiet) {
        printf("%" PRIu64 " launches and %" PRIu64
               " copies repeated on %s: all as recorded (%" PRIu64 " comparisons)\n",
               t->launches, t->copies, replay_device_name(r), replay_compared_count(r));
    }
    return difference ? EXIT_DIFFERS : 0;
}

static int replay_file(const cli_options *w, char **argv)
{
    char err[1200] = "";
    record_counts t = {0};
    /* A recording without counted accesses is counted where a table or a walk wants to know. */
    const replay_options o = {.profile = w->profile,
                              .races_between_ops = true,
                              .launches = w->launches,
                              .counted = getenv("WARPBOOK_COUNTERS") || rt_replay_is_stepped()};
    replay *r = replay_open(w->file, &o, err, sizeof err);
    if (!r) {
        restart_if_address_taken(argv);
        return print_refusal(err);
    }
    if ((w->who && !begin_writer_search(r, w->who, err, sizeof err)) ||
        (w->outputs && !open_output_files(w->outputs, err, sizeof err))) {
        replay_close(r);
        return print_refusal(err);
    }
    int status = EXIT_DIFFERS;
    if (repeat_all_records(r, &t, err, sizeof err) == REPLAY_FAILED)
        fprintf(stderr, "warpbook: %s\n", err);
    else
        status = print_conclusion(r, w, &t);
    if (w->who && !print_last_writer(stdout))
        status = status ? status : EXIT_DIFFERS;
    if (!close_output_files()) {
        fprintf(stderr, "warpbook: %s/index.tsv cannot be written\n", w->outputs);
        status = EXIT_DIFFERS;
    }
    replay_close(r);
    return status;
}

int main(int argc, char **argv)
{
    cli_options w = {0};
    char err[1200];
    (void)argc;
    const int wrong = read_options(argv + 1, &w);
    if (wrong)
        return wrong;
    if (w.rescue)
        return rec_rescue_file(w.rescue, err, sizeof err) ? 0 : print_refusal(err);
    if (w.list)
        return list_recording(w.file, w.list_all, stdout, err, sizeof err) ? 0 : print_refusal(err);
    if (w.gpu) {
        gpu_restart_with_fixed_addresses(replay_restart_count() > 0, argv);
        const int status = gpu_repeat(w.file, NULL, stdout, err, sizeof err);
        if (status) {
            restart_if_address_taken(argv);
            fprintf(stderr, "warpbook: %s\n", err);
        }
        return status;
    }
    return replay_file(&w, argv);
}
