#include "chapter.h"

#include "../../emulator/base/spelling.h"
#include "../base/files.h"
#include "choices.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 4 << 20 }; /* bytes of a text file, at most */

static void add_chapter_problem(chapter *c, arena *a, const char *sentence)
{
    *ARENA_PUSH(a, c->problems, c->problem_count) = sentence;
}

todo_region *chapter_find_todo(chapter *c, int number)
{
    for (size_t i = 0; i < c->todo_count; i++)
        if (c->todos[i].number == number)
            return &c->todos[i];
    return NULL;
}

const todo_region *chapter_region_at(const chapter *c, size_t i)
{
    if (i < c->todo_count)
        return &c->todos[i];
    return i == c->todo_count && c->helpers.begin ? &c->helpers : NULL;
}

bool is_line_in_region(const chapter *c, int line)
{
    const todo_region *t;
    for (size_t i = 0; (t = chapter_region_at(c, i)); i++)
        if (line > t->begin && line < t->end)
            return true;
    return false;
}

/* Maximum number of TODO regions in a submission, more than any lab has. A larger number is
 * refused, because each region costs a scan of the whole text. */
enum { MAX_TODOS = 16 }; /* TODO regions of a submission, at most */

/* --- lab.cu: "// TODO 1 (about 3 lines): what to do" ... "// END TODO 1" --- */

static bool read_todo_line(const char *line, todo_region *t, arena *a)
{
    int n = 0, number = 0;
    if (sscanf(line, " // TODO %d%n", &number, &n) != 1 || n == 0)
        return false;
    line += n;
    while (*line == ' ')
        line++;
    *t = (todo_region){.number = number, .text = ""};
    if (*line == '(') {
        const char *digits = strpbrk(line, "0123456789)");
        t->lines = digits && isdigit((unsigned char)*digits) ? atoi(digits) : 0;
        const char *close = strchr(line, ')');
        line = close ? close + 1 : line + 1;
    }
    while (*line == ':' || *line == ' ')
        line++;
    t->text = arena_strdup(a, line);
    return true;
}

/* Recognize "// HELPERS" and "// END HELPERS", the marks around the student's own functions. False:
 * LINE is neither. */
static bool read_helpers_line(chapter *c, arena *a, const char *line, int number,
                              const todo_region *open)
{
    line += strspn(line, " \t");
    bool ends = starts_with(line, "// END HELPERS");
    if (!ends && !starts_with(line, "// HELPERS"))
        return false;
    const todo_region *h = &c->helpers;
    if (open)
        add_chapter_problem(
            c, a, arena_printf(a, "lab.cu:%d has HELPERS inside TODO %d", number, open->number));
    else if (ends && (!h->begin || h->end))
        add_chapter_problem(c, a,
                            arena_printf(a, "lab.cu:%d has END HELPERS without HELPERS", number));
    else if (!ends && h->begin)
        add_chapter_problem(c, a, arena_printf(a, "lab.cu:%d has a second HELPERS", number));
    else if (ends)
        c->helpers.end = number;
    else
        c->helpers.begin = number;
    return true;
}

