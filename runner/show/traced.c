#include "traced.h"

#include "../base/linear.h"

#include "../base/files.h"
#include "diagram.h"
#include "profile.h"
#include "selector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCE_BYTES = 4 << 20 }; /* largest source file of a lab that is read */

void traced_run_free(traced_run *s)
{
    requests_free(&s->r);
    free(s->source);
    s->source = NULL;
}

bool traced_run_read(traced_run *s, char *err, size_t err_size)
{
    s->file = file_name_of(source_path_of(&s->t));
    s->source = read_whole_file(s->files.source, MAX_SOURCE_BYTES, NULL);
    if (s->source && requests_read(&s->r, s->files.accesses))
        return true;
    return fails(err, err_size, "%s is damaged: remove it", s->files.accesses);
}

const char *traced_array_name(traced_run *s, const char *kernel, const char *memory)
{
    int number;
    return sscanf(memory, "argument %d", &number) == 1
               ? kernel_argument_name(&s->r.memory, s->source, kernel, number)
               : NULL;
}

const char *traced_line_text(traced_run *s, const memory_request *r)
{
    int region = s->hides ? todo_of_line(s->source, r->line) : 0;
    return region ? arena_printf(&s->r.memory, "(in TODO %d)", region)
                  : trimmed_source_line(&s->r.memory, s->source, r->line);
}

void traced_append_diagram(page *p, traced_run *s, const memory_request *r, size_t columns)
{
    const char *line = traced_line_text(s, r), *memory = traced_array_name(s, r->kernel, r->memory);
    if (is_output_linear())
        diagram_write_text(p, r, line, memory);
    else
        draw_request_diagram(p, r, line, memory, columns);
}

bool traced_kernel_is_shown(const traced_run *s, const char *kernel, const char *only)
{
    bool is_ours = false;
    for (size_t i = 0; i < s->r.count && !is_ours; i++)
        is_ours =
            strcmp(s->r.list[i].kernel, kernel) == 0 && strcmp(s->r.list[i].file, s->file) == 0;
    return is_ours && (!only || strcmp(only, kernel) == 0);
}

void traced_append_heat(page *p, traced_run *s, const heat_table *h, const char *only, size_t width)
{
    for (size_t i = 0; i < h->count; i++) {
        const heat_map *m = &h->maps[i];
        if (!traced_kernel_is_shown(s, m->kernel, only))
            continue;
        page_ensure_blank(p);
        heat_draw(p, m, traced_array_name(s, m->kernel, m->memory), width);
        if (i + 1 == h->count || strcmp(h->maps[i + 1].kernel, m->kernel) != 0)
            heat_draw_line_costs(p, &s->r, m->kernel, m->launch, s->file, s->source, width);
    }
}
