/* The source view of a profile: each line of a kernel with its PTX, from WARPBOOK_SOURCE. */
#ifndef WARPBOOK_SOURCE_VIEW_H
#define WARPBOOK_SOURCE_VIEW_H

#include "profile.h"

/* One PTX instruction. */
typedef struct source_insn {
    const char *ptx;
    int line; /* line of source; 0: not known */
    const char *file, *path;
    double executed, lanes;           /* executions by warps, and sum of their active lanes */
    double requests, cost, conflicts; /* counts of a memory access; 0 for other instructions */
    double share;     /* part of the launch's modelled time; NAN: not attributed to a line */
    const char *text; /* text of the source line; NULL if it cannot be read */
} source_insn;

/* A kernel, in the one of its launches that executed most. */
typedef struct source_kernel {
    const char *name, *grid, *block;
    const char *limit; /* the part of the device that takes longest: "dram" */
    double launch;
    source_insn *insns; /* instructions in the order of the code */
    size_t count;
} source_kernel;

typedef struct source_view {
    arena memory;
    source_kernel *kernels;
    size_t count;
    bool too_large; /* the table was too large and has not been read */
} source_view;

/* Read the table at PATH, and the sources, which are looked for as profile_read does. */
void source_view_read(source_view *v, const char *path, profile *p, const char *program);
void source_view_free(source_view *v);

/* Kernel NAME, or all (NULL), as text in at most 100 columns. False: there is no such kernel. */
bool source_view_print(FILE *f, const source_view *v, const char *name);
/* The same as a json_t* (new reference). */
void *source_view_json(const source_view *v);

#endif
