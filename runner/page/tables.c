/* A page's parts from the emulator's tables: one replay of the recording writes them all. */
#include "page.h"

#include "../base/job.h"
#include "../base/json.h"
#include "../base/table.h"
#include "../judge/findings.h"
#include "../judge/why.h"
#include "../show/heat.h"
#include "../show/profile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum page_table {
    PAGE_COUNTERS,
    PAGE_LINES,
    PAGE_TIMELINE,
    PAGE_SOURCE,
    PAGE_HEAT,
    PAGE_REPORTS,
    PAGE_TABLE_COUNT
} page_table;

static const char *const table_variables[PAGE_TABLE_COUNT] = {
    "WARPBOOK_COUNTERS", "WARPBOOK_LINES", "WARPBOOK_TIMELINE",
    "WARPBOOK_SOURCE",   "WARPBOOK_HEAT",  "WARPBOOK_REPORTS"};

enum {
    REPLAY_LIMIT_S = 120, /* the longest time that the replay for the tables may take */
    MAX_HEAT_PIECES = 256 /* pieces of an array on a page, at most */
};

/* Names and meanings of the counters. */
static const struct {
    const char *name, *meaning;
} counter_words[] = {
#define COUNTER(field, name, meaning, group, sum) {name, meaning},
#include "../../emulator/counters/counters.def"
#undef COUNTER
};

static json_t *text_of(const table *t, size_t row, const char *column)
{
    return text_json(table_get(t, row, column));
}

/* --- launches and counters --- */

/* The rows of a table that belong to one launch: from FROM to the result. */
static size_t end_of_launch(const table *t, size_t from)
{
    size_t to = from;
    while (to < t->rows &&
           table_number_or(t, to, "launch", NAN) == table_number_or(t, from, "launch", NAN))
        to++;
    return to;
}

static size_t count_launches(const table *t)
{
    size_t n = 0;
    for (size_t row = 0; row < t->rows; row = end_of_launch(t, row))
        n++;
    return n;
}

/* Modelled microseconds of the launches, in their order; NAN: unknown. Their place in the time line
 * tells launches apart, where they begin in the order in which the program made them. */
static double *launch_times(const table *counters, const table *timeline)
{
    const size_t n = count_launches(counters);
    double *us = xmalloc((n + 1) * sizeof *us), last = -1;
    size_t found = 0;
    bool in_order = true;
    for (size_t row = 0; row < timeline->rows; row++) {
        if (!table_is(timeline, row, "kind", "kernel"))
            continue;
        const double start = table_number_or(timeline, row, "start_ns", NAN);
        in_order &= start >= last;
        last = start;
        if (found < n)
            us[found] = (table_number_or(timeline, row, "end_ns", NAN) - start) / 1e3;
        found++;
    }
    for (size_t i = 0; i < n; i++)
        if (!in_order || found != n)
            us[i] = NAN;
    return us;
}

static json_t *counters_of_launch(const table *t, size_t from, size_t to)
{
    json_t *list = json_array();
    for (size_t row = from; row < to; row++) {
        const char *name = table_get(t, row, "metric");
        const double value = table_number_or(t, row, "value", NAN);
        if (!name || !(value > 0))
            continue;
        const char *meaning = NULL;
        for (size_t i = 0; i < sizeof counter_words / sizeof *counter_words && !meaning; i++)
            if (strcmp(counter_words[i].name, name) == 0)
                meaning = counter_words[i].meaning;
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "name", text_json(name), "value",
                                              number_json(value), "meaning", text_json(meaning)));
    }
    return list;
}

static double counter_value(const table *t, size_t from, size_t to, const char *name)
{
    for (size_t row = from; row < to; row++)
        if (table_is(t, row, "metric", name))
            return table_number_or(t, row, "value", NAN);
    return 0;
}

/* Add the launches, and the counters of launch CHOSEN, or of the one that takes longest, which is
 * noted in FOUND. */
