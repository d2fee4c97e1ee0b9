#include "pristine.h"

#include "../base/files.h"
#include "../base/job.h"
#include "choices.h"

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
    OWNED char *git = find_program("git");
    if (!git)
        return NULL;
    OWNED char *object = xprintf("HEAD:./%s", installation_short_path(h, c->lab));
    const char *argv[] = {git, "-C", h->root, "show", object, NULL};
    job_end how;
    int code;
    char *text = job_run_and_read(argv, 10, &how, &code);
    if (how != JOB_EXITED || code != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static bool write_with_directories(const char *path, const char *text)
{
    OWNED char *dir = xstrdup(path);
    *strrchr(dir, '/') = '\0';
    return make_directories(dir) && write_whole_file(path, text, strlen(text));
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
    while ((line = next_line(&w->rest, len)))
        if (!is_line_in_region(&w->regions, ++w->number))
            break;
    return line;
}

/* A lab's or a solution's text without the text inside its TODO regions; to be freed. */
static char *text_outside_regions(const char *text)
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

/* Blank the characters from P to END, lines kept. */
static void blank(char *p, const char *end)
{
    for (; p < end; p++)
        *p = *p == '\n' ? '\n' : ' ';
}

/* The end of the string or character literal at P. */
static char *end_of_literal(char *p)
{
    char quote = *p++;
    while (*p && *p != quote && *p != '\n')
        p += *p == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : p;
}

static void blank_comments(char *p)
{
    while (*p) {
        char *end;
        if (starts_with(p, "//")) {
            end = p + strcspn(p, "\n");
            blank(p, end);
        } else if (starts_with(p, "/*")) {
            end = strstr(p + 2, "*/");
            end = end ? end + 2 : p + strlen(p);
            blank(p, end);
        } else {
            end = *p == '"' || *p == '\'' ? end_of_literal(p) : p + 1;
        }
        p = end;
    }
}

enum { REGION_SIGN = '\1' }; /* stands where a region begins */

/* The code of a lab's TEXT outside its regions, as long as TEXT: comments and regions are blank,
 * and a REGION_SIGN stands where a region begins. */
static char *code_outside_regions(const char *text, arena *a, bool *broken)
{
    chapter c = {0};
    const char *rest = text, *line;
    size_t len;
    chapter_read_lab(&c, a, text);
    *broken = c.problem_count > 0;
    char *code = arena_strdup(a, text);
    if (starts_with(code, "\xEF\xBB\xBF")) /* a byte order mark, which the compiler ignores too */
        blank(code, code + 3);
    for (int number = 1; (line = next_line(&rest, &len)); number++)
        if (is_line_in_region(&c, number))
            blank(code + (line - text), code + (line - text) + len);
    blank_comments(code);
    const todo_region *t;
    int number = 0;
    rest = text;
    while ((line = next_line(&rest, &len))) {
        number++;
        for (size_t i = 0; (t = chapter_region_at(&c, i)); i++)
            if (t->begin == number && len)
                code[line - text] = REGION_SIGN;
    }
    return code;
}

static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (const char *p = text; p < at; p++)
        line += *p == '\n' && p[1];
    return line;
}

/* Where the code MINE begins to differ from the code WHOLE, blanks aside; NULL: nowhere. */
static const char *first_difference(const char *mine, const char *whole)
{
    static const char blanks[] = " \t\r\n\v\f";
    for (;; mine++, whole++) {
        mine += strspn(mine, blanks);
        whole += strspn(whole, blanks);
        if (*mine != *whole)
            return mine;
        if (!*mine)
            return NULL;
    }
}

int first_changed_line(const char *lab, const char *original)
{
    CLEANUP(arena_free) arena a = {0};
    bool broken, unused;
    char *mine = code_outside_regions(lab, &a, &broken),
         *whole = code_outside_regions(original, &a, &unused);
    free_constants own = choices_of_book(original, &a), known = choices_of_book(original, &a);
    choices_take(&own, mine);
    choices_take(&known, whole);
    const char *at = first_difference(mine, whole);
    bool missing = false;
    for (size_t i = 0; i < own.count; i++)
        missing |= known.list[i].given && !own.list[i].given;
    if (!at && (missing || broken))
        at = missing ? mine : mine + strlen(mine);
    return at ? line_of(mine, at) : 0;
}

free_constants chosen_values(const char *lab, const char *original, arena *a)
{
    bool unused;
    free_constants c = choices_of_book(original, a);
    choices_take(&c, code_outside_regions(lab, a, &unused));
    return c;
}

bool is_text_outside_regions_equal(const char *lab, const char *original)
{
    OWNED char *mine = text_outside_regions(lab), *whole = text_outside_regions(original);
    return strcmp(mine, whole) == 0;
}

char *book_text_of_lab(installation *h, const chapter *c)
{
    char *text = read_whole_file(c->solution, LAB_LIMIT, NULL);
    return text ? text : read_whole_file(path_of_stored_original(h, c), LAB_LIMIT, NULL);
}

/* True: the stored text is the one to restore, because no update of the book has replaced the lab.
 * False: it is out of date, and TEXT is current. */
static bool stored_text_is_current(const chapter *c, const char *kept, const char *text)
{
    OWNED char *solution = read_whole_file(c->solution, LAB_LIMIT, NULL);
    return !solution || !text || is_text_outside_regions_equal(kept, solution) ||
           !is_text_outside_regions_equal(text, solution);
}

void store_original_labs(installation *h, const book *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const chapter *c = &b->chapters[i];
        const char *path = path_of_stored_original(h, c);
        if (!c->has_lab)
            continue;
        OWNED char *text = read_whole_file(c->lab, LAB_LIMIT, NULL),
                   *kept = read_whole_file(path, LAB_LIMIT, NULL);
        bool ok = true;
        if (!kept || !stored_text_is_current(c, kept, text)) {
            OWNED char *committed = original_from_git(h, c);
            const char *best = committed && (!kept || !stored_text_is_current(c, kept, committed))
                                   ? committed
                                   : text;
            ok = best && write_with_directories(path, best);
        }
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
    OWNED char *text = read_original_lab(h, c, err, err_size);
    if (!text)
        return false;
    OWNED char *mine = read_whole_file(c->lab, LAB_LIMIT, NULL);
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
    return ok;
}
