#include "draw.h"

#include "../base/files.h"
#include "../base/linear.h"
#include "../term/graphics.h"
#include "plot.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Run the plot script to its end. Returns its output (to be freed), or NULL with a sentence. */
static char *draw_plot_text(session *d, const build_target *t, const lesson_plot *p,
                            const char *format, int width, int height, bool *lacks, char *err,
                            size_t err_size)
{
    return plot_output(
        plot_start(&d->installation, t, p, format, width, height, lacks, err, err_size), err,
        err_size);
}

/* Describe a plot in words, from the last run or from the record in the directory of --from. */
static int print_plot_words(session *d, const build_target *t, const lesson_plot *p)
{
    const char *path = target_file_path(&d->installation, t, "record.tsv");
    if (d->options.from) {
        char *name = arena_strdup(&d->installation.memory, t->c->name), *slash = strchr(name, '/');
        if (slash)
            *slash = '-';
        path = arena_printf(&d->installation.memory, "%s/%s.tsv", d->options.from, name);
    }
    char *said = plot_as_words(path, p);
    if (said)
        puts(said);
    else
        fprintf(stderr, "warpbook: %s has no measurements to draw: run the lab first\n",
                installation_short_path(&d->installation, path));
    free(said);
    return said ? EXIT_PASS : EXIT_FAIL;
}

static void print_png(const char *path)
{
    enum { PNG_LIMIT = 8 << 20 };
    size_t size;
    OWNED char *png = read_whole_file(path, PNG_LIMIT, &size);
    if (png)
        graphics_put_kitty(stdout, (const unsigned char *)png, size, 0, 0);
}

/* Draw one plot. PRINTED: the error message of the preceding plot, lest it be printed twice. */
static int draw_plot(session *d, const build_target *t, const lesson_plot *p, char *printed,
                     size_t printed_size)
{
    char err[512];
    bool lacks;
    if (is_output_linear())
        return print_plot_words(d, t, p);
    struct winsize w = {.ws_col = 80, .ws_row = 24};
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col < 40)
        w.ws_col = 40;
    if (w.ws_row == 0 || w.ws_col == 0)
        w = (struct winsize){.ws_col = 80, .ws_row = 24};
    int width = w.ws_col > 110 ? 110 : w.ws_col - 2;
    graphics how = graphics_of_terminal((graphics)d->options.graphics);
    const char *format = how == GRAPHICS_SIXEL ? "sixel" : "dumb";
    char *text = draw_plot_text(d, t, p, format, width, 22, &lacks, err, sizeof err);
    if (text && how != GRAPHICS_KITTY)
        printf("%s\n", text);
    free(text);
    static const char *const formats[] = {"png", "svg"};
    for (size_t i = 0; text && i < 2; i++) {
        text = draw_plot_text(d, t, p, formats[i], 0, 0, &lacks, err, sizeof err);
        free(text);
        if (text)
            printf("  %s\n",
                   installation_short_path(&d->installation,
                                           plot_file_path(&d->installation, t, p, formats[i])));
    }
    if (text && how == GRAPHICS_KITTY)
        print_png(plot_file_path(&d->installation, t, p, "png"));
    if (text)
        return EXIT_PASS;
    if (strcmp(printed, err) != 0)
        fprintf(stderr, "warpbook: %s\n", err);
    snprintf(printed, printed_size, "%s", err);
    return lacks ? EXIT_LACKS : EXIT_FAIL;
}

int plot_chapter(session *d, const chapter *c, bool gpu, bool solution)
{
    build_target t = {.c = c, .solution = solution, .gpu = gpu};
    int code = EXIT_PASS;
    char printed[512] = "";
    if (c->picture_count == 0)
        return draw_plot(d, &t, &plot_default, printed, sizeof printed);
    for (size_t i = 0; i < c->picture_count; i++) {
        int one = draw_plot(d, &t, &c->pictures[i], printed, sizeof printed);
        code = one > code ? one : code;
    }
    return code;
}
