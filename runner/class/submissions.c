#include "submissions.h"

#include "../base/files.h"
#include "../base/plain.h"
#include "encoding.h"
#include "systems.h"
#include "upload.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A submitted text is taken for a version of a lab if it contains at least this share of the lab's
 * lines. Not required of a file that a command-line argument names. */
static const double minimum_likeness = 0.25; /* share of the lab's lines, 0 to 1 */
/* With this share a second text is a version of the lab too, and not of another lab. */
static const double version_likeness = 0.5; /* share of the lab's lines, 0 to 1 */

/* --- is a text a version of the lab? --- */

/* The line LINE without blanks and without comment signs; NULL: too short to tell texts apart. */
static char *line_without_blanks(arena *a, const char *line, size_t len)
{
    char *out = arena_strndup(a, line, len), *to = out;
    for (char *p = out; *p; p++)
        if (!isspace((unsigned char)*p))
            *to++ = *p;
    *to = '\0';
    return to - out > 3 ? out : NULL;
}

double likeness_to_original(const char *text, const char *original)
{
    CLEANUP(arena_free) arena a = {0};
    const char **theirs = NULL, *line;
    size_t count = 0, len, lines = 0, found = 0;
    bool inside = false;
    while ((line = next_line(&text, &len))) {
        const char *bare = line_without_blanks(&a, line, len);
        if (bare)
            *ARENA_PUSH(&a, theirs, count) = bare;
    }
    if (count)
        qsort(theirs, count, sizeof *theirs, compare_texts);
    while ((line = next_line(&original, &len))) {
        const char *bare = line_without_blanks(&a, line, len);
        if (bare && starts_with(bare, "//TODO"))
            inside = true;
        if (bare && (!inside || starts_with(bare, "//TODO"))) {
            lines++;
            found += count && bsearch(&bare, theirs, count, sizeof *theirs, compare_texts) != NULL;
        }
        if (bare && starts_with(bare, "//ENDTODO"))
            inside = false;
    }
    return lines ? (double)found / (double)lines : 0;
}

/* --- which student a file belongs to --- */

/* True: the directory name is one of the workbook's, so that it does not name a student. */
static bool is_workbook_directory(const char *part, size_t n)
{
    static const char *const words[] = {"labs", "chapters", "src", "warpbook"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && strncmp(part, words[i], n) == 0)
            return true;
    return n > 3 && isdigit((unsigned char)part[0]) && isdigit((unsigned char)part[1]) &&
           part[2] == '-';
}

/* The files of one student: their paths have the same first directory, or the file stands alone. */
typedef struct student_files {
    const char *name;        /* name of the student, such as "alice" */
    const upload_file *best; /* the text to be graded */
    double likeness;         /* share of the lab's lines that `best` contains, from 0 to 1 */
    const upload_file
        *other;          /* another text of the student that is a version of the lab; or NULL */
    bool tie;            /* `other` is equally similar to the lab */
    const char *refused; /* why one of the student's files was not read, or NULL */
    const char *at;      /* path of the file that was not read */
    size_t files;        /* number of the student's files */
    int64_t latest;      /* time of the student's newest file, seconds since 1970 */
} student_files;

typedef struct files_by_student {
    arena memory;          /* holds the groups and their names */
    student_files *groups; /* [count] a group for each student */
    size_t count;          /* number of groups */
} files_by_student;

/* Length in bytes of a directory prefix that all paths share, such as "submissions/". */
static size_t length_of_common_directory(const upload *p, size_t from)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        const char *path = p->files[i].path + from, *slash = strchr(path, '/');
        size_t len = slash ? (size_t)(slash - path) + 1 : 0;
        if (!len || is_workbook_directory(path, len - 1) ||
            (i && (len != n || strncmp(path, p->files[0].path + from, n) != 0)))
            return 0;
        n = len;
    }
    return n;
}

/* True: the paths, from offset FROM, begin with more than one directory name. */
static bool has_several_students(const upload *p, size_t from)
{
    const char *first = NULL;
    for (size_t i = 0; i < p->count; i++) {
        const char *path = p->files[i].path + from;
        size_t n = strcspn(path, "/");
        if (!path[n] || is_workbook_directory(path, n))
            continue;
        if (first && strncmp(first, path, n + 1) != 0)
            return true;
        first = path;
    }
    return false;
}

/* Offset in the paths at which names of students begin, after directories that all paths share. */
static size_t offset_of_student_names(const upload *p)
{
    size_t from = 0, n;
    for (size_t depth = 0; depth < 4 && (n = length_of_common_directory(p, from)); depth++) {
        size_t next = from + n;
        bool deeper = has_several_students(p, next);
        bool flat = true; /* files in one directory, one for each student */
        for (size_t i = 0; i < p->count; i++)
            flat &= !strchr(p->files[i].path + next, '/');
        if (!deeper && !(flat && p->count > 1) && !length_of_common_directory(p, next))
            break;
        from = next;
        if (deeper)
            break;
    }
    return from;
}

