#include "roster.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- times --- */

int64_t parse_time(const char *text)
{
    struct tm t = {.tm_isdst = -1};
    int used = 0, hour = 0, minute = 0;
    text += strspn(text, " ");
    if (sscanf(text, "%4d-%2d-%2d%n", &t.tm_year, &t.tm_mon, &t.tm_mday, &used) != 3)
        return 0;
    t.tm_year -= 1900;
    t.tm_mon--;
    const char *rest = text + used;
    if (!*rest) {
        t.tm_hour = 23;
        t.tm_min = t.tm_sec = 59;
    } else if ((*rest != ' ' && *rest != 'T') ||
               sscanf(rest + 1, "%2d:%2d%n", &t.tm_hour, &t.tm_min, &used) != 2) {
        return 0;
    } else {
        rest += 1 + used;
        if (sscanf(rest, ":%2d%n", &t.tm_sec, &used) == 1)
            rest += used;
        if (*rest == '.')
            rest += 1 + strspn(rest + 1, "0123456789");
        rest += strspn(rest, " ");
    }
    if (t.tm_mon < 0 || t.tm_mon > 11 || t.tm_mday < 1 || t.tm_mday > 31 || t.tm_hour > 24 ||
        t.tm_min > 59 || t.tm_sec > 60)
        return 0;
    if (!*rest)
        return (int64_t)mktime(&t);
    if (strcmp(rest, "Z") == 0 || strcmp(rest, "UTC") == 0)
        return (int64_t)timegm(&t);
    char sign = *rest;
    if ((sign != '+' && sign != '-') ||
        (sscanf(rest + 1, "%2d:%2d%n", &hour, &minute, &used) != 2 &&
         sscanf(rest + 1, "%2d%2d%n", &hour, &minute, &used) != 2) ||
        rest[1 + used])
        return 0;
    int64_t away = hour * 3600 + minute * 60;
    return (int64_t)timegm(&t) + (sign == '+' ? -away : away);
}

