/* The source view of a profile: each source line of a kernel with its PTX instructions and costs,
 * from the table of WARPBOOK_SOURCE. */
#pragma once

#include "../show/profile.h"

/* One PTX instruction. */
typedef struct source_insn {
    const char *ptx;                  /* text of the PTX instruction */
    int line;                         /* number of the source line; 0: unknown */
    const char *file, *path;          /* file of its source line, and the file's path */
    double executed, lanes;           /* executions by warps, and sum of their active lanes */
    double requests, cost, conflicts; /* of a memory access: requests, their cost in sectors, passes
                                         or addresses, bank conflicts; else 0 */
    double share;     /* part of the launch's modelled time; NAN: not attributed to a line */
    const char *text; /* text of the source line; NULL if it cannot be read */
} source_insn;

/* A kernel, with the counts of the launch that executed the most instructions. */
typedef struct source_kernel {
    const char *name;         /* name of the kernel */
    const char *grid, *block; /* size of the grid in blocks, and of a block in threads: "128x1x1" */
    const char *limit;        /* the hardware unit that limits the kernel: "dram" */
    double launch;            /* number of the launch that was counted */
    source_insn *insns;       /* instructions in the order of the code */
    size_t count;             /* number of instructions */
} source_kernel;

typedef struct source_view {
    arena memory;           /* holds the kernels and their strings */
    source_kernel *kernels; /* [count] the kernels that were launched */
    size_t count;
    bool too_large; /* the table was too large and has not been read */
} source_view;

/* Read the table at PATH and the source files, searched in the same places as by profile_read. */
void source_view_read(source_view *v, const char *path, profile *p, const char *program);
void source_view_free(source_view *v);

/* Print kernel NAME, or all if NAME is NULL, in at most 100 columns. False: no such kernel. */
bool source_view_print(FILE *f, const source_view *v, const char *name);
/* The source view as a json_t* (new reference). */
void *source_view_json(const source_view *v);
