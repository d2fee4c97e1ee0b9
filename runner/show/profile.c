#include "profile.h"

#include "../base/files.h"
#include "../base/json.h"
#include "../base/table.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCE_BYTES = 4 << 20 }; /* largest source file that is read */

/* A pass over shared memory or the constant cache moves 128 bytes, as much as four sectors. */
enum { SECTORS_PER_PASS = 4 }; /* 32-byte sectors that cost as much as a pass */

/* --- kernels --- */

static kernel_row *find_or_add_kernel(profile *p, const char *name)
{
    /* Search from the last kernel on: rows of one launch follow each other. */
    static const size_t none = (size_t)-1;
    size_t found = none;
    for (size_t i = p->kernel_count; i > 0 && found == none; i--)
        if (strcmp(p->kernels[i - 1].name, name) == 0)
            found = i - 1;
    if (found != none)
        return &p->kernels[found];
    kernel_row *k = ARENA_PUSH(&p->memory, p->kernels, p->kernel_count);
    *k = (kernel_row){.name = arena_strdup(&p->memory, name), .ms = NAN};
    return k;
}

/* The field of kernel_row to which each counter is added; counters with `_` are not used. */
static const struct {
    const char *counter; /* name of the counter */
    size_t column;       /* offset in kernel_row, or NO_COLUMN */
} sums[] = {
#define NO_COLUMN                                 SIZE_MAX  /* the counter is not used */
#define COLUMN__                                  NO_COLUMN /* counters with `_` are not used */
#define COLUMN_requests                           offsetof(kernel_row, requests)
#define COLUMN_sectors                            offsetof(kernel_row, sectors)
#define COLUMN_conflicts                          offsetof(kernel_row, conflicts)
#define COLUMN_branches                           offsetof(kernel_row, branches)
#define COLUMN_divergent                          offsetof(kernel_row, divergent)
#define COLUMN_instructions                       offsetof(kernel_row, instructions)
#define COLUMN_lanes                              offsetof(kernel_row, lanes)
#define COLUMN_flops                              offsetof(kernel_row, flops)
#define COLUMN_bytes                              offsetof(kernel_row, bytes)
#define COUNTER(field, name, meaning, group, sum) {name, COLUMN_##sum},
#include "../../emulator/counters/counters.def"
#undef COUNTER
};

static void read_counters(profile *p, const char *path)
{
    table_reader r;
    char *launch = xstrdup("");
    table_open(&r, path);
    while (table_next(&r)) {
        kernel_row *k = find_or_add_kernel(p, table_field(&r, "kernel"));
        const char *counter = table_field(&r, "metric");
        if (strcmp(table_field(&r, "launch"), launch) != 0) {
            k->launches++;
            free(launch);
            launch = xstrdup(table_field(&r, "launch"));
        }
        for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
            if (sums[i].column != NO_COLUMN && strcmp(sums[i].counter, counter) == 0) {
                double *sum = (void *)((char *)k + sums[i].column);
                *sum += table_value(&r, "value");
            }
    }
    free(launch);
    table_close(&r);
}

static void read_timeline(profile *p, const char *path)
{
    table_reader r;
    table_open(&r, path);
    while (table_next(&r)) {
        if (strcmp(table_field(&r, "kind"), "kernel") != 0)
            continue;
        kernel_row *k = find_or_add_kernel(p, table_field(&r, "name"));
        k->ms = (isnan(k->ms) ? 0 : k->ms) +
                (table_value(&r, "end_ns") - table_value(&r, "start_ns")) / 1e6;
    }
    table_close(&r);
}

/* --- source lines --- */

static bool is_same_access(const line_cost *l, const table_reader *r, int line)
{
    /* For the reader, ld.global.f32 and ld.global.v4.f32 on one line are the same access. */
    const char *op = table_field(r, "op");
    size_t n = strcspn(op, ".");
    return l->line == line && strncmp(l->op, op, n) == 0 && l->op[n] == op[n] &&
           strcmp(l->space, table_field(r, "space")) == 0 &&
           strcmp(l->kernel, table_field(r, "kernel")) == 0 &&
           strcmp(l->path, table_field(r, "path")) == 0 &&
           strcmp(l->file, table_field(r, "file")) == 0;
}

