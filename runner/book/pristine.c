#include "pristine.h"

#include "../base/files.h"
#include "../base/job.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAB_LIMIT = 4 << 20 }; /* bytes of a lab's text, at most */

static char *path_of_stored_original(installation *h, const chapter *c)
{
    return arena_printf(&h->memory, "%s/pristine/%s/lab.cu", h->state, c->name);
}

/* The text of the lab in git's HEAD; NULL: git does not have it. */
static char *original_from_git(installation *h, const chapter *c)
{
    char *git = find_program("git");
    if (!git)
        return NULL;
    char *object = xprintf("HEAD:./%s", installation_short_path(h, c->lab));
    const char *argv[] = {git, "-C", h->root, "show", object, NULL};
    job_end how;
    int code;
    char *text = job_run_and_read(argv, 10, &how, &code);
    if (how != JOB_EXITED || code != 0) {
        free(text);
        text = NULL;
    }
    free(object);
    free(git);
    return text;
}

static bool write_with_directories(const char *path, const char *text)
{
    char *dir = xstrdup(path);
    *strrchr(dir, '/') = '\0';
    bool ok = make_directories(dir) && write_whole_file(path, text, strlen(text));
    free(dir);
    return ok;
}

/* Iterates over the lines outside the TODO regions. */
typedef struct outside_lines {
    chapter regions;  /* TODO regions of the text */
    arena memory;     /* arena that holds the regions */
    const char *rest; /* text after the line read last */
    int number;       /* number of the line read last, from 1; 0: none yet */
} outside_lines;

static outside_lines outside_lines_begin(const char *text)
{
    /* Some editors begin a text with a byte order mark, which the compiler ignores too. */
    text += starts_with(text, "\xEF\xBB\xBF") ? 3 : 0;
    outside_lines w = {.rest = text};
    chapter_read_lab(&w.regions, &w.memory, text);
    return w;
}

static const char *outside_lines_next(outside_lines *w, size_t *len)
{
    const char *line;
    while ((line = next_line(&w->rest, len))) {
        if (!is_line_in_region(&w->regions, ++w->number))
            break;
    }
    return line;
}

char *text_outside_regions(const char *text)
{
    outside_lines w = outside_lines_begin(text);
    sb out = {0};
    const char *line;
    size_t len;
    while ((line = outside_lines_next(&w, &len)))
        sb_printf(&out, "%.*s\n", (int)len, line);
    arena_free(&w.memory);
    return sb_take(&out);
}

static size_t length_without_trailing_blanks(const char *line, size_t len)
{
    while (len > 0 && strchr(" \t\r", line[len - 1]))
        len--;
    return len;
}

/* On a line with this mark at its end the student may change numbers, and nothing else. */
const char choice_line_mark[] = "// yours to choose";

size_t length_of_number_at(const char *line, const char *at)
{
    bool inside = at > line && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
    return inside ? 0 : strspn(at, "0123456789");
}

bool is_choice_changed(const char *x, const char *y)
{
    const char *p = x, *q = y, *end = strstr(y, choice_line_mark);
    for (;;) {
        p += strspn(p, " \t");
        q += strspn(q, " \t");
        if (!end || q >= end)
            return end && (!*p || starts_with(p, "//"));
        size_t n = length_of_number_at(x, p), m = length_of_number_at(y, q);
        if (n && m) {
            p += n;
            q += m;
        } else if (*p++ != *q++) {
            return false;
        }
    }
}

static bool is_line_unchanged(const char *x, size_t n, const char *y, size_t m)
{
    n = length_without_trailing_blanks(x, n);
    m = length_without_trailing_blanks(y, m);
    if (n == m && memcmp(x, y, n) == 0)
        return true;
    if (!memmem(y, m, choice_line_mark, strlen(choice_line_mark)))
        return false;
    char *mine = xprintf("%.*s", (int)n, x), *whole = xprintf("%.*s", (int)m, y);
    bool same = is_choice_changed(mine, whole);
    free(mine);
    free(whole);
    return same;
}

