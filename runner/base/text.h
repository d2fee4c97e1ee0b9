/* Strings that grow, and arenas: memory that is given back all at once. Out of memory ends the
 * program with a sentence; nothing here returns NULL. */
#ifndef WARPBOOK_TEXT_H
#define WARPBOOK_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

void *xmalloc(size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A string builder. Zero-initialise; `s` is NUL-terminated once something was added. */
typedef struct sb {
    char *s;
    size_t len, cap;
} sb;

void sb_add(sb *b, const char *bytes, size_t n);
void sb_puts(sb *b, const char *s);
void sb_fill(sb *b, char c, size_t n);
void sb_printf(sb *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The string, to be freed by the caller; the builder is empty afterwards. Never NULL. */
char *sb_take(sb *b);
void sb_free(sb *b);

/* Memory that is freed as a whole. Must be zero at first. */
typedef struct arena {
    struct arena_block *blocks;
} arena;

void *arena_alloc(arena *a, size_t size); /* zeroed */
char *arena_strndup(arena *a, const char *s, size_t n);
char *arena_strdup(arena *a, const char *s);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(arena *a);

/* A place for one more element at the end of an array that lives in an arena. COUNT is raised. */
void *arena_push(arena *a, void *array, size_t *count, size_t element);
#define ARENA_PUSH(a, array, count)                                              \
    ((array) = arena_push((a), (array), &(count), sizeof(__typeof__(*(array)))), \
     &(array)[(count)-1])

/* S without leading and trailing blanks: changes S, returns a pointer into it. */
char *strip(char *s);

/* P without const, for a function or a structure of a library that writes nothing there. */
void *unwritten(const void *p);
bool starts_with(const char *s, const char *prefix);
bool ends_with(const char *s, const char *suffix);

/* The next line of *P (without its newline), its length in *LEN; NULL at the end. */
const char *next_line(const char **p, size_t *len);

/* Whole text as a number; false where it is not one, or where it is not finite. */
bool parse_number(const char *s, double *out);

/* A number as people write it: 9, 3.67, 16777216, 0.003. Into BUF, which it returns. */
char *nice_number(double v, char *buf, size_t size);

/* Decode one code point of UTF-8 at S (LEFT bytes there); *N bytes used. Bytes that are no UTF-8
 * count as one code point each, 0xFFFD. */
unsigned utf8_decode(const char *s, size_t left, size_t *n);
/* The ASCII text shown for a character in a locale without UTF-8. */
const char *utf8_ascii(unsigned c);
/* Columns that S takes on a terminal. */
size_t utf8_width(const char *s, size_t len);
/* Bytes of S that fit COLUMNS. */
size_t utf8_fit(const char *s, size_t len, size_t columns);

#endif
