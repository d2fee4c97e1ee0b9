/* Draws how each line of a lab accesses memory, line by line, and then the heat of the arrays. */
#include "../show/diagram.h"
#include "pages.h"

bool access_pictures_read(access_pictures *a, session *d, const chapter *c, bool solution,
                          char *err, size_t err_size)
{
    access_pictures_free(a);
    a->run.t = (build_target){.c = c, .solution = solution};
    *err = '\0';
    if (!access_run_find_current(&d->installation, &a->run.t, &a->run.files) ||
        !traced_run_read(&a->run, err, err_size))
        return false;
    a->lines = lines_with_requests(&a->run.r, &a->memory, a->run.file, &a->count);
    return true;
}

void access_pictures_free(access_pictures *a)
{
    traced_run_free(&a->run);
    arena_free(&a->memory);
    *a = (access_pictures){0};
}

/* Append the list of pictures, with the current one marked. */
static void append_picture_list(const page_request *r, const access_pictures *a, size_t at)
{
    styled t = {0};
    styled_printf(&t, STYLE_DIM, "%s by the emulator: lines", a->run.file);
    for (size_t i = 0; i < a->count; i++) {
        styled_puts(&t, STYLE_DIM, " ");
        styled_printf(&t, i == at ? STYLE_PICKED : STYLE_NORMAL, "%d", a->lines[i]);
    }
    styled_puts(&t, STYLE_DIM, ", ");
    styled_puts(&t, at == a->count ? STYLE_PICKED : STYLE_NORMAL, "arrays");
    styled_puts(&t, STYLE_DIM, "; a: next, A: previous, p: the plot");
    page_wrap(r->page, &t, r->columns, "", "");
}

static void append_access_pictures(const page_request *r, access_pictures *a, int line)
{
    CLEANUP(arena_free) arena memory = {0};
    size_t count;
    const access_choice choice = {.line = line, .launch = -1};
    const memory_request *list = select_requests(&a->run.r, &memory, &choice, &count);
    const size_t columns =
        r->columns >= DIAGRAM_WIDE_COLUMNS ? DIAGRAM_WIDE_COLUMNS : DIAGRAM_NARROW_COLUMNS;
    for (size_t i = 0; i < count; i++) {
        page_ensure_blank(r->page);
        traced_append_diagram(r->page, &a->run, &list[i], columns);
        if (i + 1 == count || list[i + 1].space != list[i].space)
            draw_diagram_legend(r->page, list[i].space, columns);
    }
}

static void append_heat(const page_request *r, access_pictures *a)
{
    heat_table h;
    const size_t before = r->page->count;
    heat_read(&h, a->run.files.heat);
    traced_append_heat(r->page, &a->run, &h, NULL, r->columns > 100 ? 100 : r->columns);
    if (r->page->count == before) {
        page_line_add(r->page, STYLE_NOTE, "No kernel accesses global memory.");
    } else {
        page_ensure_blank(r->page);
        heat_draw_legend(r->page);
    }
    heat_free(&h);
}

void make_access_pictures(const page_request *r, access_pictures *a, size_t at)
{
    if (!a->count) {
        page_line_add(r->page, STYLE_NOTE, "No line of %s accesses the device's memory yet.",
                      a->run.file);
        return;
    }
    append_picture_list(r, a, at);
    if (at < a->count)
        append_access_pictures(r, a, a->lines[at]);
    else
        append_heat(r, a);
}