/* The student that PATH (after the shared directories) belongs to, named by its directory, else by
 * the file's name. If both are names of the workbook, such as lab.cu, the student is WHOLE. */
static const char *owner_of_path(arena *a, const char *path, const char *whole)
{
    size_t n = strcspn(path, "/");
    if (path[n])
        return is_workbook_directory(path, n) ? whole : student_in_export_name(a, path, n);
    n = length_without_extension(path);
    bool plain =
        (n == 3 && strncmp(path, "lab", 3) == 0) || (n == 8 && strncmp(path, "solution", 8) == 0);
    return plain ? whole : student_in_export_name(a, path, n);
}

static int compare_students(const void *x, const void *y)
{
    return strcmp(((const student_files *)x)->name, ((const student_files *)y)->name);
}

static student_files *find_or_add_student(files_by_student *s, const char *name)
{
    for (size_t i = s->count; i-- > 0;)
        if (strcmp(s->groups[i].name, name) == 0)
            return &s->groups[i];
    student_files *g = ARENA_PUSH(&s->memory, s->groups, s->count);
    *g = (student_files){.name = name};
    return g;
}

/* True: the file name of X is more similar to the lab's file name than that of Y. */
static bool has_better_file_name(const upload_file *x, const upload_file *y)
{
    bool a = strcmp(file_name_of(x->path), "lab.cu") == 0,
         b = strcmp(file_name_of(y->path), "lab.cu") == 0;
    return a && !b;
}

static void choose_better_file(student_files *g, const upload_file *f, const char *original)
{
    g->files++;
    if (f->time > g->latest)
        g->latest = f->time;
    if (f->refused && !g->refused) {
        g->refused = f->refused;
        g->at = f->path;
    }
    if (!f->text)
        return;
    double likeness = likeness_to_original(f->text, original);
    bool same =
        g->best && g->best->length == f->length && memcmp(g->best->text, f->text, f->length) == 0;
    bool equal = g->best && likeness == g->likeness;
    if (!g->best || likeness > g->likeness || (equal && has_better_file_name(f, g->best))) {
        if (!same) /* what is less like the lab than `best` is no version of it either */
            g->other = g->likeness >= version_likeness ? g->best : NULL;
        g->best = f;
        g->likeness = likeness;
        g->tie = false;
    } else if (!same && (equal || likeness >= version_likeness)) {
        g->other = f;
        g->tie |= equal && !has_better_file_name(g->best, f);
    }
}

/* CALLED:PATH in A, in a form safe for display. */
static char *display_path(arena *a, const char *called, const char *path)
{
    CLEANUP(sb_free) sb text = {0};
    append_sanitized(&text, called, false);
    if (path) {
        sb_puts(&text, ":");
        append_sanitized(&text, path, false);
    }
    return arena_strdup(a, text.s);
}

static submission *add_handin(submissions *h, const char *raw, roster *r)
{
    submission *one = ARENA_PUSH(&h->memory, h->list, h->count);
    roster_person *who = r ? roster_find_by_name(r, raw) : NULL;
    *one = (submission){.student = arena_strdup(&h->memory, who ? who->student : raw), .who = who};
    if (who)
        who->seen = true;
    else if (r)
        *ARENA_PUSH(&h->memory, h->notes, h->note_count) =
            arena_printf(&h->memory, "%s is not in the roster", raw);
    return one;
}

static void set_submission_time(submission *one, int64_t own)
{
    one->submitted = one->who && one->who->submitted ? one->who->submitted : own;
}

/* Note that of two versions of the lab TAKEN is graded: for the grader, and for the student. */
static void add_choice_note(submissions *h, submission *one, const char *taken, const char *other)
{
    one->note = arena_printf(&h->memory, "%s is graded, not %s", taken, other);
    *ARENA_PUSH(&h->memory, h->notes, h->note_count) = arena_printf(
        &h->memory, "%s handed in several versions of the lab: %s", one->student, one->note);
}

