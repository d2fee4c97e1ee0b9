/* A run with recorded memory accesses (look.h) and the lab's text at that time. Drawn by `warpbook
 * plot --access`, `warpbook plot --heat` and the screen's key `a`. */
#ifndef WARPBOOK_SEEN_H
#define WARPBOOK_SEEN_H

#include "heat.h"
#include "look.h"

typedef struct seen_run {
    build_target t;
    access_run files; /* paths of the run's files */
    requests r;
    char *source;      /* text of the lab that ran */
    const char *file;  /* name of the source file in the table of accesses */
    const char *title; /* title above its picture, if two are side by side */
    bool hides;        /* hide the code in TODO regions, as in a lesson */
} seen_run;

/* Read the files s->files that the run wrote. False: failed, with a sentence in ERR. */
bool seen_run_read(seen_run *s, char *err, size_t err_size);
void seen_run_free(seen_run *s);

/* The source's name of the array that KERNEL accesses: "in" for "argument 2". NULL: unknown. */
const char *seen_array_name(seen_run *s, const char *kernel, const char *memory);
/* The text of R's source line; if a TODO region hides it, the name of that region. */
const char *seen_line_text(seen_run *s, const memory_request *r);

/* Append the access diagram (diagram.h) of request R, CARD_WIDE_COLUMNS or CARD_NARROW_COLUMNS columns
 * wide. */
void seen_append_card(page *p, seen_run *s, const memory_request *r, size_t columns);
/* Return true if KERNEL is defined in the source and, unless ONLY is NULL, is named ONLY. */
bool seen_is_shown(const seen_run *s, const char *kernel, const char *only);
/* Append the heat maps of the source's kernels, or of the kernel ONLY, each with the cost of its
 * lines. */
void seen_append_heat(page *p, seen_run *s, const heat_table *h, const char *only, size_t width);

#endif
