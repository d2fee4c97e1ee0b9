#include "source_view.h"

#include "../base/json.h"
#include "../base/table.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MAX_TABLE_BYTES = 128 << 20, /* larger tables of instructions are not read */
    MAX_COLUMNS = 98,            /* width of the printed text */
};

/* --- reading ---------------------------------------------------------------------------------- */

static const char *text_field(const table *t, size_t row, const char *column)
{
    const char *s = table_get(t, row, column);
    return s ? s : "";
}

static source_kernel *find_or_add_kernel(source_view *v, const char *name)
{
    for (size_t i = 0; i < v->count; i++)
        if (strcmp(v->kernels[i].name, name) == 0)
            return &v->kernels[i];
    source_kernel *k = ARENA_PUSH(&v->memory, v->kernels, v->count);
    *k = (source_kernel){.name = arena_strdup(&v->memory, name), .launch = -1};
    return k;
}

static void read_launch(source_view *v, const table *t, size_t from, size_t to)
{
    arena *a = &v->memory;
    source_kernel *k = find_or_add_kernel(v, text_field(t, from, "kernel"));
    k->launch = table_number_or(t, from, "launch", -1);
    k->grid = arena_strdup(a, text_field(t, from, "grid"));
    k->block = arena_strdup(a, text_field(t, from, "block"));
    k->limit = arena_strdup(a, text_field(t, from, "limit"));
    k->insns = arena_alloc(a, (to - from) * sizeof *k->insns);
    k->count = to - from;
    for (size_t row = from; row < to; row++)
        k->insns[row - from] = (source_insn){.ptx = arena_strdup(a, text_field(t, row, "ptx")),
                                             .line = (int)table_number_or(t, row, "line", 0),
                                             .file = arena_strdup(a, text_field(t, row, "file")),
                                             .path = arena_strdup(a, text_field(t, row, "path")),
                                             .executed = table_number_or(t, row, "executed", 0),
                                             .lanes = table_number_or(t, row, "lanes", 0),
                                             .requests = table_number_or(t, row, "requests", 0),
                                             .cost = table_number_or(t, row, "cost", 0),
                                             .conflicts = table_number_or(t, row, "conflicts", 0),
                                             .share = table_number_or(t, row, "share", NAN)};
}

static double executed_by_launch(const source_kernel *k)
{
    double sum = 0;
    for (size_t i = 0; i < k->count; i++)
        sum += k->insns[i].executed;
    return sum;
}

static void read_rows(source_view *v, const table *t)
{
    for (size_t from = 0, to; from < t->rows; from = to) {
        double launch = table_number_or(t, from, "launch", -1), sum = 0;
        for (to = from; to < t->rows && table_number_or(t, to, "launch", -1) == launch; to++)
            sum += table_number_or(t, to, "executed", 0);
        if (launch >= 0 &&
            sum > executed_by_launch(find_or_add_kernel(v, text_field(t, from, "kernel"))))
            read_launch(v, t, from, to);
    }
}

static void read_source_lines(source_view *v, profile *p, const char *program)
{
    for (size_t i = 0; i < v->count; i++) {
        source_kernel *k = &v->kernels[i];
        for (size_t j = 0; j < k->count; j++) {
            source_insn *in = &k->insns[j];
            if (in->line <= 0 || in->text)
                continue;
            OWNED char *source = profile_read_source(p, in->path, in->file, program);
            for (size_t n = j; source && n < k->count; n++)
                if (k->insns[n].line > 0 && strcmp(k->insns[n].file, in->file) == 0 &&
                    strcmp(k->insns[n].path, in->path) == 0)
                    k->insns[n].text = trimmed_source_line(&v->memory, source, k->insns[n].line);
        }
    }
}

void source_view_read(source_view *v, const char *path, profile *p, const char *program)
{
    struct stat st;
    *v = (source_view){0};
    v->too_large = stat(path, &st) == 0 && st.st_size > MAX_TABLE_BYTES;
    OWNED_TABLE table *t = v->too_large ? NULL : table_read(path);
    if (t)
        read_rows(v, t);
    read_source_lines(v, p, program);
}

