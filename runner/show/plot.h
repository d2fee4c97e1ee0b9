/* Pictures of a run, drawn by plots/draw with gnuplot. */
#ifndef WARPBOOK_PLOT_H
#define WARPBOOK_PLOT_H

#include "../attempt/build.h"
#include "../base/job.h"

/* Start drawing picture P of a target's last run: to build/plots as FORMAT "png" or "svg", or as
 * text ("dumb") or sixels ("sixel") of WIDTH x HEIGHT characters, which is the job's output. NULL
 * with a sentence in ERR where there is no run, no gnuplot, or no place; *LACKS then says that it
 * is the machine's fault. */
job *plot_start(house *h, const target *t, const picture *p, const char *format, int width,
                int height, bool *lacks, char *err, size_t err_size);

/* Where plot_start puts a file, in the house's arena. */
char *plot_file(house *h, const target *t, const picture *p, const char *format);

/* Write CELLS as the table build/plots/NAME-WHAT.tsv: its path in the house's arena, or NULL. */
char *plot_table(house *h, const target *t, const char *what, const char *cells);
/* Start drawing a table of cells by plots/SCRIPT.gp, beside it as FORMAT. NULL as plot_start. */
job *plot_cells(house *h, const char *script, const char *path, const char *format, int width,
                int height, bool *lacks, char *err, size_t err_size);

/* The same of a table in the form of a record; SETTINGS ("title=T", "x=LABEL") end with NULL. */
job *plot_rows(house *h, const char *script, const char *path, const char *format,
               const char *const *settings, bool *lacks, char *err, size_t err_size);

/* A picture job that has ended: true where it is good; else a sentence in ERR. */
bool plot_finish(const job *j, char *err, size_t err_size);

/* The picture of a chapter without a plot comment. */
extern const picture plot_default;

#endif
