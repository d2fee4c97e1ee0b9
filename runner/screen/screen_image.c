/* Plots as images, by sixels or kitty's protocol. curses knows nothing of them: an image lies over
 * blank lines of the page, and is drawn after curses has drawn the rest. */
#include "../base/files.h"
#include "../term/graphics.h"
#include "screen_state.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    PLOT_CELL_WIDTH = 8,     /* width of a character in pixels, as plot_start assumes */
    PLOT_CELL_HEIGHT = 20,   /* height of a character in pixels, as plot_start assumes */
    MAX_PNG_BYTES = 8 << 20, /* largest image file that is shown */
};

/* The size of a character in pixels; false: the terminal does not report it. */
static bool character_pixels(int *width, int *height)
{
    struct winsize w;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || !w.ws_col || !w.ws_row)
        return false;
    *width = w.ws_xpixel / w.ws_col;
    *height = w.ws_ypixel / w.ws_row;
    return *width >= 4 && *height >= 8;
}

void images_ask_terminal(screen *s)
{
    int width, height;
    if (s->graphics != GRAPHICS_AUTO || s->graphics_asked)
        return;
    s->graphics = graphics_of_environment();
    /* Sixels of a wrong size would scroll the terminal. */
    if (s->graphics != GRAPHICS_KITTY && !character_pixels(&width, &height))
        s->graphics = GRAPHICS_TEXT;
    if (s->graphics != GRAPHICS_AUTO)
        return;
    s->graphics_asked = true;
    fputs(GRAPHICS_REQUEST, stdout);
    fflush(stdout);
}

int images_handle_key(screen *s, int key)
{
    char answer[64] = "\033[?";
    size_t length = strlen(answer);
    if (key != 27 || !s->graphics_asked)
        return key;
    timeout(0);
    int c = getch();
    if (c != '[') {
        if (c != ERR)
            ungetch(c);
        return key;
    }
    if ((c = getch()) != '?') {
        if (c != ERR)
            ungetch(c);
        ungetch('[');
        return key;
    }
    timeout(50);
    while (length + 1 < sizeof answer && c != 'c' && (c = getch()) != ERR)
        answer[length++] = (char)c;
    answer[length] = '\0';
    s->graphics_asked = false;
    s->graphics = graphics_answer_has_sixel(answer) ? GRAPHICS_SIXEL : GRAPHICS_TEXT;
    if (s->graphics == GRAPHICS_SIXEL && s->tab == TAB_PLOT) {
        drawing_discard(s);
        s->dirty = true;
    }
    return ERR;
}

void images_scale(const screen *s, int *width, int *height)
{
    int w, h;
    if (s->graphics == GRAPHICS_SIXEL && character_pixels(&w, &h)) {
        *width = *width * w / PLOT_CELL_WIDTH;
        *height = *height * h / PLOT_CELL_HEIGHT;
    }
}

void images_reserve(screen *s, int rows)
{
    plot_drawing *d = &s->drawing;
    if (d->image_count == PLOT_MAX_IMAGES)
        return;
    page_ensure_blank(&d->page);
    d->images[d->image_count++] = (plot_image){.line = d->page.count, .rows = rows};
    for (int i = 0; i < rows; i++)
        page_add_blank_line(&d->page);
}

static void set_image_bytes(screen *s, char *bytes, size_t length)
{
    plot_image *last = &s->drawing.images[s->drawing.image_count - 1];
    if (s->drawing.image_count && !last->bytes) {
        last->bytes = bytes;
        last->length = length;
    } else {
        free(bytes);
    }
}

void images_set_sixels(screen *s, const char *bytes)
{
    set_image_bytes(s, xstrdup(bytes), strlen(bytes));
}

void images_set_png(screen *s, const char *path)
{
    const plot_drawing *d = &s->drawing;
    char *bytes = NULL;
    size_t size, length = 0;
    OWNED char *png = read_whole_file(path, MAX_PNG_BYTES, &size);
    FILE *f = png && d->image_count ? open_memstream(&bytes, &length) : NULL;
    if (f) {
        graphics_put_kitty(f, (const unsigned char *)png, size, d->width,
                           d->images[d->image_count - 1].rows);
        fclose(f);
        set_image_bytes(s, bytes, length);
    }
}

/* The row of the pane at which image I begins; -1: not all of it is visible. */
static int row_of_visible_image(screen *s, size_t i)
{
    const plot_drawing *d = &s->drawing;
    const chapter_view *v = screen_view(s);
    size_t line = d->images[i].line + (s->page.count - d->page.count), top = v->top[TAB_PLOT];
    bool shown = s->tab == TAB_PLOT && !s->accesses && !s->box && !v->left[TAB_PLOT] &&
                 d->images[i].bytes && s->page.count >= d->page.count && line >= top;
    int row = shown ? (int)(line - top) : -1;
    return shown && row + d->images[i].rows <= screen_pane_height(s) ? row : -1;
}

/* A hash of the visible images and their positions; 0: no image is visible. */
static uint64_t hash_of_shown_images(screen *s)
{
    uint64_t state = 0;
    for (size_t i = 0; i < s->drawing.image_count; i++) {
        const int at[] = {(int)i, row_of_visible_image(s, i), screen_pane_left(s), s->rows,
                          s->columns};
        if (at[1] >= 0) {
            state = hash_bytes(state ? state : HASH_INITIAL_VALUE, at, sizeof at);
            state = hash_bytes(state, &s->drawing.images[i].bytes, sizeof(char *));
        }
    }
    return state;
}

void images_hide(screen *s)
{
    if (is_cleared(curscr) || is_cleared(stdscr))
        s->image_state = 0;
    if (!s->image_state || s->image_state == hash_of_shown_images(s))
        return;
    if (s->graphics == GRAPHICS_KITTY)
        fputs("\033_Ga=d,q=2\033\\", stdout);
    clearok(curscr, TRUE);
    s->image_state = 0;
}

void images_show(screen *s)
{
    uint64_t wanted = hash_of_shown_images(s);
    if (wanted == s->image_state)
        return;
    for (size_t i = 0; i < s->drawing.image_count; i++) {
        int row = row_of_visible_image(s, i);
        if (row < 0)
            continue;
        /* Save the cursor, go there, draw, and restore it. */
        printf("\0337\033[%d;%dH", SCREEN_PANE_Y + row + 1, screen_pane_left(s) + 1);
        fwrite(s->drawing.images[i].bytes, 1, s->drawing.images[i].length, stdout);
        fputs("\0338", stdout);
    }
    fflush(stdout);
    s->image_state = wanted;
}

void images_drop(plot_drawing *d)
{
    for (size_t i = 0; i < d->image_count; i++)
        free(d->images[i].bytes);
}
