/* The counters of one launch (counters.def), and functions that write them to tables. Totals do not
 * depend on how many host threads ran the blocks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum counter_id {
#define COUNTER(field, ...) CTR_##field,
#include "counters.def"
#undef COUNTER
    CTR_COUNT
} counter_id;

typedef struct counters {
    uint64_t v[CTR_COUNT]; /* values, indexed by counter_id */
} counters;

/* Counts of one memory instruction over a launch; the basis of the source-line profile. */
typedef struct insn_stats {
    uint64_t requests;  /* executions by warps with at least one active lane */
    uint64_t lanes;     /* sum of active lanes */
    uint64_t sectors;   /* for global and local memory: 32-byte sectors; for shared memory:
                           wavefronts; for constant memory: distinct addresses */
    uint64_t ideal;     /* sectors or wavefronts if the lanes had accessed adjacent addresses */
    uint64_t conflicts; /* wavefronts that bank conflicts in shared memory add */
    uint64_t even;      /* requests of two active lanes or more with one distance between
                           neighbours */
    int64_t stride;     /* the largest distance in an `even` request, bytes; INT64_MIN: none */
    uint64_t far;       /* global load requests with at least one miss in L1 */
} insn_stats;

/* A row of WARPBOOK_LINES: one memory instruction of one source line. */
typedef struct line_row {
    const char *file;  /* name of the source file, such as "lab.cu" */
    uint32_t line;     /* line in `file`; 0: unknown */
    const char *op;    /* the instruction, such as "ld.global.f32" */
    const char *space; /* memory space: "global", "shared", "const", "local" or "texture" */
    insn_stats s;      /* counts of the instruction */
    const char *path;  /* the source file as given to the compiler; "": unknown */
} line_row;

/* Append one launch to the table of WARPBOOK_COUNTERS (tab-separated: launch kernel grid block
 * metric value) or of WARPBOOK_LINES (launch kernel file line op space requests sectors ideal
 * conflicts stride path). An empty file first gets a header row. GRID and BLOCK are written like
 * 128x1x1. Each launch is one write in append mode, so several processes may share a file. Returns
 * false with errno set on an I/O error. */
bool counters_write_launch(const char *path, uint64_t launch, const char *kernel,
                           const uint32_t grid[3], const uint32_t block[3], const counters *c);
bool line_rows_append(const char *path, uint64_t launch, const char *kernel, const line_row *rows,
                      size_t count);
