/* The profile that `warpbook exec --profile` prints for a program run on the emulator: one row per
 * kernel, and the source lines with the most expensive memory accesses. The tables of
 * WARPBOOK_COUNTERS, WARPBOOK_LINES and WARPBOOK_TIMELINE are read line by line, because a program
 * may launch a million kernels. */
#pragma once

#include "../base/text.h"

#include <stdio.h>

typedef struct kernel_row {
    const char *name;           /* name of the kernel */
    double launches;            /* number of launches */
    double ms;                  /* modelled time of all launches in milliseconds; NAN: unknown */
    double requests, sectors;   /* requests and sectors of global memory: loads, stores, atomics,
                                   textures, surfaces */
    double conflicts;           /* extra passes over shared memory, loads and stores */
    double branches, divergent; /* branches executed by warps, and those at which lanes diverged */
    double instructions, lanes; /* instructions executed by warps, and sum of their active lanes */
    double flops, bytes;        /* operations on f32; bytes read and written, each once a launch */
} kernel_row;

/* The accesses of one kind by one kernel at one source line, summed over all launches. */
typedef struct line_cost {
    const char *kernel;      /* name of the kernel */
    const char *file, *path; /* name of the source file, and its path ("": unknown) */
    int line;                /* source line; 0: unknown, the program was built without -lineinfo */
    const char *op, *space;  /* first instruction and its memory space: "ld.global.f32", "global" */
    double requests;         /* number of memory requests */
    double sectors, ideal;   /* sectors (shared and constant memory: passes); fewest possible */
    double conflicts;        /* extra passes because of bank conflicts */
    double cost;      /* in 32-byte sectors; a pass over shared or constant memory counts as 4 */
    const char *text; /* text of the line without surrounding blanks; NULL if it cannot be read */
} line_cost;

typedef struct profile {
    arena memory;             /* holds the rows and strings of the profile */
    kernel_row *kernels;      /* kernels sorted by time, the longest first */
    size_t kernel_count;      /* number of kernels */
    line_cost *lines;         /* lines sorted by cost, the most expensive first */
    size_t line_count;        /* number of lines */
    double cost;              /* sum of the costs of all source lines */
    const char *newer_source; /* a source file that was changed after the build, or NULL */
} profile;

/* Read the three tables; a missing file counts as empty. Source files are searched by their path,
 * by name in the program's directory, and by name in the current directory. */
void profile_read(profile *p, const char *counters, const char *lines, const char *timeline,
                  const char *program_dir);
void profile_free(profile *p);

/* The text of a source file, which the caller frees: from PATH, else FILE in PROGRAM's directory or
 * in the current directory. NULL: unreadable, or changed after PROGRAM was built; in that case
 * p->newer_source is set. */
char *profile_read_source(profile *p, const char *path, const char *file, const char *program);
/* Line N of SOURCE without leading and trailing blanks, in A; NULL: SOURCE has no line N. */
const char *trimmed_source_line(arena *a, const char *source, int n);
/* Format a number briefly, such as 1.23M for 1234567, into BUF; return BUF. */
const char *profile_format_count(double v, char *buf, size_t size);

/* What limits a kernel, in words: "the bandwidth of DRAM" for "dram" of WARPBOOK_SOURCE. */
const char *profile_limit_words(const char *limit);

/* Print the profile as text of less than 100 columns, with at most MOST source lines. */
void profile_print(FILE *f, const profile *p, size_t most);
/* The profile with all lines as a json_t* (new reference). */
void *profile_json(const profile *p);
