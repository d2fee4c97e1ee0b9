#include "encoding.h"

#include <iconv.h>
#include <stdlib.h>
#include <string.h>

/* TEXT of *LENGTH bytes converted from the encoding FROM; *LENGTH becomes the new length. NULL: it
 * is not valid, or the C library cannot convert it. To be freed. */
static char *convert_to_utf8(const char *from, const char *text, size_t *length)
{
    enum { MOST_GROWTH = 3 }; /* bytes of UTF-8 that a byte of such an encoding can become */
    iconv_t how = iconv_open("UTF-8", from);
    if (how == (iconv_t)-1)
        return NULL;
    size_t left = *length, room = MOST_GROWTH * left;
    char *out = xmalloc(room + 1), *copy = xmalloc(left + 1), *in = copy, *to = out;
    memcpy(copy, text, left);
    bool ok = iconv(how, &in, &left, &to, &room) != (size_t)-1 && left == 0;
    iconv_close(how);
    free(copy);
    *to = '\0';
    *length = (size_t)(to - out);
    if (ok)
        return out;
    free(out);
    return NULL;
}

static bool is_utf8(const char *text)
{
    size_t left = strlen(text), n;
    for (; left; text += n, left -= n)
        if (utf8_decode(text, left, &n) == 0xFFFD && n == 1)
            return false;
    return true;
}

/* True: each byte that is not ASCII is a letter in CP437. In Windows-1252 these are signs, but for
 * 0xE1, which is the German sharp s in CP437. */
static bool has_letters_of_cp437(const char *name)
{
    for (; *name; name++) {
        unsigned c = (unsigned char)*name;
        if (c >= 0x80 && c != 0xE1 && c > 0xA5)
            return false;
    }
    return true;
}

const char *name_to_utf8(arena *a, const char *name)
{
    if (is_utf8(name))
        return name;
    size_t length = strlen(name);
    OWNED char *converted =
        convert_to_utf8(has_letters_of_cp437(name) ? "CP437" : "WINDOWS-1252", name, &length);
    return converted ? arena_strndup(a, converted, length) : name;
}

char *text_from_utf16(const char *text, size_t *length)
{
    const bool marked =
        *length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
    return marked ? convert_to_utf8("UTF-16", text, length) : NULL;
}

char *text_from_windows(const char *text)
{
    size_t length = strlen(text);
    return is_utf8(text) ? NULL : convert_to_utf8("WINDOWS-1252", text, &length);
}
