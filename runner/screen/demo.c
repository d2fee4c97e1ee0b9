#include "demo.h"

#include "../base/files.h"
#include "../base/signals.h"
#include "../book/lesson.h"
#include "../book/slides.h"
#include "../show/report.h"
#include "paint.h"
#include "screen_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LESSON_LIMIT = 4 << 20, TEXT_COLUMNS = 84, HEAD_ROWS = 4, FOOT_ROWS = 2 };

typedef struct demo {
    screen s; /* the terminal; of its chapters nothing is used */
    slides deck;
    size_t at;          /* the slide shown */
    size_t top;         /* its first line shown */
    attempt *a;         /* running, or NULL */
    const chapter *ran; /* the chapter that runs, or ran last */
    bool solution, has_verdict;
    verdict v;
    /* The picture shown, and how large it was drawn. */
    job *drawing;
    size_t drawn;
    int width, height;
    page picture;
    char *error;
} demo;

static slide *now(demo *m)
{
    return &m->deck.list[m->at];
}

static int room(const demo *m)
{
    return m->s.rows - HEAD_ROWS - FOOT_ROWS;
}

static int margin(const demo *m)
{
    return m->s.columns > TEXT_COLUMNS + 8 ? (m->s.columns - TEXT_COLUMNS) / 2 : 4;
}

static int breadth(const demo *m)
{
    return m->s.columns - 2 * margin(m);
}

/* --- running --- */

static void forget_picture(demo *m)
{
    job_free(m->drawing);
    m->drawing = NULL;
    page_free(&m->picture);
    free(m->error);
    m->error = NULL;
    m->drawn = (size_t)-1;
}

static void drop_run(demo *m)
{
    attempt_free(m->a);
    m->a = NULL;
    if (m->has_verdict)
        verdict_free(&m->v);
    m->has_verdict = false;
    forget_picture(m);
}

static void run(demo *m)
{
    chapter *c = now(m)->c;
    drop_run(m);
    m->ran = c;
    m->solution = c->has_solution;
    if (m->s.no_device)
        return;
    attempt_options o = {
        .solution = m->solution, .gpu = m->s.gpu, .timeout_s = m->s.d->options.timeout_s};
    /* A lab's result is the student's: a demonstration does not touch it. */
    m->a = attempt_start(&m->s.d->house, c, NULL, &o);
}

static void pump(demo *m)
{
    char err[512];
    m->s.spin++;
    if (m->a && attempt_pump(m->a, 0)) {
        attempt_take(m->a, &m->v);
        m->has_verdict = true;
        attempt_free(m->a);
        m->a = NULL;
        forget_picture(m);
    }
    if (m->drawing && job_pump(m->drawing, 0)) {
        if (plot_finish(m->drawing, err, sizeof err)) {
            const char *text = job_output(m->drawing, NULL);
            size_t blank;
            /* gnuplot begins a page with a form feed and blank lines. */
            while (text[blank = strspn(text, " \f")] == '\n')
                text += blank + 1;
            page_text(&m->picture, STYLE_NORMAL, text);
        } else {
            m->error = xstrdup(err);
        }
        job_free(m->drawing);
        m->drawing = NULL;
    }
}

/* --- slides --- */

/* "T h e  i d e a": as large as a terminal can. To be freed. */
static char *spaced(const char *text)
{
    sb out = {0};
    size_t len = strlen(text);
    for (size_t i = 0, n; i < len; i += n) {
        utf8_decode(text + i, len - i, &n);
        sb_add(&out, text + i, n);
        if (i + n < len)
            sb_puts(&out, text[i] == ' ' ? "  " : " ");
    }
    return sb_take(&out);
}

static void put_spaced(demo *m, int y, int x, chtype how, const char *text)
{
    char *wide = spaced(text);
    int columns = m->s.columns - 2 * x;
    bool fits = utf8_width(wide, strlen(wide)) <= (size_t)columns;
    paint_text(y, x, how, fits ? wide : text, columns);
    free(wide);
}

static void title_slide(demo *m)
{
    const chapter *c = now(m)->c;
    char line[64];
    int y = m->s.rows / 3;
    snprintf(line, sizeof line, c->assignment ? "Assignment %d" : "Chapter %d", c->number);
    paint_text(y, margin(m), paint_look(STYLE_DIM), line, breadth(m));
    put_spaced(m, y + 2, margin(m), paint_look(STYLE_TITLE), c->title);
}

