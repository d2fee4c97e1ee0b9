/* Names of arrays: a heat map knows the kernel's argument by its number, the source its name. */
#include "page.h"

#include "../base/json.h"

#include "../show/selector.h"

#include <stdio.h>

static char *text_of_source(arena *a, const json_t *lines)
{
    CLEANUP(sb_free) sb text = {0};
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line)
        sb_printf(&text, "%s\n", json_string_value(line));
    return arena_printf(a, "%s", text.s ? text.s : "");
}

void page_name_arrays(json_t *run)
{
    size_t i, k;
    json_t *source, *map;
    json_array_foreach(json_object_get(run, "sources"), i, source) {
        CLEANUP(arena_free) arena a = {0};
        const char *text = text_of_source(&a, json_object_get(source, "lines"));
        json_array_foreach(json_object_get(run, "heat"), k, map) {
            const char *kernel = member_text(map, "kernel"), *memory = member_text(map, "memory");
            int number;
            if (!kernel || !memory || sscanf(memory, "argument %d", &number) != 1 ||
                json_object_get(map, "name"))
                continue;
            const char *name = kernel_argument_name(&a, text, kernel, number);
            if (name)
                json_object_set_new(map, "name", text_json(name));
        }
    }
}
