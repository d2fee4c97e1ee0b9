/* A memory request drawn as text, the access diagram: lanes by banks for shared memory,
 * lanes by sectors for global memory, lanes by addresses for constant memory. */
#pragma once

#include "../book/page.h"
#include "access.h"

#include <stdio.h>

/* Most rows in an image of an access diagram; the number of further rows is written below. */
enum { DIAGRAM_IMAGE_ROWS = 16 }; /* rows in an image of an access diagram, at most */
/* Width in columns of a single access diagram, of each of two diagrams side by side, and of the gap
 * between them. */
enum {
    DIAGRAM_WIDE_COLUMNS = 76,   /* width of a single diagram */
    DIAGRAM_NARROW_COLUMNS = 37, /* width of each of two diagrams side by side */
    DIAGRAM_GAP_COLUMNS = 2      /* gap between these two */
};

/* Append the access diagram of request R to page P, DIAGRAM_WIDE_COLUMNS or DIAGRAM_NARROW_COLUMNS
 * columns wide. SOURCE: text of the source line, or NULL. NAME: the array's name, or NULL. */
void draw_request_diagram(page *p, const memory_request *r, const char *source, const char *name,
                          size_t columns);
/* Append a warp's memory request to page P in sentences, without a picture of lanes and banks. */
void diagram_write_text(page *p, const memory_request *r, const char *source, const char *name);
/* Write an access diagram as rows of a table that plots/access.gp draws, as panel number PANEL with
 * TITLE above it ("": no title). */
#define DIAGRAM_CELLS_HEADER "panel\tkind\trow\tcolumn\ttext\n"
void diagram_write_cells(FILE *f, int panel, const char *title, const memory_request *r,
                         const char *source, const char *name);

/* Append the meaning of the characters in diagrams of memory space SPACE, in COLUMNS columns. */
void draw_diagram_legend(page *p, access_space space, size_t columns);

/* Append two access diagrams of DIAGRAM_NARROW_COLUMNS columns side by side, below their titles. */
void place_diagrams_side_by_side(page *p, const char *left_title, const page *left,
                                 const char *right_title, const page *right);

/* The sentence below an access diagram: how the hardware serves the request. To be freed. */
char *describe_request(const memory_request *r);
/* The sentence about all requests of the instruction. The caller frees it. */
char *describe_all_requests(const memory_request *r);