void chapter_read_lab(chapter *c, arena *a, const char *text)
{
    const char *line;
    size_t len;
    int number = 0, end;
    todo_region *open = NULL;
    bool head = false; /* the line belongs to the comment at the start of a region, and more comment
                        * lines may follow */
    while ((line = next_line(&text, &len))) {
        number++;
        char *copy = arena_strndup(a, line, len);
        todo_region t;
        if (read_helpers_line(c, a, copy, number, open))
            continue;
        if (sscanf(copy, " // END TODO %d", &end) == 1) {
            if (!open || open->number != end)
                add_chapter_problem(
                    c, a, arena_printf(a, "lab.cu:%d has END TODO %d without TODO", number, end));
            else
                open->end = number;
            open = NULL;
        } else if (read_todo_line(copy, &t, a)) {
            if (c->todo_count == MAX_TODOS) {
                add_chapter_problem(
                    c, a, arena_printf(a, "lab.cu:%d begins too many TODO regions", number));
                break;
            }
            if (c->helpers.begin && !c->helpers.end)
                add_chapter_problem(
                    c, a,
                    arena_printf(a, "lab.cu:%d begins TODO %d inside HELPERS", number, t.number));
            if (open)
                add_chapter_problem(c, a,
                                    arena_printf(a, "lab.cu:%d begins TODO %d inside TODO %d",
                                                 number, t.number, open->number));
            t.begin = number;
            open = ARENA_PUSH(a, c->todos, c->todo_count);
            *open = t;
            head = true;
        } else if (open && head) {
            char *rest = copy + strspn(copy, " \t");
            if (starts_with(rest, "//") && !starts_with(rest, "// Hint:"))
                open->text = arena_printf(a, "%s %s", open->text, strip(rest + 2));
            else
                head = false;
        }
    }
    for (size_t i = 0; i < c->todo_count; i++)
        if (!c->todos[i].end) {
            add_chapter_problem(c, a,
                                arena_printf(a, "lab.cu:%d: TODO %d has no END TODO %d",
                                             c->todos[i].begin, c->todos[i].number,
                                             c->todos[i].number));
            c->todos[i].end = number;
        }
    if (c->helpers.begin && !c->helpers.end) {
        add_chapter_problem(
            c, a, arena_printf(a, "lab.cu:%d: HELPERS has no END HELPERS", c->helpers.begin));
        c->helpers.end = number;
    }
}

/* --- README.md ---
 * The lesson is read line by line and not with cmark-gfm, because predict and plot comments may
 * stand anywhere, and hints and questions are kept as Markdown until they are shown. */

static bool is_directive_comment(const char *line, const char *kind)
{
    return starts_with(line, "<!-- ") && starts_with(line + 5, kind) && strstr(line, "-->") &&
           (line[5 + strlen(kind)] == ' ');
}

/* The next word (KEY=VALUE, KEY="VALUE" or WORD) of a lesson's comment. NULL: none is left. */
static char *next_directive_word(const char **p, arena *a)
{
    while (**p == ' ')
        ++*p;
    if (!**p || starts_with(*p, "-->"))
        return NULL;
    CLEANUP(sb_free) sb word = {0};
    bool quoted = false;
    for (; **p && (quoted || (**p != ' ' && !starts_with(*p, "-->"))); ++*p)
        if (**p == '"')
            quoted = !quoted;
        else
            sb_add(&word, *p, 1);
    return arena_strndup(a, word.s ? word.s : "", word.len);
}

static void read_prediction_directive(chapter *c, arena *a, const char *p, prediction **out)
{
    prediction new = {.question = ""};
    char *word;
    while ((word = next_directive_word(&p, a)))
        if (starts_with(word, "kernel="))
            new.kernel = word + 7;
        else if (starts_with(word, "metric="))
            new.metric = word + 7;
        else if (starts_with(word, "answers="))
            new.answers = word + 8;
    *out = NULL;
    if (!new.kernel || !new.metric) {
        add_chapter_problem(c, a,
                            "README.md: a predict comment needs kernel=NAME and metric=METRIC");
        return;
    }
    *out = ARENA_PUSH(a, c->predictions, c->prediction_count);
    **out = new;
}

static void read_picture_directive(chapter *c, arena *a, const char *p)
{
    lesson_plot new = {0};
    new.script = next_directive_word(&p, a);
    if (!new.script || strchr(new.script, '/') || strchr(new.script, '.')) {
        add_chapter_problem(c, a, "README.md: a plot comment needs the name of a script in plots/");
        return;
    }
    char *word;
    while ((word = next_directive_word(&p, a)))
        *ARENA_PUSH(a, new.args, new.arg_count) = word;
    *ARENA_PUSH(a, c->pictures, c->picture_count) = new;
}

