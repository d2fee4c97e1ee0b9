#include "new_chapter.h"

#include "../base/files.h"
#include "../commands/cli.h"

#include <ctype.h>
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
 * subdirectories are omitted. */
static bool fill_directory(const char *from, const char *to, const placeholder_values *is)
{
    OWNED char *pattern = xprintf("%s/*", from);
    glob_t found;
    bool ok = glob(pattern, 0, NULL, &found) == 0 && make_directories(to);
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        if (file_is_dir(found.gl_pathv[i]))
            continue;
        OWNED char *text = read_whole_file(found.gl_pathv[i], TEXT_LIMIT, NULL);
        OWNED char *new = text ? fill_placeholders(text, is) : NULL;
        OWNED char *path = xprintf("%s%s", to, strrchr(found.gl_pathv[i], '/'));
        ok = new &&write_whole_file(path, new, strlen(new));
    }
    globfree(&found);
    return ok;
}

/* What to do with a new chapter: COMMAND with its name; and why. */
typedef struct next_step {
    const char *command, *why;
} next_step;

/* What can be made: a folder of FOLDER, filled from tests/book/TEMPLATE. */
typedef struct novelty {
    const char *what, *folder, *template; /* "chapter", "chapters", "template" */
    const char *name_prefix;              /* of its wrong versions' folder: "labs-" or "" */
    const char *number_prefix;            /* of its number in TUTORIAL.md's map: "L" or "" */
    const char *teaches;                  /* the third column of its row in that map */
    next_step next[3];
} novelty;

static const novelty new_chapter = {
    .what = "chapter",
    .folder = "chapters",
    .template = "template",
    .name_prefix = "",
    .number_prefix = "",
    .teaches = "what it teaches",
    .next = {{"tests/book/course/run-curriculum TUTORIAL ", "its form, and its row in TUTORIAL.md"},
             {"tests/book/course/run-course ", "the solution passes, the lab fails kindly"},
             {"tests/book/course/run-wrong ", "each wrong version has its reason"}}};

static const novelty new_assignment = {
    .what = "assignment",
    .folder = "labs",
    .template = "template/assignment",
    .name_prefix = "labs-",
    .number_prefix = "L",
    .teaches = "what it asks for",
    .next = {{"./warpbook dev reference labs/", "keeps what the solution costs"},
             {"./warpbook check --solution labs/", "it has all points"},
             {"tests/book/course/run-wrong labs-", "each wrong version has its reason"}}};

/* The highest number in FOLDER plus one. */
static int next_number(installation *h, const char *folder)
{
    size_t count;
    const char **names = directory_names(&h->memory, installation_path(h, "%s", folder), &count);
    int highest = 0;
    for (size_t i = 0; i < count; i++)
        highest = atoi(names[i]) > highest ? atoi(names[i]) : highest;
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

/* Add its row after that with the number before in the map of TUTORIAL.md. */
static bool add_to_tutorial_map(installation *h, const novelty *x, const char *to,
                                const placeholder_values *is)
{
    const char *path = installation_path(h, "TUTORIAL.md");
    OWNED char *text = read_whole_file(path, TEXT_LIMIT, NULL);
    char before[32];
    snprintf(before, sizeof before, "\n| %s%d | [", x->number_prefix, atoi(is->number) - 1);
    char *row = text ? strstr(text, before) : NULL, *end = row ? strchr(row + 1, '\n') : NULL;
    bool ok = end;
    if (ok) {
        OWNED char *new =
            xprintf("%.*s\n| %s%s | [%s](%s/README.md) | %s | %d | 30 |%s", (int)(end - text), text,
                    x->number_prefix, is->number, is->title, installation_short_path(h, to),
                    x->teaches, x == &new_chapter ? atoi(is->number) - 1 : 1, end);
        ok = write_whole_file(path, new, strlen(new));
    }
    return ok;
}

static int create(installation *h, const novelty *x, const char *topic)
{
    const char *template = installation_path(h, "tests/book/%s", x->template);
    if (!is_topic_name(topic))
        return report_failure(
            EXIT_USAGE, "its name must be lower-case words separated by dashes, not %s", topic);
    if (!file_is_dir(template))
        return report_failure(
            EXIT_LACKS, "there is no template %s: a new %s needs a checkout of the repository",
            installation_short_path(h, template), x->what);
    const int number = next_number(h, x->folder);
    placeholder_values is = {.title = topic_title(h, topic)};
    snprintf(is.number, sizeof is.number, "%d", number);
    const char *name = arena_printf(&h->memory, "%02d-%s", number, topic);
    is.dir = x == &new_assignment ? arena_printf(&h->memory, "labs/%s", name) : name;
    const char *to = installation_path(h, "%s/%s", x->folder, name);
    const char *wrong = installation_path(h, "tests/book/wrong/%s%s", x->name_prefix, name);
    const char *solution = arena_printf(&h->memory, "%s/solution", template);
    if (!fill_directory(template, to, &is) ||
        (file_is_dir(solution) &&
         !fill_directory(solution, installation_path(h, "solutions/%s", name), &is)) ||
        !fill_directory(arena_printf(&h->memory, "%s/wrong", template), wrong, &is) ||
        !add_to_tutorial_map(h, x, to, &is))
        return report_failure(EXIT_FAIL, "cannot write %s %s: %s", x->what, name, strerror(errno));
    printf("%s is made: lesson, lab, solution; its wrong versions are in %s.\nWrite them, then:\n",
           installation_short_path(h, to), installation_short_path(h, wrong));
    for (size_t i = 0; i < sizeof x->next / sizeof *x->next; i++)
        printf("  %s%s   %s\n", x->next[i].command, name, x->next[i].why);
    return EXIT_PASS;
}

int create_chapter(installation *h, const char *topic)
{
    return create(h, &new_chapter, topic);
}

int create_assignment(installation *h, const char *topic)
{
    return create(h, &new_assignment, topic);
}