/* Add the files G as handed in by the student RAW at the time LISTED (0: take the file's time). */
static void add_student_files(submissions *h, const student_files *g, const char *raw,
                              int64_t listed, const char *called, roster *r)
{
    arena *a = &h->memory;
    submission *one = add_handin(h, raw, r);
    int64_t named = listed ? listed : g->best ? time_in_export_name(g->best->path) : 0;
    one->from = display_path(a, called, g->best ? g->best->path : g->at ? g->at : g->name);
    set_submission_time(one, named ? named : g->best ? g->best->time : g->latest);
    if (g->best && g->tie)
        one->problem = arena_printf(a, "and %s are both versions of the lab: hand in only one",
                                    display_path(a, g->other->path, NULL));
    else if (g->best && g->likeness < minimum_likeness && g->files > 1)
        one->problem = "has the TODO regions of another lab";
    else if (g->best) {
        one->text = arena_strndup(a, g->best->text, g->best->length);
        one->length = g->best->length;
        if (g->other)
            add_choice_note(h, one, display_path(a, g->best->path, NULL),
                            display_path(a, g->other->path, NULL));
    } else
        one->problem = g->refused ? arena_strdup(a, g->refused)
                                  : arena_printf(a,
                                                 "has no file with the lab's TODO regions among "
                                                 "%zu",
                                                 g->files);
}

/* The student's name for a person of a Gradescope export: the person's number, email or name,
 * preferably one that the roster has; else the folder's name. */
static const char *student_name_for_person(const gradescope_person *p, roster *r)
{
    const char *const names[] = {p->sid, p->email, p->name, p->folder};
    for (size_t i = 0; r && i < 3; i++)
        if (*names[i] && roster_find_by_name(r, names[i]))
            return names[i];
    for (size_t i = 0; i < 3; i++)
        if (*names[i])
            return names[i];
    return p->folder;
}

/* Add the files G for each person who handed them in: the people whom a Gradescope LIST names for
 * the folder, or else one student with the folder's name. */
static void add_group_members(submissions *h, const student_files *g, const gradescope_list *list,
                              const char *called, roster *r)
{
    bool listed = false;
    for (size_t i = 0; i < list->count; i++) {
        const gradescope_person *p = &list->people[i];
        if (strcmp(p->folder, g->name) != 0)
            continue;
        add_student_files(h, g, student_name_for_person(p, r), p->created, called, r);
        listed = true;
    }
    if (!listed)
        add_student_files(h, g, g->name, 0, called, r);
}

/* The list of folders in a Gradescope export; NULL: P is no such export. *FROM: offset of folders'
 * names in the paths. A student's file with the list's name is ignored: it lies deeper. */
static const upload_file *find_gradescope_list(const upload *p, size_t *from)
{
    for (size_t n = 0, depth = 0; depth < 2; depth++, n = length_of_common_directory(p, 0)) {
        for (size_t i = 0; i < p->count; i++)
            if (p->files[i].text && strcmp(p->files[i].path + n, UPLOAD_LIST) == 0) {
                *from = n;
                return &p->files[i];
            }
    }
    return NULL;
}

void submissions_add_upload(submissions *h, const upload *p, const char *called, bool whole_class,
                            const char *original, roster *r)
{
    files_by_student s = {0};
    const char *whole = arena_strndup(&s.memory, file_name_of(called),
                                      length_without_extension(file_name_of(called)));
    size_t from = whole_class ? offset_of_student_names(p) : 0;
    const upload_file *list = whole_class ? find_gradescope_list(p, &from) : NULL;
    const gradescope_list people =
        list ? gradescope_read(&s.memory, list->text) : (gradescope_list){0};
    for (size_t i = 0; i < p->count; i++) {
        const upload_file *f = &p->files[i];
        if (f == list)
            continue;
        choose_better_file(
            find_or_add_student(&s, whole_class ? owner_of_path(&s.memory, f->path + from, whole)
                                                : whole),
            f, original);
    }
    if (s.count)
        qsort(s.groups, s.count, sizeof *s.groups, compare_students);
    for (size_t i = 0; i < s.count; i++)
        add_group_members(h, &s.groups[i], &people, called, r);
    if (p->outside)
        *ARENA_PUSH(&h->memory, h->notes, h->note_count) =
            arena_printf(&h->memory, "%s: %zu paths lead out of the archive, and are left out",
                         called, p->outside);
    arena_free(&s.memory);
}

/* --- collecting submissions from paths --- */

/* The student of a single file: by its name, or by its directory's if the file has the lab's. */
static const char *student_of_path(arena *a, const char *path)
{
    const char *name = file_name_of(path);
    const char *own = owner_of_path(a, name, "");
    if (*own || name == path)
        return *own ? own : "lab";
    size_t n = (size_t)(name - path) - 1;
    while (n) {
        size_t begin = n;
        while (begin && path[begin - 1] != '/')
            begin--;
        if (!is_workbook_directory(path + begin, n - begin) && n > begin)
            return arena_strndup(a, path + begin, n - begin);
        n = begin ? begin - 1 : 0;
    }
    return "lab";
}

/* Modification time of the file PATH; 0: unknown. */
static int64_t file_modification_time(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (int64_t)st.st_mtime : 0;
}