static char *chapter_title(arena *a, const char *line, int number)
{
    const char *p = line + 2;
    /* In a title like "# 4. Constant memory" the number is omitted, as it is shown apart. */
    const char *q = p;
    if (starts_with(q, "Chapter "))
        q += 8;
    size_t digits = strspn(q, "0123456789");
    if (digits && atoi(q) == number && strspn(q + digits, ".: -")) {
        q += digits;
        p = q + strspn(q, ".: -");
    }
    return strip(arena_strdup(a, p));
}

/* Join a continued line of a hint or of a question to the text before it, with a blank. */
static const char *join_with_space(arena *a, const char *so_far, const char *more)
{
    return *so_far ? arena_printf(a, "%s %s", so_far, more) : more;
}

void chapter_read_lesson(chapter *c, arena *a, const char *text)
{
    const char *raw;
    size_t len;
    bool fenced = false, in_hints = false;
    todo_region *hinted = NULL;
    todo_region unused = {0}; /* collects hints for a TODO that the lab does not have */
    prediction *asking = NULL;
    while ((raw = next_line(&text, &len))) {
        char *full = arena_strndup(a, raw, len);
        char *line = strip(arena_strdup(a, full));
        if (starts_with(line, "```"))
            fenced = !fenced;
        if (asking && !*line && *asking->question)
            asking = NULL;
        if (fenced && !hinted)
            continue;
        int number;
        if (!fenced && starts_with(full, "# ") && !c->title) {
            c->title = chapter_title(a, full, c->number);
        } else if (!fenced && starts_with(full, "## ")) {
            in_hints = strcmp(line, "## Hints") == 0;
            hinted = NULL;
            asking = NULL;
        } else if (is_directive_comment(line, "predict")) {
            read_prediction_directive(c, a, line + 13, &asking);
        } else if (is_directive_comment(line, "plot")) {
            read_picture_directive(c, a, line + 10);
        } else if (asking && *line) {
            asking->question = join_with_space(a, asking->question, line);
        } else if (in_hints && sscanf(full, "### TODO %d", &number) == 1) {
            hinted = chapter_find_todo(c, number);
            if (!hinted) {
                add_chapter_problem(
                    c, a,
                    arena_printf(a, "README.md has hints for TODO %d, which is not in lab.cu",
                                 number));
                hinted = &unused;
            }
        } else if (hinted && !fenced && isdigit((unsigned char)full[0]) &&
                   full[strspn(full, "0123456789")] == '.') {
            char *hint = strip(full + strspn(full, "0123456789") + 1);
            *ARENA_PUSH(a, hinted->hints, hinted->hint_count) = hint;
        } else if (hinted && hinted->hint_count > 0) {
            /* Lines of code stay separate; lines of prose are joined, and wrapped later. */
            const char **last = &hinted->hints[hinted->hint_count - 1];
            size_t indent = strspn(full, " ");
            if (fenced || starts_with(line, "```"))
                *last = arena_printf(a, "%s\n%s", *last, full + (indent > 3 ? 3 : indent));
            else if (*line)
                *last = strchr(*last, '\n') ? arena_printf(a, "%s\n%s", *last, line)
                                            : join_with_space(a, *last, line);
        }
    }
}

/* --- reading the chapters of the book --- */

static const char *topic_title(arena *a, const char *topic)
{
    char *title = arena_strdup(a, topic);
    for (char *p = title; *p; p++)
        if (*p == '-')
            *p = ' ';
    title[0] = (char)toupper((unsigned char)title[0]);
    return title;
}

static const rubric *read_rubric(chapter *c, arena *a, const char *name)
{
    char err[512];
    OWNED char *text = read_whole_file(arena_printf(a, "%s/%s", c->dir, name), TEXT_LIMIT, NULL);
    if (!text)
        return NULL; /* a student's copy of the workbook has no rubric */
    const rubric *r = rubric_parse(text, a, err, sizeof err);
    if (!r) {
        c->rubric_fault = arena_printf(a, "%s%s", name, err + strcspn(err, ": "));
        add_chapter_problem(c, a, c->rubric_fault);
    }
    return r;
}

