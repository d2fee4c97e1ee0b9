#include "carved.h"

#include "../../sm/array_name.h"
#include "../source_line.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 40, LINE_BYTES = 300 };

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " ");
}

/* What follows the subscripts at AT, as in "[y][x]". NULL: one is not closed on this line. */
static const char *skip_subscripts(const char *at)
{
    while (*(at = skip_blanks(at)) == '[') {
        int open = 0;
        do {
            if (!*at)
                return NULL;
            open += *at == '[' ? 1 : *at == ']' ? -1 : 0;
            at++;
        } while (open);
    }
    return at;
}

static bool is_assignment(const char *at)
{
    return (at[0] == '=' && at[1] != '=') || (at[0] && strchr("+-*/%&|^", at[0]) && at[1] == '=');
}

/* Write to NAME the array of which an element is assigned on a line. False: there is none, or
 * there are several. */
static bool assigned_array(const char *path, uint32_t line, char *name)
{
    char text[LINE_BYTES];
    name[0] = '\0';
    if (!path || !san_read_source_line(path, line, text, sizeof text))
        return false;
    for (const char *at = text; *at && strncmp(at, "//", 2) != 0;) {
        const char *end = at;
        while (isalnum((unsigned char)*end) || *end == '_')
            end++;
        const char *after = end > at && *skip_blanks(end) == '[' ? skip_subscripts(end) : NULL;
        if (after && is_assignment(after)) {
            const size_t length = (size_t)(end - at);
            const bool other = strlen(name) != length || strncmp(name, at, length) != 0;
            if (length >= NAME_BYTES || (name[0] && other))
                return false;
            memcpy(name, at, length);
            name[length] = '\0';
        }
        at = end > at ? end : at + 1;
    }
    return name[0] != '\0';
}

static const char *type_in_words(ptx_type t)
{
    const unsigned bytes = ptx_type_bytes(t);
    if (ptx_type_class(t) == 'F')
        return bytes == 8 ? "a double" : bytes == 4 ? "a float" : "a half";
    return bytes == 8   ? "an integer of 8 bytes"
           : bytes == 4 ? "an integer of 4 bytes"
           : bytes == 2 ? "an integer of 2 bytes"
                        : "a byte";
}

/* Do two threads access elements of different types? Bits may be of any type, and nvcc stores a
 * constant float as an integer. */
static bool types_differ(const san_racing_thread *a, const san_racing_thread *b)
{
    if (!a->at->type_count || !b->at->type_count)
        return false;
    const ptx_type x = a->at->type[0], y = b->at->type[0];
    const san_racing_thread *integer = ptx_type_class(x) == 'F' ? b : a;
    const char of_x = ptx_type_class(x), of_y = ptx_type_class(y);
    return of_x != 'B' && of_y != 'B' &&
           (ptx_type_bytes(x) != ptx_type_bytes(y) ||
            ((of_x == 'F') != (of_y == 'F') && integer->did != SM_WRITES));
}

bool san_describe_carved_arrays(const sm_report *r, const sm_grid *g,
                                const san_racing_thread *second, const san_racing_thread *first,
                                char *out, size_t size)
{
    char a[NAME_BYTES], b[NAME_BYTES], place[SM_ARRAY_NAME_BYTES];
    sm_shared_name(g, r->offset, place, sizeof place);
    const char *of = strstr(place, " of ");
    const char *whole = of ? of + 4 : "the block's shared memory";
    if (second->did == SM_WRITES && first->did == SM_WRITES &&
        assigned_array(r->at.path, r->at.line, a) &&
        assigned_array(r->other.path, r->other.line, b) && strcmp(a, b) != 0) {
        snprintf(out, size, ": %s and %s overlap in %s", a, b, whole);
        return true;
    }
    if (types_differ(second, first)) {
        snprintf(out, size, ": the one is %s, the other %s, in two arrays that overlap in %s",
                 type_in_words(second->at->type[0]), type_in_words(first->at->type[0]), whole);
        return true;
    }
    return false;
}
