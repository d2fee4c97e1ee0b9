/* Exports marks in the formats of learning systems. Output for students contains no hidden row;
 * text from submissions is escaped for each format. */
#pragma once

#include "marks.h"

typedef struct export_options {
    const char *gradebook; /* gradebook of Canvas or grading worksheet of Moodle; else NULL */
    const char *column;    /* its column to fill: name, number in the name, position; or NULL */
    const char *lab;       /* name of the lab as returned by results_lab_name; NULL: all labs */
} export_options;

typedef enum export_kind {
    EXPORT_TABLE, /* one text for the whole class */
    EXPORT_EACH,  /* a text for each student and lab */
    EXPORT_PAGES  /* a directory of HTML pages */
} export_kind;

typedef struct export_format {
    const char *name, *ending, *help; /* format's name; ending of file names; text of the usage */
    export_kind kind;                 /* table, text for each student, or pages */
    bool (*table)(sb *out, const marks *m, const export_options *o, char *err, size_t err_size);
    void (*each)(sb *out, const mark *m);
} export_format;

/* Find a format by its name. NULL: there is no such format. */
const export_format *export_format_by_name(const char *name);
/* Format NUMBER, from 0; NULL: NUMBER is too large. */
const export_format *export_format_at(size_t number);

#define DECLARE_TABLE_EXPORT(function) \
    bool function(sb *out, const marks *m, const export_options *o, char *err, size_t err_size)
DECLARE_TABLE_EXPORT(export_csv);
DECLARE_TABLE_EXPORT(export_canvas);
DECLARE_TABLE_EXPORT(export_moodle);
DECLARE_TABLE_EXPORT(export_moodle_feedback);
DECLARE_TABLE_EXPORT(export_nbgrader);
DECLARE_TABLE_EXPORT(export_junit);
#undef DECLARE_TABLE_EXPORT
void export_gradescope(sb *out, const mark *m);
void export_autolab(sb *out, const mark *m);
void export_classroom(sb *out, const mark *m);
void export_classroom50(sb *out, const mark *m);
void export_prairielearn(sb *out, const mark *m);
void export_vpl(sb *out, const mark *m);