static void read_rubrics(chapter *c, arena *a)
{
    c->rubric = read_rubric(c, a, "rubric.tsv");
    for (int k = 0; !c->rubric && k < CHAPTER_MAX_PROGRAMS && (k == 0 || c->program_rubrics[k - 1]);
         k++)
        c->program_rubrics[k] = read_rubric(c, a, arena_printf(a, "rubric.%d.tsv", k + 1));
}

const rubric *chapter_rubric(const chapter *c, int choice)
{
    bool has = choice > 0 && choice <= CHAPTER_MAX_PROGRAMS && c->program_rubrics[choice - 1];
    return c->rubric ? c->rubric : c->program_rubrics[has ? choice - 1 : 0];
}

int chapter_choice(const chapter *c, const char *text)
{
    static const char name[] = "CHOICE = ";
    const char *line;
    size_t len;
    while (c->program_rubrics[0] && (line = next_line(&text, &len))) {
        const char *at = memmem(line, len, name, strlen(name));
        if (!at || !memmem(line, len, choice_line_mark, strlen(choice_line_mark)))
            continue;
        long k = strtol(at + strlen(name), NULL, 10);
        return k > 0 && k <= CHAPTER_MAX_PROGRAMS && c->program_rubrics[k - 1] ? (int)k : 0;
    }
    return 0;
}

void chapter_read(chapter *c, arena *a)
{
    char *text = read_whole_file(c->lab, TEXT_LIMIT, NULL);
    if (text) {
        c->has_lab = true;
        c->has_jobs = strstr(text, "#include \"lab_process.h\"");
        chapter_read_lab(c, a, text);
        if (c->todo_count == 0)
            add_chapter_problem(c, a, "lab.cu has no TODO region");
    } else {
        add_chapter_problem(c, a,
                            arena_printf(a, "%s/%s has no lab.cu",
                                         c->assignment ? "labs" : "chapters",
                                         strrchr(c->dir, '/') + 1));
    }
    free(text);
    text = read_whole_file(c->lesson, TEXT_LIMIT, NULL);
    if (text) {
        c->has_lesson = true;
        chapter_read_lesson(c, a, text);
    } else {
        add_chapter_problem(c, a, "README.md, the lesson, is missing");
    }
    free(text);
    if (c->assignment)
        read_rubrics(c, a);
    c->has_solution = file_exists(c->solution);
    const char *dash = strrchr(c->dir, '/') + 1;
    if (!c->title)
        c->title = topic_title(a, dash + strcspn(dash, "-") + 1);
}

static void read_chapters_in(book *b, installation *h, const char *shelf, bool assignment)
{
    arena *a = &b->memory;
    char *path = installation_path(h, "%s", shelf);
    DIR *dir = opendir(path);
    if (!dir)
        return;
    struct dirent *e;
    while ((e = readdir(dir))) {
        size_t digits = strspn(e->d_name, "0123456789");
        if (digits == 0 || digits > 4 || e->d_name[digits] != '-' || !e->d_name[digits + 1])
            continue;
        const char *full = arena_printf(a, "%s/%s", path, e->d_name);
        if (!file_is_dir(full))
            continue;
        chapter *c = ARENA_PUSH(a, b->chapters, b->count);
        *c = (chapter){.number = atoi(e->d_name), .assignment = assignment, .dir = full};
        c->name = arena_printf(a, "%s%s", assignment ? "labs/" : "", e->d_name);
        c->lesson = arena_printf(a, "%s/README.md", full);
        c->lab = arena_printf(a, "%s/lab.cu", full);
        c->solution = assignment ? installation_path(h, "solutions/%s/solution.cu", e->d_name)
                                 : arena_printf(a, "%s/solution.cu", full);
        chapter_read(c, a);
    }
    closedir(dir);
}

