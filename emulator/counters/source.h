/* Statistics of each PTX instruction of a launch: the rows of the table WARPBOOK_SOURCE, from which
 * the source view of a profile is made. */
#pragma once

#include "counters.h"
#include "work.h"

/* The part of the device that an instruction uses, besides a scheduler. */
typedef enum source_kind {
    SOURCE_ARITHMETIC_OR_OTHER, /* arithmetic and everything not listed below */
    SOURCE_LOAD,                /* loads from global memory */
    SOURCE_STORE,               /* stores to global memory */
    SOURCE_ATOMIC,              /* atomics on global memory */
    SOURCE_LOCAL,               /* accesses to local memory */
    SOURCE_SHARED,              /* accesses to shared memory */
    SOURCE_CONST,               /* loads of constant memory whose address is in a register */
    SOURCE_TEXTURE,             /* texture fetches and surface accesses */
    SOURCE_SHUFFLE,             /* exchanges between the lanes of a warp */
    SOURCE_BARRIER,             /* barriers of a block or cluster */
    SOURCE_TENSOR               /* matrix instructions */
} source_kind;

/* A row of WARPBOOK_SOURCE: one PTX instruction of a launch. */
typedef struct source_row {
    const char *file;  /* name of the source file, such as "lab.cu" */
    uint32_t line;     /* source line; 0: unknown */
    const char *path;  /* source file as given to the compiler; "": unknown */
    const char *ptx;   /* the instruction as text, such as "ld.global.f32 %f1, [%rd4];" */
    uint32_t insn;     /* number of the instruction in the launch */
    source_kind kind;  /* part of the device that the instruction uses */
    uint64_t executed; /* how often warps executed the instruction */
    uint64_t lanes;    /* sum of active lanes */
    insn_stats s;      /* statistics of a memory access; all 0 for other instructions */
    double share; /* part of the launch's modelled time; negative: not attributed to any line */
} source_row;

/* What all rows of a launch say. */
typedef struct source_launch {
    uint64_t number;
    const char *kernel;
    const uint32_t *grid, *block;       /* [3] */
    const char *limit;                  /* the part of the device that limits the launch */
    const launch_work *work;            /* names the block and the warp that take longest */
    double memory_gbs, most_f32_gflops; /* the roofs of the device for a copy and for f32 */
} source_launch;

/* Append a launch to the table: launch kernel grid block file line insn ptx executed lanes requests
 * cost conflicts share limit path longest_block longest_warp memory_gbs most_f32_gflops. Returns
 * false with errno set on an I/O error. */
bool source_append_launch(const char *path, const source_launch *l, const source_row *rows,
                          size_t count);
