#include "ncu.h"

#include "../base/files.h"
#include "../book/metrics.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

char *find_ncu(void)
{
    char *found = find_program("ncu");
    return found ? found : find_program("/usr/local/cuda/bin/ncu");
}

/* Every counter of metrics.def that ncu knows; warpbook's own counters are omitted. */
static char *wanted_metrics(void)
{
    sb list = {0};
    for (size_t i = 0; i < metric_count; i++) {
        const char *sides[] = {metric_table[i].numerator, metric_table[i].denominator};
        for (int side = 0; side < 2; side++)
            for (const char *p = sides[side], *name; (name = counter_next_name(&p));)
                if (!starts_with(name, "ptx__") && !(list.s && strstr(list.s, name)))
                    sb_printf(&list, "%s%s", list.len ? "," : "", name);
    }
    return sb_take(&list);
}

job *start_ncu(const char *ncu, const char *program, const char *dir, const char *file)
{
    OWNED char *names = wanted_metrics();
    /* One launch of each kernel and grid: repeated launches have equal counters. */
    const char *argv[] = {ncu,
                          "--csv",
                          "--page",
                          "raw",
                          "--clock-control",
                          "none",
                          "--filter-mode",
                          "per-launch-config",
                          "--launch-count",
                          "1",
                          "--metrics",
                          names,
                          "--log-file",
                          file,
                          program,
                          NULL};
    /* Times under a profiler are not representative: this run writes no record. */
    const char *env[] = {"WARPBOOK_ONLY=measure", "WARPBOOK_RECORD", NULL};
    return job_start(&(job_spec){.argv = argv, .env = env, .dir = dir, .limit_s = 600});
}

/* The fields of one CSV line, unquoted, in A. */
static char **csv_fields(arena *a, const char *line, size_t len, size_t *count)
{
    char **fields = NULL;
    size_t n = 0;
    const char *p = line, *end = line + len;
    for (;;) {
        CLEANUP(sb_free) sb field = {0};
        bool quoted = p < end && *p == '"';
        p += quoted;
        while (p < end && (quoted ? !(p[0] == '"' && (p + 1 == end || p[1] != '"')) : *p != ',')) {
            if (quoted && *p == '"')
                p++;
            sb_add(&field, p++, 1);
        }
        p += quoted && p < end;
        *ARENA_PUSH(a, fields, n) = arena_strndup(a, field.s ? field.s : "", field.len);
        if (p >= end || *p != ',')
            break;
        p++;
    }
    *count = n;
    return fields;
}

/* "(128, 1, 1)" as 128x1x1. */
static char *dimensions_from_ncu(arena *a, const char *s)
{
    unsigned x = 0, y = 1, z = 1;
    if (!s || sscanf(s, " (%u, %u, %u)", &x, &y, &z) < 1)
        return "-";
    return arena_printf(a, "%ux%ux%u", x, y, z);
}

/* The kernel's name S without return type and parameters. */
static char *kernel_base_name(arena *a, const char *s)
{
    int depth = 0;
    size_t begin = 0, i;
    for (i = 0; s[i]; i++)
        if (s[i] == '<')
            depth++;
        else if (s[i] == '>')
            depth--;
        else if (depth == 0 && s[i] == ' ')
            begin = i + 1;
        else if (depth == 0 && s[i] == '(')
            break;
    return arena_strndup(a, s + begin, i - begin);
}

static char *copy_without_commas(arena *a, const char *s)
{
    char *out = arena_strdup(a, s), *q = out;
    for (const char *p = s; *p; p++)
        if (*p != ',')
            *q++ = *p;
    *q = '\0';
    return out;
}

static bool is_counter_name(const char *name)
{
    return strchr(name, '.') && strstr(name, "__");
}

char *counters_from_ncu_csv(const char *csv)
{
    CLEANUP(arena_free) arena a = {0};
    sb out = {0};
    char **header = NULL;
    size_t columns = 0, n, len, rows = 0;
    const char *line;
    sb_puts(&out, "launch\tkernel\tgrid\tblock\tmetric\tvalue\n");
    while ((line = next_line(&csv, &len))) {
        if (len == 0 || line[0] != '"')
            continue; /* ncu's own messages begin with == */
        char **fields = csv_fields(&a, line, len, &n);
        if (!header) {
            header = fields;
            columns = n;
            continue;
        }
        const char *id = "0", *kernel = "?", *grid = NULL, *block = NULL;
        for (size_t i = 0; i < columns && i < n; i++)
            if (strcmp(header[i], "ID") == 0)
                id = fields[i];
            else if (strcmp(header[i], "Kernel Name") == 0)
                kernel = kernel_base_name(&a, fields[i]);
            else if (strcmp(header[i], "Grid Size") == 0)
                grid = dimensions_from_ncu(&a, fields[i]);
            else if (strcmp(header[i], "Block Size") == 0)
                block = dimensions_from_ncu(&a, fields[i]);
        if (!isdigit((unsigned char)id[0]))
            continue; /* the row with the units of the columns */
        for (size_t i = 0; i < columns && i < n; i++)
            if (is_counter_name(header[i]) && fields[i][0]) {
                sb_printf(&out, "%s\t%s\t%s\t%s\t%s\t%s\n", id, kernel, grid ? grid : "-",
                          block ? block : "-", header[i], copy_without_commas(&a, fields[i]));
                rows++;
            }
    }
    if (rows == 0) {
        sb_free(&out);
        return NULL;
    }
    return sb_take(&out);
}

bool convert_ncu_file(const char *file)
{
    OWNED char *csv = read_whole_file(file, 64 << 20, NULL);
    OWNED char *out = csv ? counters_from_ncu_csv(csv) : NULL;
    return out && write_whole_file(file, out, strlen(out));
}
