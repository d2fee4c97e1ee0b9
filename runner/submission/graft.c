#include "graft.h"

#include "../book/chapter.h"
#include "../book/pristine.h"

#include <stdlib.h>
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

/* The TODO region NUMBER of the submitted file C. NULL with *WHY: C has no such region, or several.
 */
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

/* Write the line Y of the book with its numbers replaced by those of the student's line X, which
 * differs from Y in numbers only. */
static void write_line_with_numbers(sb *out, const char *x, const char *y)
{
    const char *p = x, *q = y, *end = strstr(y, "//");
    while (*q) {
        size_t m = q < end ? length_of_number_at(y, q) : 0, n = 0;
        if (!m) {
            sb_add(out, q++, 1);
            continue;
        }
        while (*p && !(n = length_of_number_at(x, p)))
            p++;
        sb_add(out, p, n);
        p += n;
        q += m;
    }
    sb_puts(out, "\n");
}

/* Write a line of the book that lies outside the TODO regions, with the student's numbers if the
 * line ends with "// yours to choose". */
static void append_book_line(sb *out, const char *line, const chapter *regions, const char *text)
{
    const char *theirs;
    size_t len;
    int number = 0;
    while (strstr(line, choice_line_mark) && (theirs = next_line(&text, &len))) {
        char *copy = xprintf("%.*s", (int)len, theirs);
        bool same = !is_line_in_region(regions, ++number) && is_choice_changed(copy, line);
        if (same)
            write_line_with_numbers(out, copy, line);
        free(copy);
        if (same)
            return;
    }
    sb_printf(out, "%s\n", line);
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

static char *copy_regions_into_book_text(const chapter *mine, chapter *theirs, const char *original,
                                         const char *text, const char *called, arena *a,
                                         const char **why)
{
    sb out = {0};
    const char *line;
    size_t len;
    int number = 0;
    sb_printf(&out, "#line 1 \"%s\"\n", called);
    while ((line = next_line(&original, &len))) {
        char *copy = arena_strndup(a, line, len);
        if (is_line_in_region(mine, ++number))
            continue;
        append_book_line(&out, copy, theirs, text);
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
    arena memory = {0};
    char *out = NULL;
    chapter_read_lab(&mine, &memory, original);
    chapter_read_lab(&theirs, &memory, text);
    if (theirs.problem_count) {
        const char *p = theirs.problems[0];
        *why = arena_printf(a, "cannot be read: line %s",
                            starts_with(p, "lab.cu:") ? p + strlen("lab.cu:") : p);
    } else {
        out = copy_regions_into_book_text(&mine, &theirs, original, text, called, a, why);
    }
    arena_free(&memory);
    return out;
}
