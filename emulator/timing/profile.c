/* Reads device profiles. Every field must be present once and in range; an error names the file and
 * the line. */
#include "builtin.h"
#include "timing.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PROFILE_BYTES = 64 * 1024 }; /* maximum size of a profile file in bytes */

typedef struct profile_field {
    const char *name; /* name of the field in a profile */
    size_t offset;    /* byte offset of the field in device_profile */
    bool whole; /* true: an integer with the limits least_u and most_u; false: a real number with
                   the limits least_f and most_f */
    uint64_t least_u, most_u; /* limits of a whole number */
    double least_f, most_f;   /* limits of a real number */
} profile_field;

static const profile_field profile_fields[] = {
#define FIELD_U(name, unit, least, most, meaning) \
    {#name, offsetof(device_profile, name), true, least, most, 0, 0},
#define FIELD_F(name, unit, least, most, meaning) \
    {#name, offsetof(device_profile, name), false, 0, 0, least, most},
#include "profile.def"
#undef FIELD_U
#undef FIELD_F
};

enum {
    FIELD_COUNT = sizeof profile_fields / sizeof *profile_fields, /* number of numeric fields */
    KEY_ID = FIELD_COUNT, /* the key `id`, which is a text */
    KEY_NAME,             /* the key `name`, which is a text */
    KEY_COUNT             /* number of keys of a profile */
};

typedef struct parser {
    const char *where;        /* name of the profile for error messages */
    uint32_t line;            /* number of the line being parsed */
    uint32_t seen[KEY_COUNT]; /* number of the line in which each key was found; 0: not found yet */
    device_profile *out;      /* the profile to fill in */
    char *err;                /* receives the message */
    size_t err_size;          /* size of `err` */
} parser;

__attribute__((format(printf, 2, 3))) static bool report_error(parser *p, const char *format, ...)
{
    int n = p->line ? snprintf(p->err, p->err_size, "%s:%u: ", p->where, p->line)
                    : snprintf(p->err, p->err_size, "%s: ", p->where);
    if (n >= 0 && (size_t)n < p->err_size) {
        va_list args;
        va_start(args, format);
        vsnprintf(p->err + n, p->err_size - (size_t)n, format, args);
        va_end(args);
    }
    return false;
}

/* Index of KEY: below FIELD_COUNT a field, else KEY_ID or KEY_NAME; -1: there is no such key. */
static int key_index(const char *key)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (strcmp(key, profile_fields[i].name) == 0)
            return i;
    return strcmp(key, "id") == 0 ? KEY_ID : strcmp(key, "name") == 0 ? KEY_NAME : -1;
}

static const char *key_name(int key)
{
    return key < FIELD_COUNT ? profile_fields[key].name : key == KEY_ID ? "id" : "name";
}

/* Set the text field KEY, which is KEY_ID or KEY_NAME. */
static bool set_text_field(parser *p, int key, const char *value)
{
    char *to = key == KEY_ID ? p->out->id : p->out->name;
    size_t cap = key == KEY_ID ? sizeof p->out->id : sizeof p->out->name;

    if (strlen(value) >= cap)
        return report_error(p, "%s is longer than %zu characters", key_name(key), cap - 1);
    strcpy(to, value);
    return true;
}

static bool set_integer_field(parser *p, const profile_field *f, const char *value)
{
    char *end;

    errno = 0;
    unsigned long long v = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end != '\0' || errno == ERANGE)
        return report_error(p, "%s needs a whole number, not '%s'", f->name, value);
    if (v < f->least_u || v > f->most_u)
        return report_error(p, "%s is %llu, and must lie between %llu and %llu", f->name, v,
                            (unsigned long long)f->least_u, (unsigned long long)f->most_u);
    *(uint64_t *)((char *)p->out + f->offset) = v;
    return true;
}

static bool set_real_field(parser *p, const profile_field *f, const char *value)
{
    /* Parse in the C locale: the program's own may use a decimal comma. */
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return report_error(p, "out of memory");
    char *end;
    double v = strtod_l(value, &end, c);
    freelocale(c);

    if (end == value || *end != '\0' || !isfinite(v))
        return report_error(p, "%s needs a number, not '%s'", f->name, value);
    if (v < f->least_f || v > f->most_f)
        return report_error(p, "%s is %g, and must lie between %g and %g", f->name, v, f->least_f,
                            f->most_f);
    /* cppcheck-suppress invalidPointerCast ; profile.def says that a double lies there */
    *(double *)((char *)p->out + f->offset) = v;
    return true;
}

/* Parse "key value  # source", a blank line, or a comment. Modifies LINE. */
static bool parse_line(parser *p, char *line)
{
    line[strcspn(line, "#")] = '\0';
    char *key = line + strspn(line, " \t\r");
    char *end = key + strcspn(key, " \t\r");
    char *value = end + strspn(end, " \t\r");
    size_t length = strlen(value);
    while (length > 0 && isspace((unsigned char)value[length - 1]))
        value[--length] = '\0';
    if (*key == '\0')
        return true;
    *end = '\0';

    int k = key_index(key);
    if (k < 0)
        return report_error(p, "there is no field '%.40s': emulator/timing/profile.def lists them",
                            key);
    if (length == 0)
        return report_error(p, "%s has no value: write \"%s VALUE  # source\"", key, key);
    if (p->seen[k])
        return report_error(p, "%s is given twice, first in line %u", key, p->seen[k]);
    p->seen[k] = p->line;
    if (k >= FIELD_COUNT)
        return set_text_field(p, k, value);
    return profile_fields[k].whole ? set_integer_field(p, &profile_fields[k], value)
                                   : set_real_field(p, &profile_fields[k], value);
}

