/* Draws as text how often a kernel requests each piece of its arrays (from the table of
 * WARPBOOK_HEAT), and what each source line costs (from WARPBOOK_ACCESSES). */
#pragma once

#include "../book/page.h"
#include "access.h"

#include <stdio.h>

/* A piece of an array, and the accesses to it. */
typedef struct heat_piece {
    double offset;  /* offset of the piece in the array, in bytes */
    double sectors; /* number of different 32-byte sectors accessed */
    double fetched; /* sectors requested by loads */
    double written; /* sectors requested by stores and atomics */
    double used;    /* bytes used, summed over all requests of sectors */
} heat_piece;

/* The accesses to one array by one launch. */
typedef struct heat_map {
    const char *kernel; /* name of the kernel */
    const char *memory; /* the array: a kernel argument ("argument 2") or a variable */
    double launch;      /* number of the launch */
    double number;      /* index of the array among the allocations of the launch */
    double size, piece; /* size of the array and of a piece of it, in bytes */
    heat_piece *pieces; /* pieces that were accessed, by offset */
    size_t count;       /* number of pieces */
    heat_piece all;     /* sums over all pieces */
} heat_map;

typedef struct heat_table {
    arena memory;   /* holds the maps and their strings */
    heat_map *maps; /* one per kernel, of the launch with the most sectors, in the table's order */
    size_t count;   /* number of maps */
} heat_table;

/* Read the table in the file PATH; false: no such file, or another kind of table. */
bool heat_read(heat_table *h, const char *path);
void heat_free(heat_table *h);

/* The heat of a piece: number of sectors requested per different sector. */
double requests_per_sector(const heat_piece *p);

/* Draw MAP in at most WIDTH columns. NAME: name of the array, or NULL. */
void heat_draw(page *p, const heat_map *map, const char *name, size_t width);
/* The sentence below a heat map; the caller frees it. */
char *describe_heat(const heat_map *map);
/* Write a heat map as rows of a table that plots/heat.gp draws. */
#define HEAT_CELLS_HEADER "kind\tpiece\theat\n"
void heat_write_cells(FILE *f, const heat_map *map, const char *name);
/* Append a line that says what the characters of a heat map mean. */
void heat_draw_legend(page *p);
/* The lines of KERNEL in SOURCE from the first to the last that accesses memory, with the cost of
 * each line in the margin. */
void heat_draw_line_costs(page *p, const requests *r, const char *kernel, double launch,
                          const char *file, const char *source, size_t width);
