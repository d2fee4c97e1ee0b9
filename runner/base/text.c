#include "text.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void out_of_memory(void)
{
    fputs("warpbook: out of memory\n", stderr);
    exit(3);
}

void *xmalloc(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *xrealloc(void *p, size_t size)
{
    p = realloc(p, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

char *xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xmalloc(n), s, n);
}

char *xvprintf(const char *format, va_list args)
{
    char *s = NULL;
    if (vasprintf(&s, format, args) < 0)
        out_of_memory();
    return s;
}

bool(fails)(char *err, size_t err_size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(err, err_size, format, args);
    va_end(args);
    return false;
}

int report_failure(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    OWNED char *sentence = xvprintf(format, args);
    va_end(args);
    fprintf(stderr, "warpbook: %s\n", sentence);
    return code;
}

char *xprintf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *s = xvprintf(format, args);
    va_end(args);
    return s;
}

/* --- string builder --- */

void sb_reserve(sb *b, size_t n)
{
    if (b->len + n + 1 > b->cap) {
        b->cap = b->len + n + 1 + b->len;
        b->s = xrealloc(b->s, b->cap);
    }
}

void sb_add(sb *b, const char *bytes, size_t n)
{
    if (b->len + n + 1 > b->cap)
        sb_reserve(b, 2 * n + 1);
    if (n)
        memcpy(b->s + b->len, bytes, n);
    b->len += n;
    b->s[b->len] = '\0';
}

void sb_puts(sb *b, const char *s)
{
    sb_add(b, s, strlen(s));
}

void sb_fill(sb *b, char c, size_t n)
{
    while (n-- > 0)
        sb_add(b, &c, 1);
}

void sb_printf(sb *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    OWNED char *s = xvprintf(format, args);
    va_end(args);
    sb_puts(b, s);
}

char *sb_take(sb *b)
{
    char *s = b->s ? b->s : xstrdup("");
    *b = (sb){0};
    return s;
}

void sb_free(sb *b)
{
    free(b->s);
    *b = (sb){0};
}

/* --- arena --- */

struct arena_block {
    struct arena_block *next; /* the block allocated before this one */
    size_t used, size;        /* bytes of `bytes` that are used; size of `bytes` */
    max_align_t bytes[];      /* [size] memory that is handed out */
};

void *arena_alloc(arena *a, size_t size)
{
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct arena_block *b = a->blocks;
    if (!b || b->size - b->used < size) {
        size_t room = size > 4096 ? size : 4096;
        b = xmalloc(sizeof *b + room);
        b->next = a->blocks;
        b->used = 0;
        b->size = room;
        a->blocks = b;
    }
    void *p = (char *)b->bytes + b->used;
    b->used += size;
    return memset(p, 0, size);
}

