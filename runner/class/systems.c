#include "systems.h"

#include "roster.h"

#include <stdio.h>
#include <string.h>

/* --- names --- */

/* Canvas's identifiers have at least this many digits; a shorter one may be a team's. */
enum { MIN_ID_DIGITS = 4 }; /* digits of an identifier of Canvas, at least */

/* Cut NAME off before TEXT. False: NAME does not contain TEXT. */
static bool cut_before(char *name, const char *text)
{
    char *at = strstr(name, text);
    if (at)
        *at = '\0';
    return at;
}

/* The student of a Canvas assignment that is graded anonymously; NULL: NAME is no such name. */
static const char *anonymous_student(char *name)
{
    char *code = name + (starts_with(name, "LATE_") ? 5 : 0);
    char *file = starts_with(code, "anon_") ? strchr(code + 5, '_') : NULL;
    if (file)
        *file = '\0';
    return file ? code : NULL;
}

const char *student_in_export_name(arena *a, const char *name, size_t n)
{
    char *copy = arena_strndup(a, name, n);
    if (cut_before(copy, "_assignsubmission_"))
        return copy;
    if (cut_before(copy, "_attempt_")) {
        char *before = strrchr(copy, '_');
        return before ? before + 1 : copy;
    }
    const char *anonymous = anonymous_student(copy);
    if (anonymous)
        return anonymous;
    for (char *p = strchr(copy, '_'); p; p = strchr(p + 1, '_')) {
        size_t digits = strspn(p + 1, "0123456789");
        if (digits < MIN_ID_DIGITS || p[1 + digits] != '_')
            continue;
        p[1 + digits] = '\0';
        char *late = strstr(copy, "_LATE_");
        if (late)
            memmove(late, late + 5, strlen(late + 5) + 1);
        break;
    }
    return copy;
}

int64_t time_in_export_name(const char *name)
{
    const char *at = strstr(name, "attempt_");
    int y, mo, d, h, mi, s;
    char text[32];
    if (!at || sscanf(at, "attempt_%4d-%2d-%2d-%2d-%2d-%2d", &y, &mo, &d, &h, &mi, &s) != 6)
        return 0;
    snprintf(text, sizeof text, "%04u-%02u-%02u %02u:%02u:%02u", (unsigned)y % 10000,
             (unsigned)mo % 100, (unsigned)d % 100, (unsigned)h % 100, (unsigned)mi % 100,
             (unsigned)s % 100);
    return parse_time(text);
}

/* --- Gradescope --- */

/* The rest of a line of N bytes after KEY, without quotes, in A; NULL: the line has another key. */
static const char *value_after_key(arena *a, const char *line, size_t n, const char *key)
{
    const size_t length = strlen(key);
    if (n < length || strncmp(line, key, length) != 0)
        return NULL;
    const char *from = line + length, *to = line + n;
    from += strspn(from, " ") < (size_t)(to - from) ? strspn(from, " ") : (size_t)(to - from);
    while (to > from && (to[-1] == ' ' || to[-1] == '\r'))
        to--;
    if (to - from > 1 && (*from == '\'' || *from == '"') && to[-1] == *from) {
        from++;
        to--;
    }
    return arena_strndup(a, from, (size_t)(to - from));
}

/* Reads Gradescope's list of folders line by line. For each folder the list gives first the
 * submitters, then the time when they handed it in. */
typedef struct list_reader {
    arena *a;
    gradescope_list list; /* people in the lines read so far */
    const char *folder;   /* folder that is being read; NULL: none yet */
    size_t first;         /* index in `list` of the first person of `folder` */
    bool submitters;      /* the lines being read describe submitters */
} list_reader;

static void read_submitter(list_reader *r, const char *line, size_t n)
{
    const char *text = line + 4, *value;
    const size_t left = n - 4;
    if (line[2] == '-')
        *ARENA_PUSH(r->a, r->list.people, r->list.count) =
            (gradescope_person){.folder = r->folder, .name = "", .sid = "", .email = ""};
    if (r->list.count == r->first)
        return;
    gradescope_person *p = &r->list.people[r->list.count - 1];
    if ((value = value_after_key(r->a, text, left, ":name:")))
        p->name = value;
    else if ((value = value_after_key(r->a, text, left, ":sid:")))
        p->sid = value;
    else if ((value = value_after_key(r->a, text, left, ":email:")))
        p->email = value;
}

static void read_metadata_line(list_reader *r, const char *line, size_t n)
{
    const char *value;
    if (n > 1 && *line != ' ' && *line != '-' && *line != '#') {
        const size_t name = strcspn(line, ":");
        r->folder = arena_strndup(r->a, line, name < n ? name : n);
        r->first = r->list.count;
        r->submitters = false;
    } else if (r->folder && n > 4 && r->submitters &&
               (starts_with(line, "  - ") || starts_with(line, "    "))) {
        read_submitter(r, line, n);
    } else if (r->folder && n > 3 && starts_with(line, "  :")) {
        r->submitters = starts_with(line, "  :submitters:");
        value = value_after_key(r->a, line, n, "  :created_at:");
        for (size_t i = r->first; value && i < r->list.count; i++)
            r->list.people[i].created = parse_time(value);
    }
}

gradescope_list gradescope_read(arena *a, const char *text)
{
    list_reader r = {.a = a};
    while (*text) {
        const size_t n = strcspn(text, "\n");
        read_metadata_line(&r, text, n);
        text += n + (text[n] == '\n');
    }
    return r.list;
}
