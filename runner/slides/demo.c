#include "demo.h"

#include "../base/files.h"
#include "../base/signals.h"
#include "../term/paint.h"
#include "demo_state.h"
#include "notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TEXT_COLUMNS = 84,         /* widest text of a slide, in columns, on a small terminal */
    WIDEST_TEXT_COLUMNS = 120, /* and on a large one, where it takes four columns of five */
    FOOT_ROWS = 2,             /* rows below a slide's text */
};

int demo_body_rows(const slide_show *m)
{
    return m->rows - demo_body_top(m) - FOOT_ROWS;
}

int demo_left_margin(const slide_show *m)
{
    int part = m->columns * 4 / 5, text = part > TEXT_COLUMNS ? part : TEXT_COLUMNS;
    if (text > WIDEST_TEXT_COLUMNS)
        text = WIDEST_TEXT_COLUMNS;
    return m->columns > text + 8 ? (m->columns - text) / 2 : 4;
}

int demo_body_columns(const slide_show *m)
{
    return m->columns - 2 * demo_left_margin(m);
}

/* --- a page that may be longer than the terminal --- */

/* The number of bytes of line L from byte AT on that fit COLUMNS, cut at a blank if one is near. */
static size_t fitting_bytes(const page_line *l, size_t at, size_t columns)
{
    size_t most = utf8_fit(l->s + at, l->len - at, columns), n = most;
    if (at + most == l->len)
        return most;
    while (n > most / 2 && l->s[at + n - 1] != ' ')
        n--;
    return n > most / 2 ? n : most;
}

/* Copy page FROM to page TO; lines wider than COLUMNS continue on the next line. */
static void wrap_lines(page *to, const page *from, size_t columns)
{
    static const char on[] = "        ▸ ";
    for (size_t i = 0; i < from->count; i++) {
        const page_line *l = &from->lines[i];
        size_t at = 0, used = 0;
        do {
            size_t n = fitting_bytes(l, at, columns - used);
            styled t = {0};
            if (at)
                styled_puts(&t, STYLE_NOTE, on);
            for (size_t b = at; b < at + n; b++)
                styled_add(&t, (style)l->styles[b], l->s + b, 1);
            page_add_line(to, &t);
            at += n;
            used = utf8_width(on, strlen(on));
        } while (at < l->len);
    }
}

/* Return true if the lines between line AT and the next blank line fit in ROWS rows. */
static bool does_block_fit(const page *p, size_t at, size_t rows)
{
    size_t end = at + 1;
    while (end < p->count && p->lines[end].len > 0)
        end++;
    return end - at - 1 <= rows;
}

static size_t indent_columns(const page_line *l)
{
    return strspn(l->s, " ");
}

/* Where to cut a list that begins at line FROM: before the last entry that begins within ROWS
 * lines, which is the last line indented no more than line FROM. */
static size_t cut_before_list_entry(const page *p, size_t from, size_t rows)
{
    size_t i = from + rows;
    while (i > from + rows / 2 && indent_columns(&p->lines[i]) > indent_columns(&p->lines[from]))
        i--;
    return i > from + rows / 2 ? i : from + rows;
}

/* The line before which the screenful that begins at line FROM ends: the last blank line of its
 * second half, else an earlier blank line if the table or drawing after it fits one screenful. */
static size_t end_of_part(const page *p, size_t from, size_t rows)
{
    if (from + rows >= p->count)
        return p->count;
    for (size_t i = from + rows; i > from + rows / 2; i--)
        if (p->lines[i].len == 0)
            return i;
    for (size_t i = from + rows / 2; i > from + rows / 4; i--)
        if (p->lines[i].len == 0 && does_block_fit(p, i, rows))
            return i;
    return cut_before_list_entry(p, from, rows);
}

static size_t skip_blank_lines(const page *p, size_t at)
{
    while (at < p->count && p->lines[at].len == 0)
        at++;
    return at;
}

static size_t count_parts(const page *p, size_t rows)
{
    size_t parts = 0;
    for (size_t at = 0; at < p->count; at = skip_blank_lines(p, end_of_part(p, at, rows)))
        parts++;
    return parts ? parts : 1;
}

