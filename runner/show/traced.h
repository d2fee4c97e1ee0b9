/* A run with recorded memory accesses (look.h) and the lab's text at that time. Drawn by `warpbook
 * plot --access`, `warpbook plot --heat` and the screen's key `a`. */
#pragma once

#include "heat.h"
#include "look.h"

typedef struct traced_run {
    build_target t;    /* the program that ran */
    access_run files;  /* paths of the run's files */
    requests r;        /* memory accesses of the run */
    char *source;      /* text of the lab that ran */
    const char *file;  /* name of the source file in the table of accesses */
    const char *title; /* title above the picture of this run, if two runs are drawn side by side */
    bool hides;        /* hide the code in the lab's TODO regions, as in a lesson */
} traced_run;

/* Read the files s->files that the run wrote. False: failed, with a sentence in ERR. */
bool traced_run_read(traced_run *s, char *err, size_t err_size);
void traced_run_free(traced_run *s);

/* The source's name of the array that KERNEL accesses: "in" for "argument 2". NULL: unknown. */
const char *traced_array_name(traced_run *s, const char *kernel, const char *memory);
/* The text of R's source line; if a TODO region hides it, the name of that region. */
const char *traced_line_text(traced_run *s, const memory_request *r);

/* Append the access diagram (diagram.h) of request R, DIAGRAM_WIDE_COLUMNS or
 * DIAGRAM_NARROW_COLUMNS columns wide. */
void traced_append_diagram(page *p, traced_run *s, const memory_request *r, size_t columns);
/* Return true if KERNEL is defined in the source and, unless ONLY is NULL, is named ONLY. */
bool traced_kernel_is_shown(const traced_run *s, const char *kernel, const char *only);
/* Append the heat maps of the source's kernels, or of ONLY, each with the cost of its lines. */
void traced_append_heat(page *p, traced_run *s, const heat_table *h, const char *only,
                        size_t width);