static void add_launches(json_t *run, const table *t, const double *us, long long chosen,
                         page_findings *found)
{
    json_t *list = json_array();
    double most = -1;
    size_t n = 0, shown_from = 0;
    for (size_t row = 0, to; row < t->rows; row = to, n++) {
        to = end_of_launch(t, row);
        const double work = counter_value(t, row, to, "ptx__inst_executed.sum");
        const double weight = isnan(us[n]) ? work : us[n] + work * 1e-9;
        const long long launch = (long long)table_number_or(t, row, "launch", NAN);
        if (chosen >= 0 ? launch == chosen : weight > most) {
            most = weight;
            found->busiest = launch;
            shown_from = row;
        }
        if (n < PAGE_MAX_ROWS)
            json_array_append_new(
                list, json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "launch", (json_int_t)launch,
                                "kernel", text_of(t, row, "kernel"), "grid",
                                text_of(t, row, "grid"), "block", text_of(t, row, "block"), "us",
                                number_json(us[n]), "instructions", number_json(work)));
    }
    if (n > PAGE_MAX_ROWS)
        page_note_omission(run, "%zu of %zu launches in the list of launches", n - PAGE_MAX_ROWS,
                           n);
    json_object_set_new(run, "launches", list);
    if (!t->rows)
        return;
    const size_t shown_to = end_of_launch(t, shown_from);
    json_object_set_new(run, "counters",
                        json_pack("{s:I, s:o}", "launch", (json_int_t)found->busiest, "rows",
                                  counters_of_launch(t, shown_from, shown_to)));
    const double work = counter_value(t, shown_from, shown_to, "ptx__model_warp_work.sum");
    found->excess =
        work > 0 ? counter_value(t, shown_from, shown_to, "ptx__model_warp_work_longest.sum") / work
                 : 1;
}

/* Note in FOUND the block and the warp that work longest in its launch; one that repeats another is
 * not in the table, which then has the other. */
static void find_longest_warp(const table *source, const table *counters, page_findings *found)
{
    size_t launch = 0;
    while (launch < counters->rows &&
           table_number_or(counters, launch, "launch", NAN) != (double)found->busiest)
        launch++;
    for (size_t row = 0; row < source->rows; row = end_of_launch(source, row)) {
        static const char *const same[] = {"kernel", "grid", "block"};
        bool is = launch < counters->rows;
        for (size_t i = 0; i < sizeof same / sizeof *same && is; i++) {
            const char *of = table_get(counters, launch, same[i]);
            is = of && table_is(source, row, same[i], of);
        }
        if (!is || table_number_or(source, row, "launch", NAN) > (double)found->busiest)
            continue;
        found->block = (long long)table_number_or(source, row, "longest_block", NAN);
        found->warp = (long long)table_number_or(source, row, "longest_warp", NAN);
    }
}

/* --- instructions and lines --- */

/* Add the instructions of the launch of each kernel in the table of sources that has most, or of
 * launch CHOSEN. */
static void add_instructions(json_t *run, const table *t, long long chosen)
{
    json_t *kernels = json_object();
    for (size_t from = 0, to; from < t->rows; from = to) {
        to = end_of_launch(t, from);
        const char *kernel = table_get(t, from, "kernel");
        const json_t *known = kernel ? json_object_get(kernels, kernel) : NULL;
        double sum = 0;
        for (size_t row = from; row < to; row++)
            sum += table_number_or(t, row, "executed", NAN);
        if (table_number_or(t, from, "launch", NAN) == (double)chosen)
            sum = INFINITY;
        if (!kernel || (known && json_real_value(json_object_get(known, "weight")) >= sum))
            continue;
        json_t *insns = json_array();
        for (size_t row = from; row < to && row < from + 4 * PAGE_MAX_ROWS; row++)
            json_array_append_new(
                insns, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "pc",
                                 number_json(table_number_or(t, row, "insn", NAN)), "ptx",
                                 text_of(t, row, "ptx"), "path", text_of(t, row, "path"), "line",
                                 number_json(table_number_or(t, row, "line", NAN)), "executed",
                                 number_json(table_number_or(t, row, "executed", NAN)), "lanes",
                                 number_json(table_number_or(t, row, "lanes", NAN)), "requests",
                                 number_json(table_number_or(t, row, "requests", NAN)), "cost",
                                 number_json(table_number_or(t, row, "cost", NAN)), "conflicts",
                                 number_json(table_number_or(t, row, "conflicts", NAN)), "share",
                                 number_json(table_number_or(t, row, "share", NAN))));
        const char *limit = table_get(t, from, "limit");
        json_t *entry =
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "launch",
                      number_json(table_number_or(t, from, "launch", NAN)), "grid",
                      text_of(t, from, "grid"), "block", text_of(t, from, "block"), "limit",
                      text_json(limit ? profile_limit_words(limit) : NULL), "weight",
                      json_real(isinf(sum) ? 1e300 : sum), "instructions", insns);
        json_object_set_new(kernels, kernel, entry);
    }
    json_object_set_new(run, "code", kernels);
}

/* Sums over the instructions of a line of a kernel. */
static void add_to_line(json_t *line, const json_t *insn)
{
    static const char *const sums[] = {"executed", "lanes",     "requests",
                                       "cost",     "conflicts", "share"};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        const json_t *v = json_object_get(insn, sums[i]);
        if (json_is_number(v))
            json_object_set_new(line, sums[i],
                                number_json(json_number_value(json_object_get(line, sums[i])) +
                                            json_number_value(v)));
    }
}