/* Return true if a slide is drawn with double line spacing: it has room, and no line is code. */
static bool has_double_spacing(slide_show *m, const page *p, size_t rows)
{
    bool prose = demo_slide(m)->kind == SLIDE_TEXT && p->count * 2 <= rows + 1;
    for (size_t i = 0; i < p->count && prose; i++)
        prose = p->lines[i].len == 0 || !strstr(p->lines[i].s, "  ");
    return prose;
}

static void draw_body_page(slide_show *m, const page *whole)
{
    size_t rows = (size_t)demo_body_rows(m);
    CLEANUP(page_free) page p = {0};
    wrap_lines(&p, whole, (size_t)m->columns);
    m->parts = count_parts(&p, rows);
    if (m->part >= m->parts || (m->follow && m->a))
        m->part = m->parts - 1;
    /* If a drawing is wider than the text, the whole slide moves to the left. */
    int y = demo_body_top(m), widest = (int)page_width(&p), left = demo_left_margin(m);
    bool prose = has_double_spacing(m, &p, rows);
    size_t from = 0;
    for (size_t part = 0; part < m->part; part++)
        from = skip_blank_lines(&p, end_of_part(&p, from, rows));
    if (left + widest > m->columns)
        left = m->columns - widest;
    for (size_t i = from, to = end_of_part(&p, from, rows); i < to; i++) {
        paint_line(&p.lines[i], y, left, m->columns - left, 0);
        y += prose && p.lines[i].len ? 2 : 1; /* NOLINT: end_of_part is at most the page's count */
    }
}

/* --- drawing --- */

static void draw_slide_body(slide_show *m)
{
    page p = {0};
    m->parts = 1;
    switch (demo_slide(m)->kind) {
    case SLIDE_TITLE: demo_draw_title_slide(m); return;
    case SLIDE_PICTURE: demo_draw_picture(m); return;
    case SLIDE_TEXT:
    case SLIDE_ACCESS: demo_make_text_page(m, &p); break;
    case SLIDE_DEBUGGER: demo_make_debugger_page(m, &p); break;
    case SLIDE_VOTE: demo_make_vote_page(m, &p); break;
    case SLIDE_CODE:
    case SLIDE_ANSWER: demo_make_code_page(m, &p); break;
    case SLIDE_LIVE: demo_make_live_page(m, &p); break;
    }
    draw_body_page(m, &p);
    page_free(&p);
}

/* The text of the bottom line, which lists keys; the caller frees it. */
static char *keys_of_footer(void)
{
    sb line = {0};
    for (size_t i = 0; i < demo_key_count; i++)
        if (demo_keys[i].foot)
            sb_printf(&line, "%s%s %s", line.len ? "  " : "", demo_keys[i].name, demo_keys[i].foot);
    return sb_take(&line);
}

static void draw_footer(slide_show *m)
{
    char line[160];
    OWNED char *keys = keys_of_footer();
    int width = (int)utf8_width(keys, strlen(keys)), y = m->rows - 1;
    paint_text(y, m->columns - width - 1, paint_attributes(STYLE_DIM), keys, width);
    if (m->typing)
        snprintf(line, sizeof line, "To slide: %s_  (Enter goes)", m->number);
    else
        snprintf(line, sizeof line, "%.40s   %zu of %zu", demo_slide(m)->c->title, m->at + 1,
                 m->deck.count);
    paint_text(y, 1, m->typing ? A_BOLD : paint_attributes(STYLE_DIM), line,
               m->columns - width - 3);
    if (m->timer > 0) {
        int seconds = (int)(monotonic_s() - m->timer);
        snprintf(line, sizeof line, "%d:%02d", seconds / 60, seconds % 60);
        paint_text(0, m->columns - 8, A_BOLD, line, 8);
    }
    if (m->parts > 1) {
        snprintf(line, sizeof line, "%zu of %zu", m->part + 1, m->parts);
        paint_text(1, m->columns - (int)strlen(line) - 1, paint_attributes(STYLE_NOTE), line,
                   (int)strlen(line));
    }
}

