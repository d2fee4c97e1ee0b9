/* Find the source positions of PTX instructions and the names of variables, for messages. */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

bool ptx_is_library_path(const char *path)
{
    const size_t length = strlen(path);
    return (strncmp(path, "/usr/", 5) == 0 || strstr(path, "/include/")) &&
           !(length > 3 && strcmp(path + length - 3, ".cu") == 0);
}

static bool is_library_file(const ptx_module *m, uint32_t file)
{
    return file && file < m->file_count && m->files[file] && ptx_is_library_path(m->files[file]);
}

/* The innermost position in the source file of the kernel itself; of a kernel in a header of a
 * library, the innermost one in another file, if there is one. */
static const ptx_loc *source_position_of(const ptx_module *m, const ptx_insn *in)
{
    const ptx_loc *at = &m->locs[in->loc < m->loc_count ? in->loc : 0];
    const ptx_loc *outer = at; /* source position in the kernel itself */
    while (outer->inlined_at)
        outer = &m->locs[outer->inlined_at];
    if (is_library_file(m, outer->file)) {
        while (is_library_file(m, at->file) && at->inlined_at)
            at = &m->locs[at->inlined_at];
        return at;
    }
    while (at->file != outer->file)
        at = &m->locs[at->inlined_at];
    return at;
}

const char *ptx_source_file(const ptx_module *m, const ptx_insn *in, uint32_t *line)
{
    const ptx_loc *at = source_position_of(m, in);
    const bool known = at->file && at->file < m->file_count;
    *line = known ? at->line : 0;
    return known ? m->files[at->file] : NULL;
}

const char *ptx_source_position(const ptx_module *m, const ptx_insn *in, char *buf, size_t size)
{
    const ptx_loc *at = source_position_of(m, in);
    if (!at->file || at->file >= m->file_count) {
        snprintf(buf, size, "PTX line %u", in->line);
        return buf;
    }
    snprintf(buf, size, "%s:%u", basename(m->files[at->file]), at->line);
    return buf;
}

const char *ptx_source_name(const char *name, char *buf, size_t size)
{
    const char *at = name + (strncmp(name, "_Z", 2) == 0 ? 2 : 0), *last = name;
    size_t n = strlen(name);
    at += at != name && *at == 'N';
    while (at != name && *at >= '1' && *at <= '9') {
        char *word;
        const unsigned long bytes = strtoul(at, &word, 10);
        if (bytes > strlen(word))
            break;
        last = word;
        n = bytes;
        at = word + bytes;
    }
    snprintf(buf, size, "%.*s", (int)n, last);
    return buf;
}

const char *ptx_own_name(const char *mangled, size_t length, size_t *name_length)
{
    const char *end = mangled + length, *found = NULL;
    if (length < 3 || strncmp(mangled, "_ZZ", 3) != 0)
        return NULL;
    for (const char *p = mangled + 3; p + 1 < end; p++) {
        char *name;
        const size_t n = *p == 'E' && p[1] >= '1' && p[1] <= '9' ? strtoul(p + 1, &name, 10) : 0;
        if (n && name < end && n <= (size_t)(end - name) && (name + n == end || name[n] == '_')) {
            found = name;
            *name_length = n;
        }
    }
    return found;
}