static line_cost *find_or_add_line(profile *p, const table_reader *r)
{
    int line = (int)table_value(r, "line");
    arena *a = &p->memory;
    for (size_t i = 0; i < p->line_count; i++)
        if (is_same_access(&p->lines[i], r, line))
            return &p->lines[i];
    line_cost *l = ARENA_PUSH(a, p->lines, p->line_count);
    *l = (line_cost){
        .kernel = arena_strdup(a, table_field(r, "kernel")),
        .file = arena_strdup(a, table_field(r, "file")),
        .path = arena_strdup(a, table_field(r, "path")),
        .line = line,
        .op = arena_strdup(a, table_field(r, "op")),
        .space = arena_strdup(a, table_field(r, "space")),
    };
    return l;
}

static bool is_cost_in_passes(const char *space)
{
    return strcmp(space, "shared") == 0 || strcmp(space, "const") == 0;
}

static void read_line_costs(profile *p, const char *path)
{
    table_reader r;
    table_open(&r, path);
    while (table_next(&r)) {
        line_cost *l = find_or_add_line(p, &r);
        l->requests += table_value(&r, "requests");
        l->sectors += table_value(&r, "sectors");
        l->ideal += table_value(&r, "ideal");
        l->conflicts += table_value(&r, "conflicts");
    }
    for (size_t i = 0; i < p->line_count; i++) {
        line_cost *l = &p->lines[i];
        l->cost = l->sectors * (is_cost_in_passes(l->space) ? SECTORS_PER_PASS : 1);
        p->cost += l->cost;
    }
    table_close(&r);
}

/* The path at which the source file exists: PATH, else FILE in the program's directory, else FILE
 * in the current directory. The caller frees it. */
static char *find_source(const char *path, const char *file, const char *program)
{
    if (*path && file_exists(path))
        return xstrdup(path);
    const char *slash = strrchr(program, '/');
    char *beside = xprintf("%.*s%s", slash ? (int)(slash - program) + 1 : 0, program, file);
    if (file_exists(beside))
        return beside;
    free(beside);
    return xstrdup(file);
}

char *profile_read_source(profile *p, const char *path, const char *file, const char *program)
{
    char *place = find_source(path, file, program), *text = NULL;
    if (file_is_newer(place, program))
        p->newer_source = arena_strdup(&p->memory, place);
    else
        text = read_whole_file(place, MAX_SOURCE_BYTES, NULL);
    free(place);
    return text;
}

const char *trimmed_source_line(arena *a, const char *source, int n)
{
    const char *line = NULL;
    size_t len = 0;
    for (int k = 0; k < n && (line = next_line(&source, &len)); k++)
        ;
    return line && n > 0 ? strip(arena_strndup(a, line, len)) : NULL;
}

static void read_source_lines(profile *p, const char *program)
{
    for (size_t i = 0; i < p->line_count; i++) {
        line_cost *l = &p->lines[i];
        if (l->line <= 0 || !*l->file || l->text)
            continue;
        OWNED char *source = profile_read_source(p, l->path, l->file, program);
        /* Fill in all lines of the current file, so that each file is read once. */
        for (size_t j = i; source && j < p->line_count; j++) {
            line_cost *m = &p->lines[j];
            if (strcmp(m->path, l->path) == 0 && strcmp(m->file, l->file) == 0 && m->line > 0)
                m->text = trimmed_source_line(&p->memory, source, m->line);
        }
    }
}

/* --- order --- */

static int compare_by_time(const void *x, const void *y)
{
    const kernel_row *a = x, *b = y;
    double s = isnan(a->ms) ? 0 : a->ms, t = isnan(b->ms) ? 0 : b->ms;
    return s != t ? (s > t ? -1 : 1) : strcmp(a->name, b->name);
}

static int compare_by_cost(const void *x, const void *y)
{
    const line_cost *a = x, *b = y;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    int order = strcmp(a->kernel, b->kernel);
    return order ? order : a->line != b->line ? a->line - b->line : strcmp(a->op, b->op);
}

