/* Mistakes with copies of cp.async in flight that are not accesses to the destination. */
#pragma once

#include "../../core/observer.h"
#include "../reports.h"

#include <pthread.h>

enum { SAN_MAX_UNWAITED_COPIES = 20 }; /* most copies without a wait kept for a launch */

/* The first copy of an instruction that was in flight when its block ended. */
typedef struct san_unwaited_copy {
    const ptx_insn *insn;    /* the cp.async instruction */
    uint64_t block;          /* index of the block in the grid */
    uint32_t thread, offset; /* index of the copying thread in its block; destination of the copy in
                                shared memory */
} san_unwaited_copy;

/* State of the race check for a launch. */
typedef struct race_launch {
    const sm_grid *grid;  /* the grid that the launch runs */
    san_reports *reports; /* reports of the launch */
    bool several_arrays;  /* the kernel uses several `extern __shared__` arrays */
    pthread_mutex_t lock; /* protects the fields below */
    bool waited;          /* some thread has waited for a copy */
    san_unwaited_copy unwaited[SAN_MAX_UNWAITED_COPIES]; /* copies for which no thread waited */
    uint32_t unwaited_count;                             /* entries used in `unwaited` */
} race_launch;

/* Access A writes to global memory, in a block that has started asynchronous copies: report it if
 * one of the copies may still have to read the bytes. */
void san_race_source_written(const sm_access *a);

/* If no thread of the launch has waited for any copy, report the copies for which no thread waited.
 * Copies that other reports name are omitted. */
void san_race_report_unwaited_copies(race_launch *l);
