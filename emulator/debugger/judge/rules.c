#include "rules.h"

#include "../../base/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of judge.tsv that stand for the values of rule_role and rule_type. */
static const char *const rule_role_names[] = {"in",     "out",     "update", "begun",
                                              "scalar", "scratch", "work",   "share",
                                              "host",   "times",   "series"};
static const char *const rule_type_names[] = {"i8", "i32", "i64", "f16", "f32", "f64"};
static const size_t rule_type_bytes[] = {1, 4, 8, 2, 4, 8}; /* bytes of an element of each type */

/* Index of WORD in LIST; -1: LIST does not contain it. */
static int index_of(const char *word, const char *const *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!strcmp(word, list[k]))
            return (int)k;
    return -1;
}

/* Parse LINE of judge.tsv. Returns false if the line is malformed. */
static bool read_rule(const char *line, judge_rule *r)
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
    const int as_role =
        index_of(role, rule_role_names, sizeof rule_role_names / sizeof *rule_role_names);
    const int as_type =
        index_of(type, rule_type_names, sizeof rule_type_names / sizeof *rule_type_names);
    r->role = (rule_role)as_role;
    r->type = (rule_type)as_type;
    return as_role >= 0 && as_type >= 0 && r->tolerance >= 0;
}

bool rules_read(const char *path, judge_rules *out, char *err, size_t cap)
{
    char line[512];
    int number = 0;
    FILE *f = fopen(path, "re");
    *out = (judge_rules){0};
    if (!f) {
        snprintf(err, cap, "%s cannot be read", path);
        return false;
    }
    bool good = true;
    while (good && fgets(line, sizeof line, f)) {
        if (number++ == 0) {
            good = !strcmp(line, "kernel\tparameter\trole\ttype\ttolerance\n");
            continue;
        }
        judge_rule *rule = LIST_ADD(out->row, out->count);
        if (!rule)
            break;
        good = read_rule(line, rule);
    }
    fclose(f);
    if (good && out->count)
        return true;
    rules_free(out);
    snprintf(err, cap, "%s:%d: expected: kernel, parameter, role, type, tolerance", path, number);
    return false;
}

void rules_free(judge_rules *r)
{
    free(r->row);
    *r = (judge_rules){0};
}

bool rules_mention_kernel(const judge_rules *r, const char *kernel)
{
    for (size_t k = 0; k < r->count; k++)
        if (r->row[k].role < RULE_WORK && !strcmp(r->row[k].kernel, kernel))
            return true;
    return false;
}

const judge_rule *rules_series_of_kernel(const judge_rules *r, const char *kernel)
{
    for (size_t k = 0; k < r->count; k++)
        if (r->row[k].role == RULE_SERIES && !strcmp(r->row[k].variable, kernel))
            return &r->row[k];
    return NULL;
}

bool rule_is_about_output(const judge_rule *r)
{
    return r->role == RULE_OUT || r->role == RULE_UPDATE || r->role == RULE_BEGUN;
}

size_t rule_element_bytes(rule_type type)
{
    return rule_type_bytes[type];
}

bool rule_is_float(rule_type type)
{
    return type >= RULE_F16;
}

const judge_rule *rules_first_with_role(const judge_rules *r, rule_role role)
{
    for (size_t k = 0; k < r->count; k++)
        if (r->row[k].role == role)
            return &r->row[k];
    return NULL;
}

/* The number whose bits as an f16 are BITS. */
static double value_of_f16(uint16_t bits)
{
    enum { FRACTION_BITS = 10, BIAS = 15, LARGEST_EXPONENT = 31, HIDDEN_BIT = 1 << FRACTION_BITS };
    const int exponent = bits >> FRACTION_BITS & LARGEST_EXPONENT;
    const int fraction = bits & (HIDDEN_BIT - 1);
    double size = exponent == 0 ? ldexp(fraction, 1 - BIAS - FRACTION_BITS)
                                : ldexp(HIDDEN_BIT + fraction, exponent - BIAS - FRACTION_BITS);
    if (exponent == LARGEST_EXPONENT)
        size = fraction ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -size : size;
}

double read_rule_value(rule_type type, const void *at)
{
    int8_t i8;
    int32_t i32;
    int64_t i64;
    uint16_t f16;
    float f32;
    double f64 = 0;
    switch (type) {
    case RULE_I8: memcpy(&i8, at, sizeof i8); return i8;
    case RULE_I32: memcpy(&i32, at, sizeof i32); return i32;
    case RULE_I64: memcpy(&i64, at, sizeof i64); return (double)i64;
    case RULE_F16: memcpy(&f16, at, sizeof f16); return value_of_f16(f16);
    case RULE_F32: memcpy(&f32, at, sizeof f32); return (double)f32;
    case RULE_F64: memcpy(&f64, at, sizeof f64);
    }
    return f64;
}

bool rule_is_element_same(const judge_rule *r, const void *mine, const void *want)
{
    const size_t size = rule_element_bytes(r->type);
    if (!memcmp(mine, want, size))
        return true;
    return rule_is_float(r->type) &&
           fabs(read_rule_value(r->type, mine) - read_rule_value(r->type, want)) <= r->tolerance;
}
