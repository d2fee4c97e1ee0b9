/* Pop-up lists over a slide: the keys, the slides, the programs of a chapter. */
#include "../term/paint.h"
#include "demo_state.h"

#include <ctype.h>
#include <string.h>

void demo_box_close(slide_show *m)
{
    page_free(&m->box_page);
    wrong_version_list_free(&m->versions);
    m->box = DEMO_BOX_NONE;
}

static void open_key_list(slide_show *m)
{
    m->box_title = "Keys";
    for (size_t i = 0; i < demo_key_count; i++)
        if (demo_keys[i].help)
            page_line_add(&m->box_page, STYLE_NORMAL, "%6s  %s", demo_keys[i].name,
                          demo_keys[i].help);
}

static void open_slide_list(slide_show *m)
{
    m->box_title = "Slides: Enter goes there, letters find one";
    *m->find = 0;
    for (size_t i = 0; i < m->deck.count; i++) {
        OWNED char *label = label_of_slide(&m->deck, i);
        bool title = m->deck.list[i].kind == SLIDE_TITLE;
        page_line_add(&m->box_page, title ? STYLE_STRONG : STYLE_NORMAL, "%3zu %s", i + 1, label);
    }
    m->chosen = m->at;
}

/* List the programs that can be run: the lab, the solution, and the wrong versions m->versions. */
static void open_program_list(slide_show *m)
{
    chapter *c = demo_slide(m)->c;
    m->box_title = "Run what? Enter runs it";
    page_line_add(&m->box_page, STYLE_STRONG, "the lab");
    if (c->has_solution)
        page_line_add(&m->box_page, STYLE_STRONG, "the solution");
    wrong_version_list_read(&m->versions, &m->d->installation, c);
    for (size_t i = 0; i < m->versions.count; i++)
        page_line_add(&m->box_page, STYLE_NORMAL, "%s", m->versions.names[i]);
    if (m->versions.count == 0)
        page_line_add(&m->box_page, STYLE_DIM,
                      "(no wrong versions here: only the full book has them)");
}

void demo_box_open(slide_show *m, demo_box which)
{
    demo_box_close(m);
    m->box = which;
    m->chosen = m->box_top = 0;
    if (which == DEMO_BOX_HELP)
        open_key_list(m);
    else if (which == DEMO_BOX_SLIDES)
        open_slide_list(m);
    else if (which == DEMO_BOX_PROGRAMS)
        open_program_list(m);
}

static void run_chosen_program(slide_show *m)
{
    chapter *c = demo_slide(m)->c;
    size_t first = c->has_solution ? 2 : 1, chosen = m->chosen;
    if (chosen >= first + m->versions.count)
        return; /* the chosen line only says that there are no programs */
    demo_program program = chosen >= first ? DEMO_WRONG : chosen ? DEMO_SOLUTION : DEMO_LAB;
    OWNED char *name = program == DEMO_WRONG ? xstrdup(m->versions.names[chosen - first]) : NULL;
    demo_box_close(m);
    demo_show_run(m, program, name);
}

static void move_selection(slide_show *m, long by)
{
    long to = (long)m->chosen + by, last = (long)m->box_page.count - 1;
    m->chosen = to < 0 ? 0 : to > last ? (size_t)last : (size_t)to;
}

/* Choose the first slide from the present one on whose line contains the words typed. */
static void find_slide(slide_show *m)
{
    for (size_t i = 0; i < m->box_page.count; i++) {
        size_t at = (m->chosen + i) % m->box_page.count;
        if (strcasestr(m->box_page.lines[at].s, m->find)) {
            m->chosen = at;
            return;
        }
    }
}

/* Handle a key that types words to find a slide; false: KEY is another. */
static bool type_to_find(slide_show *m, int key)
{
    size_t length = strlen(m->find);
    if (m->box != DEMO_BOX_SLIDES)
        return false;
    if (length && (key == KEY_BACKSPACE || key == 127))
        m->find[length - 1] = 0;
    else if (key < 128 && (isalnum(key) || (key == ' ' && length)) && length + 1 < sizeof m->find)
        m->find[length] = (char)key, m->find[length + 1] = 0;
    else
        return false;
    find_slide(m);
    return true;
}

void demo_box_handle_key(slide_show *m, int key)
{
    long rows = m->rows - 6;
    size_t chosen = m->chosen;
    if (type_to_find(m, key))
        return;
    switch (key) {
    case KEY_UP:
    case 'k': move_selection(m, -1); break;
    case KEY_DOWN:
    case 'j': move_selection(m, 1); break;
    case KEY_PPAGE: move_selection(m, -rows); break;
    case KEY_NPAGE:
    case ' ': move_selection(m, rows); break;
    case '\r':
    case KEY_ENTER:
        if (m->box == DEMO_BOX_PROGRAMS) {
            run_chosen_program(m);
        } else {
            bool goes = m->box == DEMO_BOX_SLIDES;
            demo_box_close(m);
            if (goes)
                demo_go_to(m, chosen);
        }
        break;
    default: demo_box_close(m);
    }
}

void demo_box_draw(slide_show *m)
{
    int columns = m->columns > 90 ? 86 : m->columns - 6, most = m->rows - 6;
    int count = (int)m->box_page.count, rows = count < most ? count : most;
    int x = (m->columns - columns) / 2, y = (m->rows - rows - 2) / 2;
    if (m->chosen < m->box_top)
        m->box_top = m->chosen;
    if (m->chosen >= m->box_top + (size_t)rows)
        m->box_top = m->chosen - (size_t)rows + 1;
    char title[80];
    snprintf(title, sizeof title, rows < count ? "%s (%zu to %zu of %d)" : "%s", m->box_title,
             m->box_top + 1, m->box_top + (size_t)rows, count);
    if (m->box == DEMO_BOX_SLIDES && *m->find)
        snprintf(title, sizeof title, "Find: %s_", m->find);
    paint_box(y, x, rows + 2, columns, title);
    for (int i = 0; i < rows && m->box_top + (size_t)i < m->box_page.count; i++) {
        const page_line *l = &m->box_page.lines[m->box_top + (size_t)i];
        if (m->box != DEMO_BOX_HELP && m->box_top + (size_t)i == m->chosen)
            paint_text(y + 1 + i, x + 2, paint_attributes(STYLE_PICKED), l->s, columns - 4);
        else
            paint_line(l, y + 1 + i, x + 2, columns - 4, 0);
    }
}
