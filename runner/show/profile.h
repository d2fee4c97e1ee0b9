/* What `warpbook exec --profile` tells of a program that ran on the emulator: a row a kernel, and
 * the source lines whose memory accesses cost most. Read from the tables of WARPBOOK_COUNTERS,
 * WARPBOOK_LINES and WARPBOOK_TIMELINE line by line: a program may launch a million kernels. */
#ifndef WARPBOOK_PROFILE_H
#define WARPBOOK_PROFILE_H

#include "../base/text.h"

#include <stdio.h>

typedef struct kernel_row {
    const char *name;
    double launches,
        ms; /* number of launches, and modelled time of all of them in ms; NAN if not known */
    double requests, sectors; /* requests and sectors of global memory: loads, stores, atomics,
                                 textures, surfaces */
    double conflicts;         /* extra passes over shared memory, loads and stores */
    double branches, divergent;
    double instructions, lanes; /* instructions executed by warps, and sum of their active lanes */
} kernel_row;

/* The accesses of one kind by one kernel on one line, all launches. */
typedef struct line_cost {
    const char *kernel, *file, *path; /* path: "" if it is not known */
    int line;                         /* 0: the program was built without -lineinfo */
    const char *op,
        *space; /* mnemonic and state space of the first instruction: "ld.global.f32", "global" */
    double requests, sectors, ideal, conflicts;
    double cost;      /* passes over L1, shared memory or the constant cache */
    const char *text; /* text of the line without surrounding blanks; NULL if it cannot be read */
} line_cost;

typedef struct profile {
    arena memory;
    kernel_row *kernels; /* kernels sorted by time, the longest first */
    size_t kernel_count;
    line_cost *lines; /* lines sorted by cost, the most expensive first */
    size_t line_count;
    double cost; /* cost of all lines */
    const char
        *newer_source; /* name of a source file that was changed after PROGRAM was built, or NULL */
} profile;

/* Read what the files hold; one that is not there is empty. PROGRAM_DIR: where a source file is
 * also looked for, by its name, besides its path and the current directory. */
void profile_read(profile *p, const char *counters, const char *lines, const char *timeline,
                  const char *program_dir);
void profile_free(profile *p);

/* The text of a source, to be freed: at PATH, else FILE beside PROGRAM or here. NULL: it cannot be
 * read, or was changed after PROGRAM was built, which P keeps. */
char *profile_source(profile *p, const char *path, const char *file, const char *program);
/* Line N of SOURCE without blanks around, in A; NULL: there is none. */
const char *profile_line(arena *a, const char *source, int n);
/* 1234567 as 1.23M, into BUF, which it returns. */
const char *profile_brief(double v, char *buf, size_t size);

/* The tables as text, narrower than 100 columns; the MOST expensive lines. */
void profile_print(FILE *f, const profile *p, size_t most);
/* The same as a json_t* (new reference): all lines. */
void *profile_json(const profile *p);

#endif
