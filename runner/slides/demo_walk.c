/* Slides with the debugger: a lesson's commands in `warpbook step`, and the answers. */
#include "../book/lesson.h"
#include "demo_state.h"

#include <string.h>

void demo_debugger_drop(slide_show *m)
{
    job_free(m->walk);
    m->walk = NULL;
    m->walked = 0;
    page_free(&m->debugger_page);
}

void demo_debugger_start(slide_show *m)
{
    const slide *shown = demo_slide(m);
    if (m->walked == m->at + 1)
        return;
    demo_debugger_drop(m);
    demo_pause_building(m);
    m->walked = m->at + 1;
    const char *argv[] = {installation_program(&m->d->installation, "warpbook-step"),
                          "step",
                          "--commands",
                          shown->commands_path,
                          shown->c->name,
                          shown->of_solution ? "--solution" : NULL,
                          NULL};
    OWNED char *root = xprintf("WARPBOOK_ROOT=%s", m->d->installation.root);
    const char *env[] = {root, NULL};
    m->walk = job_start(&(job_spec){.argv = argv, .env = env});
}

/* The debugger's answers in OUTPUT, without the lab's output before them; all if it failed. */
static const char *debugger_answers_in(const char *output)
{
    static const char first[] = "\nlaunch ";
    const char *begin = strstr(output, first);
    return starts_with(output, first + 1) || !begin ? output : begin + 1;
}

void demo_debugger_poll(slide_show *m)
{
    if (!m->walk || !job_poll(m->walk, 0))
        return;
    page_add_terminal_text(&m->debugger_page, STYLE_NORMAL,
                           debugger_answers_in(job_output(m->walk, NULL)));
    job_free(m->walk);
    m->walk = NULL;
}

void demo_make_debugger_page(slide_show *m, page *p)
{
    lesson_render(p, demo_slide(m)->markdown, (size_t)demo_body_columns(m), NULL);
    page_add_blank_line(p);
    if (m->walk) {
        page_line_add(p, STYLE_NOTE, "Walking ...");
        return;
    }
    for (size_t i = 0; m->walked == m->at + 1 && i < m->debugger_page.count; i++)
        page_line_add(p, STYLE_NORMAL, "%s", m->debugger_page.lines[i].s);
    page_ensure_blank(p);
    page_line_add(p, STYLE_DIM, "S walks through the same run by hand.");
}

char *demo_step(slide_show *m, const chapter *c, bool solution, const char *text,
                const char *of_seed)
{
    demo_pause_building(m);
    char *why = terminal_step(&m->d->installation, c, solution, text, of_seed, NULL, NULL);
    getmaxyx(stdscr, m->rows, m->columns);
    return why;
}

void demo_debugger_step(slide_show *m)
{
    const slide *shown = demo_slide(m);
    OWNED char *why = m->walk ? NULL : demo_step(m, shown->c, shown->of_solution, NULL, NULL);
    if (why)
        page_line_add(&m->debugger_page, STYLE_BAD, "%s", why);
}
