/* The kinds of errors that the sanitizer looks for: the list in WARPBOOK_SANITIZE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum san_kind_number {
#define SAN_KIND(name, NAME, meaning) SAN_NUMBER_##NAME,
#include "kinds.def"
#undef SAN_KIND
    SAN_NUMBERS
};

/* The kinds of errors, one bit each. */
enum {
#define SAN_KIND(name, NAME, meaning) SAN_##NAME = 1 << SAN_NUMBER_##NAME,
#include "kinds.def"
#undef SAN_KIND
    SAN_ALL = (1 << SAN_NUMBERS) - 1, /* every kind */
    SAN_NOTES = 1 << SAN_NUMBERS      /* "notes": also report findings that are no errors */
};

/* Read LIST (names separated by commas, "all", "none" or "notes") into *KINDS; NULL or "": none.
 * False: ERR (a buffer of SIZE bytes) says what is wrong with LIST and what it can be. */
bool san_kinds_read(const char *list, unsigned *kinds, char *err, size_t size);
