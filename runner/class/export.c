#include "export.h"

#include <string.h>

/* How a row of formats.def names its function f, by the format's kind. */
#define TABLE_FUNCTION(f) .kind = EXPORT_TABLE, .table = f
#define EACH_FUNCTION(f)  .kind = EXPORT_EACH, .each = f
#define PAGES_FUNCTION(f) .kind = EXPORT_PAGES

static const export_format export_formats[] = {
#define FORMAT(name_, kind_, function, ending_, help_) \
    {.name = #name_, .ending = ending_, .help = help_, kind_##_FUNCTION(function)},
#include "formats.def"
};

/* Number of formats of `warpbook export`. */
enum { FORMAT_COUNT = sizeof export_formats / sizeof *export_formats };

const export_format *export_format_at(size_t number)
{
    return number < FORMAT_COUNT ? &export_formats[number] : NULL;
}

const export_format *export_format_by_name(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(export_formats[i].name, name) == 0)
            return &export_formats[i];
    return NULL;
}
