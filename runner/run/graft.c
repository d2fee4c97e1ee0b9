#include "graft.h"

#include "../book/chapter.h"
#include "../book/pristine.h"

#include <string.h>

char *graft_normalized_text(const char *text)
{
    sb out = {0};
    text += starts_with(text, "\xEF\xBB\xBF") ? 3 : 0;
    for (; *text; text++)
        if (*text != '\r')
            sb_add(&out, text, 1);
        else if (text[1] != '\n')
            sb_puts(&out, "\n");
    return sb_take(&out);
}

/* True: the LEN bytes at LINE begin with MARK, blanks aside, and no further digit. */
static bool is_mark_line(const char *line, size_t len, const char *mark)
{
    const char *end = line + len;
    for (;; line++, mark++) {
        while (line < end && (*line == ' ' || *line == '\t'))
            line++;
        mark += *mark == ' ';
        if (!*mark)
            return line == end || !(*line >= '0' && *line <= '9');
        if (line == end || *line != *mark)
            return false;
    }
}

/* The line of TEXT, from 1, that begins with MARK; 0: none. */
static int line_with_mark(const char *text, const char *mark)
{
    const char *line;
    size_t len;
    for (int number = 1; (line = next_line(&text, &len)); number++)
        if (is_mark_line(line, len, mark))
            return number;
    return 0;
}

/* A sentence about the one of the two marks of region NAME ("TODO 2") that TEXT lacks; NULL: it has
 * both, or neither. */
static const char *lost_mark(const char *text, const char *name, arena *a)
{
    const char *begin = arena_printf(a, "// %s", name), *end = arena_printf(a, "// END %s", name);
    int first = line_with_mark(text, begin), last = line_with_mark(text, end);
    if (!first == !last)
        return NULL;
    return first
               ? arena_printf(
                     a,
                     "has no line `%s`: put it back after the lines of %s, which begin at line %d",
                     end, name, first)
               : arena_printf(
                     a,
                     "has no line `%s`: put it back before the lines of %s, which end at line %d",
                     begin, name, last);
}

const char *find_lost_mark(const char *original, const char *text, arena *a)
{
    chapter c = {0};
    CLEANUP(arena_free) arena memory = {0};
    chapter_read_lab(&c, &memory, original);
    const char *why = c.helpers.begin ? lost_mark(text, "HELPERS", a) : NULL;
    for (size_t i = 0; i < c.todo_count && !why; i++)
        why = lost_mark(text, arena_printf(&memory, "TODO %d", c.todos[i].number), a);
    return why;
}

/* The TODO region NUMBER of the submitted file C. NULL with *WHY: C has none, or several. */
static const todo_region *find_only_region(chapter *c, int number, arena *a, const char **why)
{
    const todo_region *only = NULL;
    for (size_t i = 0; i < c->todo_count; i++)
        if (c->todos[i].number == number && only) {
            *why = arena_printf(a, "has TODO %d twice, at lines %d and %d", number, only->begin,
                                c->todos[i].begin);
            return NULL;
        } else if (c->todos[i].number == number) {
            only = &c->todos[i];
        }
    if (!only)
        *why =
            arena_printf(a, "has no region from `// TODO %d` to `// END TODO %d`", number, number);
    return only;
}

/* Write the lines of TEXT between the two marks of region T. */
static void append_region(sb *out, const todo_region *t, const char *text)
{
    const char *line;
    size_t len;
    int number = 0;
    sb_printf(out, "#line %d\n", t->begin + 1);
    while ((line = next_line(&text, &len)) && ++number < t->end)
        if (number > t->begin)
            sb_printf(out, "%.*s\n", (int)len, line);
    sb_printf(out, "#line %d\n", t->end);
}

static void append_line_directive(sb *out, const char *called)
{
    sb_puts(out, "#line 1 \"");
    for (; *called; called++) {
        if (strchr("\"\\", *called))
            sb_puts(out, "\\");
        sb_add(out, called, 1);
    }
    sb_puts(out, "\"\n");
}

static char *copy_regions_into_book_text(const chapter *mine, chapter *theirs, const char *original,
                                         const char *text, const char *called, arena *a,
                                         const char **why)
{
    sb out = {0};
    const char *line;
    size_t len;
    int number = 0;
    append_line_directive(&out, called);
    while ((line = next_line(&original, &len))) {
        char *copy = arena_strndup(a, line, len);
        if (is_line_in_region(mine, ++number))
            continue;
        sb_printf(&out, "%s\n", copy);
        if (mine->helpers.begin == number) {
            if (theirs->helpers.begin) /* an older copy of the lab has no block of helpers */
                append_region(&out, &theirs->helpers, text);
            continue;
        }
        for (size_t i = 0; i < mine->todo_count; i++) {
            if (mine->todos[i].begin != number)
                continue;
            const todo_region *t = find_only_region(theirs, mine->todos[i].number, a, why);
            if (!t) {
                sb_free(&out);
                return NULL;
            }
            append_region(&out, t, text);
        }
    }
    return sb_take(&out);
}

char *insert_todo_regions(const char *original, const char *text, const char *called, arena *a,
                          const char **why)
{
    chapter mine = {0}, theirs = {0};
    CLEANUP(arena_free) arena memory = {0};
    char *out = NULL;
    chapter_read_lab(&mine, &memory, original);
    chapter_read_lab(&theirs, &memory, text);
    if ((*why = find_lost_mark(original, text, a))) {
        /* named before all that follows from it */
    } else if (theirs.problem_count) {
        const char *p = theirs.problems[0];
        *why = arena_printf(a, "cannot be read: line %s",
                            starts_with(p, "lab.cu:") ? p + strlen("lab.cu:") : p);
    } else {
        const free_constants chosen = chosen_values(text, original, &memory);
        OWNED char *whole = choices_insert(&chosen, original);
        out = copy_regions_into_book_text(&mine, &theirs, whole, text, called, a, why);
    }
    return out;
}
