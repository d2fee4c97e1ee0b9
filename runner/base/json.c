#include "json.h"

#include "plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

json_t *text_json(const char *s)
{
    json_t *plain = s ? json_string(s) : json_null();
    if (plain || !s)
        return plain;
    CLEANUP(sb_free) sb clean = {0};
    size_t left = strlen(s);
    for (size_t n; left; s += n, left -= n)
        if (utf8_decode(s, left, &n) == 0xFFFD)
            sb_puts(&clean, "\xEF\xBF\xBD");
        else
            sb_add(&clean, s, n);
    plain = json_string(clean.s);
    return plain;
}

json_t *nonempty_json(const char *s)
{
    return text_json(s && *s ? s : NULL);
}

json_t *sanitized_json(const char *s, bool lines)
{
    CLEANUP(sb_free) sb clean = {0};
    append_sanitized(&clean, s, lines);
    return json_string(clean.s);
}

json_t *number_json(double v)
{
    return !isfinite(v)                      ? json_null()
           : v == floor(v) && fabs(v) < 9e15 ? json_integer((json_int_t)v)
                                             : json_real(v);
}

json_t *line_json(int n)
{
    return n > 0 ? json_integer(n) : json_null();
}

const char *member_text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

void print_json(json_t *json)
{
    OWNED char *text = json_dumps(json, JSON_INDENT(2) | JSON_USUAL_DIGITS);
    puts(text ? text : "{}");
    json_decref(json);
}
