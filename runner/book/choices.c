#include "choices.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char choice_line_mark[] = "yours to choose";

/* --- constant expressions of numbers --- */

typedef struct reader {
    const char *p;           /* the text that is not read yet */
    const free_constants *c; /* constants that an expression may name */
    bool book;               /* their values are the book's, not the student's */
    bool failed;             /* the text is no expression of numbers, or its value is too large */
    int depth;               /* how many expressions the current one lies in */
} reader;

enum { MAX_DEPTH = 64 }; /* how deep expressions may be nested */

static void skip_space(reader *r)
{
    while (isspace((unsigned char)*r->p))
        r->p++;
}

/* Skip TEXT, if it follows. */
static bool skip_text(reader *r, const char *text)
{
    skip_space(r);
    size_t n = strlen(text);
    if (strncmp(r->p, text, n) != 0)
        return false;
    r->p += n;
    return true;
}

static size_t length_of_name(const char *p)
{
    size_t n = 0;
    if (!isdigit((unsigned char)*p))
        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
    return n;
}

static bool skip_word(reader *r, const char *word)
{
    skip_space(r);
    size_t n = length_of_name(r->p);
    if (n != strlen(word) || strncmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

static free_constant *find_choice(const free_constants *c, const char *name, size_t len)
{
    for (size_t i = 0; i < c->count; i++)
        if (strlen(c->list[i].name) == len && memcmp(c->list[i].name, name, len) == 0)
            return &c->list[i];
    return NULL;
}

static long long read_sum(reader *r);

static long long read_number(reader *r)
{
    char digits[32];
    size_t n = 0;
    while (isalnum((unsigned char)*r->p) || *r->p == '\'') {
        if (*r->p != '\'' && n < sizeof digits - 1)
            digits[n++] = *r->p;
        r->p++;
    }
    digits[n] = '\0';
    bool binary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    char *end;
    long long value = strtoll(digits + (binary ? 2 : 0), &end, binary ? 2 : 0);
    end += strspn(end, "uUlL");
    r->failed |= *end || *r->p == '.' || n == sizeof digits - 1;
    return value;
}

static long long read_operand(reader *r)
{
    long long value = 0;
    skip_space(r);
    if (++r->depth > MAX_DEPTH) {
        r->failed = true;
    } else if (skip_text(r, "(")) {
        value = read_sum(r);
        r->failed |= !skip_text(r, ")");
    } else if (skip_text(r, "-")) {
        value = read_operand(r);
        r->failed |= __builtin_sub_overflow(0LL, value, &value);
    } else if (isdigit((unsigned char)*r->p)) {
        value = read_number(r);
    } else {
        size_t n = length_of_name(r->p);
        const free_constant *k = find_choice(r->c, r->p, n);
        r->failed |= !n || !k || !(r->book || k->given);
        value = !k ? 0 : r->book ? k->book : k->own;
        r->p += n;
    }
    r->depth--;
    return value;
}

static long long read_product(reader *r)
{
    long long value = read_operand(r);
    while (!r->failed) {
        char sign = (skip_space(r), *r->p);
        if (!sign || !strchr("*/%", sign))
            break;
        r->p++;
        long long by = read_operand(r);
        if (sign == '*')
            r->failed |= __builtin_mul_overflow(value, by, &value);
        else if (by <= 0)
            r->failed = true;
        else
            value = sign == '/' ? value / by : value % by;
    }
    return value;
}

static long long read_terms(reader *r)
{
    long long value = read_product(r);
    while (!r->failed) {
        bool plus = skip_text(r, "+");
        if (!plus && !skip_text(r, "-"))
            break;
        long long by = read_product(r);
        r->failed |= plus ? __builtin_add_overflow(value, by, &value)
                          : __builtin_sub_overflow(value, by, &value);
    }
    return value;
}

/* An expression: sums, shifted. */
static long long read_sum(reader *r)
{
    long long value = read_terms(r);
    while (!r->failed) {
        bool left = skip_text(r, "<<");
        if (!left && !skip_text(r, ">>"))
            break;
        long long by = read_terms(r);
        r->failed |= by < 0 || by > 31 || value < 0;
        if (!r->failed && left)
            r->failed |= __builtin_mul_overflow(value, 1LL << by, &value);
        else if (!r->failed)
            value >>= by;
    }
    return value;
}

/* --- definitions --- */

/* Skip words of a type, such as `unsigned long`, as far as they are no constant's name. */
static void skip_type(reader *r)
{
    int most = 8;
    static const char *const words[] = {"int",    "unsigned", "long",   "short",
                                        "signed", "auto",     "size_t", "std::size_t",
                                        "static", "inline",   "const",  "constexpr"};
    for (size_t i = 0; i < sizeof words / sizeof *words && most;) {
        bool skipped = strchr(words[i], ':') ? skip_text(r, words[i]) : skip_word(r, words[i]);
        most -= skipped;
        i = skipped ? 0 : i + 1;
    }
}

/* Skip what a definition of constants begins with. 0: there is none; else the character that ends
 * the definition. */
static char read_head(reader *r)
{
    const char *begin = r->p;
    if (skip_word(r, "static") || skip_word(r, "inline"))
        skip_word(r, "inline");
    if (skip_word(r, "constexpr") || skip_word(r, "const")) {
        skip_type(r);
        return ';';
    }
    if (!skip_word(r, "enum"))
        return r->p = begin, '\0';
    if (skip_text(r, ":"))
        skip_type(r);
    return skip_text(r, "{") ? '}' : '\0';
}

typedef void found_constant(void *context, const char *name, size_t len, const char *begin,
                            reader *r, long long value);

/* Read a definition of constants, which may be several. False: it is no such definition. */
static bool read_definition(reader *r, found_constant *found, void *context)
{
    char last = read_head(r);
    if (!last)
        return false;
    do {
        skip_space(r);
        if (last == '}' && *r->p == '}')
            break;
        const char *name = r->p;
        size_t n = length_of_name(name);
        r->p += n;
        if (!n || !skip_text(r, "="))
            return false;
        skip_space(r);
        const char *begin = r->p;
        long long value = read_sum(r);
        if (r->failed || value > INT_MAX || value < INT_MIN)
            return false;
        found(context, name, n, begin, r, value);
    } while (!r->failed && skip_text(r, ","));
    return !r->failed && (last == ';' || skip_text(r, "}")) && skip_text(r, ";");
}

/* --- the book's text --- */

typedef struct book_line {
    free_constants *c;
    arena *a;
    const char *text; /* the book's text */
    const char *said; /* what the line's comment says before "yours to choose" */
} book_line;

static bool is_named_in(const char *said, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = said; (p = strstr(p, name)); p += n)
        if (!length_of_name(p + n) &&
            (p == said || !(isalnum((unsigned char)p[-1]) || p[-1] == '_')))
            return true;
    return false;
}

static void add_constant(void *context, const char *name, size_t len, const char *begin, reader *r,
                         long long value)
{
    book_line *l = context;
    const char *end = r->p;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    *ARENA_PUSH(l->a, l->c->list, l->c->count) =
        (free_constant){.name = arena_strndup(l->a, name, len),
                        .begin = (size_t)(begin - l->text),
                        .end = (size_t)(end - l->text),
                        .book = value};
}

free_constants choices_of_book(const char *text, arena *a)
{
    free_constants c = {0};
    const char *rest = text, *line;
    size_t len;
    while ((line = next_line(&rest, &len))) {
        const char *comment = memmem(line, len, "//", 2);
        const char *mark = memmem(line, len, choice_line_mark, strlen(choice_line_mark));
        if (!comment || !mark || mark < comment)
            continue;
        book_line l = {&c, a, text, arena_strndup(a, comment, (size_t)(mark - comment))};
        size_t first = c.count;
        reader r = {.p = line, .c = &c, .book = true};
        read_definition(&r, add_constant, &l);
        bool some = false;
        for (size_t i = first; i < c.count; i++)
            some |= is_named_in(l.said, c.list[i].name);
        for (size_t i = first; some && i < c.count; i++)
            c.list[i].fixed = !is_named_in(l.said, c.list[i].name);
    }
    return c;
}

/* --- a student's text --- */

static void take_constant(void *context, const char *name, size_t len, const char *begin, reader *r,
                          long long value)
{
    (void)begin;
    free_constant *k = find_choice(context, name, len);
    if (!k || k->given || (k->fixed && value != k->book)) {
        r->failed = true;
        return;
    }
    k->own = value;
    k->given = true;
}

/* Take the definition at P, and blank it. Returns what follows it, or P. */
static char *take_definition(free_constants *c, char *p)
{
    reader r = {.p = p, .c = c};
    OWNED free_constant *before = xmalloc((c->count + 1) * sizeof *before);
    memcpy(before, c->list, c->count * sizeof *before);
    bool taken = read_definition(&r, take_constant, c);
    if (!taken)
        memcpy(c->list, before, c->count * sizeof *before);
    char *end = taken ? p + (r.p - p) : p;
    for (char *q = p; q < end; q++)
        *q = *q == '\n' ? '\n' : ' ';
    return end;
}

void choices_take(free_constants *c, char *code)
{
    int depth = 0;
    bool begins = true; /* a definition may begin here */
    for (char *p = code; *p && c->count;) {
        char *end = begins && depth == 0 && length_of_name(p) ? take_definition(c, p) : p;
        if (end != p) {
            p = end;
            continue;
        }
        depth += *p == '{' || *p == '(' ? 1 : *p == '}' || *p == ')' ? -1 : 0;
        begins = strchr(";}\n", *p) || (begins && isspace((unsigned char)*p));
        p++;
    }
}

/* True: the book's TEXT already has the student's value, as a number. */
static bool is_written_as(const free_constant *k, const char *text)
{
    char *end;
    return strtoll(text + k->begin, &end, 0) == k->own && end == text + k->end;
}

char *choices_insert(const free_constants *c, const char *text)
{
    sb out = {0};
    size_t from = 0;
    for (size_t i = 0; i < c->count; i++) {
        const free_constant *k = &c->list[i];
        if (!k->given || is_written_as(k, text))
            continue;
        sb_printf(&out, "%.*s%lld", (int)(k->begin - from), text + from, k->own);
        from = k->end;
    }
    sb_puts(&out, text + from);
    return sb_take(&out);
}