static void add_handin_of_text(submissions *h, const char *path, char *text, size_t length,
                               roster *r, const char *problem)
{
    arena *a = &h->memory;
    submission *one = add_handin(h, student_of_path(a, path), r);
    OWNED char *other = text ? text_from_utf16(text, &length) : NULL;
    one->from = display_path(a, path, NULL);
    one->problem = problem;
    one->text = text ? arena_strndup(a, other ? other : text, length) : NULL;
    one->length = length;
    int64_t named = time_in_export_name(path);
    set_submission_time(one, named ? named : file_modification_time(path));
}

/* How many students' folders of the upload P hold a text of the lab. *FOLDERS: the upload has a
 * folder for each student. */
static size_t count_student_folders(const upload *p, const char *original, bool *folders)
{
    size_t from = offset_of_student_names(p), count = 0;
    files_by_student s = {0};
    for (size_t i = 0; i < p->count; i++) {
        student_files *g =
            find_or_add_student(&s, owner_of_path(&s.memory, p->files[i].path + from, ""));
        bool before = g->best;
        choose_better_file(g, &p->files[i], original);
        count += !before && g->best;
    }
    *folders = s.count && (*s.groups[0].name || s.count > 1);
    arena_free(&s.memory);
    return count;
}

/* True: an archive holds one folder for each student of a class; false: it holds the files of one
 * student. If several archives are given, each is one student's: a folder in it with another
 * student's name must not count as that student's submission. */
static bool is_whole_class(submissions *h, const upload *p, const char *called, bool only,
                           const char *original, roster *r)
{
    bool folders;
    size_t students = count_student_folders(p, original, &folders);
    if (!only && students > 1)
        *ARENA_PUSH(&h->memory, h->notes, h->note_count) = arena_printf(
            &h->memory,
            "%s holds the lab in folders of %zu students, and is taken for one student's: to grade "
            "the archive of a class, give no other path",
            called, students);
    if (!only)
        return false;
    if (r) {
        OWNED char *stem = xprintf("%.*s", (int)length_without_extension(file_name_of(called)),
                                   file_name_of(called));
        bool one = roster_find_by_name(r, stem) != NULL;
        return !one;
    }
    return students > 1 || folders;
}

static bool collect_handins_of_path(submissions *h, const char *path, bool only,
                                    const char *original, roster *r, char *err, size_t err_size)
{
    char why[256];
    upload p = {0};
    if (file_is_dir(path)) {
        bool ok = upload_directory(&p, path, why, sizeof why);
        h->named = true;
        if (ok)
            submissions_add_upload(h, &p, path, true, original, r);
        else
            snprintf(err, err_size, "%s %s", path, why);
        upload_free(&p);
        return ok;
    }
    size_t length = 0;
    OWNED char *bytes = read_whole_file(path, UPLOAD_ARCHIVE, &length);
    if (!bytes || !upload_is_archive(bytes, length)) {
        add_handin_of_text(h, path, bytes, length, r,
                           bytes ? NULL
                                 : arena_printf(&h->memory, "cannot be read: %s", strerror(errno)));
        return true;
    }
    bool ok = upload_archive(&p, bytes, length, "", 0, why, sizeof why);
    bool whole = is_whole_class(h, &p, path, only, original, r);
    h->named = true;
    for (size_t i = 0; i < p.count && !whole; i++)
        p.files[i].time = file_modification_time(
            path); /* times inside an archive come from the student's machine */
    if (!ok && (only || whole)) {
        snprintf(err, err_size, "%s %s", path, why);
    } else if (!ok) {
        add_handin_of_text(h, path, NULL, 0, r, arena_strdup(&h->memory, why));
        ok = true;
    } else {
        submissions_add_upload(h, &p, path, whole, original, r);
    }
    upload_free(&p);
    return ok;
}

bool submissions_collect(submissions *h, const char *const *paths, size_t count,
                         const char *original, roster *r, char *err, size_t err_size)
{
    *h = (submissions){0};
    for (size_t i = 0; i < count; i++)
        if (!collect_handins_of_path(h, paths[i], count == 1, original, r, err, err_size)) {
            submissions_free(h);
            return false;
        }
    return true;
}

void submissions_keep_last(submissions *h)
{
    for (size_t i = 0; i < h->count; i++)
        for (size_t k = i + 1; k < h->count; k++) {
            submission *x = &h->list[i], *y = &h->list[k];
            if (strcmp(x->student, y->student) != 0)
                continue;
            if (y->submitted < x->submitted) {
                submission swap = *x;
                *x = *y;
                *y = swap;
            }
            add_choice_note(h, y, y->from, x->from);
            *x = *y;
            memmove(y, y + 1, (h->count - k - 1) * sizeof *y);
            h->count--;
            k--;
        }
}

void submissions_free(submissions *h)
{
    arena_free(&h->memory);
    *h = (submissions){0};
}