static void draw_slide(slide_show *m)
{
    char line[160];
    erase();
    if (m->columns < SCREEN_MIN_COLUMNS || m->rows < SCREEN_MIN_ROWS) {
        snprintf(line, sizeof line, "%dx%d is too small: it must be 80x24; q quits", m->columns,
                 m->rows);
        paint_text(0, 0, A_BOLD, line, m->columns);
    } else if (!m->blank) {
        draw_slide_heading(m);
        draw_slide_body(m);
        draw_footer(m);
        if (m->box)
            demo_box_draw(m);
    }
    move(m->rows - 1, 0);
    refresh();
}

/* --- keys --- */

void demo_go_to(slide_show *m, size_t at)
{
    if (at >= m->deck.count || at == m->at)
        return;
    m->at = at;
    m->part = 0;
    m->follow = false;
    notes_write_current(m->d, &m->deck, at);
    slide *now = demo_slide(m);
    if (now->kind == SLIDE_LIVE && m->ran != now->c)
        demo_run_program(m, now->c, now->c->has_solution ? DEMO_SOLUTION : DEMO_LAB, NULL);
    if (now->kind == SLIDE_DEBUGGER)
        demo_debugger_start(m);
}

void demo_show_run(slide_show *m, demo_program program, const char *name)
{
    chapter *c = demo_slide(m)->c;
    for (size_t i = 0; i < m->deck.count; i++)
        if (m->deck.list[i].c == c && m->deck.list[i].kind == SLIDE_LIVE)
            m->at = i;
    m->part = 0;
    demo_run_program(m, c, program, name);
}

/* Go to the next part of a slide that is longer than the screen, else to the next slide. */
static void demo_next_part(slide_show *m)
{
    m->follow = false;
    if (m->part + 1 < m->parts)
        m->part++;
    else
        demo_go_to(m, m->at + 1);
}

static void demo_previous_part(slide_show *m)
{
    m->follow = false;
    if (m->part)
        m->part--;
    else if (m->at)
        demo_go_to(m, m->at - 1);
}

static void demo_first_slide(slide_show *m)
{
    demo_go_to(m, 0);
}

/* Run the code shown on the slide; if there is none, repeat the last run. */
static void demo_run_again(slide_show *m)
{
    const slide *now = demo_slide(m);
    bool same = m->ran == now->c && now->kind != SLIDE_CODE && now->kind != SLIDE_ANSWER;
    demo_program program = same                      ? m->program
                           : now->kind == SLIDE_CODE ? DEMO_LAB
                           : now->c->has_solution    ? DEMO_SOLUTION
                                                     : DEMO_LAB;
    demo_show_run(m, program, same ? m->wrong : NULL);
}

static void demo_show_programs(slide_show *m)
{
    demo_box_open(m, DEMO_BOX_PROGRAMS);
}

static void demo_show_contents(slide_show *m)
{
    demo_box_open(m, DEMO_BOX_SLIDES);
}

static void demo_show_help(slide_show *m)
{
    demo_box_open(m, DEMO_BOX_HELP);
}

static void demo_type_number(slide_show *m)
{
    m->typing = true;
    *m->number = 0;
}

static void demo_toggle_blank(slide_show *m)
{
    m->blank = true;
}

static void demo_toggle_timer(slide_show *m)
{
    m->timer = m->timer > 0 ? 0 : monotonic_s();
}

static void demo_cancel_run(slide_show *m)
{
    if (m->a)
        attempt_cancel(m->a);
    if (m->walk)
        job_cancel(m->walk);
}

static void demo_redraw_screen(slide_show *m)
{
    (void)m;
    clearok(curscr, TRUE);
}

static void demo_toggle_large(slide_show *m)
{
    m->large = !demo_uses_large_letters(m);
    m->large_chosen = true;
    m->part = 0;
}

/* The file with the text of the wrong version that ran last. NULL with a sentence in ERR: it cannot
 * be written. */
static const char *wrong_version_file(slide_show *m, char *err, size_t err_size)
{
    installation *h = &m->d->installation;
    const char *path =
        arena_printf(&h->memory, "%s/runs/%s-wrong.cu", h->build, strrchr(m->ran->dir, '/') + 1);
    OWNED char *text = wrong_version_text(h, m->ran, m->wrong, err, err_size);
    bool good = text && write_whole_file(path, text, strlen(text));
    if (text && !good)
        snprintf(err, err_size, "cannot write %s: %s", path, strerror(errno));
    return good ? path : NULL;
}