void profile_read(profile *p, const char *counters, const char *lines, const char *timeline,
                  const char *program)
{
    *p = (profile){0};
    read_counters(p, counters);
    read_timeline(p, timeline);
    read_line_costs(p, lines);
    read_source_lines(p, program);
    if (p->kernel_count)
        qsort(p->kernels, p->kernel_count, sizeof *p->kernels, compare_by_time);
    if (p->line_count)
        qsort(p->lines, p->line_count, sizeof *p->lines, compare_by_cost);
}

void profile_free(profile *p)
{
    arena_free(&p->memory);
    *p = (profile){0};
}

/* --- text --- */

const char *profile_format_count(double v, char *buf, size_t size)
{
    static const char units[] = " kMGT";
    size_t u = 0;
    if (v < 99999.5) {
        snprintf(buf, size, "%.0f", v);
        return buf;
    }
    for (; v >= 999.5 && u + 2 < sizeof units; u++)
        v /= 1000;
    snprintf(buf, size, "%.3g%c", v, units[u]);
    return buf;
}

static const char *format_quotient(double a, double b, const char *format, char *buf, size_t size)
{
    if (b > 0)
        snprintf(buf, size, format, a / b);
    else
        snprintf(buf, size, "-");
    return buf;
}

static void print_kernels(FILE *f, const profile *p)
{
    enum { MIN_WIDTH = 12, MAX_WIDTH = 30 };
    size_t width = MIN_WIDTH;
    double all = 0;
    for (size_t i = 0; i < p->kernel_count; i++) {
        size_t n = strlen(p->kernels[i].name);
        width = n > width ? n : width;
        all += isnan(p->kernels[i].ms) ? 0 : p->kernels[i].ms;
    }
    width = width > MAX_WIDTH ? MAX_WIDTH : width;
    fprintf(f, "  %-*s %8s %9s %5s %8s %8s %7s %9s %9s\n", (int)width, "kernel", "launches", "ms",
            "%", "requests", "sectors", "each", "conflicts", "divergent");
    for (size_t i = 0; i < p->kernel_count; i++) {
        const kernel_row *k = &p->kernels[i];
        char b[8][32];
        if (strlen(k->name) > width) /* a long name, such as a template's, goes on its own line */
            fprintf(f, "  %s\n  %-*s", k->name, (int)width, "");
        else
            fprintf(f, "  %-*s", (int)width, k->name);
        if (isnan(k->ms))
            snprintf(b[0], sizeof b[0], "-");
        else
            snprintf(b[0], sizeof b[0], "%.4g", k->ms);
        fprintf(f, " %8s %9s %5s %8s %8s %7s %9s %9s\n",
                profile_format_count(k->launches, b[1], sizeof b[1]), b[0],
                format_quotient(isnan(k->ms) ? 0 : 100 * k->ms, all, "%.0f", b[2], sizeof b[2]),
                profile_format_count(k->requests, b[3], sizeof b[3]),
                profile_format_count(k->sectors, b[4], sizeof b[4]),
                format_quotient(k->sectors, k->requests, "%.1f", b[5], sizeof b[5]),
                profile_format_count(k->conflicts, b[6], sizeof b[6]),
                format_quotient(100 * k->divergent, k->branches, "%.0f %%", b[7], sizeof b[7]));
    }
}

static const char *cost_unit(const line_cost *l)
{
    return strcmp(l->space, "shared") == 0  ? "passes"
           : strcmp(l->space, "const") == 0 ? "addresses"
                                            : "sectors";
}

static void print_line(FILE *f, const profile *p, const line_cost *l)
{
    char have[32], want[32];
    fprintf(f, "  %3.0f %%  ", 100 * l->cost / p->cost);
    if (l->line > 0)
        fprintf(f, "%s:%d", l->file, l->line);
    else
        fputs("(no line)", f);
    fprintf(f, "  %s  %s: ", l->kernel, l->op);
    format_quotient(l->sectors, l->requests, "%.1f", have, sizeof have);
    /* Lowest cost: for shared memory the passes without conflicts, for a constant load one pass. */
    double ideal = strcmp(l->space, "shared") == 0  ? l->sectors - l->conflicts
                   : strcmp(l->space, "const") == 0 ? l->requests
                                                    : l->ideal;
    format_quotient(ideal, l->requests, "%.1f", want, sizeof want);
    fprintf(f, "%s %s each", have, cost_unit(l));
    if (strcmp(have, want) != 0)
        fprintf(f, ", %s would do", want);
    putc('\n', f);
    if (l->text)
        fprintf(f, "         | %.*s\n", (int)utf8_fit(l->text, strlen(l->text), 86), l->text);
}

