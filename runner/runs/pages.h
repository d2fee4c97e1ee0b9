/* The pages about runs that the screen shows. They are made here, so that the screen links neither
 * what judges a run nor what explains it. */
#pragma once

#include "../book/page.h"
#include "../judge/desk.h"
#include "../show/traced.h"

/* The last run of a chapter's lab, or of its solution. */
typedef struct lab_view {
    verdict v;
    bool has_verdict; /* `v` is valid */
    bool of_solution; /* the run of `v` ran the solution */
} lab_view;

/* What page is wanted, and for what screen. */
typedef struct page_request {
    session *d;
    const chapter *c;
    page *page;        /* what is made is added here */
    size_t columns;    /* of a line, at most */
    bool gpu;          /* runs use a GPU */
    bool brief, more;  /* show a brief result; show the folded counters */
    size_t asking;     /* the prediction that the student explains now */
    const char *field; /* the line in which the student types that; NULL: none is typed */
} page_request;

void make_verdict_page(const page_request *r, const lab_view *w);
/* The counters of the run: first the metrics that the chapter discusses. */
void make_counters_page(const page_request *r, const lab_view *w);

/* A recorded run's memory accesses. */
typedef struct access_pictures {
    traced_run run; /* the run whose memory accesses are shown */
    arena memory;   /* arena that holds `lines` */
    int *lines;     /* [count] numbers of the source lines that access memory, sorted */
    size_t count;   /* number of entries of `lines` */
} access_pictures;

/* Read the tables of the run of C's lab, or of its SOLUTION, into *A. False: there are none, or,
 * with a sentence in ERR, they are damaged. */
bool access_pictures_read(access_pictures *a, session *d, const chapter *c, bool solution,
                          char *err, size_t err_size);
void access_pictures_free(access_pictures *a);
/* The page of line AT; if AT is their number, the heat of the arrays. */
void make_access_pictures(const page_request *r, access_pictures *a, size_t at);