/* Step through the run shown on the slide, with the stepper of `warpbook step`. */
static void demo_step_program(slide_show *m)
{
    char err[512];
    if (demo_slide(m)->kind == SLIDE_DEBUGGER) {
        demo_debugger_step(m);
        return;
    }
    if (m->a || !m->has_verdict || m->ran != demo_slide(m)->c)
        return;
    const char *text = m->program == DEMO_WRONG ? wrong_version_file(m, err, sizeof err) : NULL;
    char *why = m->program == DEMO_WRONG && !text
                    ? xstrdup(err)
                    : demo_step(m, m->ran, m->program == DEMO_SOLUTION, text, m->v.seed);
    free(m->refused);
    m->refused = why;
}

static void demo_quit_show(slide_show *m)
{
    m->quit = true;
}

#define DEMO_KEY(name, code, other, handler, foot, help) {name, {code, other}, handler, foot, help},
const demo_key demo_keys[] = {
#include "keys.def"
};
const size_t demo_key_count = sizeof demo_keys / sizeof *demo_keys;

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Handle a key while the user types the number of a slide. */
static void type_number(slide_show *m, int c)
{
    size_t len = strlen(m->number);
    if (is_digit(c)) {
        if (len + 1 < sizeof m->number) {
            m->number[len] = (char)c;
            m->number[len + 1] = 0;
        }
        return;
    }
    if (len && (c == KEY_BACKSPACE || c == 127)) {
        m->number[len - 1] = 0;
        return;
    }
    m->typing = false;
    if (len && (c == '\r' || c == KEY_ENTER)) {
        size_t to = strtoul(m->number, NULL, 10);
        demo_go_to(m, to > m->deck.count ? m->deck.count - 1 : to ? to - 1 : 0);
    }
}

static void handle_demo_key(slide_show *m, int c)
{
    if (c == KEY_RESIZE) {
        getmaxyx(stdscr, m->rows, m->columns);
        clear();
        return;
    }
    if (m->blank) {
        m->blank = false;
        return;
    }
    if (m->typing) {
        type_number(m, c);
        return;
    }
    if (m->box) {
        demo_box_handle_key(m, c);
        return;
    }
    if (is_digit(c)) {
        if (c == '0' || !demo_count_vote(m, (size_t)(c - '1'))) {
            demo_type_number(m);
            type_number(m, c);
        }
        return;
    }
    for (size_t i = 0; i < demo_key_count; i++)
        if (c && (demo_keys[i].codes[0] == c || demo_keys[i].codes[1] == c)) {
            demo_keys[i].handler(m);
            return;
        }
}

int demo_run(session *d, chapter **list, size_t count)
{
    static char err[512];
    slide_show m = {.d = d, .drawn = (size_t)-1, .parts = 1};
    if (!demo_open_slides(&m.deck, d, list, count))
        return EXIT_FAIL;
    m.ballots = arena_alloc(&m.deck.memory, m.deck.count * sizeof *m.ballots);
    if (!device_resolve(d->options.device, &d->installation, &m.gpu, err, sizeof err))
        m.no_device = err;
    paint_init();
    getmaxyx(stdscr, m.rows, m.columns);
    notes_write_current(d, &m.deck, 0);
    while (!m.quit && !caught_signal_number()) {
        demo_poll_run(&m);
        draw_slide(&m);
        timeout(m.a ? ATTEMPT_POLL_MS : m.drawing || m.walk || m.ahead.a ? 80 : 400);
        int c = getch();
        if (c != ERR)
            handle_demo_key(&m, c);
        else if (getppid() == 1 && !isatty(STDIN_FILENO))
            break; /* the terminal was closed and no signal arrived */
    }
    endwin();
    notes_write_current(d, NULL, 0);
    demo_box_close(&m);
    demo_drop_run(&m);
    demo_drop_building(&m);
    demo_debugger_drop(&m);
    slides_free(&m.deck);
    return EXIT_PASS;
}