/* The page's lines, twice as far apart where there is room and none of them is code. */
static void put_page(demo *m, page *p, int from, int rows)
{
    size_t last = p->count > (size_t)rows ? p->count - (size_t)rows : 0;
    bool prose = p->count * 2 <= (size_t)rows + 1;
    for (size_t i = 0; i < p->count && prose; i++)
        prose = p->lines[i].len == 0 || !strstr(p->lines[i].s, "  ");
    if (m->top > last)
        m->top = last;
    /* A drawing that is wider than the text moves all of it to the left. */
    int y = from, widest = 0, left = margin(m);
    for (size_t i = 0; i < p->count; i++) {
        int wide = (int)utf8_width(p->lines[i].s, p->lines[i].len);
        widest = wide > widest ? wide : widest;
    }
    if (left + widest > m->s.columns)
        left = widest < m->s.columns ? m->s.columns - widest : 0;
    for (size_t i = m->top; i < p->count && y < from + rows; i++) {
        paint_line(&p->lines[i], y, left, m->s.columns - left, 0);
        y += prose && p->lines[i].len ? 2 : 1;
    }
}

static void text_slide(demo *m)
{
    const slide *now_on = now(m);
    const char *ask[16];
    for (size_t i = 0; i < 16; i++)
        ask[i] = "What do you say?";
    lesson_marks marks = {.predictions = ask, .prediction_count = 16};
    page p = {0};
    lesson_render(&p, now_on->markdown, (size_t)breadth(m), &marks);
    put_page(m, &p, HEAD_ROWS, room(m));
    page_free(&p);
}

/* --- the run, as its record grows --- */

static void put_bar(demo *m, int y, const measure_row *r, double most, bool measured)
{
    char label[64], name[64];
    int width = breadth(m), named = 26;
    if (r->copy)
        snprintf(name, sizeof name, "the device's copy");
    else
        snprintf(name, sizeof name, "%.40s%s%.20s", r->name, r->x ? " " : "", r->x ? r->x : "");
    paint_text(y, margin(m), paint_look(r->copy ? STYLE_DIM : STYLE_STRONG), name, named - 1);
    if (isnan(r->gbs))
        snprintf(label, sizeof label, "%.4g ms", r->ms);
    else
        snprintf(label, sizeof label, "%.0f GB/s", r->gbs);
    int longest = width - named - 14;
    int n = isnan(r->gbs) || most <= 0 ? 0 : (int)lround(longest * r->gbs / most);
    sb bar = {0};
    for (int i = 0; i < n; i++)
        sb_puts(&bar, measured ? "█" : "░");
    int x = margin(m) + named;
    if (bar.len)
        x += paint_text(y, x, paint_look(r->copy ? STYLE_DIM : STYLE_GOOD), bar.s, n) + 1;
    paint_text(y, x, A_NORMAL, label, 14);
    sb_free(&bar);
}

/* The newest, where there are more than fit. */
static void put_bars(demo *m, const verdict *v, int y, int bottom)
{
    double most = 0;
    bool measured = v->source && strcmp(v->source, "measured") == 0;
    for (size_t i = 0; i < v->measure_count; i++)
        if (v->measures[i].gbs > most)
            most = v->measures[i].gbs;
    if (v->measure_count == 0)
        return;
    char line[128];
    snprintf(line, sizeof line, "%s on %.90s", measured ? "measured" : "modelled",
             v->device ? v->device : "?");
    paint_text(y++, margin(m), paint_look(STYLE_DIM), line, breadth(m));
    size_t fit = bottom > y ? (size_t)(bottom - y) : 0;
    size_t first = v->measure_count > fit ? v->measure_count - fit : 0;
    int step = v->measure_count * 2 <= fit ? 2 : 1;
    /* The device's copy is what all are compared with: it stays. */
    for (size_t i = 0; i < first; i++)
        if (v->measures[i].copy) {
            put_bar(m, y++, &v->measures[i], most, measured);
            first++;
            break;
        }
    for (size_t i = first; i < v->measure_count; i++, y += step)
        put_bar(m, y, &v->measures[i], most, measured);
}

static const char *doing(attempt_phase phase)
{
    switch (phase) {
    case ATTEMPT_BUILDING:
    case ATTEMPT_REBUILDING:
        return "nvcc is building it";
    case ATTEMPT_SEARCHING:
        return "its checks run again with every access watched";
    case ATTEMPT_COUNTING:
    case ATTEMPT_EMULATING:
        return "its accesses are being counted";
    default:
        return "it is running";
    }
}

