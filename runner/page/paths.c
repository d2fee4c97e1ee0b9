/* Leaves the folders of source files out of a page. */
#include "page.h"

#include "../base/files.h"
#include "../base/json.h"

#include <string.h>

/* What a page calls the source file PATH: its name, unless another source has the same name. */
static const char *short_path(const json_t *sources, const char *path)
{
    const json_t *one;
    size_t i;
    bool known = false, shared = false;
    json_array_foreach(sources, i, one) {
        const char *other = member_text(one, "path");
        known |= strcmp(other, path) == 0;
        shared |= strcmp(other, path) != 0 && strcmp(file_name_of(other), file_name_of(path)) == 0;
    }
    return known && !shared ? file_name_of(path) : path;
}

/* Shorten the paths in VALUE: members `path`, and the strings of lists `paths`. */
static void shorten_in(const json_t *sources, json_t *value, bool is_path)
{
    const char *key;
    json_t *one;
    size_t i;
    if (is_path && json_is_string(value)) {
        OWNED char *text = xstrdup(short_path(sources, json_string_value(value)));
        json_string_set(value, text);
    }
    json_array_foreach(value, i, one)
        shorten_in(sources, one, is_path);
    json_object_foreach(value, key, one)
        shorten_in(sources, one, strcmp(key, "path") == 0 || strcmp(key, "paths") == 0);
}

void page_shorten_paths(json_t *run)
{
    json_auto_t *sources = json_deep_copy(json_object_get(run, "sources"));
    shorten_in(sources, run, false);
}