char *arena_strndup(arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

char *arena_strdup(arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    OWNED char *s = xvprintf(format, args);
    va_end(args);
    return arena_strdup(a, s);
}

void arena_free(arena *a)
{
    while (a->blocks) {
        struct arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
}

void *arena_push(arena *a, void *array, size_t *count, size_t element)
{
    size_t n = *count;
    /* The array's capacity is a power of two: it is full when its count is a power of two. */
    if ((n & (n - 1)) == 0) {
        void *bigger = arena_alloc(a, (n ? 2 * n : 1) * element);
        if (n)
            memcpy(bigger, array, n * element);
        array = bigger;
    }
    *count = n + 1;
    return array;
}

/* --- strings --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

char *strip(char *s)
{
    while (is_blank(*s))
        s++;
    size_t n = strlen(s);
    while (n > 0 && is_blank(s[n - 1]))
        s[--n] = '\0';
    return s;
}

bool starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool ends_with(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

const char *next_line(const char **p, size_t *len)
{
    const char *line = *p;
    if (!line || !*line)
        return NULL;
    const char *end = strchr(line, '\n');
    *len = end ? (size_t)(end - line) : strlen(line);
    *p = end ? end + 1 : line + *len;
    if (*len > 0 && line[*len - 1] == '\r')
        --*len;
    return line;
}

int compare_texts(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

size_t cut_fields(char *line, char **field, size_t most)
{
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *rest = line; rest && n < most;)
        field[n++] = strsep(&rest, "\t");
    return n;
}

bool parse_number(const char *s, double *out)
{
    if (!s || !*s)
        return false;
    char *end;
    double v = strtod(s, &end);
    while (is_blank(*end))
        end++;
    if (end == s || *end || !isfinite(v))
        return false;
    *out = v;
    return true;
}

char *nice_number(double v, char *buf, size_t size)
{
    double size_of = fabs(v);
    if (size_of >= 1 && size_of < 1e12)
        v = round(v * 100) / 100;
    if (v == floor(v) && size_of < 1e15)
        snprintf(buf, size, "%.0f", v);
    else if (size_of >= 100)
        snprintf(buf, size, "%.1f", v);
    else if (size_of >= 1)
        snprintf(buf, size, "%.2f", v);
    else
        snprintf(buf, size, "%.3g", v);
    return buf;
}

/* --- UTF-8 --- */

unsigned utf8_decode(const char *s, size_t left, size_t *n)
{
    static const unsigned smallest[] = {0, 0x80, 0x800, 0x10000}; /* by the bytes that follow */
    const unsigned char *u = (const unsigned char *)s;
    *n = 1;
    if (left == 0)
        return 0;
    if (u[0] < 0x80)
        return u[0];
    size_t more = u[0] >= 0xF0 && u[0] < 0xF5 ? 3 : u[0] >= 0xE0 ? 2 : u[0] >= 0xC2 ? 1 : 0;
    if (u[0] >= 0xF5 || more == 0 || more >= left)
        return 0xFFFD;
    unsigned c = u[0] & (0x3F >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((u[i] & 0xC0) != 0x80)
            return 0xFFFD;
        c = c << 6 | (u[i] & 0x3F);
    }
    if (c < smallest[more] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return 0xFFFD;
    *n = more + 1;
    return c;
}

static size_t terminal_columns(unsigned c)
{
    if (c < 0x80)
        return 1;
    int w = wcwidth((wchar_t)c);
    if (w < 0) { /* the locale lacks the character, as in a container; the terminal has it */
        static locale_t utf8;
        utf8 = utf8 ? utf8 : newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
        w = utf8 ? wcwidth((wchar_t)c) : 1;
        if (utf8)
            uselocale(before);
    }
    return w < 0 ? 1 : (size_t)w;
}

size_t utf8_width(const char *s, size_t len)
{
    size_t width = 0;
    for (size_t i = 0, n; i < len; i += n)
        width += terminal_columns(utf8_decode(s + i, len - i, &n));
    return width;
}

size_t utf8_fit(const char *s, size_t len, size_t columns)
{
    size_t i = 0, width = 0, n;
    for (; i < len; i += n) {
        width += terminal_columns(utf8_decode(s + i, len - i, &n));
        if (width > columns)
            break;
    }
    return i;
}

const char *utf8_ascii(unsigned c)
{
    static const struct {
        unsigned from;
        const char *to;
    } table[] = {
        {0xA0, " "},    {0xB0, " deg"},  {0xB1, "+-"},   {0xB2, "^2"},   {0xB5, "u"},
        {0xB7, "."},    {0xD7, "x"},     {0x2010, "-"},  {0x2011, "-"},  {0x2013, "-"},
        {0x2014, "-"},  {0x2018, "'"},   {0x2019, "'"},  {0x201C, "\""}, {0x201D, "\""},
        {0x2022, "*"},  {0x2026, "~"},   {0x2190, "<-"}, {0x2191, "^"},  {0x2192, "->"},
        {0x2193, "v"},  {0x2194, "<->"}, {0x2248, "~"},  {0x2260, "!="}, {0x2264, "<="},
        {0x2265, ">="}, {0x2500, "-"},   {0x2502, "|"},  {0x2503, "|"},  {0x2039, "<"},
        {0x203A, ">"},  {0x2588, "#"},   {0x2591, ":"},  {0x25B8, ">"},  {0x2713, "+"},
        {0x2717, "x"},  {0x03BC, "u"},   {0x2212, "-"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].from == c)
            return table[i].to;
    return c > 0x2500 && c < 0x2580 ? "+" : "?";
}

void *without_const(const void *p)
{
    return (void *)(uintptr_t)p;
}

char *omit_addresses(char *text)
{
    enum { LEAST_DIGITS = 7 };
    for (char *at = text; (at = strstr(at, " (0x"));) {
        const size_t digits = strspn(at + 4, "0123456789abcdef");
        if (digits >= LEAST_DIGITS && at[4 + digits] == ')')
            memmove(at, at + 4 + digits + 1, strlen(at + 4 + digits + 1) + 1);
        else
            at++;
    }
    return text;
}