int first_changed_line(const char *lab, const char *original)
{
    outside_lines mine = outside_lines_begin(lab), whole = outside_lines_begin(original);
    int where = 0;
    for (;;) {
        size_t n, m;
        const char *x = outside_lines_next(&mine, &n), *y = outside_lines_next(&whole, &m);
        if (!x && !y)
            break;
        if (x && y && is_line_unchanged(x, n, y, m))
            continue;
        where = mine.number ? mine.number : 1;
        break;
    }
    arena_free(&mine.memory);
    arena_free(&whole.memory);
    return where;
}

char *book_text_of_lab(installation *h, const chapter *c)
{
    char *text = read_whole_file(c->solution, LAB_LIMIT, NULL);
    return text ? text : read_whole_file(path_of_stored_original(h, c), LAB_LIMIT, NULL);
}

/* True: lab and solution have equal text outside their regions. If the stored lab differs from the
 * solution, an update of the book has replaced the lab. */
static bool lab_matches_solution(const char *lab, const char *solution)
{
    char *a = text_outside_regions(lab), *b = text_outside_regions(solution);
    bool same = strcmp(a, b) == 0;
    free(a);
    free(b);
    return same;
}

/* True: the stored text is the one to restore. False: it is out of date, and TEXT is current. */
static bool stored_text_is_current(const chapter *c, const char *kept, const char *text)
{
    char *solution = read_whole_file(c->solution, LAB_LIMIT, NULL);
    bool current = !solution || !text || lab_matches_solution(kept, solution) ||
                   !lab_matches_solution(text, solution);
    free(solution);
    return current;
}

void store_original_labs(installation *h, const book *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const chapter *c = &b->chapters[i];
        const char *path = path_of_stored_original(h, c);
        if (!c->has_lab)
            continue;
        char *text = read_whole_file(c->lab, LAB_LIMIT, NULL),
             *kept = read_whole_file(path, LAB_LIMIT, NULL);
        bool ok = true;
        if (!kept || !stored_text_is_current(c, kept, text)) {
            char *committed = original_from_git(h, c);
            const char *best = committed && (!kept || !stored_text_is_current(c, kept, committed))
                                   ? committed
                                   : text;
            ok = best && write_with_directories(path, best);
            free(committed);
        }
        free(text);
        free(kept);
        if (!ok)
            return; /* not writable; a message follows later, when a backup has to be saved */
    }
}

char *read_original_lab(installation *h, const chapter *c, char *err, size_t err_size)
{
    char *text = read_whole_file(path_of_stored_original(h, c), LAB_LIMIT, NULL);
    if (!text)
        text = original_from_git(h, c);
    if (!text)
        snprintf(err, err_size, "the original text of the lab is neither in %s nor in git",
                 path_of_stored_original(h, c));
    return text;
}

bool reset_lab_to_original(installation *h, const chapter *c, char **backup, char *err,
                           size_t err_size)
{
    *backup = NULL;
    char *text = read_original_lab(h, c, err, err_size);
    if (!text)
        return false;
    char *mine = read_whole_file(c->lab, LAB_LIMIT, NULL);
    bool ok = true;
    if (!mine && errno != ENOENT) {
        snprintf(err, err_size, "%s cannot be read: %s", c->lab, strerror(errno));
        ok = false;
    } else if (mine && strcmp(mine, text) != 0) {
        char stamp[32];
        local_time_stamp(stamp);
        char *path = xprintf("%s/backup/%s/lab-%s.cu", h->state, c->name, stamp);
        for (int i = 2; access(path, F_OK) == 0; i++) {
            free(path);
            path = xprintf("%s/backup/%s/lab-%s-%d.cu", h->state, c->name, stamp, i);
        }
        if (write_with_directories(path, mine)) {
            *backup = path;
        } else {
            snprintf(err, err_size, "cannot save your lab as %s (%s), so it was not changed", path,
                     strerror(errno));
            free(path);
            ok = false;
        }
    }
    if (ok && !write_whole_file(c->lab, text, strlen(text))) {
        snprintf(err, err_size, "%s cannot be written: %s", c->lab, strerror(errno));
        ok = false;
    }
    free(mine);
    free(text);
    return ok;
}
