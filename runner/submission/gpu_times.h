/* Makes rows of a lab's record from the tables that warpbook-judge writes when it repeats
 * recordings on a GPU: `round`, `copy`, `measure` and `reference`. */
#pragma once

#include "../base/table.h"

enum {
    MEASURE_ROUNDS = 5,     /* how often the two recordings are repeated, alternately */
    MAX_MEASURED_ROWS = 64, /* rows of a record that are measured, at most */
};

/* A row of the record that the book's solution wrote, and the time of its kernel in each round. */
typedef struct measured_row {
    size_t row;                   /* number of the row in that record, from 0 */
    double ms[MEASURE_ROUNDS];    /* time in each round, in milliseconds; NAN: not measured */
    double times[MEASURE_ROUNDS]; /* time in each round, in times the solution's */
} measured_row;

typedef struct gpu_times {
    arena *memory;
    bool begun;       /* a measurement has begun */
    int round;        /* number of the present round of repetitions, from 0 */
    table *record;    /* checks and times that the book's solution wrote */
    table *judged[2]; /* tables that warpbook-judge wrote in this round: [0] about the book's
                         solution, [1] about the submission */
    measured_row rows[MAX_MEASURED_ROWS]; /* rows of `record` whose kernels the GPU times */
    size_t row_count;                     /* entries used in `rows` */
    char device[128];                     /* name of the GPU */
} gpu_times;

/* The first `sentence` in the rows of the judge's table T whose `what` is WHAT; NULL: none. */
const char *judged_sentence(const table *t, const char *what);
/* Store the times of the round in `judged`. True: another round follows. */
bool gpu_times_add_round(gpu_times *g);
/* The text of RECORD with the measured times, if all rounds were measured, in place of its rows
 * `copy`, `measure` and `round`; to be freed. */
char *gpu_times_in_record(gpu_times *g, const table *record);
void gpu_times_free(gpu_times *g);