/* Check relations between fields of the profile. */
static bool check_field_relations(parser *p)
{
    const device_profile *d = p->out;

    if (d->shared_per_block > d->shared_per_block_optin ||
        d->shared_per_block_optin > d->shared_per_sm)
        return report_error(
            p, "shared_per_block <= shared_per_block_optin <= shared_per_sm must hold");
    if (d->shared_per_sm > d->l1_bytes)
        return report_error(p, "shared_per_sm is part of l1_bytes, and cannot be larger");
    if (d->threads_per_sm % 32)
        return report_error(p, "threads_per_sm must be a multiple of 32, the size of a warp");
    if (d->dram_granule != 32 && d->dram_granule != 64)
        return report_error(p, "dram_granule must be 32 or 64");
    if (d->dram_read_gbs < d->dram_gbs)
        return report_error(p, "dram_read_gbs must be at least dram_gbs: writes reverse the bus");
    if (d->dram_latency_ns < d->l2_latency_ns || d->l2_latency_ns < d->l1_latency_ns)
        return report_error(p, "l1_latency_ns <= l2_latency_ns <= dram_latency_ns must hold");
    if (d->l2_loses <= d->l2_keeps)
        return report_error(p, "l2_loses must be above l2_keeps");
    return true;
}

/* Parse the whole text of a profile, and check that no field is missing. */
static bool parse_text(parser *p, const char *text)
{
    memset(p->out, 0, sizeof *p->out);
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        char line[512];

        p->line++;
        if (length >= sizeof line)
            return report_error(p, "the line is longer than %zu characters", sizeof line - 1);
        memcpy(line, at, length);
        line[length] = '\0';
        if (!parse_line(p, line))
            return false;
        at += length + (at[length] == '\n');
    }
    p->line = 0;
    for (int k = 0; k < KEY_COUNT; k++)
        if (!p->seen[k])
            return report_error(p, "the field %s is missing: add a line \"%s VALUE  # source\"",
                                key_name(k), key_name(k));
    return check_field_relations(p);
}

/* The NUL-terminated text of a file, which the caller frees. On failure returns NULL and sets
 * p->err. */
static char *read_file(parser *p, const char *path)
{
    FILE *f = fopen(path, "rbe");
    if (!f) {
        report_error(p, "cannot be read: %s", strerror(errno));
        return NULL;
    }
    char *text = malloc(MAX_PROFILE_BYTES + 1);
    size_t n = text ? fread(text, 1, MAX_PROFILE_BYTES + 1, f) : 0;
    bool bad = ferror(f);
    int error = errno;
    fclose(f);
    if (text && !bad && n <= MAX_PROFILE_BYTES && memchr(text, '\0', n) == NULL) {
        text[n] = '\0';
        return text;
    }
    if (!text)
        report_error(p, "out of memory");
    else if (bad)
        report_error(p, "cannot be read: %s", strerror(error));
    else
        report_error(p, "is no device profile: it %s",
                     n > MAX_PROFILE_BYTES ? "is larger than 64 KiB" : "contains binary data");
    free(text);
    return NULL;
}

static bool ends_with(const char *s, const char *tail)
{
    size_t a = strlen(s), b = strlen(tail);
    return a >= b && strcmp(s + a - b, tail) == 0;
}

static bool is_file_name(const char *name)
{
    return strchr(name, '/') || ends_with(name, ".profile");
}

char *profile_file_text(const char *name, size_t *size)
{
    FILE *f = name && is_file_name(name) ? fopen(name, "rbe") : NULL;
    char *text = f ? malloc(MAX_PROFILE_BYTES) : NULL;
    *size = text ? fread(text, 1, MAX_PROFILE_BYTES, f) : 0;
    if (f)
        fclose(f);
    return text;
}

bool profile_load(const char *name, device_profile *out, char *err, size_t err_size)
{
    if (!name || *name == '\0')
        name = profile_ids()[0];
    parser p = {.where = name, .out = out, .err = err, .err_size = err_size};

    if (is_file_name(name)) {
        char *text = read_file(&p, name);
        bool ok = text && parse_text(&p, text);
        free(text);
        return ok;
    }
    const char *text = profile_builtin_text(name);
    if (text)
        return parse_text(&p, text);
    int n = snprintf(err, err_size, "there is no device profile '%.40s'; there are", name);
    for (const char *const *id = profile_ids(); *id && n >= 0 && (size_t)n < err_size; id++)
        n += snprintf(err + n, err_size - (size_t)n, "%s %s", id == profile_ids() ? "" : ",", *id);
    if (n >= 0 && (size_t)n < err_size)
        snprintf(err + n, err_size - (size_t)n, "; or name a file: ./my.profile");
    return false;
}