static void live_slide(demo *m)
{
    static const char *const spin[] = {"|", "/", "-", "\\"};
    int y = HEAD_ROWS, bottom = m->s.rows - FOOT_ROWS;
    char line[128];
    if (m->s.no_device) {
        paint_text(y, margin(m), paint_look(STYLE_BAD), m->s.no_device, breadth(m));
        return;
    }
    if (m->a) {
        verdict so_far = {0};
        table *record = table_read(attempt_record(m->a));
        chapter nothing = {0};
        snprintf(line, sizeof line, "%s %s: %s, %.0f s", spin[m->s.spin / 2 % 4],
                 m->solution ? "The solution" : "The lab", doing(attempt_where(m->a)),
                 attempt_seconds(m->a));
        paint_text(y, margin(m), paint_look(STYLE_NOTE), line, breadth(m));
        verdict_judge(&so_far, &nothing, record, NULL, NULL, JOB_EXITED, 0, 0, NULL);
        if (so_far.check_count) {
            snprintf(line, sizeof line, "%zu of %zu checks passed so far",
                     so_far.check_count - verdict_failed_checks(&so_far), so_far.check_count);
            paint_text(y + 1, margin(m), paint_look(STYLE_DIM), line, breadth(m));
        }
        put_bars(m, &so_far, y + 3, bottom);
        verdict_free(&so_far);
        table_free(record);
    } else if (m->has_verdict) {
        bool good = m->v.kind == VERDICT_PASS;
        page p = {0};
        styled t = {0};
        styled_printf(&t, good ? STYLE_GOOD : STYLE_BAD, "%s %s %s: %s", good ? "✓" : "✗",
                      m->solution ? "The solution" : "The lab", verdict_word(m->v.kind),
                      m->v.reason ? m->v.reason : "");
        page_wrap(&p, &t, (size_t)breadth(m), "", "  ");
        for (size_t i = 0; i < p.count && y < bottom; i++)
            paint_line(&p.lines[i], y++, margin(m), breadth(m), 0);
        page_free(&p);
        put_bars(m, &m->v, y + 1, bottom);
    }
}

static void picture_slide(demo *m)
{
    const slide *shown = now(m);
    int width = m->s.columns - 4, height = room(m);
    char err[512];
    bool lacks;
    if (m->a && m->ran == shown->c) {
        paint_text(HEAD_ROWS, margin(m), paint_look(STYLE_NOTE),
                   "The picture comes when the run has ended.", breadth(m));
        return;
    }
    if (m->drawn != m->at || m->width != width || m->height != height) {
        target t = {.c = shown->c, .solution = shown->c->has_solution, .gpu = m->s.gpu};
        forget_picture(m);
        m->drawn = m->at;
        m->width = width;
        m->height = height;
        m->drawing = plot_start(&m->s.d->house, &t,
                                shown->c->picture_count ? &shown->c->pictures[shown->picture]
                                                        : &plot_default,
                                "dumb", width, height, &lacks, err, sizeof err);
        if (!m->drawing)
            m->error = xstrdup(err);
    }
    if (m->error)
        paint_text(HEAD_ROWS, margin(m), paint_look(STYLE_BAD), m->error, breadth(m));
    else if (m->drawing)
        paint_text(HEAD_ROWS, margin(m), paint_look(STYLE_NOTE), "Drawing ...", 20);
    for (size_t i = 0; i < m->picture.count && (int)i < height; i++)
        paint_line(&m->picture.lines[i], HEAD_ROWS - 1 + (int)i, 2, width, 0);
}

static const char *heading(const slide *shown)
{
    return shown->kind == SLIDE_LIVE      ? "Live"
           : shown->kind == SLIDE_PICTURE ? "The picture"
                                          : shown->section;
}

static char *foot_line(void);

