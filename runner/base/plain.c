#include "plain.h"

#include "files.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { MAX_NAME_BYTES = 100 }; /* maximum length of a file name */

static const char replacement_character[] = "\xEF\xBF\xBD"; /* U+FFFD in UTF-8 */

bool is_control_or_invalid(unsigned c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c & 0xFFFE) == 0xFFFE ||
           (c >= 0xFDD0 && c <= 0xFDEF) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF ||
           c == 0xFFFD; /* U+FFFD also represents bytes that are not a valid
                         * character */
}

static void append_plain_text(sb *out, const char *text, bool lines,
                              const char *(*escape)(unsigned c))
{
    size_t left = strlen(text), n;
    for (; left; text += n, left -= n) {
        unsigned c = utf8_decode(text, left, &n);
        const char *other = escape ? escape(c) : NULL;
        if (c == '\n' || c == '\t')
            sb_puts(out, lines ? (char[]){(char)c, '\0'} : " ");
        else if (c == '\r' && text[1] == '\n')
            continue;
        else if (is_control_or_invalid(c))
            sb_puts(out, replacement_character);
        else if (other)
            sb_puts(out, other);
        else
            sb_add(out, text, n);
    }
    sb_add(out, "", 0);
}

void append_sanitized(sb *out, const char *text, bool lines)
{
    append_plain_text(out, text, lines, NULL);
}

static const char *html_entity(unsigned c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    }
    return NULL;
}

void append_html_text(sb *out, const char *text)
{
    append_plain_text(out, text, true, html_entity);
}

void append_base64(sb *out, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = bytes;
    for (size_t i = 0; i < size; i += 3) {
        size_t count = size - i < 3 ? size - i : 3;
        unsigned bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < count ? in[i + k] : 0);
        char four[] = {digits[bits >> 18], digits[bits >> 12 & 63],
                       count > 1 ? digits[bits >> 6 & 63] : '=',
                       count > 2 ? digits[bits & 63] : '='};
        sb_add(out, four, sizeof four);
    }
}

/* True: NAME ends in .csv or .json, as files of the directory of results do (overrides.csv). */
static bool is_name_of_table(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcasecmp(dot, ".csv") == 0 || strcasecmp(dot, ".json") == 0);
}

char *plain_file_name(arena *a, const char *name)
{
    CLEANUP(sb_free) sb out = {0};
    for (const char *p = name; *p && out.len < MAX_NAME_BYTES; p++)
        sb_puts(
            &out,
            isalnum((unsigned char)*p) || strchr("_@+,", *p) ||
                    (strchr(".-", *p) &&
                     p > name) /* a first . would hide the file, a first - look like an option */
                ? (char[]){*p, '\0'}
                : "_");
    if (!out.len || strcmp(out.s, name) != 0 || is_name_of_table(name))
        sb_printf(&out, "~%08x", (unsigned)hash_bytes(HASH_INITIAL_VALUE, name, strlen(name)));
    return arena_strdup(a, out.s);
}