/* Add the margin of the code: for each kernel its lines with their sums. */
static void add_margin(json_t *run)
{
    json_t *margin = json_array();
    const char *kernel;
    json_t *code;
    json_object_foreach(json_object_get(run, "code"), kernel, code) {
        size_t i;
        json_t *insn, *lines = json_object(), *line;
        json_object_del(code, "weight");
        json_array_foreach(json_object_get(code, "instructions"), i, insn) {
            const char *path = member_text(insn, "path");
            OWNED char *key =
                xprintf("%lld %s", (long long)json_number_value(json_object_get(insn, "line")),
                        path ? path : "");
            if (!(line = json_object_get(lines, key))) {
                line =
                    json_pack("{s:o, s:O, s:O}", "kernel", text_json(kernel), "path",
                              json_object_get(insn, "path"), "line", json_object_get(insn, "line"));
                json_object_set_new(lines, key, line);
                json_array_append(margin, line);
            }
            add_to_line(line, insn);
        }
        json_decref(lines);
    }
    json_object_set_new(run, "margin", margin);
}

/* --- the rest --- */

static void add_timeline(json_t *run, const table *t)
{
    json_t *rows = json_array();
    for (size_t row = 0; row < t->rows && row < PAGE_MAX_ROWS; row++)
        json_array_append_new(
            rows, json_pack("{s:o, s:o, s:o, s:o, s:o}", "stream", text_of(t, row, "stream"),
                            "kind", text_of(t, row, "kind"), "name", text_of(t, row, "name"),
                            "start_us", number_json(table_number_or(t, row, "start_ns", NAN) / 1e3),
                            "end_us", number_json(table_number_or(t, row, "end_ns", NAN) / 1e3)));
    if (t->rows > PAGE_MAX_ROWS)
        page_note_omission(run, "%zu of %zu operations in the time line, the last ones",
                           t->rows - PAGE_MAX_ROWS, t->rows);
    json_object_set_new(run, "timeline", rows);
}

static void add_heat(json_t *run, const char *path)
{
    heat_table h;
    json_t *maps = json_array();
    const bool read = heat_read(&h, path);
    for (size_t i = 0; read && i < h.count; i++) {
        const heat_map *m = &h.maps[i];
        json_t *pieces = json_array();
        for (size_t k = 0; k < m->count && k < MAX_HEAT_PIECES; k++)
            json_array_append_new(pieces,
                                  json_pack("[o, o, o, o]", number_json(m->pieces[k].offset),
                                            number_json(requests_per_sector(&m->pieces[k])),
                                            number_json(m->pieces[k].fetched),
                                            number_json(m->pieces[k].written)));
        OWNED char *says = describe_heat(m);
        json_array_append_new(maps, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel",
                                              text_json(m->kernel), "memory", text_json(m->memory),
                                              "launch", number_json(m->launch), "size",
                                              number_json(m->size), "piece", number_json(m->piece),
                                              "says", text_json(says), "pieces", pieces));
        if (m->count > MAX_HEAT_PIECES)
            page_note_omission(run, "%zu of %zu pieces in the heat map of %s of %s",
                               m->count - MAX_HEAT_PIECES, m->count, m->memory, m->kernel);
    }
    if (read)
        heat_free(&h);
    json_object_set_new(run, "heat", maps);
}

/* What the counters show, in sentences; takes the two tables. */
static void add_reasons(json_t *run, table *counters, table *lines)
{
    CLEANUP(verdict_free) verdict v = {.counters = counters, .lines = lines};
    json_t *list = json_array();
    explain_verdict(&v, &v.memory);
    for (size_t i = 0; i < v.why_count; i++)
        json_array_append_new(list, text_json(v.why[i]));
    json_object_set_new(run, "why", list);
}

replay_command page_replay_command(installation *h, const char *recording,
                                   const page_choice *choice)
{
    replay_command c = {{installation_tool(h, "warpbook-replay"), recording}};
    if (choice->launches >= 0) {
        c.argv[2] = "--launches";
        c.argv[3] = arena_printf(&h->memory, "%lld", choice->launches);
    }
    return c;
}

