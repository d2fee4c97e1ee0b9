/* Draws plots of a run's measurements with gnuplot (script plots/draw). */
#pragma once

#include "../base/job.h"
#include "../book/target.h"

/* Start drawing picture P of a target's last run: to build/plots as FORMAT "png" or "svg", or as
 * text ("dumb") or sixels ("sixel") of WIDTH x HEIGHT characters, which is the job's output. NULL
 * with a sentence in ERR: there is no run, no gnuplot, or the directory cannot be made; *LACKS: the
 * machine is the cause. */
job *plot_start(installation *h, const build_target *t, const lesson_plot *p, const char *format,
                int width, int height, bool *lacks, char *err, size_t err_size);

/* The path of the file that plot_start writes, in the installation's arena. */
char *plot_file_path(installation *h, const build_target *t, const lesson_plot *p,
                     const char *format);

/* Write CELLS to the table build/plots/NAME-WHAT.tsv. Its path, in the arena of H; or NULL. */
char *plot_write_table(installation *h, const build_target *t, const char *what, const char *cells);
/* Start drawing a table of cells with plots/SCRIPT.gp; the picture, of type FORMAT, goes into the
 * table's directory. NULL: failed, with a sentence in ERR. */
job *plot_start_from_cells(installation *h, const char *script, const char *path,
                           const char *format, int width, int height, bool *lacks, char *err,
                           size_t err_size);

/* Start drawing a table in the form of a lab's record; SETTINGS ("title=T") end with NULL. */
job *plot_start_from_record(installation *h, const char *script, const char *path,
                            const char *format, const char *const *settings, bool *lacks, char *err,
                            size_t err_size);

/* Check a drawing job that has ended: true if it succeeded; else a sentence in ERR. */
bool plot_finish(const job *j, char *err, size_t err_size);

/* Wait for a drawing job and free it. What it printed, to be freed; NULL: J is NULL, or it failed,
 * with a sentence in ERR. */
char *plot_output(job *j, char *err, size_t err_size);

/* The picture of a chapter without a plot comment. */
extern const lesson_plot plot_default; /* bars of the measured bandwidths */
