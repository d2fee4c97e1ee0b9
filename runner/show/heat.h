/* How often a kernel fetches the pieces of its arrays, from WARPBOOK_HEAT, drawn as text; and what
 * each source line spends, from WARPBOOK_ACCESSES. */
#ifndef WARPBOOK_SHOW_HEAT_H
#define WARPBOOK_SHOW_HEAT_H

#include "../book/page.h"
#include "access.h"

#include <stdio.h>

typedef struct heat_piece {
    double offset;  /* bytes */
    double sectors; /* number of different 32-byte sectors accessed */
    double fetched; /* sectors requested by loads */
    double written; /* sectors requested by stores and atomics */
    double used;    /* bytes */
} heat_piece;

/* An array in a launch. */
typedef struct heat_map {
    const char *kernel, *memory;        /* "argument 2" */
    double launch, number, size, piece; /* bytes */
    heat_piece *pieces;                 /* pieces that were accessed, by offset */
    size_t count;
    heat_piece all; /* sums */
} heat_map;

typedef struct heat {
    arena memory;
    heat_map *maps; /* one map per kernel, of the launch with the most sectors, in the order of the
                       table */
    size_t count;
} heat;

/* False where there is no table, or it is another one. */
bool heat_read(heat *h, const char *path);
void heat_free(heat *h);

/* Sectors requested for each different sector of a piece. */
double heat_of(const heat_piece *p);

/* MAP in at most WIDTH columns. NAME: what its memory is called, or NULL. */
void heat_draw(page *p, const heat_map *map, const char *name, size_t width);
/* The sentence below it, to be freed. */
char *heat_sentence(const heat_map *map);
/* The same as rows of a table that plots/heat.gp draws. */
#define HEAT_CELLS "kind\tpiece\theat\n"
void heat_cells(FILE *f, const heat_map *map, const char *name);
/* Append a line that says what the characters of a heat map mean. */
void heat_legend(page *p);
/* The lines of KERNEL in SOURCE from the first to the last that accesses memory, with what each
 * spends in the margin. */
void heat_margin(page *p, const requests *r, const char *kernel, double launch, const char *file,
                 const char *source, size_t width);

#endif
