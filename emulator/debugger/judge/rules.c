#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const roles[] = {"in",      "out",  "update", "begun", "scalar",
                                    "scratch", "work", "share",  "host",  "times"};
static const char *const types[] = {"i8", "i32", "i64", "f32", "f64"};
static const size_t sizes[] = {1, 4, 8, 4, 8};

static int index_of(const char *word, const char *const *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!strcmp(word, list[k]))
            return (int)k;
    return -1;
}

static bool read_row(const char *line, rule *r)
{
    char which[sizeof r->variable], role[16], type[16], *end;
    int after = 0;
    if (sscanf(line, "%127[^\t]\t%63[^\t]\t%15[^\t]\t%15[^\t]\t%lf%n", r->kernel, which, role, type,
               &r->tolerance, &after) != 5 ||
        (line[after] && line[after] != '\n'))
        return false;
    r->parameter = (uint32_t)strtoul(which, &end, 10);
    r->variable[0] = 0;
    if (*end)
        snprintf(r->variable, sizeof r->variable, "%s", which);
    const int as_role = index_of(role, roles, sizeof roles / sizeof *roles);
    const int as_type = index_of(type, types, sizeof types / sizeof *types);
    r->role = (rule_role)as_role;
    r->type = (rule_type)as_type;
    return as_role >= 0 && as_type >= 0 && r->tolerance >= 0;
}

bool rules_read(const char *path, rules *out, char *err, size_t room)
{
    char line[512];
    int number = 0;
    FILE *f = fopen(path, "re");
    *out = (rules){0};
    if (!f) {
        snprintf(err, room, "%s cannot be read", path);
        return false;
    }
    bool good = true;
    while (good && fgets(line, sizeof line, f)) {
        if (number++ == 0) {
            good = !strcmp(line, "kernel\tparameter\trole\ttype\ttolerance\n");
            continue;
        }
        rule *more = realloc(out->row, (out->count + 1) * sizeof *more);
        if (!more)
            break;
        out->row = more;
        good = read_row(line, &out->row[out->count++]);
    }
    fclose(f);
    if (good && out->count)
        return true;
    rules_free(out);
    snprintf(err, room, "%s:%d: expected: kernel, parameter, role, type, tolerance", path, number);
    return false;
}

void rules_free(rules *r)
{
    free(r->row);
    *r = (rules){0};
}

bool rules_judge(const rules *r, const char *kernel)
{
    for (size_t k = 0; k < r->count; k++)
        if (r->row[k].role < RULE_WORK && !strcmp(r->row[k].kernel, kernel))
            return true;
    return false;
}

size_t rule_bytes(rule_type type)
{
    return sizes[type];
}

const rule *rules_first(const rules *r, rule_role role)
{
    for (size_t k = 0; k < r->count; k++)
        if (r->row[k].role == role)
            return &r->row[k];
    return NULL;
}