void profile_print(FILE *f, const profile *p, size_t most)
{
    print_kernels(f, p);
    if (p->line_count == 0 || p->cost <= 0)
        return;
    fputs("\n  The lines with the most expensive memory accesses, and their share of all sectors; "
          "a pass "
          "over shared memory counts as 4\n",
          f);
    size_t shown = 0;
    for (; shown < p->line_count && shown < most; shown++)
        print_line(f, p, &p->lines[shown]);
    if (shown < p->line_count)
        fprintf(f, "  and %zu more; --json has all\n", p->line_count - shown);
    if (p->newer_source)
        fprintf(f,
                "  %s was changed after the program was built: build it again to see its lines\n",
                p->newer_source);
    bool bare = true;
    for (size_t i = 0; i < p->line_count; i++)
        bare &= p->lines[i].line <= 0;
    if (bare)
        fputs("  Build it with -lineinfo to see which lines these are.\n", f);
}

const char *profile_limit_words(const char *limit)
{
    static const char *const list[][2] = {
        {"dram", "the bandwidth of DRAM"},
        {"l2", "the bandwidth of L2"},
        {"l1", "passes over L1"},
        {"shared", "passes over shared memory"},
        {"constant", "the constant cache"},
        {"issue", "the issue of instructions"},
        {"tensor", "the tensor cores"},
        {"barrier", "arrivals at barriers"},
        {"dispatch", "the start of blocks"},
        {"atomics", "atomic operations"},
        {"passages", "blocks that wait for each other, one after another"},
        {"latency", "latency: too few warps hide it"},
        {"uneven", "blocks or warps with more work"},
        {"launch", "the launch itself"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(list[i][0], limit) == 0)
            return list[i][1];
    return limit;
}

/* --- JSON --- */

void *profile_json(const profile *p)
{
    json_t *kernels = json_array(), *lines = json_array();
    for (size_t i = 0; i < p->kernel_count; i++) {
        const kernel_row *k = &p->kernels[i];
        json_array_append_new(
            kernels,
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                      nonempty_json(k->name), "launches", number_json(k->launches), "modelled_ms",
                      number_json(k->ms), "requests", number_json(k->requests), "sectors",
                      number_json(k->sectors), "sectors_per_request",
                      number_json(k->requests > 0 ? k->sectors / k->requests : NAN),
                      "bank_conflicts", number_json(k->conflicts), "branches",
                      number_json(k->branches), "divergent_branches", number_json(k->divergent),
                      "instructions", number_json(k->instructions), "lanes_per_instruction",
                      number_json(k->instructions > 0 ? k->lanes / k->instructions : NAN),
                      "flops_per_byte", number_json(k->bytes > 0 ? k->flops / k->bytes : NAN),
                      "gflops", number_json(k->ms > 0 ? k->flops / k->ms / 1e6 : NAN)));
    }
    for (size_t i = 0; i < p->line_count; i++) {
        const line_cost *l = &p->lines[i];
        json_array_append_new(
            lines, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                             "kernel", nonempty_json(l->kernel), "file", nonempty_json(l->file),
                             "path", nonempty_json(l->path), "line", line_json(l->line), "text",
                             nonempty_json(l->text), "op", nonempty_json(l->op), "space",
                             nonempty_json(l->space), "requests", number_json(l->requests),
                             "sectors", number_json(l->sectors), "ideal", number_json(l->ideal),
                             "conflicts", number_json(l->conflicts), "share",
                             number_json(p->cost > 0 ? l->cost / p->cost : NAN)));
    }
    return json_pack("{s:o, s:o}", "kernels", kernels, "lines", lines);
}
