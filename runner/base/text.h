/* Growing strings, arenas (memory that is freed all at once), and text functions. Running out of
 * memory ends the program with a message, so allocations never return NULL. */
#pragma once

#include "owned.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

void *xmalloc(size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvprintf(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
/* Print a sentence into ERR; returns false. */
bool fails(char *err, size_t err_size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* sees no other file */
#define fails(...) (fails(__VA_ARGS__), false)
#endif
/* Print "warpbook: " and the sentence to stderr; returns CODE, with which the program ends. */
int report_failure(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A string builder. Initialize it with zeros; `s` is NUL-terminated after the first addition. */
typedef struct sb {
    char *s;
    size_t len, cap; /* length of the string `s` in bytes; bytes allocated for it */
} sb;

/* Make room for N more bytes and the final NUL. */
void sb_reserve(sb *b, size_t n);
void sb_add(sb *b, const char *bytes, size_t n);
void sb_puts(sb *b, const char *s);
void sb_fill(sb *b, char c, size_t n);
void sb_printf(sb *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The string, to be freed by the caller; the builder is empty afterwards. Never NULL. */
char *sb_take(sb *b);
void sb_free(sb *b);

/* An arena: allocations that are freed together. Initialize it with zeros. */
typedef struct arena {
    struct arena_block *blocks; /* list of the blocks of memory, the newest first */
} arena;

void *arena_alloc(arena *a, size_t size); /* memory of SIZE bytes, filled with zeros */
char *arena_strndup(arena *a, const char *s, size_t n);
char *arena_strdup(arena *a, const char *s);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(arena *a);

/* Space for one more element, of ELEMENT bytes, at the end of ARRAY, which is in the arena A;
 * increments its length *COUNT. Returns the array, which may have moved. */
void *arena_push(arena *a, void *array, size_t *count, size_t element);
#define ARENA_PUSH(a, array, count)                                              \
    ((array) = arena_push((a), (array), &(count), sizeof(__typeof__(*(array)))), \
     &(array)[(count)-1])

/* Remove from TEXT, which is returned, what is in parentheses and only an address, as
 * " (0x70000200000)": it says nothing to a student, and differs from run to run. */
char *omit_addresses(char *text);

/* S without leading and trailing blanks: changes S, returns a pointer into it. */
char *strip(char *s);

/* P without const, for library functions and structures that lack const but do not write. */
void *without_const(const void *p);
bool starts_with(const char *s, const char *prefix);
bool ends_with(const char *s, const char *suffix);

/* The next line of *P, without its newline; *LEN is its length. NULL: no line is left. */
const char *next_line(const char **p, size_t *len);

/* For qsort and bsearch of texts. */
int compare_texts(const void *x, const void *y);

/* Cut LINE at its tabs, up to its end, into the first MOST fields. Returns their number. */
size_t cut_fields(char *line, char **field, size_t most);

/* Parse the whole text as a number. False: it is not a finite number. */
bool parse_number(const char *s, double *out);

/* Write a number to BUF in a short form: 9, 3.67, 16777216, 0.003. Returns BUF. */
char *nice_number(double v, char *buf, size_t size);

/* Decode one UTF-8 code point at S, where LEFT bytes are available; *N is the number of bytes used.
 * A byte that is not valid UTF-8 counts as one code point, 0xFFFD. */
unsigned utf8_decode(const char *s, size_t left, size_t *n);
/* The ASCII text shown for a character in a locale without UTF-8. */
const char *utf8_ascii(unsigned c);
/* Number of terminal columns that S needs. */
size_t utf8_width(const char *s, size_t len);
/* Number of bytes of S that fit into COLUMNS terminal columns. */
size_t utf8_fit(const char *s, size_t len, size_t columns);