void source_view_free(source_view *v)
{
    arena_free(&v->memory);
    *v = (source_view){0};
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_share(FILE *f, double share)
{
    if (isnan(share))
        fputs("      -", f);
    else
        fprintf(f, "  %3.0f %%", 100 * share);
}

/* Print an instruction's columns: executions, active lanes, cost per request, conflicts. */
static void print_insn_columns(FILE *f, const source_insn *in)
{
    char number[32];
    fprintf(f, " %9s %5.3g", profile_format_count(in->executed, number, sizeof number),
            in->executed > 0 ? in->lanes / in->executed : 0);
    if (in->requests > 0)
        fprintf(f, " %6.3g %9s", in->cost / in->requests,
                profile_format_count(in->conflicts, number, sizeof number));
    else
        fprintf(f, " %6s %9s", "-", "-");
}

/* The sums over all instructions of a source line. */
static source_insn sum_of_source_line(const source_kernel *k, size_t first)
{
    source_insn sum = k->insns[first];
    for (size_t i = first + 1; i < k->count; i++) {
        const source_insn *in = &k->insns[i];
        if (in->line != sum.line || strcmp(in->file, sum.file) != 0)
            continue;
        sum.executed += in->executed;
        sum.lanes += in->lanes;
        sum.requests += in->requests;
        sum.cost += in->cost;
        sum.conflicts += in->conflicts;
        sum.share += in->share;
    }
    return sum;
}

static bool is_first_of_line(const source_kernel *k, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (k->insns[i].line == k->insns[at].line &&
            strcmp(k->insns[i].file, k->insns[at].file) == 0)
            return false;
    return true;
}

static void print_line(FILE *f, const source_kernel *k, size_t first)
{
    enum { TEXT_COLUMNS = MAX_COLUMNS - 46 };
    source_insn sum = sum_of_source_line(k, first);
    print_share(f, sum.share);
    print_insn_columns(f, &sum);
    if (sum.line > 0)
        fprintf(f, "  %s:%d", sum.file, sum.line);
    else
        fputs("  (no line)", f);
    if (sum.text)
        fprintf(f, " | %.*s", (int)utf8_fit(sum.text, strlen(sum.text), TEXT_COLUMNS), sum.text);
    putc('\n', f);
    for (size_t i = first; i < k->count; i++) {
        const source_insn *in = &k->insns[i];
        if (in->line != sum.line || strcmp(in->file, sum.file) != 0)
            continue;
        print_share(f, in->share);
        print_insn_columns(f, in);
        fprintf(f, "      %.*s\n", (int)utf8_fit(in->ptx, strlen(in->ptx), TEXT_COLUMNS), in->ptx);
    }
}

bool source_view_print(FILE *f, const source_view *v, const char *name)
{
    bool any = false;
    if (v->too_large)
        fputs("\n  The table of instructions is too large to be shown: launch fewer kernels.\n", f);
    for (size_t i = 0; i < v->count; i++) {
        const source_kernel *k = &v->kernels[i];
        if (name && strcmp(name, k->name) != 0)
            continue;
        any = true;
        fprintf(f,
                "\n  %s, launch %.0f: %s blocks of %s threads; modelled, limited by %s\n"
                "  share  executed lanes   cost conflicts  (cost of a request: sectors, passes, "
                "addresses)\n",
                k->name, k->launch, k->grid, k->block, profile_limit_words(k->limit));
        /* Print source lines in the order of their first instruction. */
        for (size_t n = 0; n < k->count; n++)
            if (is_first_of_line(k, n))
                print_line(f, k, n);
    }
    return any || v->too_large;
}

/* --- JSON ------------------------------------------------------------------------------------- */

void *source_view_json(const source_view *v)
{
    json_t *kernels = json_array();
    for (size_t i = 0; i < v->count; i++) {
        const source_kernel *k = &v->kernels[i];
        json_t *insns = json_array();
        for (size_t n = 0; n < k->count; n++) {
            const source_insn *in = &k->insns[n];
            json_array_append_new(
                insns,
                json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "ptx",
                          nonempty_json(in->ptx), "file", nonempty_json(in->file), "line", in->line,
                          "text", nonempty_json(in->text), "executed", number_json(in->executed),
                          "lanes", number_json(in->lanes), "requests", number_json(in->requests),
                          "cost", number_json(in->cost), "conflicts", number_json(in->conflicts),
                          "share", number_json(in->share)));
        }
        json_array_append_new(
            kernels, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "kernel", nonempty_json(k->name),
                               "launch", number_json(k->launch), "grid", nonempty_json(k->grid),
                               "block", nonempty_json(k->block), "limit", nonempty_json(k->limit),
                               "instructions", insns));
    }
    return kernels;
}
