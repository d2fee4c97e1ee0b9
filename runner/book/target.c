#include "target.h"

#include "../base/files.h"

#include <inttypes.h>
#include <string.h>

const char *quoted_path_of(const build_target *t)
{
    return t->file ? t->file : t->solution ? t->c->solution : t->c->lab;
}

const char *source_path_of(const build_target *t)
{
    return t->text ? t->text : quoted_path_of(t);
}

static char *target_base_name(installation *h, const build_target *t)
{
    const char *part = t->solution ? "solution" : "lab";
    if (t->file)
        part = arena_printf(&h->memory, "graded-%016" PRIx64,
                            hash_bytes(HASH_INITIAL_VALUE, t->file, strlen(t->file)));
    char *name = arena_printf(&h->memory, "%s-%s%s", t->c->name, part, t->gpu ? "-gpu" : "");
    for (char *p = name; *p; p++)
        if (*p == '/')
            *p = '-';
    return name;
}

char *program_path_of(installation *h, const build_target *t)
{
    return arena_printf(&h->memory, "%s/labs/%s", h->build, target_base_name(h, t));
}

char *target_file_path(installation *h, const build_target *t, const char *what)
{
    return arena_printf(&h->memory, "%s/runs/%s.%s", h->build, target_base_name(h, t), what);
}

const char *ran_text_path(installation *h, const build_target *t)
{
    const char *kept = target_file_path(h, t, "text.cu");
    return file_exists(kept) ? kept : quoted_path_of(t);
}
