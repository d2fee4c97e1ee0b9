/* Exports marks in the formats of learning systems. Output for students contains no hidden row;
 * text from submissions is escaped for each format. */
#ifndef WARPBOOK_EXPORT_H
#define WARPBOOK_EXPORT_H

#include "marks.h"

typedef struct export_options {
    const char *gradebook; /* gradebook exported by Canvas, to which a column is added; else NULL */
    const char *lab;       /* name of the lab as returned by results_lab_name; NULL: all labs */
} export_options;

typedef enum export_kind { EXPORT_TABLE, EXPORT_EACH, EXPORT_PAGES } export_kind;

typedef struct export_format {
    const char *name, *ending, *help;
    export_kind kind;
    bool (*table)(sb *out, const marks *m, const export_options *o, char *err, size_t err_size);
    void (*each)(sb *out, const mark *m);
} export_format;

/* Find a format by its name. NULL: there is no such format. */
const export_format *export_find(const char *name);
/* Format NUMBER, from 0; NULL: NUMBER is too large. */
const export_format *export_format_at(size_t number);

/* Write pages to DIR: index.html, and one page for each student. False with a sentence in ERR. */
bool export_html(const marks *m, const char *dir, char *err, size_t err_size);

#define TABLE(function) \
    bool function(sb *out, const marks *m, const export_options *o, char *err, size_t err_size)
TABLE(export_csv);
TABLE(export_canvas);
TABLE(export_nbgrader);
TABLE(export_junit);
#undef TABLE
void export_gradescope(sb *out, const mark *m);
void export_autolab(sb *out, const mark *m);
void export_classroom(sb *out, const mark *m);
void export_vpl(sb *out, const mark *m);

#endif
