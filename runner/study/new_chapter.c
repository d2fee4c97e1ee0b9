#include "new_chapter.h"

#include "../base/files.h"
#include "../commands/cli.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 1 << 20 }; /* largest file of the template, in bytes */

/* Values that replace placeholders such as @TITLE@ in the template of a chapter. */
typedef struct placeholder_values {
    const char *dir;   /* value of @DIR@, the name of the new directory: "18-warp-votes" */
    const char *title; /* value of @TITLE@, the title of the chapter: "Warp votes" */
    char number[16];   /* value of @N@, the number of the chapter: "18" */
} placeholder_values;

/* TEXT with its placeholders replaced, to be freed. */
static char *fill_placeholders(const char *text, const placeholder_values *is)
{
    const struct {
        const char *mark, *value;
    } marks[] = {{"@DIR@", is->dir}, {"@TITLE@", is->title}, {"@N@", is->number}};
    char *out = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&out, &len);
    if (!f)
        abort();
    while (*text) {
        size_t i = 0;
        while (i < 3 && !starts_with(text, marks[i].mark))
            i++;
        if (i < 3) {
            fputs(marks[i].value, f);
            text += strlen(marks[i].mark);
        } else {
            fputc(*text++, f);
        }
    }
    fclose(f);
    return out;
}

/* Copy each file of the template's directory FROM to TO with its placeholders replaced;
 * subdirectories are left out. */
static bool fill_directory(const char *from, const char *to, const placeholder_values *is)
{
    char *pattern = xprintf("%s/*", from);
    glob_t found;
    bool ok = glob(pattern, 0, NULL, &found) == 0 && make_directories(to);
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        if (file_is_dir(found.gl_pathv[i]))
            continue;
        char *text = read_whole_file(found.gl_pathv[i], TEXT_LIMIT, NULL);
        char *new = text ? fill_placeholders(text, is) : NULL;
        char *path = xprintf("%s%s", to, strrchr(found.gl_pathv[i], '/'));
        ok = new &&write_whole_file(path, new, strlen(new));
        free(path);
        free(new);
        free(text);
    }
    globfree(&found);
    free(pattern);
    return ok;
}

/* The highest number of a chapter plus one. */
static int next_chapter_number(installation *h)
{
    DIR *d = opendir(installation_path(h, "chapters"));
    int highest = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        int number = atoi(e->d_name);
        highest = number > highest ? number : highest;
    }
    if (d)
        closedir(d);
    return highest + 1;
}

/* True: TOPIC has the form of a chapter's name, lower-case words separated by dashes. */
static bool is_topic_name(const char *topic)
{
    bool after_letter = false;
    for (const char *c = topic; *c; c++) {
        if (*c == '-' ? !after_letter : !(islower((unsigned char)*c) || isdigit((unsigned char)*c)))
            return false;
        after_letter = *c != '-';
    }
    return after_letter && strlen(topic) <= 40;
}

/* The title of a topic: "Warp votes" for "warp-votes"; in the installation's arena. */
static const char *topic_title(installation *h, const char *topic)
{
    char *title = arena_strdup(&h->memory, topic);
    title[0] = (char)toupper((unsigned char)title[0]);
    for (char *c = title; *c; c++)
        if (*c == '-')
            *c = ' ';
    return title;
}

/* Add the chapter's row after the last chapter in the map of TUTORIAL.md. */
static bool add_to_tutorial_map(installation *h, const placeholder_values *is)
{
    const char *path = installation_path(h, "TUTORIAL.md");
    char *text = read_whole_file(path, TEXT_LIMIT, NULL);
    char before[32];
    snprintf(before, sizeof before, "\n| %d | [", atoi(is->number) - 1);
    char *row = text ? strstr(text, before) : NULL, *end = row ? strchr(row + 1, '\n') : NULL;
    bool ok = end;
    if (ok) {
        char *new = xprintf(
            "%.*s\n| %s | [%s](chapters/%s/README.md) | what it teaches | %d | 30 |%s",
            (int)(end - text), text, is->number, is->title, is->dir, atoi(is->number) - 1, end);
        ok = write_whole_file(path, new, strlen(new));
        free(new);
    }
    free(text);
    return ok;
}

int create_chapter(installation *h, const char *topic)
{
    const char *template = installation_path(h, "tests/book/template");
    if (!is_topic_name(topic)) {
        fprintf(stderr,
                "warpbook: the name of a chapter must be lower-case words separated by dashes, not "
                "%s\n",
                topic);
        return EXIT_USAGE;
    }
    if (!file_is_dir(template)) {
        fprintf(
            stderr,
            "warpbook: there is no template %s: a new chapter needs a checkout of the repository\n",
            installation_short_path(h, template));
        return EXIT_LACKS;
    }
    placeholder_values is = {.title = topic_title(h, topic)};
    int number = next_chapter_number(h);
    snprintf(is.number, sizeof is.number, "%d", number);
    is.dir = arena_printf(&h->memory, "%02d-%s", number, topic);
    const char *to = installation_path(h, "chapters/%s", is.dir);
    const char *wrong = installation_path(h, "tests/book/wrong/%s", is.dir);
    if (!fill_directory(template, to, &is) ||
        !fill_directory(installation_path(h, "tests/book/template/wrong"), wrong, &is) ||
        !add_to_tutorial_map(h, &is)) {
        fprintf(stderr, "warpbook: cannot write chapter %s: %s\n", is.dir, strerror(errno));
        return EXIT_FAIL;
    }
    printf("%s is made: lesson, lab, solution; its wrong versions are in %s.\n"
           "Write them, then:\n"
           "  tests/run run-curriculum               its form, and its row in TUTORIAL.md\n"
           "  tests/book/course/run-course %s   the solution passes, the lab fails with a clear "
           "message\n"
           "  tests/book/course/run-wrong %s    each wrong version is refused for its reason\n",
           installation_short_path(h, to), installation_short_path(h, wrong), is.dir, is.dir);
    return EXIT_PASS;
}
