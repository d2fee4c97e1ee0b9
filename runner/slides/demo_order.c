/* The order of the slides in a list file: a line for each, with the number or name of its chapter,
 * two blanks or a tab, and what the list of slides says of it, or the beginning of that. */
#include "../base/files.h"
#include "demo.h"
#include "demo_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ORDER_BYTES = 1 << 20, /* largest list file that is read */
    MAX_LESSON_BYTES = 4 << 20 /* largest lesson that is read */
};

static char *line_of_slide(const slides *deck, size_t at)
{
    char *label = label_of_slide(deck, at), *line;
    line = xprintf("%s  %s", deck->list[at].c->name, label + strspn(label, " "));
    free(label);
    return line;
}

static bool write_order(const slides *deck, const char *path)
{
    CLEANUP(sb_free) sb text = {0};
    sb_puts(&text, "# Slides in the order in which they are shown: move lines, or remove them.\n");
    for (size_t i = 0; i < deck->count; i++) {
        OWNED char *line = line_of_slide(deck, i);
        sb_printf(&text, "%s\n", line);
    }
    return write_whole_file(path, text.s, text.len);
}

/* The first slide not used yet whose line begins with LINE; SIZE_MAX: there is none. */
static size_t find_line(char *const *lines, const bool *used, size_t count, const char *line)
{
    for (size_t i = 0; i < count; i++)
        if (!used[i] && starts_with(lines[i], line))
            return i;
    return SIZE_MAX;
}

/* Append the run of each chapter of which a slide is in LIST, where the list leaves it out. */
static size_t add_runs(const slides *deck, bool *used, slide *list, size_t count)
{
    for (size_t i = 0, listed = count; i < deck->count; i++) {
        bool shown = false;
        for (size_t k = 0; k < listed; k++)
            shown |= list[k].c == deck->list[i].c;
        if (shown && !used[i] && deck->list[i].kind == SLIDE_LIVE)
            list[count++] = deck->list[i];
    }
    return count;
}

/* Leave in DECK the slides that the file PATH lists, in its order, and the run of each chapter. If
 * PATH is not there, it is written with all slides. False with a sentence in ERR. */
static bool order_slides(slides *deck, const char *path, char *err, size_t err_size)
{
    OWNED char *text = read_whole_file(path, MAX_ORDER_BYTES, NULL);
    if (!text && (errno != ENOENT || !write_order(deck, path)))
        return fails(err, err_size, "%s cannot be read or written: %s", path, strerror(errno));
    if (!text)
        return true;
    size_t count = 0, length, at = 0;
    slide *list = arena_alloc(&deck->memory, deck->count * sizeof *list);
    bool *used = arena_alloc(&deck->memory, deck->count * sizeof *used);
    char **lines = arena_alloc(&deck->memory, deck->count * sizeof *lines);
    memset(used, 0, deck->count * sizeof *used);
    for (size_t i = 0; i < deck->count; i++)
        lines[i] = line_of_slide(deck, i);
    const char *rest = text, *line;
    for (int number = 1; at != SIZE_MAX && (line = next_line(&rest, &length)); number++) {
        char *copy = xprintf("%.*s", (int)length, line), *wanted = strip(copy);
        at = *wanted && *wanted != '#' ? find_line(lines, used, deck->count, wanted) : 0;
        if (at == SIZE_MAX)
            snprintf(
                err, err_size,
                "%s:%d: no slide, or none that is left, is called \"%.100s\"; a FILE that is not "
                "there is written with all slides",
                path, number, wanted);
        else if (*wanted && *wanted != '#')
            used[at] = true, list[count++] = deck->list[at];
        free(copy);
    }
    for (size_t i = 0; i < deck->count; i++)
        free(lines[i]);
    deck->count = at == SIZE_MAX ? deck->count : add_runs(deck, used, list, count);
    deck->list = at == SIZE_MAX ? deck->list : list;
    return at != SIZE_MAX;
}

bool demo_open_slides(slides *deck, session *d, chapter *const *list, size_t count)
{
    char err[512] = "there is nothing to show: no lab.cu";
    for (size_t i = 0; i < count; i++) {
        OWNED char *text =
            list[i]->has_lab ? read_whole_file(list[i]->lesson, MAX_LESSON_BYTES, NULL) : NULL;
        if (list[i]->has_lab)
            slides_add(deck, list[i], text);
    }
    const char *order = d->options.order;
    if (deck->count && (!order || order_slides(deck, order, err, sizeof err)))
        return true;
    fprintf(stderr, "warpbook: %s\n", err);
    slides_free(deck);
    return false;
}