const char *time_to_text(int64_t when, char buf[32])
{
    time_t t = (time_t)when;
    struct tm tm;
    *buf = '\0';
    if (when && gmtime_r(&t, &tm))
        strftime(buf, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return buf;
}

/* --- people --- */

char *comparable_name(arena *a, const char *text)
{
    char *out = arena_strdup(a, text), *to = out;
    for (; *text; text++)
        if (isalnum((unsigned char)*text) || (unsigned char)*text >= 0x80)
            *to++ = (char)tolower((unsigned char)*text);
    *to = '\0';
    return out;
}

static void add_person_key(roster *r, roster_person *p, const char *text)
{
    char *key = comparable_name(&r->memory, text);
    if (!*key)
        return;
    for (size_t i = 0; i < p->key_count; i++)
        if (strcmp(p->keys[i], key) == 0)
            return;
    *ARENA_PUSH(&r->memory, p->keys, p->key_count) = key;
}

/* "Lovelace, Ada" as "Ada Lovelace", in A. */
static const char *name_in_natural_order(arena *a, const char *name)
{
    const char *comma = strchr(name, ',');
    if (!comma)
        return name;
    return arena_printf(a, "%s %.*s", comma + 1 + strspn(comma + 1, " "), (int)(comma - name),
                        name);
}

/* Column names that are accepted; the first one that the file has is used. */
static const char *const student_columns[] = {
    "student",     "student id", "id",  "username",   "user name", "login", "sis login id",
    "sis user id", "netid",      "sid", "identifier", "id number", "email", NULL};
static const char *const name_columns[] = {"name", "full name", "student name", NULL};
static const char *const first_name_columns[] = {"first name", "firstname", "given name", NULL};
static const char *const last_name_columns[] = {"last name", "lastname", "surname", "family name",
                                                NULL};
static const char *const email_columns[] = {"email", "email address", "e-mail", NULL};
static const char *const time_columns[] = {
    "submitted", "submitted at", "submission time", "time", "last modified (submission)", NULL};
/* Columns whose fields identify folders and files of a student. */
static const char *const key_columns[][3] = {
    {"folder", "file", NULL},          {"github", "github username", NULL},
    {"username", "login", NULL},       {"sis login id", "sis user id", NULL},
    {"sis user id", "sid", NULL},      {"id", "identifier", NULL},
    {"id number", "participant", NULL}};

static void add_person(roster *r, const csv_table *t, size_t row, const int columns[6])
{
    arena *a = &r->memory;
    enum { STUDENT, NAME, FIRST, LAST, EMAIL, TIME };
    const char *field[6];
    for (int i = 0; i < 6; i++)
        field[i] = arena_strdup(a, csv_field(t, row, columns[i]));
    if (!*field[STUDENT])
        return;
    roster_person *p = ARENA_PUSH(a, r->people, r->count);
    *p = (roster_person){.student = field[STUDENT],
                         .first = field[FIRST],
                         .last = field[LAST],
                         .email = field[EMAIL],
                         .submitted = parse_time(field[TIME])};
    p->name = *field[NAME]
                  ? name_in_natural_order(a, field[NAME])
                  : arena_printf(a, "%s%s%s", p->first, *p->first && *p->last ? " " : "", p->last);
    add_person_key(r, p, p->student);
    add_person_key(r, p, p->name);
    add_person_key(r, p, field[NAME]);
    if (*p->first && *p->last)
        add_person_key(r, p, arena_printf(a, "%s%s", p->last, p->first));
    add_person_key(r, p, p->email);
    add_person_key(r, p, arena_strndup(a, p->email, strcspn(p->email, "@")));
    for (size_t i = 0; i < sizeof key_columns / sizeof *key_columns; i++)
        add_person_key(r, p, csv_field(t, row, csv_column(t, key_columns[i])));
    /* Canvas writes the family name first, as one word. */
    const char *space = strrchr(p->name, ' ');
    if (space)
        add_person_key(r, p, arena_printf(a, "%s%.*s", space + 1, (int)(space - p->name), p->name));
}

bool roster_read(roster *r, const char *path, char *err, size_t err_size)
{
    csv_table t;
    *r = (roster){0};
    if (!csv_read(&t, path, err, err_size))
        return false;
    const int columns[6] = {csv_column(&t, student_columns),    csv_column(&t, name_columns),
                            csv_column(&t, first_name_columns), csv_column(&t, last_name_columns),
                            csv_column(&t, email_columns),      csv_column(&t, time_columns)};
    if (columns[0] < 0)
        snprintf(err, err_size,
                 "%s has no column student (or id, username, login, email) in its first line",
                 path);
    for (size_t row = 1; columns[0] >= 0 && row < t.rows; row++)
        add_person(r, &t, row, columns);
    csv_free(&t);
    if (columns[0] >= 0 && r->count == 0)
        snprintf(err, err_size, "%s lists no students", path);
    if (r->count)
        return true;
    roster_free(r);
    return false;
}

void roster_free(roster *r)
{
    arena_free(&r->memory);
    *r = (roster){0};
}

static bool person_has_key(const roster_person *p, const char *key)
{
    for (size_t i = 0; i < p->key_count; i++)
        if (strcmp(p->keys[i], key) == 0)
            return true;
    return false;
}

/* The student with the word KEY in `keys`; NULL: nobody has it. *MANY is set if several have it. */
static roster_person *person_with_key(roster *r, const char *key, bool *many)
{
    roster_person *found = NULL;
    for (size_t i = 0; i < r->count; i++) {
        if (!*key || !person_has_key(&r->people[i], key))
            continue;
        *many |= found != NULL;
        found = &r->people[i];
    }
    return found;
}

roster_person *roster_find_by_name(roster *r, const char *called)
{
    CLEANUP(arena_free) arena a = {0};
    bool many = false;
    roster_person *found = person_with_key(r, comparable_name(&a, called), &many);
    /* Compare the parts between underscores, from the left: the first that is a person's key
     * decides. */
    for (const char *part = called; !found && *part;) {
        size_t n = strcspn(part, "_");
        char *one = arena_strndup(&a, part, n);
        /* A part of digits is a number of the learning system, unless it is a key in the roster. */
        found = person_with_key(r, comparable_name(&a, one), &many);
        part += n + (part[n] == '_');
    }
    return many ? NULL : found;
}
