#include "paint.h"

#include "../base/linear.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

/* The curses attributes of each style, with or without colours. */
static chtype style_attributes[STYLE_COUNT]; /* curses attributes of each style */
static bool can_show_utf8;                   /* the locale's encoding is UTF-8 */

chtype paint_attributes(style how)
{
    return style_attributes[how < STYLE_COUNT ? how : STYLE_NORMAL];
}

/* The colours of styles: of 256 (readable on a black and on a white ground), and of the terminal's
 * own eight; what is added to either. Of the eight, yellow and cyan have a contrast of 2 or less on
 * a white ground with usual palettes: magenta, which has 4 on both, stands for them. */
static const struct {
    short of_256, of_8;
    chtype with;
} colours[STYLE_COUNT] = {
    [STYLE_HEADING] = {30, COLOR_MAGENTA, A_BOLD},
    [STYLE_CODE] = {30, COLOR_MAGENTA, 0},
    [STYLE_GOOD] = {28, COLOR_GREEN, 0},
    [STYLE_BAD] = {160, COLOR_RED, 0},
    [STYLE_NOTE] = {136, COLOR_MAGENTA, 0},
    [STYLE_TODO] = {136, COLOR_MAGENTA, A_BOLD},
    [STYLE_KEYWORD] = {32, COLOR_BLUE, A_BOLD},
    [STYLE_CUDA] = {133, COLOR_MAGENTA, 0},
    [STYLE_LITERAL] = {64, -1, 0},
    [STYLE_DIRECTIVE] = {130, COLOR_MAGENTA, 0},
    [STYLE_COMMENT] = {244, -1, A_DIM},
    [STYLE_DIM] = {244, -1, A_DIM},
    [STYLE_LINK] = {32, COLOR_BLUE, A_UNDERLINE},
};

void message_set(screen_message *m, style how, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    free(m->text);
    *m = (screen_message){xvprintf(format, args), how};
    va_end(args);
}

static void choose_attributes(void)
{
    static const style bold[] = {STYLE_TITLE, STYLE_STRONG, STYLE_GOOD,   STYLE_BAD,
                                 STYLE_NOTE,  STYLE_TODO,   STYLE_KEYWORD};
    const char *no = getenv("NO_COLOR");
    for (size_t i = 0; i < STYLE_COUNT; i++)
        style_attributes[i] = A_NORMAL;
    for (size_t i = 0; i < sizeof bold / sizeof *bold; i++)
        style_attributes[bold[i]] = A_BOLD;
    style_attributes[STYLE_HEADING] = A_BOLD | A_UNDERLINE;
    style_attributes[STYLE_EMPH] = style_attributes[STYLE_LINK] = A_UNDERLINE;
    style_attributes[STYLE_PICKED] = A_REVERSE;
    if ((no && *no) || !has_colors())
        return;
    start_color();
    short back = use_default_colors() == OK ? -1 : COLOR_BLACK;
    bool many = COLORS >= 256;
    for (int i = 0; i < STYLE_COUNT; i++) {
        short colour = many ? colours[i].of_256 : colours[i].of_8;
        if (colour <= 0 && !colours[i].with)
            continue;
        style_attributes[i] = many ? colours[i].with & ~A_DIM : colours[i].with;
        if (colour > 0 && init_pair((short)(i + 1), colour, back) == OK)
            style_attributes[i] |= COLOR_PAIR(i + 1);
    }
}

void paint_init(void)
{
    /* 50 ms: the Esc key reacts quickly, and escape sequences over a slow connection stay whole. */
    set_escdelay(50);
    initscr();
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    intrflush(stdscr, FALSE);
    curs_set(0);
    can_show_utf8 = locale_is_utf8();
    choose_attributes();
}

