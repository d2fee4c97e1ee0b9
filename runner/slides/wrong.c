#include "wrong.h"

#include "../base/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT_BYTES = 4 << 20 };                  /* largest wrong version that is read */
static const char wrong_version_ending[] = ".todo"; /* ending of the file name of a wrong version */

static char *wrong_version_dir(installation *h, const chapter *c)
{
    char *dir = installation_path(h, "tests/book/wrong/%s", c->name), *slash = strrchr(dir, '/');
    /* The wrong versions of "labs/01-fastest-sum" are in the directory labs-01-fastest-sum. */
    if (c->assignment && slash)
        *slash = '-';
    return dir;
}

void wrong_version_list_read(wrong_version_list *l, installation *h, const chapter *c)
{
    size_t count;
    *l = (wrong_version_list){0};
    const char **names = directory_names(&l->memory, wrong_version_dir(h, c), &count);
    for (size_t i = 0; c->has_solution && i < count; i++)
        if (ends_with(names[i], wrong_version_ending))
            *ARENA_PUSH(&l->memory, l->names, l->count) = arena_strndup(
                &l->memory, names[i], strlen(names[i]) - strlen(wrong_version_ending));
}

void wrong_version_list_free(wrong_version_list *l)
{
    arena_free(&l->memory);
    *l = (wrong_version_list){0};
}

/* Append the lines of TEXT inside region T. */
static void add_region(sb *out, const todo_region *t, const char *text)
{
    const char *line;
    size_t len;
    for (int number = 1; (line = next_line(&text, &len)) && number < t->end; number++)
        if (number > t->begin)
            sb_printf(out, "%.*s\n", (int)len, line);
}

static const todo_region *region_at_line(const chapter *c, int line)
{
    for (size_t i = 0; i < c->todo_count; i++)
        if (line > c->todos[i].begin && line < c->todos[i].end)
            return &c->todos[i];
    return NULL;
}

char *wrong_version_join(const char *solution, const char *version, char *err, size_t err_size)
{
    chapter mine = {0}, theirs = {0};
    CLEANUP(arena_free) arena memory = {0};
    chapter_read_lab(&mine, &memory, solution);
    chapter_read_lab(&theirs, &memory, version);
    const char *rest = solution, *line, *problem = NULL;
    size_t len;
    sb out = {0};
    if (theirs.problem_count || theirs.todo_count == 0)
        problem = theirs.problem_count ? theirs.problems[0] : "it has no TODO region";
    for (size_t i = 0; i < theirs.todo_count && !problem; i++)
        if (!chapter_find_todo(&mine, theirs.todos[i].number))
            problem = arena_printf(&memory, "the solution has no TODO %d", theirs.todos[i].number);
    for (int number = 1; !problem && (line = next_line(&rest, &len)); number++) {
        const todo_region *t = region_at_line(&mine, number);
        const todo_region *other = t ? chapter_find_todo(&theirs, t->number) : NULL;
        if (!other)
            sb_printf(&out, "%.*s\n", (int)len, line);
        for (size_t i = 0; i < mine.todo_count; i++)
            if (mine.todos[i].begin == number &&
                (other = chapter_find_todo(&theirs, mine.todos[i].number)))
                add_region(&out, other, version);
    }
    if (problem)
        snprintf(err, err_size, "%s", problem);
    return problem ? NULL : sb_take(&out);
}

static char *wrong_version_path(installation *h, const chapter *c, const char *name)
{
    return arena_printf(&h->memory, "%s/%s%s", wrong_version_dir(h, c), name, wrong_version_ending);
}

char *wrong_version_regions(installation *h, const chapter *c, const char *name)
{
    OWNED char *version = read_whole_file(wrong_version_path(h, c, name), MAX_TEXT_BYTES, NULL);
    chapter theirs = {0};
    arena memory = {0};
    sb out = {0};
    if (!version)
        return NULL;
    chapter_read_lab(&theirs, &memory, version);
    for (size_t i = 0; i < theirs.todo_count; i++) {
        sb_printf(&out, "// TODO %d\n", theirs.todos[i].number);
        add_region(&out, &theirs.todos[i], version);
    }
    arena_free(&memory);
    return sb_take(&out);
}

char *wrong_version_text(installation *h, const chapter *c, const char *name, char *err,
                         size_t err_size)
{
    char *path = wrong_version_path(h, c, name);
    char *version = read_whole_file(path, MAX_TEXT_BYTES, NULL), *solution = NULL, *out = NULL;
    if (!version)
        snprintf(err, err_size, "%s cannot be read: %s", installation_short_path(h, path),
                 strerror(errno));
    else if (!(solution = read_whole_file(c->solution, MAX_TEXT_BYTES, NULL)))
        snprintf(err, err_size, "%s cannot be read: %s", installation_short_path(h, c->solution),
                 strerror(errno));
    else
        out = wrong_version_join(solution, version, err, err_size);
    free(version);
    free(solution);
    return out;
}
