#include "breaks.h"

#include "../base/files.h"
#include "markdown.h"

#include <stdio.h>
#include <string.h>

enum { TASK_LIMIT = 1 << 16 }; /* bytes of a break.md, at most */

static const char directive[] = "<!-- break ";

/* The task in TEXT, a break.md; NULL: it has no complete directive. */
static const break_task *read_task(const char *text, arena *a)
{
    char fault[16], kernel[64];
    const char *at = strstr(text, directive), *end = at ? strstr(at, "-->") : NULL;
    if (!end || sscanf(at + strlen(directive), "fault=%15s kernel=%63s", fault, kernel) != 2)
        return NULL;
    end += strlen("-->");
    const char *next = strstr(end, "\n## ");
    char *what = arena_strndup(a, end, next ? (size_t)(next - end) : strlen(end));
    OWNED char *why = markdown_section(text, "Why");
    break_task *t = arena_alloc(a, sizeof *t);
    *t = (break_task){.fault = arena_strdup(a, fault),
                      .kernel = arena_strdup(a, kernel),
                      .text = strip(what),
                      .why = strip(arena_strdup(a, why))};
    return t;
}

static void read_exercise(book *b, const chapter *of)
{
    arena *a = &b->memory;
    const char *path = arena_printf(a, "%s/break.md", of->dir);
    OWNED char *text = read_whole_file(path, TASK_LIMIT, NULL);
    const break_task *t = text ? read_task(text, a) : NULL;
    if (!t)
        return;
    chapter *c = ARENA_PUSH(a, b->chapters, b->count);
    *c = (chapter){.number = of->number, .dir = arena_strdup(a, of->dir), .to_break = t};
    c->name = arena_printf(a, "%s/break", of->name);
    c->lesson = path;
    c->lab = arena_printf(a, "%s/break.cu", of->dir);
    c->solution = arena_printf(a, "%s/break-solution.cu", of->dir);
    chapter_read(c, a);
}

void breaks_open(book *b, const book *of)
{
    *b = (book){0};
    for (size_t i = 0; i < of->count; i++)
        read_exercise(b, &of->chapters[i]);
}

chapter *break_of_chapter(const book *breaks, const chapter *c)
{
    for (size_t i = 0; i < breaks->count; i++)
        if (strcmp(breaks->chapters[i].dir, c->dir) == 0)
            return &breaks->chapters[i];
    return NULL;
}