/* Draw text at the cursor, clipped to COLUMNS; return its width in columns. */
static int put_clipped_text(const char *text, size_t len, int columns)
{
    if (columns <= 0)
        return 0;
    if (can_show_utf8) {
        size_t fits = utf8_fit(text, len, (size_t)columns);
        addnstr(text, (int)fits);
        return (int)utf8_width(text, fits);
    }
    int used = 0;
    for (size_t i = 0, n; i < len && used < columns; i += n) {
        unsigned c = utf8_decode(text + i, len - i, &n);
        char one[2] = {(char)c, 0};
        for (const char *p = c < 0x80 ? one : utf8_ascii(c); *p && used < columns; p++, used++)
            addch((unsigned char)*p);
    }
    return used;
}

int paint_text(int y, int x, chtype how, const char *text, int columns)
{
    attrset(how);
    move(y, x);
    int used = put_clipped_text(text, strlen(text), columns);
    attrset(A_NORMAL);
    return used;
}

void paint_fill(int y, int x, int columns, chtype what)
{
    if (columns > 0)
        mvhline(y, x, what, columns);
}

void paint_line(const page_line *l, int y, int x, int columns, size_t skip)
{
    size_t i = utf8_fit(l->s, l->len, skip);
    bool before = i > 0 && i < l->len && strspn(l->s, " ") < i;
    int used = 0;
    move(y, x);
    while (i < l->len && used < columns) {
        size_t run = i + 1;
        while (run < l->len && l->styles[run] == l->styles[i])
            run++;
        attrset(paint_attributes((style)l->styles[i]));
        used += put_clipped_text(l->s + i, run - i, columns - used);
        i = run;
    }
    attrset(A_NORMAL);
    /* Marks where the line goes on. */
    if (before)
        paint_text(y, x, style_attributes[STYLE_NOTE], "‹", 1);
    if (utf8_width(l->s, l->len) > skip + (size_t)columns)
        paint_text(y, x + columns - 1, style_attributes[STYLE_NOTE], "›", 1);
}

void paint_horizontal_line(int y, int x, int columns)
{
    attrset(style_attributes[STYLE_DIM]);
    paint_fill(y, x, columns, can_show_utf8 ? ACS_HLINE : '-');
    attrset(A_NORMAL);
}

void paint_vertical_line(int y, int x, int rows)
{
    attrset(style_attributes[STYLE_DIM]);
    mvvline(y, x, can_show_utf8 ? ACS_VLINE : '|', rows);
    attrset(A_NORMAL);
}

void paint_box(int y, int x, int rows, int columns, const char *title)
{
    chtype across = can_show_utf8 ? ACS_HLINE : '-', down = can_show_utf8 ? ACS_VLINE : '|';
    for (int i = 0; i < rows; i++)
        paint_fill(y + i, x, columns, ' ');
    paint_fill(y, x, columns, across);
    paint_fill(y + rows - 1, x, columns, across);
    mvvline(y, x, down, rows);
    mvvline(y, x + columns - 1, down, rows);
    mvaddch(y, x, can_show_utf8 ? ACS_ULCORNER : '+');
    mvaddch(y, x + columns - 1, can_show_utf8 ? ACS_URCORNER : '+');
    mvaddch(y + rows - 1, x, can_show_utf8 ? ACS_LLCORNER : '+');
    mvaddch(y + rows - 1, x + columns - 1, can_show_utf8 ? ACS_LRCORNER : '+');
    mvaddch(y, x + 1, ' ');
    int used = paint_text(y, x + 2, style_attributes[STYLE_STRONG], title, columns - 5);
    mvaddch(y, x + 2 + used, ' ');
}

void paint_too_small(const char *name, const char *advice, int columns, int rows, int need_columns,
                     int need_rows)
{
    paint_text(0, 0, A_BOLD, name, columns);
    /* Wrap the message, so that it is readable on a narrow terminal. */
    CLEANUP(page_free) page p = {0};
    styled t = {0};
    styled_printf(&t, STYLE_NORMAL, "This terminal is %dx%d; the screen needs %dx%d.\n%s", columns,
                  rows, need_columns, need_rows, advice);
    page_wrap(&p, &t, columns > 8 ? (size_t)columns : 8, "", "");
    for (size_t i = 0; i < p.count && (int)i + 1 < rows; i++)
        paint_line(&p.lines[i], (int)i + 1, 0, columns, 0);
}