/* Repeat the recording; the tables are written to FILE. False: a message was printed. */
static bool replay_for_tables(installation *h, const char *recording, const page_choice *choice,
                              char *const file[PAGE_TABLE_COUNT])
{
    const replay_command command = page_replay_command(h, recording, choice);
    char *env[PAGE_TABLE_COUNT + 4];
    size_t n = 0;
    for (int i = 0; i < PAGE_TABLE_COUNT; i++)
        env[n++] = xprintf("%s=%s", table_variables[i], file[i]);
    const size_t own = n;
    env[n++] = without_const("WARPBOOK_STEP");
    env[n++] = without_const(PAGE_SANITIZE);
    env[n] = NULL;
    int code = 0;
    job *j = job_start(&(job_spec){
        .argv = command.argv, .env = (const char *const *)env, .limit_s = REPLAY_LIMIT_S});
    while (!job_poll(j, 100))
        ;
    const job_end how = job_outcome(j, &code);
    /* A run that ends with a fault is repeated with it, and the tables show what was before. */
    const bool good = how == JOB_EXITED && (code == 0 || code == 1);
    if (how == JOB_TIMEOUT)
        fprintf(stderr,
                "warpbook: %s takes longer than %d s to repeat: record less of the program\n",
                recording, REPLAY_LIMIT_S);
    else if (!good)
        fprintf(stderr, "warpbook: %s cannot be repeated: %s\n", recording, job_output(j, NULL));
    job_free(j);
    for (size_t i = 0; i < own; i++)
        free(env[i]);
    return good;
}

static table *read_table(const char *path)
{
    table *t = table_read(path);
    return t ? t : table_parse("");
}

static void add_profile(json_t *run, char *const file[PAGE_TABLE_COUNT], const char *recording)
{
    profile p;
    profile_read(&p, file[PAGE_COUNTERS], file[PAGE_LINES], file[PAGE_TIMELINE], recording);
    json_auto_t *all = profile_json(&p);
    json_object_set(run, "kernels", json_object_get(all, "kernels"));
    profile_free(&p);
}

/* True: the table of reports names a mistake. */
static bool has_reports(const char *path)
{
    CLEANUP(arena_free) arena a = {0};
    const findings f = findings_read(&a, path);
    return findings_first_mistake(&f) != NULL;
}

/* True: the program found a wrong value, as the recording says. */
static bool has_wrong_value(installation *h, const char *recording)
{
    const char *argv[] = {installation_tool(h, "warpbook-replay"), "--list", recording, NULL};
    job *j =
        job_start(&(job_spec){.argv = argv, .limit_s = REPLAY_LIMIT_S, .output_cap = 64 << 20});
    while (!job_poll(j, 100))
        ;
    const bool any = strstr(job_output(j, NULL), "the program found a wrong value") != NULL;
    job_free(j);
    return any;
}

bool page_add_tables(installation *h, json_t *run, const char *recording, const page_choice *choice,
                     page_findings *found)
{
    scratch_dir dir;
    char *file[PAGE_TABLE_COUNT];
    if (!make_scratch_directory(&dir, "page")) {
        fprintf(stderr, "warpbook: cannot make the directory %s: %s; set TMPDIR\n", dir.path,
                strerror(errno));
        remove_scratch_directory(&dir);
        return false;
    }
    for (int i = 0; i < PAGE_TABLE_COUNT; i++)
        file[i] = xprintf("%s/%s", dir.path, table_variables[i]);
    bool good = replay_for_tables(h, recording, choice, file);
    if (good) {
        table *counters = read_table(file[PAGE_COUNTERS]),
              *timeline = read_table(file[PAGE_TIMELINE]);
        OWNED_TABLE table *source = read_table(file[PAGE_SOURCE]);
        OWNED double *us = launch_times(counters, timeline);
        add_launches(run, counters, us, choice->launch, found);
        find_longest_warp(source, counters, found);
        add_instructions(run, source, found->busiest);
        add_margin(run);
        add_timeline(run, timeline);
        add_heat(run, file[PAGE_HEAT]);
        add_profile(run, file, recording);
        if (source->rows)
            page_add_roofline(run, table_number_or(source, 0, "memory_gbs", NAN),
                              table_number_or(source, 0, "most_f32_gflops", NAN));
        add_reasons(run, counters, read_table(file[PAGE_LINES]));
        found->has_mistakes = has_reports(file[PAGE_REPORTS]) || has_wrong_value(h, recording);
        table_free(timeline);
        good = found->busiest >= 0;
        if (!good && choice->launch >= 0)
            fprintf(stderr, "warpbook: the run has no launch %lld\n", choice->launch);
        else if (!good)
            fputs("warpbook: the run launches no kernel, so there is nothing to show\n", stderr);
    }
    for (int i = 0; i < PAGE_TABLE_COUNT; i++)
        free(file[i]);
    remove_scratch_directory(&dir);
    return good;
}