static void draw(demo *m)
{
    const slide *shown = now(m);
    char line[160];
    erase();
    if (m->s.columns < SCREEN_MIN_COLUMNS || m->s.rows < SCREEN_MIN_ROWS) {
        snprintf(line, sizeof line, "%dx%d is too small: it must be 80x24; q quits", m->s.columns,
                 m->s.rows);
        paint_text(0, 0, A_BOLD, line, m->s.columns);
        refresh();
        return;
    }
    if (shown->kind != SLIDE_TITLE && heading(shown))
        put_spaced(m, 1, margin(m), paint_look(STYLE_HEADING), heading(shown));
    switch (shown->kind) {
    case SLIDE_TITLE:
        title_slide(m);
        break;
    case SLIDE_TEXT:
        text_slide(m);
        break;
    case SLIDE_LIVE:
        live_slide(m);
        break;
    case SLIDE_PICTURE:
        picture_slide(m);
        break;
    }
    snprintf(line, sizeof line, "%.40s   %zu of %zu", shown->c->title, m->at + 1, m->deck.count);
    paint_text(m->s.rows - 1, 1, paint_look(STYLE_DIM), line, m->s.columns - 34);
    char *keys = foot_line();
    paint_text(m->s.rows - 1, m->s.columns - 34, paint_look(STYLE_DIM), keys, 33);
    free(keys);
    move(m->s.rows - 1, 0);
    refresh();
}

/* --- keys --- */

static void go_to(demo *m, size_t at)
{
    if (at >= m->deck.count || at == m->at)
        return;
    m->at = at;
    m->top = 0;
    if (now(m)->kind == SLIDE_LIVE && m->ran != now(m)->c)
        run(m);
}

/* A slide that is longer than the screen is gone through first. */
static void demo_forward(demo *m)
{
    size_t lines = 0, rows = (size_t)room(m);
    if (now(m)->kind == SLIDE_TEXT) {
        page p = {0};
        lesson_render(&p, now(m)->markdown, (size_t)breadth(m), NULL);
        lines = p.count;
        page_free(&p);
    }
    if (m->top + rows < lines)
        m->top += rows - 1;
    else
        go_to(m, m->at + 1);
}

static void demo_back(demo *m)
{
    if (m->top)
        m->top = 0;
    else if (m->at)
        go_to(m, m->at - 1);
}

static void demo_first(demo *m)
{
    go_to(m, 0);
}

static void demo_again(demo *m)
{
    if (now(m)->kind == SLIDE_LIVE)
        run(m);
}

static void demo_cancel(demo *m)
{
    if (m->a)
        attempt_cancel(m->a);
}

static void demo_redraw(demo *m)
{
    (void)m;
    clearok(curscr, TRUE);
}

static void demo_quit(demo *m)
{
    m->s.quit = true;
}

#define KEY(name, code, other, handler, argument, bar, help)
#define DEMO_KEY(name, code, other, handler, foot) {name, {code, other}, handler, foot},
static const struct {
    const char *name;
    int codes[2];
    void (*handler)(demo *m);
    const char *foot;
} keys[] = {
#include "keys.def"
};

/* The keys in the bottom line, to be freed. */
static char *foot_line(void)
{
    sb line = {0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].foot)
            sb_printf(&line, "%s%s %s", line.len ? "  " : "", keys[i].name, keys[i].foot);
    return sb_take(&line);
}

static void key(demo *m, int c)
{
    if (c == KEY_RESIZE) {
        getmaxyx(stdscr, m->s.rows, m->s.columns);
        clear();
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (c && (keys[i].codes[0] == c || keys[i].codes[1] == c)) {
            keys[i].handler(m);
            return;
        }
}

int demo_run(desk *d, chapter **list, size_t count)
{
    static char err[512];
    demo m = {.s = {.d = d}, .drawn = (size_t)-1};
    for (size_t i = 0; i < count; i++) {
        char *text = file_read(list[i]->lesson, LESSON_LIMIT, NULL);
        if (list[i]->has_lab)
            slides_add(&m.deck, list[i], text);
        free(text);
    }
    if (m.deck.count == 0) {
        fprintf(stderr, "warpbook: there is nothing to show: no lab.cu\n");
        return EXIT_FAIL;
    }
    if (!device_resolve(d->options.device, &d->house, &m.s.gpu, err, sizeof err))
        m.s.no_device = err;
    screen_begin(&m.s);
    while (!m.s.quit && !signals_caught()) {
        pump(&m);
        draw(&m);
        timeout(m.a || m.drawing ? 80 : 400);
        int c = getch();
        if (c != ERR)
            key(&m, c);
        else if (getppid() == 1 && !isatty(STDIN_FILENO))
            break; /* the terminal is gone and no signal came */
    }
    endwin();
    drop_run(&m);
    slides_free(&m.deck);
    return EXIT_PASS;
}
