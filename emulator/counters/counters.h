/* Counters of one launch. counters.def is the list; totals do not depend on how many host threads
 * ran the blocks. */
#ifndef WARPBOOK_COUNTERS_H
#define WARPBOOK_COUNTERS_H

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
    uint64_t v[CTR_COUNT];
} counters;

const char *counter_name(counter_id id);
const char *counter_meaning(counter_id id);

/* What one memory instruction did over a launch: a row of the source-line profile. */
typedef struct site_stats {
    uint64_t requests;  /* warp instructions with a lane active */
    uint64_t lanes;     /* active lanes, summed */
    uint64_t sectors;   /* global, local: 32-byte sectors. shared: wavefronts. const: addresses */
    uint64_t ideal;     /* what the same lanes would have needed side by side */
    uint64_t conflicts; /* shared: wavefronts beyond the fewest possible */
    uint64_t even;      /* requests of two or more active lanes with one distance throughout */
    int64_t stride;     /* the widest of these distances, bytes; in a line_row INT64_MIN: none */
    uint64_t far;       /* global loads: requests that L1 did not hold all of */
} site_stats;

/* Append one launch to the table of WARPBOOK_COUNTERS (tab-separated: launch kernel grid block
 * metric value, header first) and the one of WARPBOOK_LINES (launch kernel file line op space
 * requests sectors ideal conflicts stride path). GRID and BLOCK are written 128x1x1. Rows are
 * appended with one write each launch, so processes may share a file. False on an I/O error
 * (errno). */
typedef struct line_row {
    const char *file; /* "lab.cu" */
    uint32_t line;
    const char *op;    /* "ld.global.f32" */
    const char *space; /* "global" "shared" "const" "local" "texture" */
    site_stats s;
    const char *path; /* of the file, as the compiler was given it; "" where it is not known */
} line_row;

bool counters_write(const char *path, uint64_t launch, const char *kernel, const uint32_t grid[3],
                    const uint32_t block[3], const counters *c);
bool lines_write(const char *path, uint64_t launch, const char *kernel, const line_row *rows,
                 size_t count);

#endif