/* Report chapters without a solution. A workbook without any is a student's copy, and complete. */
static void note_missing_solutions(book *b)
{
    bool some = false;
    for (size_t i = 0; i < b->count; i++)
        some |= b->chapters[i].has_solution;
    for (size_t i = 0; i < b->count && some; i++)
        if (!b->chapters[i].has_solution && !b->chapters[i].assignment)
            add_chapter_problem(&b->chapters[i], &b->memory, "solution.cu is missing");
}

static int compare_chapters(const void *x, const void *y)
{
    const chapter *a = x, *b = y;
    if (a->assignment != b->assignment)
        return a->assignment ? 1 : -1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Give each chapter its part: the last row of chapters/parts.tsv (number of the part's first
 * chapter, title) that does not begin after it. A book without that file has no parts. */
static void read_parts(book *b, installation *h)
{
    OWNED char *text =
        read_whole_file(installation_path(h, "chapters/parts.tsv"), TEXT_LIMIT, NULL);
    const char *rest = text, *line;
    size_t len;
    while (rest && (line = next_line(&rest, &len))) {
        char *field[2];
        if (cut_fields(arena_strndup(&b->memory, line, len), field, 2) != 2)
            continue;
        for (size_t i = 0; i < b->count; i++)
            if (!b->chapters[i].assignment && b->chapters[i].number >= atoi(field[0]))
                b->chapters[i].part = field[1];
    }
    for (size_t i = 0; i < b->count && text; i++)
        if (b->chapters[i].assignment)
            b->chapters[i].part = "Assignments";
}

void book_open(book *b, installation *h)
{
    *b = (book){0};
    read_chapters_in(b, h, "chapters", false);
    read_chapters_in(b, h, "labs", true);
    note_missing_solutions(b);
    if (b->count)
        qsort(b->chapters, b->count, sizeof *b->chapters, compare_chapters);
    read_parts(b, h);
}

void book_close(book *b)
{
    arena_free(&b->memory);
}

chapter *book_find(const book *b, const char *word, char *err, size_t err_size)
{
    const chapter *meant = NULL;
    chapter *found = NULL;
    size_t n = strlen(word), matches = 0;
    /* "L3" means assignment 3, as `warpbook list` and the screen show it. */
    bool labs = (*word == 'L' || *word == 'l') && strspn(word + 1, "0123456789") + 1 == n && n > 1;
    if (labs)
        word++, n--;
    if (starts_with(word, "chapters/"))
        word += 9, n -= 9;
    while (n > 0 && word[n - 1] == '/')
        n--;
    bool number = n > 0 && strspn(word, "0123456789") == n;
    for (size_t i = 0; i < b->count && n > 0; i++) {
        chapter *c = &b->chapters[i];
        const char *topic = strchr(c->name, '-') + 1;
        if (number) {
            if (c->number == atoi(word) && (!labs || c->assignment))
                return c;
            continue;
        }
        if ((strlen(c->name) == n && strncmp(c->name, word, n) == 0) ||
            (strlen(topic) == n && strncmp(topic, word, n) == 0) ||
            (!c->assignment && isdigit((unsigned char)*word) &&
             strcmp(word + strcspn(word, "-"), topic - 1) == 0)) /* its name of another number */
            return c;
        if (strncmp(c->name, word, n) == 0 || strncmp(topic, word, n) == 0) {
            found = c;
            matches++;
        }
        if (is_misspelling(word, topic))
            meant = c;
    }
    if (matches == 1)
        return found;
    if (matches > 1)
        snprintf(err, err_size, "%.*s matches %zu chapters; `warpbook list` names them", (int)n,
                 word, matches);
    else
        snprintf(err, err_size, "there is no chapter %s%.*s; %s%s%s`warpbook list` names them",
                 labs ? "L" : "", (int)n, word, meant ? "did you mean " : "",
                 meant ? meant->name : "", meant ? "? " : "");
    return NULL;
}
